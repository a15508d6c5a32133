import { describe, expect, test } from 'vitest';
import { hasShared, jsonl, needsShared, outline, readAll, readFiles, shared } from '../support.ts';

type Attributes = Readonly<Record<string, unknown>>;
interface Span {
  readonly id: string;
  readonly parent?: string;
  readonly name?: string;
  readonly start?: number;
  readonly attributes: Attributes;
}

const usage = { 'gen_ai.usage.prompt_tokens': 100, 'gen_ai.usage.completion_tokens': 5 };
const chat = { 'gen_ai.system': 'openai', 'gen_ai.request.model': 'gpt-x', ...usage };
const said = (prefix: string, index: number, fields: Attributes) =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [`${prefix}.${index}.${key}`, value]),
  );
const call = {
  'tool_calls.0.id': 'a',
  'tool_calls.0.name': 'find',
  'tool_calls.0.arguments': '{"x":1}',
};
const first = {
  ...chat,
  ...said('gen_ai.prompt', 0, { role: 'system', content: 'be good' }),
  ...said('gen_ai.prompt', 1, { role: 'user', content: 'go' }),
  ...said('gen_ai.completion', 0, { role: 'assistant', ...call }),
  'gen_ai.usage.cache_read_input_tokens': 40,
  'llm.request.functions.0.name': 'find',
  'llm.request.functions.0.parameters': '{"type":"object"}',
};
const second = {
  ...first,
  ...said('gen_ai.prompt', 2, { role: 'assistant', ...call }),
  ...said('gen_ai.prompt', 3, { role: 'tool', content: 'out a', tool_call_id: 'a' }),
  ...Object.fromEntries(
    Object.keys(said('gen_ai.completion', 0, call)).map((key) => [key, undefined]),
  ),
  ...said('gen_ai.completion', 0, { role: 'assistant', content: 'done' }),
};
const spans: readonly Span[] = [
  { id: '01', name: 'agent', start: 0, attributes: { 'http.method': 'POST' } },
  { id: '03', name: 'openai.chat', start: 20, attributes: second },
  { id: '02', name: 'openai.chat', start: 10, attributes: first },
];

const value = (entry: unknown) =>
  typeof entry === 'number' ? { intValue: String(entry) } : { stringValue: entry };
const entries = (attributes: Attributes) =>
  Object.entries(attributes).filter(([, entry]) => entry !== undefined);
const otlp = (list: readonly Span[]) =>
  list.map(({ id, parent, name, start = 0, attributes }) => ({
    traceId: 'aa',
    spanId: id,
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name,
    startTimeUnixNano: String(BigInt(1767225600000 + start) * 1000000n),
    attributes: entries(attributes).map(([key, entry]) => ({ key, value: value(entry) })),
  }));
const layouts: Readonly<Record<string, (list: readonly Span[]) => unknown>> = {
  jaeger: (list) => ({
    data: [
      {
        traceID: 'aa',
        processes: { p1: { serviceName: 'svc' } },
        spans: list.map(({ id, parent, name, start = 0, attributes }) => ({
          traceID: 'aa',
          spanID: id,
          processID: 'p1',
          operationName: name,
          references: parent === undefined ? [] : [{ refType: 'CHILD_OF', spanID: parent }],
          startTime: (1767225600000 + start) * 1000,
          tags: entries(attributes).map(([key, entry]) => ({ key, type: 'string', value: entry })),
        })),
      },
    ],
  }),
  tempo: (list) => ({
    batches: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'svc' } }] },
        instrumentationLibrarySpans: [{ spans: otlp(list) }],
      },
    ],
  }),
  collector: (list) => ({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'svc' } }] },
        scopeSpans: [{ scope: { name: 'x' }, spans: otlp(list) }],
      },
    ],
  }),
  'array of spans': (list) =>
    list.map(({ id, parent, name, start = 0, attributes }) => ({
      name,
      spanContext: { traceId: 'aa', spanId: id },
      ...(parent === undefined ? {} : { parentSpanContext: { spanId: parent } }),
      startTime: [1767225600, start * 1e6],
      attributes,
    })),
  'spans by operation': (list) => ({
    chat: list.map(({ id, parent, name, start = 0, attributes }) => ({
      name,
      context: { trace_id: 'aa', span_id: id },
      parent_id: parent ?? null,
      start_time: new Date(1767225600000 + start).toISOString(),
      attributes,
    })),
  }),
};

