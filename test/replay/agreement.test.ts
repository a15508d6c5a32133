import { describe, expect, it } from 'vitest';
import { EXPAND_TOOL } from '../../src/compaction/expand-tool.ts';
import { Stash } from '../../src/compaction/stash.ts';
import { HarnessError } from '../../src/errors.ts';
import type { WireName } from '../../src/model/model.ts';
import { scriptedModel } from '../../src/model/scripted.ts';
import type { TurnStep } from '../../src/model/scripted-turns.ts';
import { agreementScore, type NextAction } from '../../src/replay/agreement-action.ts';
import { RequestSample } from '../../src/replay/agreement-sample.ts';
import { askingIdentity, CellAsking } from '../../src/replay/asking.ts';
import { EXPAND_ROUNDS } from '../../src/replay/expand-loop.ts';
import { SharedAnswers } from '../../src/replay/shared-answers.ts';
import { inDialect } from '../../src/sweep/translated.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import {
  ask,
  call,
  calls,
  maskConfig,
  replayOf,
  rewrittenOf,
  says,
  transcriptOf,
} from './agreement-support.ts';

const recorded = call('read_file', { path: 'src/a.ts' });
const one = transcriptOf([recorded]);
const asRecorded = calls('read_file', { path: './src/a.ts' });

describe('a request is scored', () => {
  const cases: readonly [string, TurnStep, number][] = [
    ['1 for the same tool and target', asRecorded, 1],
    ['1 whatever else the arguments say', calls('read_file', { limit: 5, path: 'src/a.ts' }), 1],
    ['1 with words beside the call', { ...asRecorded, text: 'Let me look.' } as TurnStep, 1],
    ['0.5 for the same tool and another target', calls('read_file', { path: 'src/b.ts' }), 0.5],
    ['0 for another tool', calls('run', { command: 'cat src/a.ts' }), 0],
    ['0 for a tool that is not declared', calls('open_file', { path: 'src/a.ts' }), 0],
    ['0 for words in place of a call', says('It is done.'), 0],
    [
      '0.5 for a call more',
      {
        kind: 'calls',
        calls: ['src/a.ts', 'src/b.ts'].map((path) => ({
          name: 'read_file',
          arguments: JSON.stringify({ path }),
        })),
      },
      0.5,
    ],
  ];
  it.each(cases)('%s', async (_, rewritten, score) => {
    const { agreement } = await ask({ transcript: one, original: asRecorded, rewritten });
    expect(agreement).toMatchObject({ scores: [score], sampled: 1, eligible: 1 });
    expect(agreement).toMatchObject({ notReproduced: 0, unparsed: 0, answers: 0 });
  });

  it('and an answer in words agrees with another one, and is counted', async () => {
    const transcript = transcriptOf([{ role: 'assistant', content: 'The owner is 4711.' }]);
    const options = { transcript, original: says('Found it.') };
    const same = await ask({ ...options, rewritten: says('I found nothing.') });
    expect(same.agreement).toMatchObject({ scores: [1], answers: 1 });
    const acts = await ask({ ...options, rewritten: asRecorded });
    expect(acts.agreement).toMatchObject({ scores: [0], answers: 1 });
  });

  it('symmetrically, and fully with itself', () => {
    const actions: NextAction[] = [
      { kind: 'answer' },
      { kind: 'calls', calls: [{ tool: 'a', target: '1' }] },
      { kind: 'calls', calls: [{ tool: 'a', target: '2' }] },
      {
        kind: 'calls',
        calls: [
          { tool: 'b', target: '1' },
          { tool: 'a', target: '1' },
        ],
      },
    ];
    for (const a of actions) {
      expect(agreementScore(a, a)).toBe(1);
      for (const b of actions) expect(agreementScore(a, b)).toBe(agreementScore(b, a));
    }
  });
});

