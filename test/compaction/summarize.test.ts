import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markersIn } from '../../src/compaction/stash.ts';
import { safeCuts } from '../../src/transcript/exchanges.ts';
import type { Message } from '../../src/transcript/message.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import { brokenText, conversations, untidyConversations } from '../support/conversations.ts';
import { countingModel, replayLists, summarizeWith, verdictOf } from '../support/replay-lists.ts';
import {
  conversation,
  growingLists,
  parseRaws,
  type Step,
  type WireDialect,
  wireDialects,
  withCacheMark,
  words,
  workSession,
} from '../support/wire-steps.ts';

/** Settings under which every list is summarized that can be. */
const eager = (keep_last: number) => ({
  min_tokens: 0,
  start_from_message: 0,
  resummarize_tokens: 0,
  keep_last,
});
const keepLast = fc.integer({ min: 0, max: 6 });

/** Conversations whose messages are long enough that a summary of one is shorter. */
const longText = brokenText.map((text) => `${text} ${words(60, text.length)}`);

const run = (dialect: WireDialect, lists: readonly (readonly Message[])[], settings: object) =>
  replayLists(lists, { dialect, steps: [summarizeWith(settings)] });

/** How often each tool id is called, and how often it is answered. */
function callsAndResults(messages: readonly Message[]): Map<string, [number, number]> {
  const counts = new Map<string, [number, number]>();
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.kind !== 'tool-call' && block.kind !== 'tool-result') continue;
      const count = counts.get(block.id) ?? [0, 0];
      count[block.kind === 'tool-call' ? 0 : 1]++;
      counts.set(block.id, count);
    }
  }
  return counts;
}

describe('the span', () => {
  const given = conversations({ text: longText, repeatedIds: true, unansweredEnd: true });

  test('is cut between exchanges; what stays, stays as it is', async () => {
    let fired = 0;
    await fc.assert(
      fc.asyncProperty(given, keepLast, async ({ dialect, messages, exchanges }, keep) => {
        const [replayed] = await run(dialect, [messages], eager(keep));
        if (replayed === undefined) throw new Error('nothing was replayed');
        if (replayed.report.kind !== 'changed') {
          expect(replayed.after).toBe(messages);
          return;
        }
        fired++;
        const { after, inserted } = replayed;
        const [summary] = inserted;
        expect(inserted).toHaveLength(1);
        expect(summary?.role).toBe('user');
        const at = after.indexOf(summary ?? none());
        const trailing = after.length - at - 1;
        // The very objects, so the very bytes.
        expect(after.slice(0, at).every((message, index) => message === messages[index])).toBe(
          true,
        );
        const kept = messages.slice(messages.length - trailing);
        expect(after.slice(at + 1).every((message, index) => message === kept[index])).toBe(true);
        expect(at).toBeGreaterThanOrEqual(1);
        expect(trailing).toBeGreaterThanOrEqual(keep);
        const end = messages.length - trailing;
        for (const { from, to } of exchanges) {
          for (const cut of [at, end]) expect(cut > from && cut < to).toBe(false);
        }
        for (const [id, [calls, results]] of callsAndResults(after)) {
          if (id !== 'pending') expect(calls).toBe(results);
        }
      }),
      // A fixed seed, since how often it fires is counted.
      { seed: 20261130 },
    );
    // A property of rewrites says nothing if there are none.
    expect(fired).toBeGreaterThan(30);
  });

  test('ends at the last cut that leaves keep_last messages', async () => {
    await fc.assert(
      fc.asyncProperty(given, keepLast, async ({ dialect, messages }, keep) => {
        const [replayed] = await run(dialect, [messages], eager(keep));
        if (replayed?.report.kind !== 'changed') return;
        const safe = safeCuts(messages);
        const trailing =
          replayed.after.length - 1 - replayed.after.indexOf(replayed.inserted[0] ?? none());
        const end = messages.length - trailing;
        for (let cut = end + 1; cut <= messages.length - keep; cut++) expect(safe[cut]).toBe(false);
      }),
    );
  });

  test.each(wireDialects)('begins after an exchange that begins the list (%s)', async (dialect) => {
    const calls = [1, 2].map((n) => ({ id: `x${n}`, result: words(60, n) }));
    const { messages } = conversation(dialect, [
      { kind: 'exchange', calls, spread: true },
      { kind: 'user', text: words(60) },
      { kind: 'user', text: 'last' },
    ]);
    const [replayed] = await run(dialect, [messages], eager(1));
    expect(replayed?.after.map((message) => messages.indexOf(message))).toEqual([0, 1, 2, -1, 4]);
  });

  test('no list makes it throw, whatever the order of its messages', async () => {
    await fc.assert(
      fc.asyncProperty(untidyConversations(), keepLast, async ({ dialect, messages }, keep) => {
        const replayed = await run(dialect, growingLists(messages), eager(keep));
        for (const { report, after, before } of replayed) {
          expect(verdictOf(report)).toMatch(
            /^(?:changed|reused|short_transcript|no_boundary|grew|failed_before|message_grew)$/,
          );
          if (report.kind !== 'changed') expect(after).toBe(before);
        }
      }),
    );
  });
});

