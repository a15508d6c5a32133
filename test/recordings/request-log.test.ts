import { describe, expect, test } from 'vitest';
import { anthropic } from '../../src/wire/anthropic.ts';
import { openaiChat } from '../../src/wire/openai-chat.ts';
import { jsonl, outline, readFiles } from './support.ts';

const user = (content: unknown) => ({ role: 'user', content });

describe('a history that the provider keeps', () => {
  const whole = { model: 'gpt-5', instructions: 'Talk of the "conversation".' };
  const result = { type: 'function_call_output', call_id: 'c', output: 'x' };

  test.each([
    ['previous_response_id "resp_1"', { previous_response_id: 'resp_1', input: [result] }],
    ['previous_response_id "resp_1"', { input: 'go on', previous_response_id: 'resp_1' }],
    ['conversation "conv_1"', { conversation: 'conv_1', input: [user('go on')] }],
    ['conversation "conv_1"', { input: [user('go on')], conversation: { id: 'conv_1' } }],
  ])('%s is told with its line', async (name, members) => {
    for (const indent of [undefined, 2]) {
      const text = JSON.stringify(
        [
          { ...whole, input: 'go' },
          { ...whole, ...members },
        ],
        null,
        indent,
      );
      const lines = jsonl({ ...whole, input: 'go' }, { ...whole, ...members });
      for (const [file, log] of [
        ['log.json', text],
        ['log.jsonl', lines],
      ] as const) {
        const { transcripts, problems } = await readFiles({ [file]: log });
        expect(transcripts.flatMap(({ requests }) => requests)).toHaveLength(2);
        expect(problems).toMatchObject([{ severity: 'notice', at: { file } }]);
        expect(problems[0]?.message).toContain(`goes on with ${name}, which the provider keeps`);
        if (file === 'log.jsonl') expect(problems[0]?.at.line).toBe(2);
      }
    }
  });

  test('a whole input, with the same words in it, is nothing to tell', async () => {
    const tools = [{ type: 'function', name: 'f', parameters: { conversation: { id: 'x' } } }];
    for (const input of ['previous_response_id', [user('"conversation"')], [{ ...result }]]) {
      const body = { ...whole, tools, input, previous_response_id: null, conversation: null };
      const { problems } = await readFiles({ 'log.jsonl': jsonl(body, body) });
      expect(problems).toEqual([]);
    }
  });
});

describe('shapes of a log', () => {
  test('a capture a line, with task, agent, reward and usage', async () => {
    const tool = { type: 'tool_use', id: 't1', name: 'run', input: {} };
    const usage = {
      input_tokens: 5,
      output_tokens: 6,
      cache_read_input_tokens: 7,
      cache_creation_input_tokens: 8,
      cache_creation: { ephemeral_1h_input_tokens: 3 },
    };
    const head = {
      provider: 'anthropic',
      session: 's',
      task: 'fix',
      agent: 'scripted',
      model: 'claude-x',
    };
    const { transcripts, problems } = await readFiles({
      'fix.jsonl': jsonl(
        {
          ...head,
          body: { model: 'claude-x', messages: [user('go')] },
          response: { type: 'message', role: 'assistant', content: [tool], usage },
        },
        {
          ...head,
          body: {
            messages: [
              user('go'),
              { role: 'assistant', content: [tool] },
              user([{ type: 'tool_result', tool_use_id: 't1', content: 'out' }]),
            ],
          },
          response: { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
          reward: 1,
        },
      ),
    });
    expect(problems).toEqual([]);
    expect(transcripts).toMatchObject([
      { task: 'fix', agent: 'scripted', reward: 1, model: 'claude-x', dialect: 'anthropic' },
    ]);
    expect(transcripts[0]?.requests[0]?.usage).toEqual({
      inputTokens: 5,
      outputTokens: 6,
      cacheReadTokens: 7,
      cacheWriteTokens: 8,
      cacheWrite1hTokens: 3,
    });
    expect(transcripts[0]?.requests.map(({ action }) => action?.blocks[0]?.kind)).toEqual([
      'tool-call',
      'text',
    ]);
    // The logged response and what the next request repeats of it are the same message.
    const [first, second] = transcripts[0]?.requests ?? [];
    expect(first?.action?.identity).toBe(second?.messages[1]?.identity);
  });

  test('a chat completion; cached tokens are taken off the input', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 9,
      prompt_tokens_details: { cached_tokens: 64 },
    };
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    };
    const { transcripts } = await readFiles({
      'a.json': JSON.stringify({
        provider: 'openai',
        body: { model: 'gpt-x', messages: [user('go')] },
        response: { choices: [{ message }], usage, model: 'gpt-x-2' },
      }),
    });
    const [request] = transcripts[0]?.requests ?? [];
    expect(request?.action?.raw).toBe(JSON.stringify(message));
    expect(request?.usage).toEqual({ inputTokens: 36, outputTokens: 9, cacheReadTokens: 64 });
    expect(request?.model).toBe('gpt-x');
  });

  test('a log that spreads the body over its own keys: what was sent is the body', async () => {
    const messages = '[ {"role":"system","content":"S"}, {"role":"user","content":"go"} ]';
    const { transcripts } = await readFiles({
      'a.json': `{"messages":${messages},"tools":[{"type":"function","function":{"name":"f"}}],"kwargs":{"top_p":1.0},"context_window":200000,"response":{"model":"m","choices":[{"message":{"role":"assistant","content":"x"}}]},"cost":0.1,"timestamp":1757015025.97}`,
    });
    const [request] = transcripts[0]?.requests ?? [];
    expect(request).toMatchObject({ model: 'm', time: 1757015025970 });
    expect(openaiChat.encode(request?.messages ?? [], request?.envelope)).toBe(
      `{"messages":${messages},"tools":[{"type":"function","function":{"name":"f"}}]}`,
    );
  });

  test('an object of named bodies, and an array of captures', async () => {
    const bodies = [
      { messages: [user('go')] },
      { messages: [user('go'), { role: 'assistant', content: 'a' }, user('on')] },
    ];
    for (const value of [
      { turn_1: bodies[0], turn_2: bodies[1] },
      bodies.map((body) => ({ body })),
    ]) {
      const { transcripts, problems } = await readFiles({
        'a.json': JSON.stringify(value, null, 1),
      });
      expect(problems).toEqual([]);
      expect(transcripts.map(({ requests }) => requests.length)).toEqual([2]);
    }
  });

  test('the body is written back byte for byte', async () => {
    const body =
      '{ "messages" : [ {"content":"\\u00e9", "role":"user"} ,\n {"role":"assistant","content":"1e3"} ], "system":"S", "n":1.0, "n":2 }';
    const { transcripts } = await readFiles({
      'a.jsonl': `{"body":${body.replace('\n', '')}}\n{"body":${body.replace('\n', '')}}`,
    });
    const [request] = transcripts[0]?.requests ?? [];
    expect(anthropic.encode(request?.messages ?? [], request?.envelope)).toBe(
      body.replace('\n', ''),
    );
  });

  test('a line without a request body is told of and left out', async () => {
    const { transcripts, problems } = await readFiles({
      'a.jsonl': jsonl({ started: true }, { messages: [user('go')] }),
    });
    expect(transcripts).toHaveLength(1);
    expect(problems).toMatchObject([{ severity: 'notice', at: { file: 'a.jsonl', line: 1 } }]);
  });
});

