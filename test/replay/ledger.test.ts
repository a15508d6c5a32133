import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SavingsLedger } from '../../src/replay/ledger.ts';
import { countTokens } from '../../src/text/tokens.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { Message } from '../../src/transcript/message.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import { words } from '../support/wire-steps.ts';

const table = new MessageTable();
const wire = dialectOf('openai-chat');

/** A message of exactly `tokens` tokens, another for each name. */
function message(name: string, tokens: number): Message {
  const text = `${name} ${words(tokens)}`;
  for (let length = text.length; length > 0; length--) {
    const cut = text.slice(0, length);
    if (countTokens(cut) === tokens) return wire.userText(cut, table);
  }
  throw new Error(`no text of ${tokens} tokens begins with ${name}`);
}

function result(id: string, text: string): Message {
  const raw = JSON.stringify({ role: 'tool', tool_call_id: id, content: text });
  return wire.parseMessage(raw, table);
}

const tokensOf = (given: Message): number =>
  given.blocks.reduce((sum, block) => {
    if (block.kind === 'text') return sum + countTokens(block.text);
    return block.kind === 'tool-result' ? sum + countTokens(block.texts.join('')) : sum;
  }, 0);

const total = (list: readonly Message[]) => list.reduce((sum, given) => sum + tokensOf(given), 0);

type Rewrite = readonly [before: readonly Message[], after: readonly Message[]];

function savings(rewrites: readonly Rewrite[]) {
  const ledger = new SavingsLedger();
  for (const [before, after] of rewrites) {
    const totals = { tokensBefore: total(before), tokensAfter: total(after) };
    ledger.add(before, after, totals, tokensOf);
  }
  return ledger.savings();
}

const [a, b, c, d, e] = [
  message('alpha', 100),
  message('bravo', 50),
  message('charlie', 30),
  message('delta', 20),
  message('echo', 40),
];
const [s1, s2] = [message('summary one', 10), message('summary two', 15)];

