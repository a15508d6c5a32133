import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contractBreach, GuardMemory } from '../../src/compaction/guards.ts';
import { markerOf, Stash, type StashKey } from '../../src/compaction/stash.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { Message } from '../../src/transcript/message.ts';
import { dialectOf } from '../../src/wire/catalog.ts';

const table = new MessageTable();
const wire = dialectOf('anthropic');
const said = (text: string) => wire.userText(text, table);
const outputs = Array.from({ length: 8 }, (_, index) => `output ${index} ${'word '.repeat(9)}`);
const results = outputs.map((text, index) =>
  wire.parseMessage(
    JSON.stringify({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `id-${index % 6}`, content: text }],
    }),
    table,
  ),
);
const messages = [...results, said('hello'), said('go on')];
const count = ({ raw }: Message) => raw.length;
const total = (list: readonly Message[]) => list.reduce((sum, message) => sum + count(message), 0);

/** What becomes of an output, faults among it. */
const fate = fc.constantFrom(
  'kept',
  'masked',
  'masked',
  'masked',
  'unmarked',
  'unstashed',
  'grown',
);

const requests = fc.array(
  fc.record({
    cut: fc.nat(4),
    added: fc.array(fc.tuple(fc.constantFrom(...messages), fate), { maxLength: 4 }),
    drop: fc.option(fc.nat(10), { freq: 6 }),
    span: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

test('a guard that remembers finds what one finds that sees the rewrite for the first time', () => {
  let breaches = 0;
  let passes = 0;
  fc.assert(
    fc.property(requests, (given) => {
      const memory = new GuardMemory();
      const stash = new Stash();
      let list: readonly (readonly [Message, string])[] = [];
      for (const { cut, added, drop, span } of given) {
        list = [...list.slice(0, Math.max(0, list.length - cut)), ...added];
        const before = list.map(([message]) => message);
        const stashed: StashKey[] = [];
        let after = list.map(([message, becomes]) => rewritten(message, becomes, stash, stashed));
        if (span && before.length > 3) {
          const key = stash.putMessages(before, 1, before.length - 1);
          stashed.splice(0, stashed.length, key);
          after = [...before.slice(0, 1), said(`summary ${markerOf(key)}`), ...before.slice(-1)];
        }
        if (drop !== null) after = after.filter((_, index) => index !== drop);
        const outcome = { kind: 'changed', messages: after, stashed } as const;
        const measured = {
          tokensBefore: total(before),
          tokensAfter: total(after),
          stash,
          countBefore: count,
          countAfter: count,
        };
        const fresh = contractBreach('offload', before, outcome, measured);
        expect(contractBreach('offload', before, outcome, { ...measured, memory })).toEqual(fresh);
        if (fresh === undefined) passes++;
        else breaches++;
      }
    }),
    { numRuns: 500, seed: 20261130 },
  );
  expect(Math.min(breaches, passes)).toBeGreaterThan(200);
});

function rewritten(message: Message, fate: string, stash: Stash, stashed: StashKey[]): Message {
  const [block] = message.blocks;
  if (block?.kind !== 'tool-result' || fate === 'kept') return message;
  const [text = ''] = block.texts;
  const replace = (now: string) => wire.replaceResult(message, 0, now, table);
  if (fate === 'grown') return replace(`${text} ${text}`);
  const other = fate === 'unstashed' ? `other ${text}` : text;
  const key = stash.putText(other);
  stashed.push(key);
  return replace(fate === 'unmarked' ? 'x' : markerOf(key));
}

test('a summary stands for what lies in its span, and for nothing beside it', () => {
  const stash = new Stash();
  const before = [...results.slice(0, 6), said('last')];
  const key = stash.putMessages(before, 1, 5);
  const summary = said(`summary ${markerOf(key)}`);
  const found = (after: readonly Message[]) =>
    contractBreach(
      'offload',
      before,
      { kind: 'changed', messages: after, stashed: [key] },
      {
        tokensBefore: total(before),
        tokensAfter: 0,
        stash,
        countBefore: count,
        countAfter: count,
      },
    )?.reason;
  expect(found([...before.slice(0, 1), summary, ...before.slice(5)])).toBeUndefined();
  expect(found([...before.slice(0, 1), summary, ...before.slice(6)])).toBe('unstashed');
  expect(found([summary, ...before.slice(5)])).toBe('unstashed');
  const blank = said('summary');
  expect(found([...before.slice(0, 1), blank, ...before.slice(5)])).toBe('unstashed');
});
