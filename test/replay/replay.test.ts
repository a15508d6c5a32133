import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { bindComponent } from '../../src/compaction/bound.ts';
import { defineComponent } from '../../src/compaction/component.ts';
import type { Config } from '../../src/compaction/config.ts';
import { scriptedModel } from '../../src/model/scripted.ts';
import { type ReplayOptions, replayTranscript } from '../../src/replay/replay.ts';
import type { RequestReplay } from '../../src/replay/result.ts';
import { countTokens } from '../../src/text/tokens.ts';
import { hasToolCall, type Message } from '../../src/transcript/message.ts';
import type { Request, Transcript } from '../../src/transcript/transcript.ts';
import { changed, componentOf } from '../support/faulty.ts';
import { countingModel, summarizeWith, verdictOf } from '../support/replay-lists.ts';
import {
  conversation,
  growingLists,
  type Step,
  type WireDialect,
  workSession,
} from '../support/wire-steps.ts';

function transcript(
  dialect: WireDialect,
  steps: readonly Step[],
  facts: Partial<Transcript> = {},
): Transcript {
  const { messages } = conversation(dialect, steps);
  return {
    task: 'task',
    trial: '0',
    lineage: 'main',
    source: { file: 'session.json', format: 'messages', session: 'session' },
    dialect,
    requests: growingLists(messages).map((list): Request => ({ segment: 0, messages: list })),
    retries: 0,
    hash: 'hash',
    ...facts,
  };
}

function config(...steps: Config['steps']): Config {
  return { name: 'test', about: '', steps, text: '', hash: '', source: 'test.yaml' };
}

const options = (overrides: Partial<ReplayOptions> = {}): ReplayOptions => ({
  tokenizer: 'o200k_base',
  models: () => () => countingModel(),
  sample: 0,
  ...overrides,
});

const eager = { keep_last: 2, min_tokens: 0, start_from_message: 0 };

