import { expect, test } from 'vitest';
import { hasShared, jsonl, needsShared, outline, readAll, readFiles, shared } from '../support.ts';

let number = 0;
const base = (type: string, fields: object) => ({
  type,
  id: `${type}-${++number}`,
  additional_kwargs: {},
  response_metadata: {},
  ...fields,
});
const human = (content: unknown) => base('human', { content });
const ai = (content: unknown, calls: readonly string[] = [], fields: object = {}) =>
  base('ai', {
    id: `lc_run--${++number}`,
    content,
    tool_calls: calls.map((id) => ({ name: 'find', args: { id }, id, type: 'tool_call' })),
    response_metadata: { model_name: 'model-x', model_provider: 'deepseek' },
    usage_metadata: {
      input_tokens: 100,
      output_tokens: 5,
      input_token_details: { cache_read: 30, cache_creation: 20 },
    },
    ...fields,
  });
const tool = (id: string, content: unknown = `out ${id}`) =>
  base('tool', { content, tool_call_id: id });
const thread = (messages: readonly object[], fields: object = {}) => ({
  values: { messages },
  metadata: { thread_id: 't1', graph_id: 'lead', model_name: 'model-y' },
  ...fields,
});
const read = (value: unknown) => readFiles({ 'a.json': JSON.stringify(value) });

test('messages of a state: requests with usage and model', async () => {
  const { transcripts, problems } = await read(
    thread([
      human([{ type: 'text', text: 'go' }]),
      ai('', ['a', 'b']),
      tool('a'),
      tool('b'),
      ai('done'),
    ]),
  );
  expect(problems).toEqual([]);
  expect(transcripts[0]).toMatchObject({
    dialect: 'openai-chat',
    agent: 'lead',
    model: 'model-x',
    source: { session: 't1' },
  });
  expect(outline(transcripts[0], 1)).toEqual([
    'u:go',
    'a:call a|call b',
    't:result a out a',
    't:result b out b',
  ]);
  expect(transcripts[0]?.requests[0]?.usage).toEqual({
    inputTokens: 50,
    outputTokens: 5,
    cacheReadTokens: 30,
    cacheWriteTokens: 20,
  });
});

test('constructors, and messages around their data', async () => {
  const constructed = (name: string, kwargs: object) => ({
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'messages', name],
    kwargs,
  });
  const call = { name: 'find', args: {}, id: 'a' };
  const { transcripts } = await readFiles({
    'lc.json': JSON.stringify({
      messages: [
        constructed('SystemMessage', { content: 'be good' }),
        constructed('HumanMessage', { content: 'go' }),
        constructed('AIMessageChunk', { content: 'x', tool_calls: [call] }),
        constructed('ToolMessage', { content: 'out', tool_call_id: 'a' }),
        constructed('AIMessage', { content: 'done' }),
      ],
    }),
    'data.json': JSON.stringify([
      { type: 'human', data: { content: 'go' } },
      { type: 'ai', data: { content: 'done' } },
    ]),
  });
  expect(transcripts.map(({ requests }) => requests.length)).toEqual([1, 2]);
  expect(outline(transcripts[1], 1)).toEqual(['s:be good', 'u:go', 'a:x|call a', 't:result a out']);
});

test('the provider that answered tells the wire; its blocks repeat the calls', async () => {
  const anthropic = { response_metadata: { model: 'claude-x', model_provider: 'anthropic' } };
  const blocks = [
    { type: 'text', text: 'look' },
    { type: 'tool_use', id: 'a', name: 'find', input: {} },
  ];
  const { transcripts } = await read(
    thread([
      base('system', { content: 'be good' }),
      ...[
        human('go'),
        ai(blocks, ['a', 'b'], anthropic),
        tool('a'),
        tool('b'),
        ai('done', [], anthropic),
      ],
    ]),
  );
  expect(transcripts[0]?.dialect).toBe('anthropic');
  expect(JSON.parse(transcripts[0]?.requests[0]?.envelope?.system ?? '')).toBe('be good');
  expect(outline(transcripts[0], 1)).toEqual([
    'u:go',
    'a:look|call a|call b',
    'u:result a out a|result b out b',
  ]);
});

test('what the graph wrote in the model’s name is no call, but is sent', async () => {
  const written = base('ai', { content: 'please clarify', tool_calls: [] });
  const { transcripts } = await read(
    thread([human('go'), ai('', ['a']), tool('a'), written, ai('')]),
  );
  expect(transcripts[0]?.requests).toHaveLength(2);
  expect(outline(transcripts[0], 1).at(-1)).toBe('a:please clarify');
});

test('an answer in two messages is one', async () => {
  const { transcripts, losses } = await read(
    thread([human('go'), ai('', ['a']), ai('', ['b']), tool('a'), tool('b'), ai('done')]),
  );
  expect(transcripts[0]?.requests).toHaveLength(2);
  expect(losses[0]?.merged.get('rest of the answer before it')).toBe(1);
});

test('a history of states: each message once, and a list that does not carry on is a segment', async () => {
  const [go, one, more, two, end] = [human('go'), ai('one'), human('more'), ai('two'), ai('end')];
  const summary = human('summary of it');
  const state = (step: number, messages: readonly object[]) =>
    thread(messages, { metadata: { step, thread_id: 't1' } });
  const { transcripts, losses } = await read([
    state(3, [summary, more, two, human('last'), end]),
    state(2, [go, one, more, two]),
    state(1, [go, one]),
  ]);
  expect(transcripts[0]?.requests.map(({ segment }) => segment)).toEqual([0, 0, 1]);
  expect(outline(transcripts[0], 2)).toEqual(['u:summary of it', 'u:more', 'a:two', 'u:last']);
  expect(losses[0]?.merged.get('repeated in a later state')).toBe(4);
});

test('a line a thread; broken lines and messages are told with their place', async () => {
  const { transcripts, problems } = await readFiles({
    'a.jsonl': `${jsonl(thread([human('go'), ai('1')]), thread([human('go'), { type: 7 }, ai('2')]))}{"values":`,
  });
  expect(transcripts).toHaveLength(2);
  expect(problems.map(({ code, at }) => [code, at.line])).toEqual([
    ['input.schema', 2],
    ['input.syntax', 3],
  ]);
});

test.skipIf(!hasShared)(`the public files${needsShared}`, async () => {
  const { transcripts } = await readAll(['langgraph-thread'], { cwd: shared });
  expect(transcripts.map(({ requests }) => requests.length).sort((a, b) => a - b)).toEqual([
    4, 8, 11, 15, 18,
  ]);
});

test('a list without any of the fields that the library adds', async () => {
  const messages = [
    { type: 'human', content: 'go' },
    { type: 'ai', content: '', tool_calls: [{ id: 'c', name: 'f', args: {} }] },
    { type: 'tool', content: 'out', tool_call_id: 'c' },
    { type: 'ai', content: 'done' },
  ];
  const { transcripts, problems } = await readFiles({ 't.json': JSON.stringify({ messages }) });
  expect(problems).toEqual([]);
  expect(transcripts[0]?.source.format).toBe('langgraph-thread');
  expect(transcripts[0]?.requests).toHaveLength(2);
});
