import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SavingsLedger } from '../../src/replay/ledger.ts';
import { exchangePlace } from '../../src/transcript/exchanges.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { Message } from '../../src/transcript/message.ts';
import { dialectOf } from '../../src/wire/catalog.ts';

const table = new MessageTable();
const wire = dialectOf('openai-chat');
const said = (text: string) => wire.userText(text, table);
const result = (id: string, text: string) =>
  wire.parseMessage(JSON.stringify({ role: 'tool', tool_call_id: id, content: text }), table);
const tokensOf = ({ raw }: Message) => raw.length;

/** The definition, request by request and message by message, from scratch. */
function unique(rewrites: readonly (readonly [readonly Message[], readonly Message[]])[]): number {
  const reductions = new Map<string, number>();
  const insertions = new Map<string, number>();
  for (const [before, after] of rewrites) {
    const removed = lacking(before, after);
    const inserted = lacking(after, before);
    const now = new Map<string, number>();
    for (const message of removed) {
      const place = exchangePlace(message);
      const at = inserted.findIndex(
        (other) => place !== undefined && exchangePlace(other) === place,
      );
      const [written] = at < 0 ? [] : inserted.splice(at, 1);
      const left = written === undefined ? 0 : tokensOf(written);
      const { hash } = message.identity;
      now.set(hash, (now.get(hash) ?? 0) + tokensOf(message) - left);
    }
    for (const [hash, reduction] of now) {
      reductions.set(hash, Math.max(reductions.get(hash) ?? reduction, reduction));
    }
    for (const message of inserted) insertions.set(message.identity.hash, tokensOf(message));
  }
  const sum = (values: Iterable<number>) => [...values].reduce((all, value) => all + value, 0);
  return sum(reductions.values()) - sum(insertions.values());
}

function lacking(list: readonly Message[], other: readonly Message[]): Message[] {
  const spare = other.map(({ identity }) => identity.hash);
  return list.filter(({ identity }) => {
    const at = spare.indexOf(identity.hash);
    if (at >= 0) spare.splice(at, 1);
    return at < 0;
  });
}

/** What a list may hold: ids repeat, and so do whole messages. */
const messages = [
  ...['one', 'two', 'three'].map(said),
  ...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'a'].map((id, index) =>
    result(id, `${'output '.repeat(3 + index)}${index}`),
  ),
];
const masked = new Map(
  messages.flatMap((message) =>
    message.blocks.flatMap((block) =>
      block.kind === 'tool-result' ? [[message, result(block.id, 'x')] as const] : [],
    ),
  ),
);

/** The last one says what a message of the session says too. */
const summaries = [said('summary'), said('another summary'), said('one')];

/** A session that mostly grows, and for each request what a component makes of it. */
const sessions = fc
  .array(
    fc.record({
      added: fc.array(fc.constantFrom(...messages), { minLength: 1, maxLength: 4 }),
      cut: fc.integer({ min: 0, max: 20 }),
      kind: fc.constantFrom('mask', 'mask', 'mask', 'span', 'span', 'none'),
      keep: fc.integer({ min: 0, max: 3 }),
      summary: fc.nat(2),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((requests) => {
    let list: readonly Message[] = [];
    return requests.map(({ added, cut, kind, keep, summary }) => {
      list = cut === 0 ? added : [...list, ...added];
      const end = Math.max(0, list.length - keep);
      const after =
        kind === 'mask'
          ? list.map((message, index) => (index < end ? (masked.get(message) ?? message) : message))
          : kind === 'span'
            ? [
                ...list.slice(0, 1),
                summaries[summary] ?? said('none'),
                ...list.slice(Math.max(1, end)),
              ]
            : list;
      return [list, after] as const;
    });
  });

test('what a session saved is what its requests, each from scratch, add up to', () => {
  fc.assert(
    fc.property(sessions, (rewrites) => {
      const ledger = new SavingsLedger();
      for (const [before, after] of rewrites) {
        ledger.add(before, after, { tokensBefore: 0, tokensAfter: 0 }, tokensOf);
      }
      expect(ledger.savings().unique).toBe(unique(rewrites));
    }),
    { numRuns: 1000 },
  );
});