describe('a request is not scored', () => {
  const elsewhere: readonly TurnStep[] = [
    calls('read_file', { path: 'src/b.ts' }),
    calls('run', { command: 'ls' }),
    says('It is done.'),
  ];
  it.each(elsewhere)(
    'where the model as recorded does not do what the agent did',
    async (original) => {
      const { agreement, turns } = await ask({ transcript: one, original, rewritten: asRecorded });
      expect(agreement).toMatchObject({ scores: [], notReproduced: 1, unparsed: 0 });
      // The rewritten request is not paid for.
      expect(turns.requests).toHaveLength(1);
    },
  );

  const broken: readonly [string, TurnStep][] = [
    ['arguments', calls('read_file', '{"path": "src/a')],
    ['arguments', calls('read_file', '["src/a.ts"]')],
    ['arguments', calls('', {})],
    ['no_action', says(' \n')],
    ['model.transport', { kind: 'fail' }],
    ['model.timeout', { kind: 'fail', error: new HarnessError('model.timeout', 'too slow') }],
    ['model.reply', { kind: 'fail', error: new HarnessError('model.reply', 'no reply') }],
  ];
  it.each(broken)('where a reply is no action (%s), on either side', async (why, reply) => {
    const options = { transcript: one, original: asRecorded, rewritten: asRecorded };
    for (const side of ['original', 'rewritten']) {
      const { agreement } = await ask({ ...options, [side]: reply });
      expect(agreement).toMatchObject({ scores: [], notReproduced: 0, unparsed: 1 });
      expect(agreement?.unparsedReasons).toEqual(new Map([[why, 1]]));
    }
  });

  it('and one that has no score is left out of the mean', async () => {
    const transcript = transcriptOf([recorded, recorded, recorded, recorded]);
    const at = (steps: readonly TurnStep[]) => (request: { messages: string }) => {
      const index = Number(/step (\d)/.exec(request.messages)?.[1]);
      return steps[index] ?? says('?');
    };
    const { agreement } = await ask({
      transcript,
      original: at([asRecorded, asRecorded, says('?'), asRecorded]),
      rewritten: at([asRecorded, says(''), asRecorded, calls('read_file', { path: 'c' })]),
    });
    expect(agreement).toMatchObject({
      scores: [1, 0.5],
      notReproduced: 1,
      unparsed: 1,
      sampled: 4,
    });
  });

  it('and what ends a run ends the cell', async () => {
    const error = new HarnessError('budget.exhausted', 'the budget is spent');
    const options = { transcript: one, original: asRecorded };
    await expect(ask({ ...options, rewritten: { kind: 'fail', error } })).rejects.toThrow(error);
  });

  it('by a model that takes no whole requests', async () => {
    const asking = new CellAsking(
      { transcript: one, config: await maskConfig() },
      { agreement: 1, probes: 0, seed: 1 },
    );
    const shared = new SharedAnswers();
    const { signal } = new AbortController();
    const measuring = asking.measure(
      { stash: new Stash() },
      { model: scriptedModel([]), shared, sample: 0, signal },
    );
    await expect(measuring).rejects.toMatchObject({ code: 'model.missing' });
  });
});

