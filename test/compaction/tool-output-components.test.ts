import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BoundComponent } from '../../src/compaction/bound.ts';
import { catalog } from '../../src/compaction/catalog.ts';
import { SENTINEL } from '../../src/compaction/stash.ts';
import { headOf, tailOf } from '../../src/compaction/text-cut.ts';
import { type Message, resultText } from '../../src/transcript/message.ts';
import { replayLists, verdictOf } from '../support/replay-lists.ts';
import { conversation, growingLists, type Step, wireDialects } from '../support/wire-steps.ts';

function bind(name: string, settings: object = {}): BoundComponent {
  const bound = catalog.get(name)?.bind(name, settings);
  if (bound?.ok !== true) throw new Error(`${name} cannot be bound`);
  return bound.bound;
}

const long = (word: string, lines = 60) =>
  Array.from({ length: lines }, (_, line) => `${word} line ${line} of the output`).join('\n');

/** A user turn and one exchange for each output. */
function session(...outputs: readonly string[]): Step[] {
  const steps: Step[] = [{ kind: 'user', text: 'Look at the outputs.' }];
  for (const [index, result] of outputs.entries()) {
    steps.push({ kind: 'exchange', text: 'Next.', calls: [{ id: `call_${index}`, result }] });
  }
  return steps;
}

/** Texts of the tool results of a list, in order. */
const outputsOf = (messages: readonly Message[]) =>
  messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === 'tool-result' ? [resultText(block)] : [])),
  );

async function last(component: BoundComponent, steps: readonly Step[], contextWindow?: number) {
  const { messages } = conversation('openai-chat', steps);
  const window = contextWindow === undefined ? {} : { contextWindow };
  const [replayed] = await replayLists([messages], {
    dialect: 'openai-chat',
    steps: [component],
    ...window,
  });
  if (replayed === undefined) throw new Error('nothing was replayed');
  return replayed;
}

describe.each(wireDialects)('on %s', (dialect) => {
  test.each(['mask', 'dedup', 'collapse'])(
    '%s shortens, keeps everything else, and expand gives the outputs back',
    async (name) => {
      const settings = name === 'collapse' ? { max_tokens: 100, head_lines: 2, tail_lines: 2 } : {};
      const outputs = [long('a'), long('a'), long('b'), long('c'), long('d'), long('e')];
      const { messages } = conversation(dialect, session(...outputs));
      const [replayed] = await replayLists([messages], { dialect, steps: [bind(name, settings)] });
      expect(replayed && verdictOf(replayed.report)).toBe('changed');
      for (const [index, message] of (replayed?.after ?? []).entries()) {
        if (message === messages[index]) continue;
        expect(message.role).toBe(messages[index]?.role);
        expect(outputsOf([message])).not.toEqual(outputsOf([messages[index] ?? message]));
      }
      const restored = new Set(replayed?.expanded.values());
      expect(restored.size).toBeGreaterThan(0);
      for (const text of restored) expect(outputs).toContain(text);
    },
  );
});

describe('mask', () => {
  const six = session(...['a', 'b', 'c', 'd', 'e', 'f'].map((word) => long(word)));

  test('leaves the latest three outputs whole by default', async () => {
    const { before, after } = await last(bind('mask'), six);
    const changed = outputsOf(after).map((text, index) => text !== outputsOf(before)[index]);
    expect(changed).toEqual([true, true, true, false, false, false]);
  });

  test('keep_recent', async () => {
    const { before, after } = await last(bind('mask', { keep_recent: 5 }), six);
    const changed = outputsOf(after).filter((text, index) => text !== outputsOf(before)[index]);
    expect(changed).toHaveLength(1);
    const all = await last(bind('mask', { keep_recent: 0 }), six);
    expect(outputsOf(all.after).every((text) => text.includes('output masked'))).toBe(true);
    expect(verdictOf((await last(bind('mask', { keep_recent: 6 }), six)).report)).toBe(
      'no_older_output',
    );
  });

  test('min_tokens is 100 by default', async () => {
    const short = session('only a few words', 'x', 'y', 'z');
    expect(verdictOf((await last(bind('mask'), short)).report)).toBe('no_large_output');
    const lines = session(long('a', 12), 'x', 'y', 'z');
    expect(verdictOf((await last(bind('mask', { min_tokens: 2000 }), lines)).report)).toBe(
      'no_large_output',
    );
    expect(verdictOf((await last(bind('mask', { min_tokens: 20 }), lines)).report)).toBe('changed');
  });

  test('keep_head_chars is 96 by default, and 0 keeps no head', async () => {
    const [first = ''] = outputsOf((await last(bind('mask'), six)).after);
    expect(first.startsWith(`${long('a').slice(0, 96).trimEnd()} […]\n[output masked: `)).toBe(
      true,
    );
    const [bare = ''] = outputsOf((await last(bind('mask', { keep_head_chars: 0 }), six)).after);
    expect(bare).toMatch(/^\[output masked: \d+ tokens\]\n<<cg:[0-9a-f]{16}>>$/);
  });

  test('marker_mode', async () => {
    const sentinel = await last(bind('mask', { marker_mode: 'summary' }), six);
    expect(outputsOf(sentinel.after)[0]).toContain(SENTINEL);
    const off = await last(bind('mask', { marker_mode: 'off' }), six);
    expect(outputsOf(off.after)[0]).not.toContain('<<cg');
    expect([sentinel.expanded.size, off.expanded.size]).toEqual([0, 0]);
  });

  test('a masked output stays the same bytes while the session grows', async () => {
    const { messages } = conversation('openai-chat', six);
    const replayed = await replayLists(growingLists(messages), {
      dialect: 'openai-chat',
      steps: [bind('mask')],
    });
    const masks = replayed.map(({ inserted }) => inserted.map(({ raw }) => raw));
    for (const [index, now] of masks.entries()) {
      expect(now.slice(0, masks[index - 1]?.length ?? 0)).toEqual(masks[index - 1] ?? []);
    }
  });
});

