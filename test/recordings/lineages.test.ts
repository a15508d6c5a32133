import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commonPrefix } from '../../src/transcript/message.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { jsonl, outline, type Read, readFiles } from './support.ts';

type Content = string | readonly object[];
interface Line {
  readonly messages: readonly object[];
  readonly system?: unknown;
  readonly response?: unknown;
  readonly [key: string]: unknown;
}

const user = (content: Content) => ({ role: 'user', content });
const assistant = (content: Content) => ({ role: 'assistant', content });
const call = (id: string) => assistant([{ type: 'tool_use', id, name: 'run', input: { id } }]);
const result = (id: string, content = `output of ${id} ${'x'.repeat(200)}`) =>
  user([{ type: 'tool_result', tool_use_id: id, content }]);

/** Rounds of a call and its result, numbered. */
const rounds = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => [
    call(`t${from + index}`),
    result(`t${from + index}`),
  ]).flat();

function capture({ messages, system = 'You are an agent.', response, ...rest }: Line) {
  return {
    provider: 'anthropic',
    session: 'one',
    ...rest,
    body: { model: 'claude-x', system, messages },
    ...(response === undefined ? {} : { response }),
  };
}

const read = (...lines: readonly Line[]): Promise<Read> =>
  readFiles({ 'log.jsonl': jsonl(...lines.map(capture)) });

function shape(transcripts: readonly Transcript[]) {
  return Object.fromEntries(
    transcripts.map(({ lineage, requests, retries }) => [
      lineage,
      {
        lengths: requests.map(({ messages }) => messages.length),
        segments: requests.map(({ segment }) => segment),
        retries,
      },
    ]),
  );
}

const lineage = (lengths: readonly number[], segments = lengths.map(() => 0), retries = 0) => ({
  lengths,
  segments,
  retries,
});

test('every request is in one lineage or a retry, and segments are chains', async () => {
  // A session that wanders: turns are added, dropped and asked again.
  const step = fc.record({ keep: fc.nat(8), add: fc.nat(2), id: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      let messages: readonly object[] = [user('go')];
      const lines = steps.map(({ keep, add, id }) => {
        messages = [
          user('go'),
          ...messages.slice(1, 1 + 2 * keep),
          ...rounds(10 * id, 10 * id + add - 1),
        ];
        return { messages };
      });
      const { transcripts } = await read(...lines);
      const counted = transcripts.map(({ requests, retries }) => requests.length + retries);
      expect(counted.reduce((sum, count) => sum + count)).toBe(lines.length);
      for (const { requests } of transcripts) {
        for (const [index, request] of requests.entries()) {
          const next = requests[index + 1];
          if (next === undefined) continue;
          const shared = commonPrefix(request.messages, next.messages);
          if (next.segment === request.segment) expect(shared).toBe(request.messages.length);
          else expect(shared).toBeLessThan(request.messages.length);
        }
      }
    }),
    { numRuns: 40 },
  );
});