describe('the expand tool', () => {
  const wantsMarker = (request: { messages: string }) =>
    calls(EXPAND_TOOL.name, { hash: /<<cg:([0-9a-f]+)>>/.exec(request.messages)?.[1] ?? '' });

  it('is declared on the rewritten request and served when the model asks', async () => {
    // What comes back holds the detail, so the reply to it is that of `original`.
    const { agreement, turns } = await ask({
      transcript: one,
      original: asRecorded,
      rewritten: wantsMarker,
    });
    expect(agreement).toMatchObject({ scores: [1], expands: 1, unparsed: 0 });
    const declared = turns.requests.map(({ tools = '' }) => tools.includes(EXPAND_TOOL.name));
    expect(declared).toEqual([false, true, true]);
    const served: unknown = JSON.parse(turns.requests[2]?.messages ?? '');
    expect(served).toMatchObject({ length: 7 });
    expect(Array.isArray(served) ? served.slice(-2) : []).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool_use', name: EXPAND_TOOL.name }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_0' }] },
    ]);
  });

  it('is served on the wire of OpenAI too', async () => {
    const { agreement, turns } = await ask({
      transcript: one,
      original: asRecorded,
      rewritten: wantsMarker,
      wire: 'openai-chat',
    });
    expect(agreement).toMatchObject({ scores: [1], expands: 1 });
    const served: unknown = JSON.parse(turns.requests[2]?.messages ?? '');
    expect(Array.isArray(served) ? served.slice(-2) : []).toMatchObject([
      { role: 'assistant', tool_calls: [{ function: { name: EXPAND_TOOL.name } }] },
      { role: 'tool', tool_call_id: 'call_0' },
    ]);
    expect(Array.isArray(served) ? served[0] : undefined).toEqual({
      role: 'system',
      content: 'Be brief.',
    });
  });

  it('says so where no marker has the hash', async () => {
    const { agreement, turns } = await ask({
      transcript: one,
      original: asRecorded,
      rewritten: ({ messages }) =>
        messages.includes('No marker has') ? asRecorded : calls(EXPAND_TOOL.name, { hash: 'f00' }),
    });
    expect(agreement).toMatchObject({ scores: [1], expands: 0 });
    expect(turns.requests).toHaveLength(3);
  });

  it('is served a limited number of times', async () => {
    const { agreement, turns } = await ask({
      transcript: one,
      original: asRecorded,
      rewritten: calls(EXPAND_TOOL.name, { hash: 'f00' }),
    });
    expect(agreement?.unparsedReasons).toEqual(new Map([['expand_limit', 1]]));
    expect(agreement?.scores).toEqual([]);
    expect(turns.requests).toHaveLength(2 + EXPAND_ROUNDS);
  });

  it('is left aside where another tool is called with it', async () => {
    const rewritten: TurnStep = {
      kind: 'calls',
      calls: [
        { name: EXPAND_TOOL.name, arguments: '{"hash":"f00"}' },
        { name: 'read_file', arguments: '{"path":"src/a.ts"}' },
      ],
    };
    const { agreement, turns } = await ask({ transcript: one, original: asRecorded, rewritten });
    expect(agreement?.scores).toEqual([1]);
    expect(turns.requests).toHaveLength(2);
  });

  it('is an unknown tool where the config does not declare it', async () => {
    const config = { ...(await maskConfig()), inject: 'never' as const };
    const options = { transcript: one, original: asRecorded, rewritten: wantsMarker, config };
    const { agreement, turns } = await ask(options);
    expect(agreement).toMatchObject({ scores: [0], expands: 0 });
    expect(turns.requests.every(({ tools = '' }) => !tools.includes(EXPAND_TOOL.name))).toBe(true);
  });
});

describe('calls', () => {
  it('for recorded requests are shared over configs, and counted like the first ones', async () => {
    const transcript = transcriptOf([recorded, recorded, recorded]);
    const options = { transcript, original: asRecorded, rewritten: asRecorded };
    const first = await ask(options);
    expect(first.shared.asked).toBe(6);
    const second = await ask({ ...options, marker: false, shared: first.shared });
    expect(first.shared.asked).toBe(9);
    expect(second.turns.requests).toHaveLength(3);
    // What a row says does not depend on the cell before it.
    expect(second.calls).toMatchObject({ calls: 6, shareable: 3 });
    expect(second.calls).toEqual((await ask({ ...options, marker: false })).calls);
  });

  it('of other samples are calls of their own', async () => {
    const options = { transcript: one, original: asRecorded, rewritten: asRecorded };
    const { shared } = await ask(options);
    await ask({ ...options, shared, sample: 1 });
    expect(shared.asked).toBe(4);
  });

  it('that fail are made again', async () => {
    let times = 0;
    const original = () => (times++ === 0 ? ({ kind: 'fail' } as const) : asRecorded);
    const options = { transcript: one, original, rewritten: asRecorded };
    const first = await ask(options);
    expect(first.agreement).toMatchObject({ unparsed: 1 });
    const second = await ask({ ...options, shared: first.shared });
    expect(second.agreement).toMatchObject({ scores: [1] });
  });

  it('carry system prompt and tools as recorded', async () => {
    const { turns } = await ask({ transcript: one, original: asRecorded, rewritten: says('?') });
    const [request] = turns.requests;
    expect(request?.system).toBe('"Be brief."');
    expect(request?.tools).toBe(one.requests[0]?.envelope?.tools);
    expect(request?.messages).toBe(
      `[${one.requests[0]?.messages.map(({ raw }) => raw).join(',')}]`,
    );
  });
});

