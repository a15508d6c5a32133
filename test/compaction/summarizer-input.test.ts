import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { summarizeConfig } from '../../src/compaction/summarize-config.ts';
import { summarizerInput } from '../../src/compaction/summarizer-input.ts';
import type { ModelRequest } from '../../src/model/model.ts';
import { countTokens } from '../../src/text/tokens.ts';
import { brokenText, conversations } from '../support/conversations.ts';
import {
  countingModel,
  type ReplayedList,
  replayLists,
  summarizeWith,
  verdictOf,
} from '../support/replay-lists.ts';
import {
  conversation,
  type Step,
  type WireDialect,
  wireDialects,
  words,
  workSession,
} from '../support/wire-steps.ts';

interface Asked {
  readonly replayed: ReplayedList;
  readonly call: ModelRequest | undefined;
  readonly tokens: number;
}

async function ask(
  dialect: WireDialect,
  steps: readonly Step[],
  settings: object = {},
  contextWindow = 200_000,
): Promise<Asked> {
  const model = countingModel({ contextWindow });
  const [replayed] = await replayLists([conversation(dialect, steps).messages], {
    dialect,
    model,
    steps: [summarizeWith({ min_tokens: 0, start_from_message: 0, keep_last: 1, ...settings })],
  });
  if (replayed === undefined) throw new Error('nothing was replayed');
  const [call] = model.calls;
  return { replayed, call, tokens: sizeOf(call) };
}

function sizeOf(call: ModelRequest | undefined): number {
  return call === undefined ? 0 : countTokens(call.system) + countTokens(call.prompt);
}

/** Positions of the messages that stand in the prompt. */
function positions(call: ModelRequest | undefined): number[] {
  const transcript = call?.prompt.slice(call.prompt.indexOf('<transcript>')) ?? '';
  return [...transcript.matchAll(/^\[(\d+)\] (?:user|assistant|system|tool result):$/gm)].map(
    (match) => Number(match[1]),
  );
}

const section = (call: ModelRequest | undefined, name: string) =>
  new RegExp(`<${name}>\n(.*?)\n?</${name}>`, 's').exec(call?.prompt ?? '')?.[1];