describe('SavingsLedger', () => {
  test('nothing replayed and nothing changed is nothing saved', () => {
    expect(savings([])).toEqual({ gross: 0, unique: 0, peakBefore: 0, peakAfter: 0 });
    const list = [a, b];
    const peak = { peakBefore: 150, peakAfter: 150 };
    expect(savings([[list, list]])).toEqual({ gross: 0, unique: 0, ...peak });
    // The same messages in another array are no change either.
    expect(savings([[list, [...list]]])).toEqual({ gross: 0, unique: 0, ...peak });
  });

  test('a drop that every later request repeats counts once in unique', () => {
    const rewrites: Rewrite[] = [
      [
        [a, b, c],
        [a, c],
      ],
      [
        [a, b, c, d],
        [a, c, d],
      ],
      [
        [a, b, c, d, e],
        [a, c, d, e],
      ],
    ];
    const peaks = { peakBefore: 240, peakAfter: 190 };
    expect(savings(rewrites)).toEqual({ gross: 150, unique: 50, ...peaks });
  });

  test('a reused summary and its roll-forward: each inserted message counts once', () => {
    const rewrites: Rewrite[] = [
      [
        [a, b, c, d],
        [a, s1, d],
      ],
      [
        [a, b, c, d, e],
        [a, s1, d, e],
      ],
      [
        [a, b, c, d, e],
        [a, s2, e],
      ],
    ];
    // Gross: 80−10, 80−10, 100−15. Unique: 50 + 30 + 20 − 10 − 15.
    expect(savings(rewrites)).toMatchObject({ gross: 225, unique: 75 });
  });

  test('a message that occurs twice is saved as often as it went in one request', () => {
    expect(savings([[[a, b, a], [b]]])).toMatchObject({ gross: 200, unique: 200 });
    // Once here and once there is the same one: the transcript may hold it but twice.
    expect(
      savings([
        [
          [a, b, a],
          [a, b],
        ],
        [
          [a, b, a],
          [b, a],
        ],
      ]),
    ).toMatchObject({ gross: 200, unique: 100 });
  });

  test('moving a message saves nothing', () => {
    expect(
      savings([
        [
          [a, b, c],
          [c, a, b],
        ],
      ]),
    ).toMatchObject({ gross: 0, unique: 0 });
  });

  test('a message rewritten in its place counts with its largest reduction', () => {
    const whole = result('x', words(100));
    const head = result('x', words(60));
    const marker = result('x', words(10));
    const other = result('y', words(80, 1));
    const [w, h, m] = [whole, head, marker].map(tokensOf);
    const rewrites: Rewrite[] = [
      [
        [a, whole],
        [a, head],
      ],
      [
        [a, whole, b, other],
        [a, marker, b, other],
      ],
      [
        [a, whole, b, other],
        [a, head, b, other],
      ],
    ];
    if (w === undefined || h === undefined || m === undefined) throw new Error('no counts');
    const gross = w - h + (w - m) + (w - h);
    expect(savings(rewrites)).toMatchObject({ gross, unique: w - m });
  });

  test('of a message that was rewritten, then summarized, nothing is left', () => {
    const whole = result('x', words(100));
    const marker = result('x', words(10));
    const rewrites: Rewrite[] = [
      [
        [a, whole, b],
        [a, marker, b],
      ],
      [
        [a, whole, b, c],
        [a, s1, c],
      ],
    ];
    expect(savings(rewrites).unique).toBe(tokensOf(whole) + 50 - 10);
  });

  test('a rewrite that grows costs', () => {
    const small = result('x', words(10));
    const large = result('x', words(30));
    const grown = tokensOf(small) - tokensOf(large);
    expect(
      savings([
        [
          [a, small],
          [a, large],
        ],
      ]),
    ).toMatchObject({ gross: grown, unique: grown });
  });

  test('a message with a moved cache mark is the same one', () => {
    const marked = wire.parseMessage(
      `{"role":"user","content":[{"type":"text","text":${JSON.stringify(textOf(b))},"cache_control":{"type":"ephemeral"}}]}`,
      table,
    );
    expect(marked).not.toBe(b);
    expect(
      savings([
        [
          [a, b, c],
          [a, c],
        ],
        [
          [a, marked, c],
          [a, c],
        ],
      ]).unique,
    ).toBe(50);
    // Nor is it inserted where only its mark moved.
    expect(
      savings([
        [
          [a, b, c],
          [a, marked, c],
        ],
      ]).unique,
    ).toBe(0);
  });

  const pool = Array.from({ length: 6 }, (_, index) => message(`m${index}`, 5 + 7 * index));
  const pick = fc.array(fc.constantFrom(...pool), { maxLength: 7 });
  const results = ['x', 'y'].flatMap((id) => [5, 20, 40].map((size) => result(id, words(size))));
  // Which of two equal results stays would decide what a third with their id took the place of.
  const mixed = fc
    .array(fc.constantFrom(...pool, ...results), { maxLength: 7 })
    .map((list) => list.filter((m, index) => pool.includes(m) || list.indexOf(m) === index));

  test('equals a plain reading of the definition, on any lists', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(mixed, mixed), { maxLength: 6 }), (rewrites) => {
        expect(savings(rewrites).unique).toBe(uniqueByDefinition(rewrites));
      }),
    );
  });

  test('unique is never more than the transcript holds', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(pick, pick), { maxLength: 6 }), (rewrites) => {
        const most = pool.map((given) => {
          const counts = rewrites.map(([before]) => before.filter((m) => m === given).length);
          return Math.max(0, ...counts) * tokensOf(given);
        });
        const held = most.reduce((sum, tokens) => sum + tokens, 0);
        expect(savings(rewrites).unique).toBeLessThanOrEqual(held);
      }),
    );
  });

  test('unique is at most gross where each insertion stands for messages that are no smaller', () => {
    const text = fc.integer({ min: 20, max: 60 });
    const history = fc.record({
      sizes: fc.array(text, { minLength: 2, maxLength: 10 }),
      /** At each request: how many messages the summary stands for. */
      spans: fc.array(fc.nat(9), { maxLength: 8 }),
    });
    fc.assert(
      fc.property(history, ({ sizes, spans }) => {
        const list = sizes.map((size, index) => message(`h${index}`, size));
        const rewrites = spans.map((span): Rewrite => {
          const to = 1 + (span % list.length);
          if (to === 1) return [list, list];
          // One text for one span, as a checkpoint has it; at most 20 tokens, as the smallest message.
          const summary = message(`summary of ${to}`, 10 + to);
          return [list, [...list.slice(0, 1), summary, ...list.slice(to)]];
        });
        const { gross, unique } = savings(rewrites);
        expect(unique).toBeLessThanOrEqual(gross);
      }),
    );
  });

  test('without that, unique may exceed gross: one inserted text that serves two spans', () => {
    expect(
      savings([
        [
          [a, b, c],
          [s1, b, c],
        ],
        [
          [a, b, c],
          [a, s1, c],
        ],
      ]),
    ).toMatchObject({ gross: 130, unique: 140 });
  });
});

function textOf({ blocks: [block] }: Message): string {
  if (block?.kind !== 'text') throw new Error('expected a text');
  return block.text;
}

/** Σ of the largest reduction of each distinct message, minus each distinct inserted message once. */
function uniqueByDefinition(rewrites: readonly Rewrite[]): number {
  const reductions = new Map<Message, number[]>();
  const insertedOnce = new Set<Message>();
  for (const [before, after] of rewrites) {
    const removed = [...before];
    const inserted: Message[] = [];
    for (const given of after) {
      // The last of equal ones: which of them stays cannot matter.
      const kept = removed.lastIndexOf(given);
      if (kept >= 0) removed.splice(kept, 1);
      else inserted.push(given);
    }
    const here = new Map<Message, number>();
    for (const given of removed) {
      const id = resultId(given);
      const partner = id === undefined ? -1 : inserted.findIndex((m) => resultId(m) === id);
      const [rewritten] = partner < 0 ? [] : inserted.splice(partner, 1);
      const reduction = tokensOf(given) - (rewritten === undefined ? 0 : tokensOf(rewritten));
      here.set(given, (here.get(given) ?? 0) + reduction);
    }
    for (const [given, reduction] of here) {
      reductions.set(given, [...(reductions.get(given) ?? []), reduction]);
    }
    for (const given of inserted) insertedOnce.add(given);
  }
  let unique = 0;
  for (const all of reductions.values()) unique += Math.max(...all);
  for (const given of insertedOnce) unique -= tokensOf(given);
  return unique;
}

function resultId(given: Message): string | undefined {
  const [block] = given.blocks;
  return block?.kind === 'tool-result' ? block.id : undefined;
}