describe('one chain', () => {
  test('each request extends the one before it', async () => {
    const { transcripts, problems } = await read(
      { messages: [user('go')] },
      { messages: [user('go'), ...rounds(1, 1)] },
      { messages: [user('go'), ...rounds(1, 2)] },
    );
    expect(problems).toEqual([]);
    expect(shape(transcripts)).toEqual({ main: lineage([1, 3, 5]) });
  });

  test('the next extension tells the action, and the last request has none', async () => {
    const { transcripts } = await read(
      { messages: [user('go')] },
      { messages: [user('go'), ...rounds(1, 1)] },
    );
    const [first, last] = transcripts[0]?.requests ?? [];
    expect(first?.action?.raw).toBe(JSON.stringify(call('t1')));
    expect(last?.action).toBeUndefined();
  });

  test('the action stands behind the list, even where its last message comes again', async () => {
    const list = [user('go'), assistant('one'), user('on')];
    const { transcripts } = await read(
      { messages: list },
      { messages: [...list, assistant('two'), user('on')] },
      { messages: [...list, assistant('two'), user('on'), assistant('three'), user('end')] },
    );
    const actions = transcripts[0]?.requests.map(({ action }) => action?.raw);
    expect(actions?.slice(0, 2)).toEqual([
      JSON.stringify(assistant('two')),
      JSON.stringify(assistant('three')),
    ]);
  });

  test('a moved cache mark leaves a full prefix', async () => {
    const marked = (text: string) =>
      user([{ type: 'text', text, cache_control: { type: 'ephemeral' } }]);
    const { transcripts } = await read(
      { messages: [marked('go')] },
      { messages: [user([{ type: 'text', text: 'go' }]), assistant('well'), marked('on')] },
      { messages: [user('go'), assistant('well'), user('on'), assistant('so'), marked('end')] },
    );
    expect(shape(transcripts)).toEqual({ main: lineage([1, 3, 5]) });
  });

  test('a mark on the system prompt does not make another agent', async () => {
    const { transcripts } = await read(
      { messages: [user('go')], system: 'S' },
      {
        messages: [user('go')],
        system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }],
      },
    );
    expect(shape(transcripts)).toEqual({ main: lineage([1], [0], 1) });
  });

  test('nor does a billing header, which differs in each call', async () => {
    const system = (value: string) => [
      { type: 'text', text: `x-anthropic-billing-header: cch=${value};` },
      { type: 'text', text: 'S' },
    ];
    const { transcripts } = await read(
      { messages: [user('go')], system: system('1') },
      { messages: [user('go')], system: system('2') },
    );
    expect(shape(transcripts)).toEqual({ main: lineage([1], [0], 1) });
  });

  test('a system prompt that changes from turn to turn does not tear the chain', async () => {
    const { transcripts } = await read(
      { messages: [user('go')], system: 'It is 10:00' },
      { messages: [user('go'), ...rounds(1, 1)], system: 'It is 10:01' },
      { messages: [user('go'), ...rounds(1, 2)], system: 'It is 10:02' },
    );
    expect(shape(transcripts)).toEqual({ main: lineage([1, 3, 5]) });
  });

  test('lines of several files with one session id are one session, in time order', async () => {
    const first = capture({ messages: [user('go')], timestamp: 1_700_000_000 });
    const second = capture({ messages: [user('go'), ...rounds(1, 1)], timestamp: 1_700_000_060 });
    const { transcripts } = await readFiles({
      'b.jsonl': jsonl(first),
      'a/a.jsonl': jsonl(second),
    });
    expect(shape(transcripts)).toEqual({ main: lineage([1, 3]) });
    expect(transcripts[0]?.requests[0]?.time).toBe(1_700_000_000_000);
  });

  test('files of one call each in one folder are one session', async () => {
    const body = (messages: readonly object[]) => JSON.stringify({ system: 'S', messages });
    const { transcripts, groups } = await readFiles({
      'log/request-9.json': body([user('go')]),
      'log/request-10.json': body([user('go'), ...rounds(1, 1)]),
      'other/request-11.json': body([user('go'), ...rounds(1, 2)]),
    });
    expect(groups).toBe(2);
    expect(transcripts.map(({ requests }) => requests.length)).toEqual([2, 1]);
    expect(transcripts[0]?.task).toBe('request-9');
  });

  test('a session id in the metadata of the body counts as one', async () => {
    const body = (session: string, messages: readonly object[]) => ({
      system: 'S',
      metadata: { user_id: `user_1_account__session_${session}` },
      messages,
    });
    const { transcripts } = await readFiles({
      'a.jsonl': jsonl(body('x', [user('go')]), body('y', [user('go')])),
      'b.jsonl': jsonl(body('x', [user('go'), ...rounds(1, 1)])),
    });
    expect(transcripts.map(({ source }) => source.session).sort()).toEqual(['x', 'y']);
    expect(transcripts.find(({ source }) => source.session === 'x')?.requests).toHaveLength(2);
  });
});

describe('retries', () => {
  const answer = { role: 'assistant', type: 'message', content: [{ type: 'text', text: 'done' }] };

  test('an equal request without a response is not counted', async () => {
    const { transcripts } = await read(
      { messages: [user('go')] },
      { messages: [user('go')] },
      { messages: [user('go')], response: answer },
      { messages: [user('go')] },
    );
    expect(shape(transcripts)).toEqual({ main: lineage([1], [0], 3) });
    expect(outline(transcripts[0], 0)).toEqual(['u:go']);
    expect(transcripts[0]?.requests[0]?.action?.raw).toBe(
      '{"role":"assistant","content":[{"type":"text","text":"done"}]}',
    );
  });

  test('two that were both answered are two requests', async () => {
    const { transcripts } = await read(
      { messages: [user('go')], response: answer },
      { messages: [user('go')], response: answer },
    );
    expect(shape(transcripts)).toEqual({ main: lineage([1, 1]) });
  });

  test('an error is no response', async () => {
    const { transcripts } = await read(
      { messages: [user('go')], response: { type: 'error', error: { type: 'overloaded_error' } } },
      { messages: [user('go')], response: answer },
    );
    expect(shape(transcripts)).toEqual({ main: lineage([1], [0], 1) });
  });
});