describe('short transcripts', () => {
  const kinds: [string, (length: number) => Step[]][] = [
    [
      'of user and assistant turns',
      (length) =>
        Array.from(
          { length },
          (_, index): Step => ({
            kind: index % 2 === 0 ? 'user' : 'assistant',
            text: words(60, index),
          }),
        ),
    ],
    [
      'of one exchange that never ends',
      (length) => {
        const calls = Array.from({ length: Math.max(1, length - 1) }, (_, index) => ({
          id: `call_${index}`,
          result: words(60, index),
        }));
        return length === 0 ? [] : [{ kind: 'exchange', calls, spread: true }];
      },
    ],
    [
      'that end in a call without an answer',
      (length) => {
        const turns = Array.from(
          { length: Math.max(0, length - 1) },
          (_, index): Step => ({
            kind: 'user',
            text: words(60, index),
          }),
        );
        return length === 0 ? [] : [...turns, { kind: 'exchange', calls: [{ id: 'x' }] }];
      },
    ],
    [
      'of notes alone',
      (length) =>
        Array.from({ length }, (_, index): Step => ({ kind: 'note', text: words(60, index) })),
    ],
  ];

  describe.each(wireDialects)('%s', (dialect) => {
    test.each(kinds)('%s: a named gate or a sound rewrite', async (_name, build) => {
      for (let keep = 0; keep <= 6; keep++) {
        for (let length = 0; length <= keep + 3; length++) {
          const { messages } = conversation(dialect, build(length));
          const [replayed] = await run(dialect, [messages], eager(keep));
          if (replayed === undefined) throw new Error('nothing was replayed');
          const verdict = verdictOf(replayed.report);
          if (messages.length <= keep + 1) expect(verdict).toBe('short_transcript');
          else expect(verdict).toMatch(/^(?:changed|no_boundary)$/);
          if (verdict !== 'changed') expect(replayed.after).toBe(messages);
          else expect(replayed.after.length).toBeLessThanOrEqual(messages.length);
        }
      }
    });

    test('one exchange over the whole list has no boundary', async () => {
      const calls = [1, 2, 3].map((n) => ({ id: `x${n}`, result: words(60, n) }));
      const steps: Step[] = [{ kind: 'exchange', calls, spread: true }];
      const [replayed] = await run(dialect, [conversation(dialect, steps).messages], eager(1));
      expect(verdictOf(replayed?.report ?? none())).toBe('no_boundary');
    });

    test('under the default settings nothing short is touched', async () => {
      for (let exchanges = 0; exchanges <= 2; exchanges++) {
        const { messages } = conversation(dialect, workSession(dialect, exchanges, 10));
        const [replayed] = await run(dialect, [messages], {});
        expect(verdictOf(replayed?.report ?? none())).toMatch(
          /^(?:start_from_message|small_span)$/,
        );
      }
    });
  });
});