describe('other dialects and wires', () => {
  it.each(['openai-chat', 'openai-responses', 'gemini', 'bedrock'] as const)(
    'the scores are the same for %s',
    async (dialect) => {
      const transcript = inDialect(
        transcriptOf([recorded, call('run', { command: 'ls' })]),
        dialect,
      );
      const stash = new Stash();
      for (const wire of ['anthropic', 'openai-chat'] as const) {
        const { ask: askTurns, model } = scripted(wire);
        const asking = new CellAsking(
          { transcript, config: await maskConfig() },
          { agreement: 5, probes: 0, seed: 1 },
        );
        for (const [index, { messages }] of transcript.requests.entries()) {
          asking.observe(
            replayOf(index),
            messages,
            messages.slice(0, 1).concat(messages.slice(-1)),
          );
        }
        const { signal } = new AbortController();
        const shared = new SharedAnswers();
        const figures = await asking.measure({ stash }, { model, shared, sample: 0, signal });
        expect(figures.agreement).toMatchObject({ scores: [1, 0.5], tools: 'inferred' });
        expect(askTurns[0]?.tools).toContain('read_file');
      }
    },
  );

  function scripted(wire: 'anthropic' | 'openai-chat') {
    const asked: { readonly tools?: string }[] = [];
    const model = scriptedModel([], {
      turns: {
        wire,
        ask: async (request) => {
          asked.push(request);
          const isOriginal = request.messages.includes('account-4711');
          const isFirst = request.messages.includes('step 0');
          const call = isFirst
            ? { name: 'read_file', arguments: '{"path":"src/a.ts"}' }
            : { name: 'run', arguments: JSON.stringify({ command: isOriginal ? 'ls' : 'pwd' }) };
          const toolCalls = [{ id: 'x', ...call }];
          return { text: '', toolCalls, inputTokens: 1, outputTokens: 1 };
        },
      },
    });
    return { ask: asked, model };
  }
});

describe('the tools', () => {
  const shell = { type: 'bash_20250124', name: 'run' };
  const withTools = (tools: readonly object[]): Transcript => ({
    ...one,
    requests: one.requests.map((request) => ({
      ...request,
      envelope: { head: '', separator: ',', tail: '', tools: JSON.stringify(tools) },
      action: dialectOf('anthropic').parseMessage(
        JSON.stringify(call('run', { command: 'ls' })),
        new MessageTable(),
      ),
    })),
  });
  const declared = async (transcript: Transcript, wire: WireName) => {
    const step = calls('run', { command: 'ls' });
    const { turns, plan } = await ask({ transcript, original: step, rewritten: step, wire });
    const tools: { name?: string; function?: { name: string } }[] = JSON.parse(
      turns.requests[0]?.tools ?? '[]',
    );
    return { plan, names: tools.map((tool) => tool.name ?? tool.function?.name) };
  };

  it('are those that were recorded, on another wire also what has no schema and is called', async () => {
    const transcript = withTools([shell, { type: 'web_search_20250305', name: 'web_search' }]);
    expect((await declared(transcript, 'anthropic')).names).toEqual(['run', 'web_search']);
    const { names, plan } = await declared(transcript, 'openai-chat');
    expect(names).toEqual(['run']);
    expect(plan).toBe('per_cell=10;seed=1;tools=recorded;model=scripted');
  });

  it('are inferred from all calls of the transcript where none are recorded', async () => {
    const bare = withTools([]).requests.map(({ envelope: _, ...request }) => request);
    const { names, plan } = await declared({ ...one, requests: bare }, 'anthropic');
    expect(names.toSorted()).toEqual(['read_file', 'run']);
    expect(plan).toContain('tools=inferred');
  });
});