describe('dedup', () => {
  test('points to the first of the same outputs, and to no other', async () => {
    const { after } = await last(
      bind('dedup'),
      session(long('a'), long('b'), long('a'), long('a')),
    );
    const outputs = outputsOf(after);
    expect(outputs.slice(0, 2)).toEqual([long('a'), long('b')]);
    for (const text of outputs.slice(2))
      expect(text).toMatch(/the same output as the earlier one of call_0/);
  });

  test('min_tokens is 100 by default', async () => {
    const repeated = session(long('a', 4), long('a', 4));
    expect(verdictOf((await last(bind('dedup'), repeated)).report)).toBe('no_repeat');
    expect(verdictOf((await last(bind('dedup', { min_tokens: 5 }), repeated)).report)).toBe(
      'changed',
    );
  });

  test('an error is not the repeat of a success', async () => {
    const steps: Step[] = [
      { kind: 'user', text: 'Go.' },
      { kind: 'exchange', calls: [{ id: 'a', result: long('a') }] },
      { kind: 'exchange', calls: [{ id: 'b', result: long('a'), isError: true }] },
    ];
    const { messages } = conversation('anthropic', steps);
    const options = { dialect: 'anthropic', steps: [bind('dedup')] } as const;
    const [replayed] = await replayLists([messages], options);
    expect(replayed && verdictOf(replayed.report)).toBe('no_repeat');
  });

  test('marker_mode', async () => {
    const repeated = session(long('a'), long('a'));
    const { after } = await last(bind('dedup', { marker_mode: 'off' }), repeated);
    expect(outputsOf(after)[1]).toBe('[the same output as the earlier one of call_0]');
  });
});

describe('collapse', () => {
  const large = session(long('a', 400));

  test('keeps 20 lines at each end of an output over 2,000 tokens by default', async () => {
    const [text = ''] = outputsOf((await last(bind('collapse'), large)).after);
    const lines = text.split('\n');
    const original = long('a', 400).split('\n');
    expect(lines.slice(0, 20)).toEqual(original.slice(0, 20));
    expect(lines[20]).toBe('[360 lines left out]');
    expect(lines.slice(21, 41)).toEqual(original.slice(-20));
    expect(lines[41]).toMatch(/^<<cg:/);
    expect(verdictOf((await last(bind('collapse'), session(long('a', 100)))).report)).toBe(
      'no_large_output',
    );
  });

  test('max_tokens and max_frac: the larger limit counts, the share only with a known window', async () => {
    const strict = bind('collapse', { max_tokens: 200 });
    const shared = bind('collapse', { max_tokens: 200, max_frac: 0.5 });
    const middle = session(long('a', 100));
    expect(verdictOf((await last(strict, middle)).report)).toBe('changed');
    expect(verdictOf((await last(shared, middle)).report)).toBe('changed');
    expect(verdictOf((await last(shared, middle, 100_000)).report)).toBe('no_large_output');
  });

  test('head_lines and tail_lines', async () => {
    const component = bind('collapse', { head_lines: 1, tail_lines: 0 });
    const [text = ''] = outputsOf((await last(component, large)).after);
    expect(text).toMatch(/^a line 0 of the output\n\[399 lines left out\]\n<<cg:[0-9a-f]{16}>>$/);
  });

  test('an output of one huge line is cut within the line', async () => {
    const [text = ''] = outputsOf(
      (await last(bind('collapse'), session('word '.repeat(20_000)))).after,
    );
    expect(text).toMatch(/characters left out/);
    expect(text.length).toBeLessThan(10_000);
  });
});

test.each(['mask', 'dedup', 'collapse'])('%s waits for its trigger', async (name) => {
  const outputs = [long('a', 400), long('a', 400), 'x', 'y', 'z'];
  const trigger = { min_request_tokens: 1_000_000 };
  const { report } = await last(bind(name, { trigger }), session(...outputs));
  expect(verdictOf(report)).toBe('trigger:min_request_tokens');
});

describe('headOf and tailOf', () => {
  test('give a start and an end of well-formed text, never half of a pair', () => {
    const wellFormed = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed());
    fc.assert(
      fc.property(wellFormed, fc.nat({ max: 20 }), (text, limit) => {
        for (const [cut, fits] of [
          [headOf(text, limit), text.startsWith(headOf(text, limit))],
          [tailOf(text, limit), text.endsWith(tailOf(text, limit))],
        ] as const) {
          expect(fits).toBe(true);
          expect(cut.isWellFormed()).toBe(true);
          expect(cut.length).toBeLessThanOrEqual(limit);
          expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, limit) - 1);
        }
      }),
    );
  });
});
