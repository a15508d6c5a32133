import { describe, expect, test } from 'vitest';
import { hasShared, jsonl, needsShared, outline, readAll, readFiles, shared } from '../support.ts';

let number = 0;
const event = (fields: object) => ({ id: number++, timestamp: '2025-04-30T16:32:54.7', ...fields });
const user = (content: string) =>
  event({ source: 'user', action: 'message', args: { content, image_urls: null } });
interface Called {
  readonly response: string;
  readonly calls: readonly string[];
  readonly text?: string;
}
const metadata = ({ response, calls, text = 'hm' }: Called, id: string) => ({
  function_name: 'bash',
  tool_call_id: id,
  total_calls_in_response: calls.length,
  model_response: {
    id: response,
    model: 'model-x',
    usage: {
      prompt_tokens: 100,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 30 },
      cache_creation_input_tokens: 20,
      cache_read_input_tokens: 30,
    },
    choices: [
      {
        message: {
          role: 'assistant',
          content: text,
          tool_calls: calls.map((call) => ({
            id: call,
            type: 'function',
            function: { name: 'bash', arguments: `{"command":"${call}"}` },
          })),
        },
      },
    ],
  },
});
const act = (called: Called, id: string, action = 'run') =>
  event({
    source: 'agent',
    action,
    args: { command: id },
    tool_call_metadata: metadata(called, id),
  });
const observe = (called: Called, id: string, fields: object = {}) =>
  event({
    source: 'agent',
    observation: 'run',
    content: `out ${id}`,
    extras: { metadata: { suffix: ' [exit 0]' } },
    tool_call_metadata: metadata(called, id),
    ...fields,
  });
const one = (id: string): Called => ({ response: `r-${id}`, calls: [id] });
const step = (id: string) => [act(one(id), id), observe(one(id), id)];

const read = (...events: readonly object[]) => readFiles({ 'run.json': JSON.stringify(events) });

test('the system prompt, tools, calls and results of a run', async () => {
  const tools = [
    { type: 'function', function: { name: 'bash', description: 'd', parameters: {} } },
  ];
  const { transcripts, problems } = await read(
    event({ source: 'agent', action: 'system', args: { content: 'be good', tools } }),
    user('go'),
    ...step('a'),
    act({ response: 'r-end', calls: ['f'], text: 'all done' }, 'f', 'finish'),
  );
  expect(problems).toEqual([]);
  const [main] = transcripts;
  expect(main).toMatchObject({
    task: 'run',
    dialect: 'openai-chat',
    agent: 'openhands',
    model: 'model-x',
  });
  expect(outline(main, 1)).toEqual([
    's:be good',
    'u:go',
    'a:hm|call a',
    't:result a out a [exit 0]',
  ]);
  const [first] = main?.requests ?? [];
  expect(first?.usage).toEqual({
    inputTokens: 50,
    outputTokens: 5,
    cacheReadTokens: 30,
    cacheWriteTokens: 20,
  });
  expect(first?.time).toBe(Date.parse('2025-04-30T16:32:54.7Z'));
  expect(JSON.parse(first?.envelope?.tools ?? '[]')).toEqual(tools);
});

test('parallel calls share a response: one request', async () => {
  const called: Called = { response: 'r', calls: ['a', 'b'] };
  const { transcripts, losses } = await read(
    ...[user('go'), act(called, 'a'), observe(called, 'a'), act(called, 'b'), observe(called, 'b')],
    ...step('c'),
  );
  expect(outline(transcripts[0], 1)).toEqual([
    'u:go',
    'a:hm|call a|call b',
    't:result a out a [exit 0]',
    't:result b out b [exit 0]',
  ]);
  expect(losses[0]?.merged.get('further call of a response')).toBe(1);
});

test('a call without a result is not sent again, and neither is a result without a call', async () => {
  const { transcripts, losses } = await read(
    ...[user('go'), act({ ...one('f'), text: 'done' }, 'f', 'finish'), user('more')],
    ...[observe(one('x'), 'x'), ...step('a')],
  );
  expect(outline(transcripts[0], 1)).toEqual(['u:go', 'a:done', 'u:more']);
  expect(losses[0]?.skipped.get('result without its call, not sent')).toBe(1);
});

