import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { TokenRanks } from '../../src/text/token-ranks.ts';

const token = fc.uint8Array({ minLength: 1, maxLength: 5, max: 3 });
const tokens = fc.uniqueArray(token, { selector: (bytes) => bytes.join(), maxLength: 40 });

it('has the rank of each token and of nothing else, inside of any text', () => {
  fc.assert(
    fc.property(tokens, tokens, fc.nat(9), (first, others, gap) => {
      const run = (list: readonly Uint8Array[]) =>
        list.map((bytes) => Buffer.from(bytes).toString('base64'));
      const known = new Set(first.map((bytes) => bytes.join()));
      const second = others.filter((bytes) => !known.has(bytes.join()));
      const ranks = new TokenRanks([
        [0, run(first)],
        [first.length + gap, run(second)],
      ]);
      const expected = new Map([
        ...first.map((bytes, index) => [bytes.join(), index] as const),
        ...second.map((bytes, index) => [bytes.join(), first.length + gap + index] as const),
      ]);
      for (const bytes of [
        ...first,
        ...others,
        Uint8Array.of(4),
        Uint8Array.of(0, 0, 0, 0, 0, 0),
      ]) {
        const text = `\u0001${Buffer.from(bytes).toString('latin1')}\u0002`;
        const rank = expected.get(bytes.join()) ?? -1;
        expect(ranks.of(text, 1, text.length - 1)).toBe(rank);
        if (bytes.length === 2) expect(ranks.ofPair(text, 1)).toBe(rank);
      }
    }),
  );
});
