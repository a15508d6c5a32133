import { describe, expect, test } from 'vitest';
import type { ModelSpec } from '../../src/compaction/model-spec.ts';
import { summarize } from '../../src/compaction/summarize.ts';
import { summarizeConfig } from '../../src/compaction/summarize-config.ts';
import type { Message } from '../../src/transcript/message.ts';
import { listTokens } from '../../src/transcript/message-tokens.ts';
import {
  countingModel,
  type ReplayListsOptions,
  replayLists,
  summarizeWith,
  verdictOf,
} from '../support/replay-lists.ts';
import {
  conversation,
  type WireDialect,
  wireDialects,
  words,
  workSession,
} from '../support/wire-steps.ts';

/** Settings that let a small session through every gate. */
const open = { min_tokens: 0, start_from_message: 0 };

const session = (dialect: WireDialect, exchanges = 8, tokens = 100) =>
  conversation(dialect, workSession(dialect, exchanges, tokens)).messages;

const tokensOf = (dialect: WireDialect, messages: readonly Message[]) =>
  listTokens(messages, { tokenizer: 'o200k_base', dialect, thinking: 'all' });

/** One request of the session under these settings. */
async function once(
  settings: object,
  options: Partial<ReplayListsOptions> & { exchanges?: number; tokens?: number } = {},
) {
  const { dialect = 'anthropic', exchanges, tokens, ...rest } = options;
  const model = countingModel();
  const [replayed] = await replayLists([session(dialect, exchanges, tokens)], {
    dialect,
    steps: [summarizeWith(settings)],
    model,
    ...rest,
  });
  if (replayed === undefined) throw new Error('nothing was replayed');
  const [call] = model.calls;
  return { ...replayed, verdict: verdictOf(replayed.report), calls: model.calls, call };
}

test('every default is the design’s', () => {
  expect(summarizeConfig.parse(undefined)).toEqual({
    summary_level: 'regular',
    keep_last: 3,
    min_tokens: 500,
    include_tool_calls: false,
    resummarize_tokens: 6000,
    start_from_message: 6,
    model: { source: 'incoming', provider: 'anthropic', auth: 'x-api-key' },
    trigger: {
      min_request_tokens: 0,
      min_messages: 0,
      min_request_frac: 0,
      min_output_tokens: 0,
      min_output_frac: 0,
      huge_output_frac: 0,
    },
    marker_mode: 'full',
  });
  expect(summarize.timeLimit).toBe(150_000);
});

test.each([
  ['summary_level', 'short'],
  ['keep_last', -1],
  ['keep_last', 1.5],
  ['min_tokens', '500'],
  ['include_tool_calls', 'false'],
  ['resummarize_tokens', null],
  ['start_from_message', -6],
  ['model', { source: 'elsewhere' }],
  ['model', { provider: 'nobody' }],
  ['model', { base_url: 'not a url' }],
  ['model', { auth: 'basic' }],
  ['model', { name: 'x' }],
  ['trigger', { min_message: 1 }],
  ['marker_mode', 'ful'],
  ['keep_lats', 3],
])('refuses %s: %o', (key, value) => {
  expect(summarizeConfig.safeParse({ [key]: value }).success).toBe(false);
});

describe('summary_level', () => {
  test('sets the length that is asked for, and that the reply may have', async () => {
    const lengths: number[] = [];
    for (const [level, tokens] of [
      ['concise', 200],
      ['regular', 400],
      ['highly_detailed', 1200],
    ] as const) {
      const { call } = await once({ ...open, summary_level: level });
      expect(call?.system).toContain(`at most ${tokens} tokens`);
      expect(call?.maxOutputTokens).toBe(tokens);
      lengths.push(call?.maxOutputTokens ?? 0);
    }
    const { call } = await once(open);
    expect(call?.maxOutputTokens).toBe(lengths[1]);
  });

  test('each level gives other advice', async () => {
    const systems = await Promise.all(
      ['concise', 'regular', 'highly_detailed'].map(
        async (summary_level) => (await once({ ...open, summary_level })).call?.system,
      ),
    );
    expect(new Set(systems.map((system) => system?.replaceAll(/\d+/g, ''))).size).toBe(3);
  });
});