describe('the dialect is told by the content', () => {
  const dialectOf = async (...bodies: readonly object[]) =>
    (await readFiles({ 'a.jsonl': jsonl(...bodies) })).transcripts.map(({ dialect }) => dialect);

  test.each([
    ['a top-level system prompt', { system: 'S', messages: [user('go')] }, 'anthropic'],
    [
      'a cache mark',
      { messages: [user([{ type: 'text', text: 'go', cache_control: {} }])] },
      'anthropic',
    ],
    [
      'a result block',
      { messages: [user([{ type: 'tool_result', tool_use_id: 't', content: '' }])] },
      'anthropic',
    ],
    [
      'tools with a schema',
      { messages: [user('go')], tools: [{ name: 'f', input_schema: {} }] },
      'anthropic',
    ],
    [
      'a tool role',
      { messages: [user('go'), { role: 'tool', tool_call_id: 'c', content: '' }] },
      'openai-chat',
    ],
    [
      'functions',
      { messages: [user('go')], tools: [{ type: 'function', function: { name: 'f' } }] },
      'openai-chat',
    ],
    [
      'a system message first',
      { model: 'claude-x', messages: [{ role: 'system', content: 'S' }, user('go')] },
      'openai-chat',
    ],
    ['the provider', { provider: 'anthropic', body: { messages: [user('go')] } }, 'anthropic'],
    ['a model name', { model: 'claude-x', messages: [user('go')] }, 'anthropic'],
    ['nothing', { messages: [user('go')] }, 'openai-chat'],
  ])('%s', async (_, body, expected) => {
    expect(await dialectOf(body)).toEqual([expected]);
  });

  test('a body that would fit both is of the dialect of its file', async () => {
    const plain = { messages: [user('go')] };
    const clear = {
      messages: [
        user('go'),
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
        user([{ type: 'tool_result', tool_use_id: 't', content: 'x' }]),
      ],
    };
    const { transcripts } = await readFiles({ 'a.jsonl': jsonl(plain, clear) });
    expect(transcripts.map(({ dialect, requests }) => [dialect, requests.length])).toEqual([
      ['anthropic', 2],
    ]);
  });
});

describe('message arrays', () => {
  test('one request for each assistant message, in either dialect, as JSON or JSONL', async () => {
    const chat = [
      { role: 'system', content: 'S' },
      user('go'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'out' },
      { role: 'assistant', content: 'done' },
      user('thanks'),
    ];
    const blocks = [
      user('go'),
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: {} }] },
      user([{ type: 'tool_result', tool_use_id: 't', content: 'out' }]),
      { role: 'assistant', content: 'done' },
    ];
    const { transcripts, problems } = await readFiles({
      'a.json': JSON.stringify(chat, null, 2),
      'b.jsonl': jsonl(...blocks),
    });
    expect(problems).toEqual([]);
    expect(
      transcripts.map(({ task, dialect, requests }) => [task, dialect, requests.length]),
    ).toEqual([
      ['a', 'openai-chat', 2],
      ['b', 'anthropic', 2],
    ]);
    expect(outline(transcripts[0], -1)).toEqual(['s:S', 'u:go', 'a:call c', 't:result c out']);
    expect(transcripts[0]?.requests[1]?.action?.raw).toBe(
      JSON.stringify(chat[4], null, 2).replace(/\n/g, '\n  '),
    );
  });

  test('an object around the list alone is a request body', async () => {
    const { transcripts } = await readFiles({
      'a.json': JSON.stringify({
        messages: [user('go'), { role: 'assistant', content: 'a' }, user('on')],
      }),
    });
    expect(
      transcripts.map(({ requests }) => requests.map(({ messages }) => messages.length)),
    ).toEqual([[3]]);
    expect(transcripts[0]?.requests[0]?.envelope).toBeDefined();
  });
});