describe('replayTranscript', () => {
  test('the empty pipeline changes nothing and counts every request', async () => {
    const given = transcript('anthropic', workSession('anthropic', 4));
    const { requests, savings, stash } = await replayTranscript(given, config(), options());
    expect(requests.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(requests.every(({ changed, steps }) => !changed && steps.length === 0)).toBe(true);
    expect(requests.every((replay) => replay.tokensBefore === replay.tokensAfter)).toBe(true);
    expect(savings.gross).toBe(0);
    expect(savings.peakBefore).toBe(requests.at(-1)?.tokensBefore);
    expect([...stash.entries()]).toEqual([]);
  });

  test('a transcript without requests is replayed to nothing', async () => {
    const given = transcript('anthropic', [], { requests: [] });
    const { requests, savings } = await replayTranscript(given, config(summarizeWith()), options());
    expect(requests).toEqual([]);
    expect(savings).toEqual({ gross: 0, unique: 0, peakBefore: 0, peakAfter: 0 });
  });

  test('state lives through the requests of one transcript and not into the next', async () => {
    const model = countingModel();
    const given = transcript('openai-chat', workSession('openai-chat', 6));
    const replays = [0, 1].map(() =>
      replayTranscript(given, config(summarizeWith(eager)), options({ models: () => () => model })),
    );
    const [first, second] = await Promise.all(replays);
    expect(model.calls).toHaveLength(2);
    expect(first?.requests.map(({ steps }) => steps.map(verdictOf))).toEqual(
      second?.requests.map(({ steps }) => steps.map(verdictOf)),
    );
  });

  test('savings are those of the requests, and the observer sees each list', async () => {
    const given = transcript('anthropic', workSession('anthropic', 6));
    const seen: [RequestReplay, readonly Message[], readonly Message[]][] = [];
    const { requests, savings } = await replayTranscript(
      given,
      config(summarizeWith(eager)),
      options(),
      (replay, before, after) => seen.push([replay, before, after]),
    );
    const gross = requests.reduce((sum, r) => sum + r.tokensBefore - r.tokensAfter, 0);
    expect(savings.gross).toBe(gross);
    expect(savings.unique).toBeGreaterThan(0);
    expect(savings.unique).toBeLessThanOrEqual(gross);
    expect(seen.map(([, before]) => before)).toEqual(given.requests.map((r) => r.messages));
    expect(seen.map(([replay]) => replay)).toEqual(requests);
    for (const [replay, before, after] of seen) expect(replay.changed).toBe(before !== after);
  });

  test('the model resolver is made for the transcript', async () => {
    const given = transcript('anthropic', workSession('anthropic', 3), { model: 'some-model' });
    const transcripts: Transcript[] = [];
    const models = (asked: Transcript) => {
      transcripts.push(asked);
      return () => countingModel();
    };
    await replayTranscript(given, config(summarizeWith(eager)), options({ models }));
    expect(transcripts).toEqual([given]);
  });

  const tearing = componentOf(({ messages }) => {
    const call = messages.findIndex(hasToolCall);
    if (call < 0) return { kind: 'skipped', gate: 'no_call' };
    return changed(
      messages.filter((_, index) => index !== call),
      { irreversible: true },
    );
  });

  test('a rewrite that breaks a provider rule is not sent, and the report says which', async () => {
    const given = transcript('anthropic', workSession('anthropic', 4));
    const { requests } = await replayTranscript(given, config(tearing), options());
    expect(requests.some(({ changed: sent }) => sent)).toBe(false);
    expect(requests.flatMap(({ steps }) => steps.map(verdictOf))).toContain('shape:A-PAIR-2');
    expect(requests.flatMap(({ violationsAdded }) => violationsAdded)).toEqual([]);
  });

  test('without the guard it is sent, and what it breaks is counted', async () => {
    const given = transcript('anthropic', workSession('anthropic', 4));
    const unguarded = options({ guard: false });
    const { requests } = await replayTranscript(given, config(tearing), unguarded);
    expect(requests.some(({ changed: sent }) => sent)).toBe(true);
    expect(requests.flatMap(({ violationsAdded }) => violationsAdded)).toContain('A-PAIR-2');
    expect(requests.map(({ violationsBefore }) => violationsBefore)).toEqual(requests.map(() => 0));
  });

  test('the window of the request’s model, then the transcript’s, then the assumed one counts', async () => {
    const windows: (number | undefined)[] = [];
    const spy = defineComponent({
      name: 'spy',
      kind: 'reformat',
      about: 'Notes the context window.',
      version: 1,
      timeLimit: 1000,
      config: z.strictObject({}),
      compact: async (_request, _config, { contextWindow }) => {
        windows.push(contextWindow);
        return { kind: 'skipped', gate: 'spy' };
      },
    });
    const bound = bindComponent(spy, 'spy', {});
    if (!bound.ok) throw bound.error;
    const base = transcript('openai-chat', [{ kind: 'user', text: 'hello' }]);
    const [request] = base.requests;
    if (request === undefined) throw new Error('no request');
    const models: [string | undefined, string | undefined, string | undefined][] = [
      ['gpt-4o', 'no-such-model', 'no-such-model'],
      [undefined, 'gpt-4o', 'no-such-model'],
      [undefined, undefined, 'gpt-4o'],
      [undefined, undefined, undefined],
    ];
    for (const [own, whole, assumed] of models) {
      const given: Transcript = {
        ...base,
        requests: [own === undefined ? request : { ...request, model: own }],
        ...(whole === undefined ? {} : { model: whole }),
      };
      await replayTranscript(
        given,
        config(bound.bound),
        options(assumed === undefined ? {} : { assumeModel: assumed }),
      );
    }
    expect(windows).toEqual([128_000, 128_000, 128_000, undefined]);
  });

  test('thinking counts as the model keeps it', async () => {
    const steps: Step[] = [
      { kind: 'user', text: 'one' },
      { kind: 'assistant', text: 'two', thinking: 'thoughts of some length' },
      { kind: 'user', text: 'three' },
    ];
    const tokens = async (dialect: WireDialect, model?: string) => {
      const given = transcript(dialect, steps, model === undefined ? {} : { model });
      const { requests } = await replayTranscript(given, config(), options());
      return requests.at(-1)?.tokensBefore;
    };
    const thoughts = countTokens('thoughts of some length');
    expect(await tokens('anthropic', 'claude-opus-4-5')).toBe(3 + thoughts);
    expect(await tokens('anthropic', 'claude-sonnet-4-5')).toBe(3);
    expect(await tokens('anthropic')).toBe(3);
    expect(await tokens('openai-chat', 'gpt-4o')).toBe(3);
  });

  test('thinking of the current loop that was dropped is saved, in gross and in unique', async () => {
    const call = { id: 'x', result: 'ok' };
    const steps: Step[] = [{ kind: 'user', text: 'task' }];
    for (let number = 0; number < 4; number++) {
      steps.push({
        kind: 'exchange',
        thinking: `thought ${number} `.repeat(40),
        calls: [{ ...call, id: `x${number}` }],
      });
    }
    const given = transcript('anthropic', steps, { model: 'claude-sonnet-4-5' });
    const last = given.requests.at(-1);
    if (last === undefined) throw new Error('no request');
    const { savings } = await replayTranscript(
      { ...given, requests: [last] },
      config(summarizeWith(eager)),
      options(),
    );
    expect(savings.unique).toBe(savings.gross);
    expect(savings.unique).toBeGreaterThan(3 * 40);
  });

  test('the sample number reaches the model, the time limit every component', async () => {
    const given = transcript('anthropic', workSession('anthropic', 3));
    const model = countingModel();
    const asked = options({ sample: 7, models: () => () => model });
    await replayTranscript(given, config(summarizeWith(eager)), asked);
    expect(model.calls.map(({ sample }) => sample)).toEqual([7]);
    const hanging = scriptedModel(() => ({ kind: 'hang' }));
    const { requests } = await replayTranscript(
      given,
      config(summarizeWith(eager)),
      options({ models: () => () => hanging, timeLimit: 20 }),
    );
    expect(requests.flatMap(({ steps }) => steps.map(verdictOf))).toContain(
      'error:component.timeout',
    );
  });
});