describe.each(Object.entries(layouts))('the layout %s', (_, write) => {
  test('gives the same requests', async () => {
    const { transcripts, problems, losses } = await readFiles({
      'a.json': JSON.stringify(write(spans)),
    });
    expect(problems).toEqual([]);
    expect(transcripts).toHaveLength(1);
    const [main] = transcripts;
    expect(main).toMatchObject({ lineage: 'main', dialect: 'openai-chat', model: 'gpt-x' });
    expect(outline(main, 1)).toEqual(['s:be good', 'u:go', 'a:call a', 't:result a out a']);
    expect(main?.requests.map(({ time }) => time)).toEqual([1767225600010, 1767225600020]);
    expect(main?.requests[0]).toMatchObject({
      usage: { inputTokens: 60, outputTokens: 5, cacheReadTokens: 40 },
    });
    expect(main?.requests[0]?.action).toBe(main?.requests[1]?.messages[2]);
    expect(main?.requests[0]?.envelope?.tools).toContain('"find"');
    expect(losses[0]).toMatchObject({
      found: 3,
      read: 2,
      skipped: new Map([['no model call', 1]]),
    });
  });

  test('a span around another call is not counted, one below a tool is a call of its own', async () => {
    const inner = { ...chat, ...said('gen_ai.prompt', 0, { role: 'user', content: 'sub' }) };
    const nested: readonly Span[] = [
      { id: '10', name: 'call_llm', attributes: first },
      { id: '11', parent: '10', name: 'openai.chat', start: 1, attributes: first },
      {
        id: '12',
        parent: '11',
        name: 'tool',
        attributes: { 'gen_ai.operation.name': 'execute_tool' },
      },
      { id: '13', parent: '12', name: 'openai.chat', start: 2, attributes: inner },
    ];
    const { transcripts, losses } = await readFiles({ 'a.json': JSON.stringify(write(nested)) });
    expect(transcripts.flatMap(({ requests }) => requests)).toHaveLength(2);
    expect(losses[0]?.merged.get('tells a call that an inner span tells')).toBe(1);
  });
});