describe.each(wireDialects)('keep_last (%s)', (dialect) => {
  test.each([0, 1, 2, 3, 4, 5, 6])('%i', async (keep_last) => {
    const { before, after, inserted } = await once({ ...open, keep_last }, { dialect });
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(inserted[0]);
    const kept = after.slice(2);
    expect(kept).toEqual(before.slice(before.length - kept.length));
    // An exchange is a call and its result here, so at most one message more is kept.
    expect(kept.length - keep_last).toBe(keep_last % 2);
  });

  test('absent: 3', async () => {
    const [one, other] = [
      await once(open, { dialect }),
      await once({ ...open, keep_last: 3 }, { dialect }),
    ];
    expect(one.after.map(({ raw }) => raw)).toEqual(other.after.map(({ raw }) => raw));
  });
});

describe('min_tokens', () => {
  test.each(wireDialects)('is the smallest span, by its very figure (%s)', async (dialect) => {
    const settings = { ...open, keep_last: 2 };
    const span = tokensOf(dialect, session(dialect).slice(1, -2));
    const at = await once({ ...settings, min_tokens: span }, { dialect });
    expect(at.verdict).toBe('changed');
    const above = await once({ ...settings, min_tokens: span + 1 }, { dialect });
    expect(above.verdict).toBe('small_span');
    expect(above.calls).toEqual([]);
  });

  test('absent: 500', async () => {
    const settings = { start_from_message: 0 };
    expect((await once(settings, { exchanges: 5, tokens: 60 })).verdict).toBe('small_span');
    expect((await once(settings, { exchanges: 5, tokens: 300 })).verdict).toBe('changed');
  });
});

describe('include_tool_calls', () => {
  test.each(wireDialects)(
    'false masks outputs in what the model reads, true does not (%s)',
    async (dialect) => {
      const output = 'part-0 says:';
      const masked = await once(open, { dialect });
      expect(masked.call?.prompt).not.toContain(output);
      expect(masked.call?.prompt).toMatch(/\[output masked: \d+ tokens\]/);
      // The calls themselves are read either way.
      expect(masked.call?.prompt).toContain('src/part-0.ts');
      const whole = await once({ ...open, include_tool_calls: true }, { dialect });
      expect(whole.call?.prompt).toContain(output);
      expect(whole.call?.prompt).not.toContain('output masked');
      expect(whole.call?.prompt).toContain('src/part-0.ts');
      // What is stashed does not depend on it.
      expect([...whole.expanded.values()]).toEqual([...masked.expanded.values()]);
    },
  );

  test('an error is told from a result', async () => {
    const call = { id: 'x', result: 'no such file', isError: true };
    const { messages } = conversation('anthropic', [
      { kind: 'user', text: 'go' },
      { kind: 'exchange', calls: [call] },
      { kind: 'user', text: words(50) },
    ]);
    const prompts: string[] = [];
    for (const include_tool_calls of [false, true]) {
      const model = countingModel();
      const settings = { ...open, keep_last: 1, include_tool_calls };
      await replayLists([messages], {
        dialect: 'anthropic',
        steps: [summarizeWith(settings)],
        model,
      });
      prompts.push(model.calls[0]?.prompt ?? '');
    }
    expect(prompts[0]).toContain('[error output masked: 3 tokens]');
    expect(prompts[1]).toContain('error: no such file');
  });
});

describe('start_from_message', () => {
  const settings = { min_tokens: 0, keep_last: 1 };

  test('is the number of messages from which it acts', async () => {
    const verdicts = await Promise.all(
      [16, 17, 18, 0].map(
        async (start_from_message) => (await once({ ...settings, start_from_message })).verdict,
      ),
    );
    // A session of 8 exchanges has 17 messages.
    expect(verdicts).toEqual(['changed', 'changed', 'start_from_message', 'changed']);
  });

  test('absent: 6', async () => {
    expect((await once(settings, { exchanges: 2 })).verdict).toBe('start_from_message');
    expect((await once(settings, { exchanges: 3 })).verdict).toBe('changed');
  });

  test('gives way to trigger.min_messages, unless that is 0', async () => {
    const withTrigger = (min_messages: number) =>
      once({ ...settings, start_from_message: 100, trigger: { min_messages } });
    expect((await withTrigger(0)).verdict).toBe('start_from_message');
    expect((await withTrigger(2)).verdict).toBe('changed');
    expect((await withTrigger(99)).verdict).toBe('trigger:min_messages');
    const otherField = { ...settings, start_from_message: 100, trigger: { min_request_tokens: 1 } };
    expect((await once(otherField)).verdict).toBe('start_from_message');
  });
});