describe('expand', () => {
  test('gives the bytes of the span that this request had, at every request', async () => {
    const given = conversations({ text: longText, minTurns: 3, maxTurns: 8, repeatedIds: true });
    const settings = fc.record({
      keep_last: fc.integer({ min: 0, max: 3 }),
      resummarize_tokens: fc.constantFrom(0, 150, 6000),
    });
    const marks = fc.array(fc.nat(5), { maxLength: 12 });
    let reused = 0;
    await fc.assert(
      fc.asyncProperty(
        given,
        settings,
        marks,
        async ({ dialect, raws, messages, table }, keys, moved) => {
          const ends = growingLists(messages).map(({ length }) => length);
          // At each request other messages carry a cache mark, or are spelled in another way.
          const spelled = ends.map((end, request) =>
            raws.slice(0, end).map((raw, position) => {
              const mark = moved[request % Math.max(1, moved.length)] ?? 1;
              return position % 6 === mark ? withCacheMark(raw) : raw;
            }),
          );
          const lists = spelled.map((list) => parseRaws(dialect, list, table));
          const replayed = await replayLists(lists, {
            dialect,
            table,
            steps: [summarizeWith({ min_tokens: 0, start_from_message: 0, ...keys })],
          });
          for (const [index, { report, before, after, inserted, expanded }] of replayed.entries()) {
            if (report.kind !== 'changed') continue;
            if (report.reused) reused++;
            const at = after.indexOf(inserted[0] ?? none());
            const end = before.length - (after.length - at - 1);
            const span = spelled[index]?.slice(at, end) ?? [];
            expect([...expanded.values()]).toEqual([`[${span.join(',')}]`]);
            expect(markersIn(inserted[0]?.raw ?? '')).toEqual([...expanded.keys()]);
          }
        },
      ),
      // A fixed seed, since reuses are counted.
      { seed: 20261130 },
    );
    expect(reused).toBeGreaterThan(30);
  });

  test('the body that is sent is the recorded one but for the span', async () => {
    for (const dialect of wireDialects) {
      const { raws, messages } = conversation(dialect, workSession(dialect, 5, 80));
      const [replayed] = await run(dialect, [messages], eager(2));
      const [summary] = replayed?.inserted ?? [];
      const body = dialectOf(dialect).encode(replayed?.after ?? []);
      expect(body).toBe(`{"messages":[${[raws[0], summary?.raw, ...raws.slice(-2)].join(',')}]}`);
    }
  });
});

test('the same lists give the same bytes in another process state', async () => {
  for (const dialect of wireDialects) {
    const outputs: string[][] = [];
    for (let time = 0; time < 2; time++) {
      const { messages } = conversation(dialect, workSession(dialect, 8, 100));
      const settings = { ...eager(2), resummarize_tokens: 300 };
      const replayed = await run(dialect, growingLists(messages), settings);
      outputs.push(replayed.map(({ after }) => dialectOf(dialect).encode(after)));
    }
    expect(outputs[1]).toEqual(outputs[0]);
  }
});

test('a message with thinking that the model no longer reads does not make a span large', async () => {
  const steps: Step[] = [{ kind: 'user', text: 'one' }];
  for (let turn = 0; turn < 4; turn++) {
    steps.push({ kind: 'assistant', text: 'yes', thinking: words(400, turn) });
    steps.push({ kind: 'user', text: 'and?' });
  }
  const { messages } = conversation('anthropic', steps);
  const verdicts: string[] = [];
  for (const thinking of ['all', 'loop', 'none'] as const) {
    const [replayed] = await replayLists([messages], {
      dialect: 'anthropic',
      thinking,
      steps: [summarizeWith({ start_from_message: 0 })],
    });
    verdicts.push(verdictOf(replayed?.report ?? none()));
  }
  expect(verdicts).toEqual(['changed', 'small_span', 'small_span']);
});

test('a second message list of the same session starts over', async () => {
  // The agent's own compaction: another history under the same session state.
  const model = countingModel();
  const { messages, table } = conversation('anthropic', workSession('anthropic', 6, 100));
  const compacted = conversation(
    'anthropic',
    [{ kind: 'user', text: 'Continue: the build failed.' }, ...workSession('anthropic', 4, 90)],
    table,
  ).messages;
  const replayed = await replayLists([messages, compacted, compacted], {
    dialect: 'anthropic',
    table,
    model,
    steps: [summarizeWith({ ...eager(2), resummarize_tokens: 6000 })],
  });
  expect(replayed.map(({ report }) => verdictOf(report))).toEqual(['changed', 'changed', 'reused']);
});

function none(): never {
  throw new Error('nothing was inserted');
}
