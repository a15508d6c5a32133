import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { bustTokens } from '../../src/replay/cost-bust.ts';

interface Sample {
  readonly keys: readonly number[];
  readonly sizes: readonly number[];
  readonly share: number;
}

/** Few keys, so that pieces repeat, and sizes that go with them. */
const sample: fc.Arbitrary<Sample> = fc.record({
  keys: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 }),
  sizes: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 10, maxLength: 10 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
});

function readPrompt({ keys, share }: Sample, sizes: readonly number[]) {
  const totals = [0];
  for (const key of keys) totals.push((totals.at(-1) ?? 0) + (sizes[key] ?? 0));
  const tokensTo = (pieces: number) => totals[pieces] ?? 0;
  return { prompt: { keys, marks: [], tokensTo }, read: Math.round(share * tokensTo(keys.length)) };
}

/** Piece by piece, by the definition: common start, common end, and each other piece for the next equal one. */
function plainBust(before: ReturnType<typeof readPrompt>, after: ReturnType<typeof readPrompt>) {
  const old = [...before.prompt.keys];
  const now = [...after.prompt.keys];
  const pairs: [number, number][] = [];
  const shared = Math.min(old.length, now.length);
  let start = 0;
  while (start < shared && old[start] === now[start]) pairs.push([start, start++]);
  let end = 0;
  while (end < shared - start && old.at(-1 - end) === now.at(-1 - end)) {
    end++;
    pairs.push([old.length - end, now.length - end]);
  }
  const taken = new Set<number>();
  for (let piece = start; piece < now.length - end; piece++) {
    for (let from = start; from < old.length - end; from++) {
      if (taken.has(from) || old[from] !== now[piece]) continue;
      taken.add(from);
      pairs.push([from, piece]);
      break;
    }
  }
  let bust = 0;
  for (const [from, piece] of pairs) {
    const size = before.prompt.tokensTo(from + 1) - before.prompt.tokensTo(from);
    const wasRead = Math.min(size, Math.max(0, before.read - before.prompt.tokensTo(from)));
    const isRead = Math.max(0, after.read - after.prompt.tokensTo(piece));
    bust += Math.max(0, wasRead - isRead);
  }
  return bust;
}

it('is the sum over the pieces that both prompts have, whatever their number', () => {
  let busts = 0;
  let few = 0;
  fc.assert(
    fc.property(sample, sample, fc.nat(40), fc.nat(40), (one, other, kept, tail) => {
      // A rewrite keeps a start and an end, and has pieces of its own in between.
      const middle = other.keys.slice(0, tail % 2 === 0 ? 4 : 40);
      const keys = [
        ...one.keys.slice(0, kept),
        ...middle,
        ...one.keys.slice(one.keys.length - tail),
      ];
      if (middle.length <= 8) few++;
      const before = readPrompt(one, one.sizes);
      const after = readPrompt({ ...other, keys }, one.sizes);
      const expected = plainBust(before, after);
      if (expected > 0) busts++;
      expect(bustTokens(before, after)).toBe(expected);
    }),
    { numRuns: 3000, seed: 20261130 },
  );
  expect(Math.min(busts, few)).toBeGreaterThan(100);
});