describe('trigger', () => {
  test('min_messages', async () => {
    const gate = async (min_messages: number) =>
      (await once({ min_tokens: 0, trigger: { min_messages } })).verdict;
    expect([await gate(17), await gate(18)]).toEqual(['changed', 'trigger:min_messages']);
  });

  test('min_request_tokens, by the tokens of the list', async () => {
    const { result } = await once(open);
    const gate = async (min_request_tokens: number) =>
      (await once({ ...open, trigger: { min_request_tokens } })).verdict;
    expect(await gate(result.tokensBefore)).toBe('changed');
    expect(await gate(result.tokensBefore + 1)).toBe('trigger:min_request_tokens');
  });

  test('min_request_frac, of a window that is known', async () => {
    const { result } = await once(open);
    const settings = { ...open, trigger: { min_request_frac: 0.5 } };
    const gate = async (contextWindow?: number) =>
      (await once(settings, contextWindow === undefined ? {} : { contextWindow })).verdict;
    expect(await gate(2 * result.tokensBefore)).toBe('changed');
    expect(await gate(2 * result.tokensBefore + 1)).toBe('trigger:min_request_frac');
    expect(await gate()).toBe('changed');
  });

  test('the larger of fraction and figure counts', async () => {
    const { result } = await once(open);
    const trigger = { min_request_tokens: result.tokensBefore + 1, min_request_frac: 0.01 };
    const options = { contextWindow: 2 * result.tokensBefore };
    expect((await once({ ...open, trigger }, options)).verdict).toBe('trigger:min_request_tokens');
  });

  test('the fields of single outputs are accepted and change nothing', async () => {
    const plain = await once(open);
    const trigger = { min_output_tokens: 1_000_000, min_output_frac: 1, huge_output_frac: 1 };
    const { after, verdict } = await once({ ...open, trigger }, { contextWindow: 100 });
    expect(verdict).toBe('changed');
    expect(after.map(({ raw }) => raw)).toEqual(plain.after.map(({ raw }) => raw));
  });
});

describe('model', () => {
  async function specOf(model?: object): Promise<ModelSpec | undefined> {
    const specs: ModelSpec[] = [];
    const settings = model === undefined ? open : { ...open, model };
    const { verdict } = await once(settings, {
      models: (spec) => {
        specs.push(spec);
        return countingModel();
      },
    });
    expect(verdict).toBe('changed');
    expect(specs).toHaveLength(1);
    return specs[0];
  }

  test('absent: the incoming one', async () => {
    expect(await specOf()).toEqual({
      source: 'incoming',
      provider: 'anthropic',
      auth: 'x-api-key',
    });
  });

  test.each([
    ['source', 'config'],
    ['model', 'some-small-model'],
    ['provider', 'openai'],
    ['base_url', 'http://localhost:8080/v1'],
    ['api_key', 'a-key-of-a-test'],
    ['auth', 'bearer'],
  ])('%s is asked for as it stands', async (key, value) => {
    expect(await specOf({ [key]: value })).toEqual({ ...(await specOf()), [key]: value });
  });

  test('the model that the source names is the one that is asked', async () => {
    const [incoming, own] = [countingModel(), countingModel()];
    const models = ({ source }: ModelSpec) => (source === 'incoming' ? incoming : own);
    await once({ ...open, model: { source: 'config' } }, { models });
    expect([incoming.calls.length, own.calls.length]).toEqual([0, 1]);
  });

  test('none: a gate, nothing stashed, nothing asked', async () => {
    const { verdict, before, after } = await once(open, { models: () => undefined });
    expect(verdict).toBe('no_model');
    expect(after).toBe(before);
  });
});