describe('the conventions', () => {
  const read = async (attributes: Attributes, events: readonly object[] = []) => {
    const span = { name: 'chat', spanContext: { traceId: 'aa', spanId: '01' }, attributes, events };
    const { transcripts, problems } = await readFiles({ 'a.json': JSON.stringify([span]) });
    expect(problems).toEqual([]);
    const [main] = transcripts;
    const action = main?.requests[0]?.action?.blocks.map((block) =>
      block.kind === 'text' ? block.text : block.kind,
    );
    return { dialect: main?.dialect, list: outline(main, 0), action, request: main?.requests[0] };
  };

  test('messages as JSON parts, with instructions apart', async () => {
    const found = await read({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.system_instructions': '[{"type":"text","content":"be good"}]',
      'gen_ai.input.messages': JSON.stringify([
        { role: 'user', parts: [{ type: 'text', content: 'go' }] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'a', name: 'find', arguments: {} }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'a', response: 'out' }] },
      ]),
      'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"done"}]}]',
    });
    expect(found).toMatchObject({
      dialect: 'anthropic',
      list: ['u:go', 'a:call a', 'u:result a out'],
      action: ['done'],
    });
    expect(JSON.parse(found.request?.envelope?.system ?? '')).toBe('be good');
  });

  test('OpenInference: a word before each field, and contents', async () => {
    const found = await read({
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-x',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.contents.0.message_content.type': 'text',
      'llm.input_messages.0.message.contents.0.message_content.text': 'go',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'a',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'find',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{}',
    });
    expect(found).toMatchObject({ dialect: 'openai-chat', list: ['u:go'], action: ['tool-call'] });
  });

  test('the same, nested', async () => {
    const found = await read({
      llm: {
        model_name: 'gpt-x',
        input_messages: [{ message: { role: 'user', content: 'go' } }],
        output_messages: [{ message: { role: 'assistant', content: 'done' } }],
      },
    });
    expect(found).toMatchObject({ list: ['u:go'], action: ['done'] });
  });

  test('a JSON text of messages, with calls and results of the library', async () => {
    const found = await read({
      'ai.operationId': 'ai.streamText.doStream',
      'ai.model.provider': 'openai.responses',
      'ai.prompt.messages': JSON.stringify([
        { role: 'user', content: [{ type: 'text', text: 'go' }] },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'f', input: {} }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'a',
              toolName: 'f',
              output: { type: 'text', value: 'out' },
            },
          ],
        },
      ]),
      'ai.response.toolCalls': '[{"toolCallId":"b","toolName":"f","input":"{}"}]',
    });
    expect(found).toMatchObject({
      dialect: 'openai-responses',
      list: ['u:go', 'a:call a', 't:result a out'],
      action: ['tool-call'],
    });
  });

  test('events of the span', async () => {
    const found = await read({ 'gen_ai.system': 'openai', 'gen_ai.request.model': 'gpt-x' }, [
      { name: 'gen_ai.user.message', attributes: { content: 'go' } },
      { name: 'gen_ai.choice', attributes: { message: '{"role":"assistant","content":"done"}' } },
    ]);
    expect(found).toMatchObject({ list: ['u:go'], action: ['done'] });
  });

  test('a body of Gemini', async () => {
    const found = await read({
      'gen_ai.system': 'gcp.vertex.agent',
      'gcp.vertex.agent.llm_request': JSON.stringify({
        config: {
          system_instruction: 'be good',
          tools: [{ function_declarations: [{ name: 'f' }] }],
        },
        contents: [{ role: 'user', parts: [{ text: 'go' }] }],
      }),
      'gcp.vertex.agent.llm_response': '{"content":{"role":"model","parts":[{"text":"done"}]}}',
    });
    expect(found).toMatchObject({ dialect: 'gemini', list: ['u:go'], action: ['done'] });
    expect(found.request?.envelope?.tools).toContain('"f"');
  });
});

test('requests of one conversation id belong together over files; equal ones without answer are retries', async () => {
  const attributes = (content: string, fields: Attributes = {}) => ({
    ...chat,
    'gen_ai.conversation.id': 'c1',
    ...said('gen_ai.prompt', 0, { role: 'user', content }),
    ...fields,
  });
  const write = (id: string, start: number, entry: Attributes) =>
    JSON.stringify(layouts.tempo?.([{ id, start, attributes: entry }]));
  const { transcripts, losses } = await readFiles({
    'b.json': write('02', 2, attributes('go', said('gen_ai.completion', 0, { content: 'done' }))),
    'a.json': write('01', 1, attributes('go')),
  });
  expect(
    transcripts.map(({ requests, retries, source }) => [requests.length, retries, source.session]),
  ).toEqual([[1, 1, 'c1']]);
  expect(losses.map(({ read, merged }) => [read, merged.get('retry')])).toEqual([
    [0, 1],
    [1, undefined],
  ]);
});