describe('a condensation', () => {
  const events = [user('go'), ...step('a'), ...step('b')];
  const [, called, seen] = events;
  test.each([
    ['a list', { forgotten_event_ids: [called?.id, seen?.id] }],
    ['a range', { forgotten_events_start_id: called?.id, forgotten_events_end_id: seen?.id }],
  ])('forgets %s of events, and puts its summary in', async (_, forgotten) => {
    const { transcripts } = await read(
      ...events,
      event({
        source: 'agent',
        action: 'condensation',
        args: { ...forgotten, summary: 'did a', summary_offset: 1 },
      }),
      ...step('c'),
    );
    expect(transcripts[0]?.requests.map(({ segment }) => segment)).toEqual([0, 0, 1]);
    expect(outline(transcripts[0], 2)).toEqual([
      'u:go',
      'u:did a',
      'a:hm|call b',
      't:result b out b [exit 0]',
    ]);
  });
});

test('a delegate is a sub-agent between its action and its result', async () => {
  const delegated: Called = { response: 'r-d', calls: ['d'] };
  const { transcripts } = await read(
    ...[user('go'), act(delegated, 'd', 'delegate'), user('TASK: look'), ...step('x')],
    observe(delegated, 'd', { observation: 'delegate', content: 'found' }),
    ...step('c'),
  );
  expect(
    transcripts.map(({ task, lineage, requests }) => [task, lineage, requests.length]),
  ).toEqual([
    ['run', 'main', 2],
    ['run', 'agent-1', 1],
  ]);
  expect(outline(transcripts[1], 0)).toEqual(['u:TASK: look']);
  expect(outline(transcripts[0], 1).at(-1)).toContain('found');
});

test('an agent that calls without a wire of its own: thought, action, and the result by its cause', async () => {
  const run = event({ source: 'agent', action: 'run', args: { command: 'ls', thought: 'look' } });
  const { transcripts } = await read(
    ...[user('go'), run],
    event({ source: 'agent', observation: 'run', content: 'a.ts', extras: {}, cause: run.id }),
    event({ source: 'agent', action: 'message', args: { content: 'bye' } }),
  );
  expect(outline(transcripts[0], 1)).toEqual([
    'u:go',
    `a:look|call action_${run.id}`,
    `t:result action_${run.id} a.ts`,
  ]);
});

test('what is not sent is told of; recalled knowledge is sent', async () => {
  const { transcripts, losses } = await read(
    ...[user('go'), event({ source: 'user', action: 'recall', args: { query: 'x' } })],
    event({
      source: 'environment',
      observation: 'recall',
      content: 'Added',
      extras: { microagent_knowledge: [{ name: 'git', content: 'use git' }] },
    }),
    event({ source: 'environment', observation: 'agent_state_changed', content: '', extras: {} }),
    event({ source: 'environment', action: 'change_agent_state', args: {} }),
    ...step('a'),
  );
  expect(outline(transcripts[0], 0)).toEqual(['u:go', 'u:use git']);
  expect([...(losses[0]?.skipped ?? [])]).toEqual([
    ['action "recall", not sent', 1],
    ['observation "agent_state_changed", not sent', 1],
    ['action "change_agent_state", not sent', 1],
    ['behind the last answer, never sent', 1],
  ]);
});

test('a line a task, with reward, cost and pairs of action and observation', async () => {
  const line = (id: string, resolved: boolean) => ({
    instance_id: id,
    history: [[user('go'), event({ observation: 'null', content: '', extras: {} })], step('a')],
    metrics: { accumulated_cost: 0.5 },
    test_result: { report: { resolved } },
  });
  const { transcripts, problems } = await readFiles({
    'out.jsonl': `${jsonl(line('t1', true), line('t2', false))}{"instance_id":`,
  });
  expect(transcripts.map(({ task, reward, cost }) => [task, reward, cost])).toEqual([
    ['t1', 1, 0.5],
    ['t2', 0, 0.5],
  ]);
  expect(problems.map(({ code, at }) => [code, at.line])).toEqual([['input.syntax', 3]]);
});

test('a broken event is told with its line', async () => {
  const text = JSON.stringify(
    [user('go'), { action: 'run', args: 7, source: 'agent' }, ...step('a')],
    null,
    1,
  );
  const { transcripts, problems } = await readFiles({ 'run.json': text });
  expect(transcripts[0]?.requests).toHaveLength(1);
  expect(problems[0]?.at.line).toBe(
    text.slice(0, text.indexOf('"args": 7')).split('\n').length - 2,
  );
});

test.skipIf(!hasShared)(
  `the public files: tokens equal the recorded totals${needsShared}`,
  async () => {
    const { transcripts } = await readAll(['openhands-v0-events'], { cwd: shared });
    const sums = transcripts.map(({ requests }) => [
      requests.length,
      requests.reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0), 0),
      requests.reduce((sum, { usage }) => sum + (usage?.outputTokens ?? 0), 0),
    ]);
    expect(sums.slice(0, 3)).toEqual([
      [23, 565158, 2558],
      [33, 410169, 5156],
      [49, 938015, 5627],
    ]);
  },
);