describe('the sample', () => {
  const transcript = transcriptOf(new Array<object>(30).fill(recorded));
  const sampleOf = (
    seed: number,
    perCell = 5,
    changed: (index: number) => boolean = () => true,
  ) => {
    const sample = new RequestSample(transcript, { perCell, seed });
    for (const [index, { messages }] of transcript.requests.entries()) {
      sample.observe(replayOf(index, changed(index)), messages, messages);
    }
    return sample;
  };
  const indices = (sample: RequestSample) => sample.requests.map(({ index }) => index);

  it('is the same for a seed, another for another, and never too large', () => {
    expect(indices(sampleOf(1))).toEqual(indices(sampleOf(1)));
    expect(indices(sampleOf(1))).not.toEqual(indices(sampleOf(2)));
    expect(indices(sampleOf(1))).toHaveLength(5);
    expect(indices(sampleOf(1))).toEqual(indices(sampleOf(1)).toSorted((a, b) => a - b));
    expect(indices(sampleOf(1, 100))).toHaveLength(30);
    expect(indices(sampleOf(1, 0))).toEqual([]);
    expect(sampleOf(1).eligible).toBe(30);
  });

  it('holds rewritten requests only, and the same ones for configs that rewrite more', () => {
    const even = sampleOf(3, 30, (index) => index % 2 === 0);
    expect(even.eligible).toBe(15);
    expect(indices(even).every((index) => index % 2 === 0)).toBe(true);
    const all = new Set(indices(sampleOf(3, 8)));
    const some = indices(sampleOf(3, 8, (index) => index !== 0));
    expect(some.filter((index) => all.has(index)).length).toBeGreaterThanOrEqual(7);
  });

  it('takes every request about as often', () => {
    const times = new Map<number, number>();
    for (let seed = 0; seed < 300; seed++) {
      for (const index of indices(sampleOf(seed))) times.set(index, (times.get(index) ?? 0) + 1);
    }
    // 50 are expected of each; 6.5 is the standard deviation.
    for (const [, count] of times) expect(Math.abs(count - 50)).toBeLessThan(27);
    expect(times.size).toBe(30);
  });

  it('leaves out what the agent is not known to have done', () => {
    const [request] = transcript.requests;
    if (request === undefined) throw new Error('no request');
    const { action: _, ...unknown } = request;
    const sample = new RequestSample(
      { ...transcript, requests: [unknown] },
      { perCell: 5, seed: 1 },
    );
    sample.observe(replayOf(0), request.messages, rewrittenOf(request.messages, new Stash()));
    expect(sample.eligible).toBe(0);
  });
});

describe('the identity of the plan', () => {
  it('holds what changes the figures, and nothing where nothing is asked', () => {
    const plan = { agreement: 5, probes: 2, seed: 1 };
    expect(askingIdentity(undefined)).toEqual([]);
    expect(askingIdentity({ agreement: 0, probes: 0, seed: 9 })).toEqual([]);
    for (const change of [{ agreement: 6 }, { probes: 3 }, { seed: 2 }]) {
      expect(askingIdentity({ ...plan, ...change })).not.toEqual(askingIdentity(plan));
    }
  });
});