test('a line a batch; broken lines and messages are told of, and calls without messages', async () => {
  const batch = (attributes: Attributes) => layouts.collector?.([{ id: '01', attributes }]) ?? {};
  const { transcripts, problems, losses } = await readFiles({
    'a.jsonl': `${jsonl(layouts.collector?.(spans) ?? {}, batch({ ...chat }))}{"resourceSpans":\n`,
    'b.json': JSON.stringify(batch({ 'gen_ai.input.messages': '[{' })),
  });
  expect(transcripts).toHaveLength(1);
  expect(
    problems
      .filter(({ severity }) => severity === 'error')
      .map(({ at }) => [at.file, at.line ?? at.key]),
  ).toEqual([
    ['a.jsonl', 3],
    ['b.json', '01'],
  ]);
  expect([...(losses[0]?.merged ?? [])]).toEqual([['span repeated', 1]]);
  expect(losses[1]?.skipped.get('broken messages')).toBe(1);
});

test('expected answers of an eval set are no recording', async () => {
  const { transcripts, losses } = await readFiles({
    'e.json': JSON.stringify({ eval_set_id: 'e', eval_cases: [{}, {}] }),
  });
  expect(transcripts).toEqual([]);
  expect(losses[0]?.skipped.get('expected answer, no recording')).toBe(2);
});

test.skipIf(!hasShared)(`the public files${needsShared}`, async () => {
  const { transcripts, losses } = await readAll(['otel-traces'], { cwd: shared });
  const byFile = new Map<string, number>();
  for (const { source, requests } of transcripts) {
    const name = source.file.split('/').at(-1) ?? '';
    byFile.set(name, (byFile.get(name) ?? 0) + requests.length);
  }
  expect([...byFile].sort()).toEqual([
    ['all-spans.json', 4],
    ['helm.json', 2],
    ['k8s.json', 1],
    ['spans-by-operation.json', 4],
    ['tempo_export_with_batches.json', 2],
  ]);
  expect(losses).toHaveLength(7);
});

describe('messages in events', () => {
  const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
  const events = {
    'one event with all of the call': [
      {
        name: 'gen_ai.client.inference.operation.details',
        attributes: {
          'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: 'be good' }]),
          'gen_ai.input.messages': JSON.stringify([text('user', 'go')]),
          'gen_ai.output.messages': JSON.stringify([text('assistant', 'done')]),
        },
      },
    ],
    'the first convention': [
      {
        name: 'gen_ai.content.prompt',
        attributes: {
          'gen_ai.prompt': JSON.stringify([
            { role: 'system', content: 'be good' },
            { role: 'user', content: 'go' },
          ]),
        },
      },
      {
        name: 'gen_ai.content.completion',
        attributes: { 'gen_ai.completion': '[{"role":"assistant","content":"done"}]' },
      },
    ],
  };
  test.each(Object.entries(events))('%s', async (_, own) => {
    const span = { traceId: 't', spanId: 's', name: 'chat', startTime: 1, attributes: chat };
    const { transcripts } = await readFiles({
      'a.json': JSON.stringify([{ ...span, events: own }]),
    });
    expect(outline(transcripts[0], 0)).toEqual(['s:be good', 'u:go']);
    expect(transcripts[0]?.requests[0]?.action?.raw).toContain('done');
  });
});

test('spans that two files of a conversation have in common are read once', async () => {
  const attributes = { ...first, 'gen_ai.conversation.id': 'c' };
  const outer = { traceId: 't', spanId: 'o', name: 'agent', startTime: 0, attributes };
  const inner = { ...outer, spanId: 'i', name: 'chat', parentSpanId: 'o' };
  const { transcripts, losses } = await readFiles({
    'a.json': JSON.stringify([inner]),
    'b.json': JSON.stringify([outer, inner]),
  });
  expect(transcripts.flatMap(({ requests }) => requests)).toHaveLength(1);
  expect(losses.map(({ found, read, merged }) => [found, read, [...merged.keys()]])).toEqual([
    [1, 1, []],
    [2, 0, ['span repeated', 'tells a call that an inner span tells']],
  ]);
});