describe('marker_mode', () => {
  const textOf = async (settings: object) => {
    const { inserted, expanded } = await once({ ...open, ...settings });
    const [block] = inserted[0]?.blocks ?? [];
    if (inserted.length !== 1 || block?.kind !== 'text') throw new Error('expected one text');
    return { text: block.text, expanded };
  };
  const body = [
    '=== History Summary ===',
    'Earlier messages of this conversation were replaced by this summary of them.',
    '<summary>',
    'Summary 0.',
    '</summary>',
  ].join('\n');

  test('full, and absent: a marker that gives the span back', async () => {
    for (const settings of [{ marker_mode: 'full' }, {}]) {
      const { text, expanded } = await textOf(settings);
      const [[key, content] = []] = [...expanded];
      expect(text).toBe(`${body}\n<<cg:${key}>>`);
      expect(content).toContain('part-0 says');
    }
  });

  test('summary: a sentinel that gives nothing', async () => {
    const { text, expanded } = await textOf({ marker_mode: 'summary' });
    expect(text).toBe(`${body}\n<<cg:dropped>>`);
    expect(expanded.size).toBe(0);
  });

  test('off: no trace', async () => {
    const { text, expanded } = await textOf({ marker_mode: 'off' });
    expect(text).toBe(body);
    expect(expanded.size).toBe(0);
  });
});

describe('resummarize_tokens', () => {
  const lists = (dialect: WireDialect) => {
    const whole = session(dialect, 12, 100);
    return [6, 7, 8, 9, 10, 11, 12].map((exchanges) =>
      whole.slice(0, whole.length - 2 * (12 - exchanges)),
    );
  };
  const calls = async (dialect: WireDialect, resummarize_tokens?: number) => {
    const model = countingModel();
    const settings = { ...open, keep_last: 2, resummarize_tokens };
    const replayed = await replayLists(lists(dialect), {
      dialect,
      steps: [summarizeWith(settings)],
      model,
    });
    return { calls: model.calls.length, verdicts: replayed.map(({ report }) => verdictOf(report)) };
  };

  test.each(wireDialects)('0: every eligible request is summarized anew (%s)', async (dialect) => {
    const { calls: made, verdicts } = await calls(dialect, 0);
    expect(made).toBe(7);
    expect(new Set(verdicts)).toEqual(new Set(['changed']));
  });

  test.each(wireDialects)('the checkpoint rolls when the tail reaches it (%s)', async (dialect) => {
    // An exchange has about 130 tokens, so a tail of 300 is reached by every third.
    const { calls: made, verdicts } = await calls(dialect, 300);
    expect(verdicts).toEqual([
      'changed',
      'reused',
      'reused',
      'changed',
      'reused',
      'reused',
      'changed',
    ]);
    expect(made).toBe(3);
  });

  test.each(wireDialects)('… by its very figure (%s)', async (dialect) => {
    const [first = [], second = []] = lists(dialect);
    // What the second request keeps as it is, without the kept messages.
    const tail = tokensOf(dialect, second.slice(first.length - 2, -2));
    const verdict = async (resummarize_tokens: number) => {
      const steps = [summarizeWith({ ...open, keep_last: 2, resummarize_tokens })];
      const [, replayed] = await replayLists([first, second], { dialect, steps });
      return replayed === undefined ? undefined : verdictOf(replayed.report);
    };
    expect(await verdict(tail)).toBe('changed');
    expect(await verdict(tail + 1)).toBe('reused');
  });

  test('absent: 6000', async () => {
    expect((await calls('anthropic')).calls).toBe(1);
    const whole = session('anthropic', 6, 3500);
    const model = countingModel();
    const grown = [3, 4, 5, 6].map((exchanges) => whole.slice(0, 1 + 2 * exchanges));
    const replayed = await replayLists(grown, {
      dialect: 'anthropic',
      steps: [summarizeWith({ ...open, keep_last: 2 })],
      model,
    });
    expect(replayed.map(({ report }) => verdictOf(report))).toEqual([
      'changed',
      'reused',
      'changed',
      'reused',
    ]);
  });
});