describe.each(wireDialects)('the prompt (%s)', (dialect) => {
  const steps = workSession(dialect, 5, 60);

  test('has the first user turn as the task, the latest turns, and the whole span', async () => {
    const { call, replayed } = await ask(dialect, [
      ...steps,
      { kind: 'user', text: 'Now run the tests.' },
      { kind: 'assistant', text: 'I run them now.' },
      { kind: 'user', text: 'And the linter.' },
    ]);
    expect(section(call, 'task')).toBe('Fix the failing build of the project.');
    expect(section(call, 'recent')).toBe('assistant: I run them now.\nuser: And the linter.');
    const last = replayed.before.length - 2;
    expect(positions(call)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
    expect(call?.prompt).not.toContain('left out');
    expect(call?.purpose).toBe('summarize');
  });

  test('does not repeat the task as the latest user turn', async () => {
    const { call } = await ask(dialect, steps);
    expect(section(call, 'recent')).toBe(
      'assistant: Step 4: I look at part-4.\ncall read_file {"path": "src/part-4.ts", "line": 4}',
    );
  });

  test('the stable part is the same for every session', async () => {
    const [one, other] = [
      await ask(dialect, steps),
      await ask(dialect, workSession(dialect, 7, 20)),
    ];
    expect(one.call?.system).toBe(other.call?.system);
    expect(one.call?.prompt).not.toBe(other.call?.prompt);
  });

  test('leaves thinking and blank texts out, and names media', async () => {
    const { call } = await ask(dialect, [
      { kind: 'user', text: 'go' },
      { kind: 'assistant', text: 'seen', thinking: 'a secret thought' },
      { kind: 'user', text: '  ' },
      { kind: 'user', text: words(50) },
      { kind: 'user', text: 'last' },
    ]);
    expect(call?.prompt).not.toContain('secret');
    expect(call?.prompt).toContain('[1] assistant:\nseen\n[2] user:\n\n[3] user:');
  });

  test('without any user turn the task is empty', async () => {
    const { call } = await ask(dialect, [
      { kind: 'note', text: 'rules' },
      { kind: 'assistant', text: words(60) },
      { kind: 'assistant', text: words(60, 1) },
    ]);
    expect(section(call, 'task')).toBe('');
    expect(section(call, 'recent')).toMatch(/^assistant: /);
  });

  test('a long task and long turns are cut, never through an emoji', async () => {
    const { call } = await ask(dialect, [
      { kind: 'user', text: `x${'🎉'.repeat(6000)}` },
      ...steps.slice(1),
      { kind: 'user', text: '🎉'.repeat(6000) },
      { kind: 'assistant', text: 'end' },
    ]);
    expect(section(call, 'task')).toBe(`x${'🎉'.repeat(3999)} […]`);
    expect(section(call, 'recent')).toContain(`user: ${'🎉'.repeat(2000)} […]`);
  });

  test('is well-formed Unicode even where the recording is not', async () => {
    const { call, replayed } = await ask(dialect, [
      { kind: 'user', text: 'task \ud83d' },
      { kind: 'user', text: `${words(50)} \ude00 end` },
      { kind: 'user', text: 'last \ud83d' },
    ]);
    expect(call?.prompt.isWellFormed()).toBe(true);
    // What is stashed is not repaired.
    expect([...replayed.expanded.values()][0]).toContain('\\ude00 end');
  });
});

describe('the cap', () => {
  test.each(wireDialects)(
    'is 70k tokens for a large window, oldest dropped first (%s)',
    async (dialect) => {
      const settings = { include_tool_calls: true };
      const { call, tokens, replayed } = await ask(
        dialect,
        workSession(dialect, 60, 2000),
        settings,
      );
      expect(tokens).toBeLessThanOrEqual(70_000);
      // As much as fits: another exchange would not.
      expect(tokens).toBeGreaterThan(70_000 - 2_500);
      const kept = positions(call);
      const dropped = (kept[0] ?? 0) - 1;
      expect(dropped).toBeGreaterThan(10);
      expect(kept.at(-1)).toBe(replayed.before.length - 3);
      expect(kept).toEqual(kept.map((_, index) => 1 + dropped + index));
      expect(call?.prompt).toContain(`[${dropped} older messages are left out]`);
      const [content] = [...replayed.expanded.values()];
      expect(JSON.parse(content ?? '')).toHaveLength(dropped + kept.length);
    },
  );

  test('is the window less 8k for a small one', async () => {
    const steps = workSession('anthropic', 40, 200);
    const settings = { include_tool_calls: true };
    for (const window of [10_000, 12_000, 16_000]) {
      const { tokens, call } = await ask('anthropic', steps, settings, window);
      expect(tokens).toBeLessThanOrEqual(window - 8000);
      expect(tokens).toBeGreaterThan(window - 8000 - 300);
      expect(positions(call).length).toBeGreaterThan(2);
    }
  });

  test('an unknown window is taken to be large', async () => {
    const steps = workSession('anthropic', 6, 60);
    const model = { ...countingModel(), contextWindow: undefined };
    const [replayed] = await replayLists([conversation('anthropic', steps).messages], {
      dialect: 'anthropic',
      model,
      steps: [summarizeWith({ min_tokens: 0 })],
    });
    expect(replayed?.report.kind).toBe('changed');
  });

  test('a window without room for anything is a gate, without a call', async () => {
    for (const window of [0, 4_000, 8_000, 8_100, 8_200]) {
      const { replayed, call } = await ask('anthropic', workSession('anthropic', 6), {}, window);
      expect(verdictOf(replayed.report)).toBe('small_window');
      expect(call).toBeUndefined();
    }
  });

  test.each(wireDialects)(
    'of a latest message that is too large alone the beginning is read (%s)',
    async (dialect) => {
      const { call, tokens, replayed } = await ask(dialect, [
        ...workSession(dialect, 3, 60),
        { kind: 'user', text: `BEGINNING ${'🎉 '.repeat(60_000)} END` },
        { kind: 'assistant', text: 'thanks' },
      ]);
      expect(tokens).toBeLessThanOrEqual(70_000);
      expect(tokens).toBeGreaterThan(60_000);
      expect(positions(call)).toEqual([replayed.before.length - 2]);
      expect(call?.prompt).toContain('BEGINNING');
      expect(section(call, 'transcript')).not.toContain('END');
      expect(call?.prompt.isWellFormed()).toBe(true);
      const [content] = [...replayed.expanded.values()];
      expect(content).toContain(' END');
      expect(content).toContain('part-0 says');
    },
  );

  test('holds where the whole has more tokens than its parts', () => {
    const { messages } = conversation('anthropic', workSession('anthropic', 30, 100));
    // Real tokenizers are nearly additive; this one is some percent off.
    const countTokens = (text: string) => Math.ceil(text.length ** 1.02 / 4);
    const config = summarizeConfig.parse({ include_tool_calls: true });
    const span = { from: 1, to: messages.length };
    for (const window of [9_000, 10_000, 12_000, 14_000, 200_000]) {
      const input = summarizerInput(messages, span, window, config, {
        countTokens,
        memo: (_message, _key, compute) => compute(),
        countResult: () => 0,
      });
      const tokens = countTokens(input?.system ?? '') + countTokens(input?.prompt ?? '');
      expect(tokens).toBeLessThanOrEqual(window - 8_000);
      expect(input?.prompt).toContain('part-29');
    }
  });

  test('holds for the whole prompt, to the token, on any conversation', async () => {
    const text = fc
      .tuple(brokenText, fc.nat(200))
      .map(([given, length]) => `${given}${'\n '.repeat(length % 5)}${words(length, length)}`);
    const given = conversations({ text, minTurns: 4, maxTurns: 16 });
    const window = fc.integer({ min: 8_600, max: 10_500 });
    let capped = 0;
    await fc.assert(
      fc.asyncProperty(given, window, fc.boolean(), async (built, contextWindow, whole) => {
        const model = countingModel({ contextWindow });
        const settings = { min_tokens: 0, start_from_message: 0, include_tool_calls: whole };
        const [replayed] = await replayLists([built.messages], {
          dialect: built.dialect,
          model,
          steps: [summarizeWith(settings)],
        });
        const [call] = model.calls;
        expect(sizeOf(call)).toBeLessThanOrEqual(contextWindow - 8_000);
        if (call?.prompt.includes('older messages are left out') === true) capped++;
        if (replayed?.report.kind !== 'changed') return;
        const [content] = [...replayed.expanded.values()];
        const span = replayed.before.length - replayed.after.length + 1;
        expect(JSON.parse(content ?? '')).toHaveLength(span);
      }),
      // A fixed seed, since how often the cap is met is counted.
      { seed: 20261130 },
    );
    expect(capped).toBeGreaterThan(20);
  });
});