describe("the agent's own compaction starts a segment", () => {
  const long = [user('go'), ...rounds(1, 6)];

  test('with a summary and a kept tail', async () => {
    const { transcripts } = await read(
      { messages: long },
      { messages: [user('go'), user('Earlier work: five rounds.'), ...rounds(6, 6)] },
      { messages: [user('go'), user('Earlier work: five rounds.'), ...rounds(6, 7)] },
    );
    expect(shape(transcripts)).toEqual({ main: lineage([13, 4, 6], [0, 1, 1]) });
  });

  test('with a summary alone', async () => {
    const { transcripts } = await read(
      { messages: long },
      { messages: [user('This session is continued from a previous conversation. Go on.')] },
    );
    expect(shape(transcripts)).toEqual({ main: lineage([13, 1], [0, 1]) });
  });

  test('with a summary that the model wrote when asked for it', async () => {
    const text = 'First the agent ran five tools, then it found the cause in the parser.';
    const { transcripts } = await read(
      {
        messages: [...long, assistant('ok'), user('Now write down what matters.')],
        response: { role: 'assistant', content: [{ type: 'text', text }] },
      },
      { messages: [user(`What happened: ${text}`)] },
    );
    expect(shape(transcripts)).toEqual({ main: lineage([15, 1], [0, 1]) });
  });

  test('when a call with its own system prompt had asked for the summary', async () => {
    const text = 'First the agent ran five tools, then it found the cause in the parser.';
    const { transcripts } = await read(
      { messages: long },
      {
        messages: [...long, assistant('ok'), user('Now write down what matters.')],
        system: 'You write things down.',
        response: { role: 'assistant', content: [{ type: 'text', text }] },
      },
      { messages: [user(text)] },
    );
    expect(shape(transcripts)).toEqual({ main: lineage([13, 15, 1], [0, 0, 1]) });
  });

  test('with results cleared in place', async () => {
    const cleared = long.map((message, index) =>
      index === 2 ? result('t1', '[cleared]') : message,
    );
    const { transcripts } = await read(
      { messages: long },
      { messages: [...cleared, ...rounds(7, 7)] },
    );
    expect(shape(transcripts)).toEqual({ main: lineage([13, 15], [0, 1]) });
    // The answer to the request before it is still told by what stands behind its last message.
    expect(transcripts[0]?.requests[0]?.action?.raw).toBe(JSON.stringify(call('t7')));
  });
});

describe('new lineages', () => {
  const long = [user('go'), ...rounds(1, 4)];

  test('a restart from the first request', async () => {
    const { transcripts } = await read(
      { messages: [user('go')] },
      { messages: long },
      { messages: [user('go')] },
      { messages: [user('go'), call('other'), result('other')] },
    );
    expect(shape(transcripts)).toEqual({
      main: lineage([1, 9]),
      'lineage-2': lineage([1, 3]),
    });
  });

  test('a branch that drops the later turns', async () => {
    const { transcripts } = await read(
      { messages: long },
      { messages: [user('go'), ...rounds(1, 2), assistant('hm'), user('try something else')] },
    );
    expect(shape(transcripts)).toEqual({ main: lineage([9]), 'lineage-2': lineage([7]) });
  });

  test('a branch whose new turn speaks of a summary', async () => {
    const { transcripts } = await read(
      { messages: [user('go'), ...rounds(1, 6)] },
      { messages: [user('go'), ...rounds(1, 1), user('Write a summary of the work so far.')] },
    );
    expect(shape(transcripts)).toEqual({ main: lineage([13]), 'lineage-2': lineage([4]) });
  });

  test('a summary while the conversation goes on is no compaction of it', async () => {
    const { transcripts } = await read(
      { messages: long },
      { messages: [user('Here is a summary of the earlier conversation.')] },
      { messages: [...long, ...rounds(5, 5)] },
    );
    expect(shape(transcripts)).toMatchObject({ main: lineage([9, 11]) });
  });

  test('a sub-agent that interleaves has its name and the task of its conversation', async () => {
    const { transcripts } = await read(
      { messages: [user('go')], task: 'fix-it', reward: undefined },
      { messages: [user('search')], system: 'You search.' },
      { messages: [user('go')], system: 'You name conversations.' },
      { messages: [user('search'), ...rounds(90, 90)], system: 'You search.' },
      { messages: [user('go'), ...rounds(1, 1)], reward: 1 },
    );
    expect(shape(transcripts)).toEqual({
      main: lineage([1, 3]),
      'agent-1': lineage([1, 3]),
      'agent-2': lineage([1]),
    });
    expect(transcripts.map(({ task }) => task)).toEqual(['fix-it', 'fix-it', 'fix-it']);
    expect(transcripts.map(({ reward }) => reward)).toEqual([1, undefined, undefined]);
  });

  test('parallel conversations of one file without an id, one after the other or mixed', async () => {
    const body = (messages: readonly object[]) => ({ system: 'S', messages });
    const a = [user('first task'), ...rounds(1, 2)];
    const b = [user('second task'), ...rounds(5, 6)];
    const sequential = await readFiles({
      'log.jsonl': jsonl(body(a.slice(0, 1)), body(a), body(b.slice(0, 1)), body(b)),
    });
    expect(shape(sequential.transcripts)).toEqual({
      main: lineage([1, 5]),
      'lineage-2': lineage([1, 5]),
    });
    const mixed = await readFiles({
      'log.jsonl': jsonl(body(a.slice(0, 1)), body(b.slice(0, 1)), body(a), body(b)),
    });
    // Requests that interleave with a conversation work for it, as far as the log says.
    expect(shape(mixed.transcripts)).toEqual({
      main: lineage([1, 5]),
      'agent-1': lineage([1, 5]),
    });
  });

  test('the longest earlier request is extended, not a shorter one', async () => {
    const { transcripts } = await read(
      { messages: [user('go'), ...rounds(1, 2)] },
      { messages: [user('go'), ...rounds(1, 1)] },
      { messages: [user('go'), ...rounds(1, 3)] },
    );
    expect(shape(transcripts)).toEqual({ main: lineage([5, 7]), 'lineage-2': lineage([3]) });
  });
});
