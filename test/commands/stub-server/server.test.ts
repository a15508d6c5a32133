import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import * as fc from 'fast-check';
import OpenAI from 'openai';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseMisbehaviour } from '../../../src/commands/stub-server/misbehaviour.ts';
import {
  baseUrl,
  type StubServer,
  type StubServerOptions,
  startStubServer,
} from '../../../src/commands/stub-server/server.ts';
import { piecesOf } from '../../../src/commands/stub-server/wire.ts';
import { codeSystem, repairPrompt } from '../../../src/compaction/extract/code-prompt.ts';
import { ASK_SYSTEM, exploreSystem } from '../../../src/compaction/extract/rlm-prompt.ts';
import { systemPrompt } from '../../../src/compaction/summarize-prompt.ts';
import type { ModelRequest } from '../../../src/model/model.ts';
import { scriptedModel } from '../../../src/model/scripted.ts';
import { type StubName, stubModel, stubNames } from '../../../src/model/stub.ts';
import { root } from '../cli.ts';

const open: StubServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function serve(options: StubServerOptions = {}): Promise<StubServer> {
  const server = await startStubServer(options);
  open.push(server);
  return server;
}

const anthropicAt = (server: StubServer, apiKey = 'none') =>
  new Anthropic({ baseURL: baseUrl(server, 'anthropic'), apiKey, maxRetries: 0 });
const openaiAt = (server: StubServer, apiKey = 'none') =>
  new OpenAI({ baseURL: baseUrl(server, 'openai-chat'), apiKey, maxRetries: 0 });

const HISTORY = [
  '<task>\nFix the rounding in src/invoice/total.ts\n</task>\n<recent>\nassistant: next\n</recent>',
  '<transcript>\n[1] user:\nInvoice INV-2231 is wrong by 0.01.\n[2] assistant:\nI read src/invoice/total.ts.',
  'The function roundCents is called too early.\n</transcript>',
].join('\n');
const GOAL =
  '<task>\nFind req_81\n</task>\n<recent>\n</recent>\n<keep>\nreq_81\n</keep>\n<shape>\ntext\n</shape>';
const OUTPUT = `${GOAL}\n<output>\n${'GET /a 200\n'.repeat(30)}POST /b req_81 500\n</output>`;

const request = (purpose: ModelRequest['purpose'], system: string, prompt: string) => ({
  purpose,
  system,
  prompt,
  maxOutputTokens: 1500,
  sample: 0,
});

/** One prompt of each kind that components send. */
const prompts: readonly ModelRequest[] = [
  request('summarize', systemPrompt('regular'), HISTORY),
  request('summarize', systemPrompt('concise'), HISTORY),
  ...(['javascript', 'starlark'] as const).flatMap((language) => [
    request('extract', codeSystem(language), OUTPUT),
    request('repair', codeSystem(language), repairPrompt('x = <output>', 'line 1')),
    request('explore', exploreSystem(language), GOAL),
    request('explore', exploreSystem(language), `${GOAL}\n<result>\nGET /a\n</result>`),
  ]),
  request('probe', 'Write questions.', `Questions to write: 2\n\n<text>\n${HISTORY}\n</text>`),
  request('explore', ASK_SYSTEM, '<question>\nWho?\n</question>\n<piece>\nAda did.\n</piece>'),
];

const signal = new AbortController().signal;

describe.each(stubNames)('%s over HTTP', (name: StubName) => {
  test('says and counts what it says and counts in process, on both wires, streamed or not', async () => {
    const server = await serve();
    const [anthropic, openai] = [anthropicAt(server), openaiAt(server)];
    for (const asked of prompts) {
      const expected = await stubModel(name).ask(asked, signal);
      const { system, prompt, maxOutputTokens: limit } = asked;
      const body = {
        model: name,
        max_tokens: limit,
        system: [{ type: 'text' as const, text: system }],
        messages: [{ role: 'user' as const, content: prompt }],
      };
      const plain = await anthropic.messages.create(body);
      const streamed = await anthropic.messages.stream(body).finalMessage();
      for (const reply of [plain, streamed]) {
        const text = reply.content.map((block) => (block.type === 'text' ? block.text : '')).join();
        const { input_tokens: inputTokens, output_tokens: outputTokens } = reply.usage;
        expect({ text, inputTokens, outputTokens }).toEqual(expected);
        expect(reply.stop_reason).toBe('end_turn');
      }
      const chat = {
        model: name,
        max_completion_tokens: limit,
        messages: [
          { role: 'system' as const, content: system },
          { role: 'user' as const, content: prompt },
        ],
      };
      const whole = await openai.chat.completions.create(chat);
      const pieces = await openai.chat.completions
        .stream({ ...chat, stream_options: { include_usage: true } })
        .finalChatCompletion();
      for (const { choices, usage } of [whole, pieces]) {
        expect({
          text: choices[0]?.message.content,
          inputTokens: usage?.prompt_tokens,
          outputTokens: usage?.completion_tokens,
        }).toEqual(expected);
        expect(choices[0]?.finish_reason).toBe('stop');
      }
    }
    expect(server.seen).toHaveLength(4 * prompts.length);
  });
});

const capture = z.object({ provider: z.string(), body: z.looseObject({ model: z.string() }) });

function recorded(task: string): z.output<typeof capture>[] {
  const text = readFileSync(join(root, `fixtures/transcripts/${task}.jsonl`), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => capture.parse(JSON.parse(line)));
}

async function post(server: StubServer, path: string, body: unknown, headers = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

const pathOf = { anthropic: '/v1/messages', openai: '/v1/chat/completions' };

describe('the requests of the scripted agent', () => {
  const wires: readonly ['anthropic' | 'openai', string][] = [
    ['openai', 'fix-client-pagination'],
    ['anthropic', 'fix-invoice-rounding'],
  ];
  test.each(wires)('get a call of a declared tool, the same each time (%s)', async (wire, task) => {
    const server = await serve();
    const calls = recorded(task);
    expect(calls.length).toBeGreaterThan(5);
    for (const { provider, body } of calls) {
      expect(provider).toBe(wire);
      const first = await post(server, pathOf[wire], body);
      expect(first.status, first.text).toBe(200);
      expect((await post(server, pathOf[wire], body)).text).toBe(first.text);
      const declared = JSON.stringify(body.tools);
      const named = [...first.text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);
      for (const name of named) expect(declared).toContain(`"name":"${name}"`);
    }
  });

  test('an agent that does what it is told gets valid calls, and comes to an end', async () => {
    const server = await serve();
    const client = anthropicAt(server);
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Read src/a.ts' }];
    const tools: Anthropic.Tool[] = [
      {
        name: 'read_file',
        description: 'Read a file',
        input_schema: {
          type: 'object',
          properties: { path: { type: 'string' }, limit: { type: 'integer' } },
          required: ['path'],
        },
      },
    ];
    const said: unknown[] = [];
    for (;;) {
      const body = { model: 'stub', max_tokens: 100, tools, messages };
      const reply = await client.messages.stream(body).finalMessage();
      messages.push({ role: 'assistant', content: reply.content });
      const call = reply.content.find((block) => block.type === 'tool_use');
      if (call === undefined) break;
      said.push(call.input);
      expect(reply.stop_reason).toBe('tool_use');
      expect(Object.keys(Object(call.input))).toEqual(['path']);
      const content = 'import { helper } from "./lib/helper.ts";';
      messages.push({
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: call.id, content }],
      });
    }
    expect(said[0]).toEqual({ path: 'src/a.ts' });
    expect(said.length).toBeGreaterThan(1);
    expect(said.length).toBeLessThan(20);
    expect(new Set(said.map((input) => JSON.stringify(input))).size).toBe(said.length);
  });

  test('tool calls arrive whole over both wires, streamed or not', async () => {
    const server = await serve();
    const client = openaiAt(server);
    const body = {
      model: 'stub',
      messages: [{ role: 'user' as const, content: 'Look into “naïve 😀” src/überall/a_1.ts' }],
      tools: [
        {
          type: 'function' as const,
          function: {
            name: 'open',
            parameters: { type: 'object', properties: { path: { type: 'string' } } },
          },
        },
      ],
    };
    const whole = await client.chat.completions.create(body);
    const pieces = await client.chat.completions.stream(body).finalChatCompletion();
    for (const { choices } of [whole, pieces]) {
      const [call] = choices[0]?.message.tool_calls ?? [];
      expect(call).toMatchObject({
        function: { name: 'open', arguments: '{"path":"src/überall/a_1.ts"}' },
      });
      expect(choices[0]?.finish_reason).toBe('tool_calls');
    }
    const forced = { ...body, tool_choice: 'none' as const };
    const { choices } = await client.chat.completions.create(forced);
    expect(choices[0]?.message.tool_calls).toBeUndefined();
  });

  test('a model that takes turns is asked instead', async () => {
    const turn = {
      text: 'I look.',
      toolCalls: [{ id: 'toolu_1', name: 'look', arguments: '{"at":1}' }],
      inputTokens: 10,
      outputTokens: 5,
    };
    const model = {
      ...scriptedModel([]),
      turns: { wire: 'anthropic' as const, ask: async () => turn },
    };
    const server = await serve({ model });
    const { content, usage } = await anthropicAt(server).messages.create({
      model: 'any',
      max_tokens: 10,
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      messages: [{ role: 'user', content: 'Look' }],
    });
    expect(content).toEqual([
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 1 } },
    ]);
    expect(usage).toMatchObject({ input_tokens: 10, output_tokens: 5 });
  });
});

test('a prompt cache reads what was written, and the input is the sum of its tiers', async () => {
  const server = await serve({ promptCache: true });
  const client = anthropicAt(server);
  const system = [
    {
      type: 'text' as const,
      text: 'word '.repeat(3000),
      cache_control: { type: 'ephemeral' as const },
    },
  ];
  const usages: Anthropic.Usage[] = [];
  for (const content of ['one', 'two']) {
    const messages = [{ role: 'user' as const, content }];
    const reply = await client.messages.create({ model: 'stub', max_tokens: 9, system, messages });
    usages.push(reply.usage);
  }
  const sums = usages.map(
    ({ input_tokens, cache_creation_input_tokens, cache_read_input_tokens }) =>
      input_tokens + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0),
  );
  expect(sums[0]).toBe(sums[1]);
  const [first, second] = usages;
  expect(first?.cache_creation_input_tokens).toBeGreaterThan(2900);
  expect(first?.cache_read_input_tokens).toBe(0);
  expect(second?.cache_creation_input_tokens).toBe(0);
  expect(second?.cache_read_input_tokens).toBe(first?.cache_creation_input_tokens);

  const messages = [{ role: 'user' as const, content: 'word '.repeat(3000) }];
  const cached: (number | undefined)[] = [];
  for (let call = 0; call < 2; call++) {
    const { usage } = await openaiAt(server).chat.completions.create({ model: 'stub', messages });
    cached.push(usage?.prompt_tokens_details?.cached_tokens);
  }
  expect(cached[0]).toBe(0);
  expect(cached[1]).toBeGreaterThan(2800);
  expect((cached[1] ?? 1) % 128).toBe(0);
});

describe('what a provider refuses', () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  const orphan = [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x' }] }];
  const cases: readonly [string, string, unknown, number, string][] = [
    ['no JSON', '/v1/messages', '{"model":', 400, 'invalid_request_error'],
    ['no JSON', '/v1/chat/completions', '[1,', 400, 'invalid_request_error'],
    ['no model', '/v1/messages', { max_tokens: 9, messages }, 400, 'model: Field required'],
    [
      'no max_tokens',
      '/v1/messages',
      { model: 'stub', messages },
      400,
      'max_tokens: Field required',
    ],
    [
      'max_tokens 0',
      '/v1/messages',
      { model: 'stub', max_tokens: 0, messages },
      400,
      'greater than 0',
    ],
    [
      'no messages',
      '/v1/messages',
      { model: 'stub', max_tokens: 9 },
      400,
      'messages: Field required',
    ],
    ['no list', '/v1/chat/completions', { model: 'stub', messages: 'Hi' }, 400, 'a valid list'],
    [
      'an entry that is none',
      '/v1/messages',
      { model: 'stub', max_tokens: 9, messages: [1] },
      400,
      '',
    ],
    [
      'a result without its call',
      '/v1/messages',
      { model: 'stub', max_tokens: 9, messages: orphan },
      400,
      'unexpected tool_use_id found in tool_result blocks',
    ],
    [
      'a tool message without its call',
      '/v1/chat/completions',
      { model: 'stub', messages: [...messages, { role: 'tool', tool_call_id: 'x', content: 'y' }] },
      400,
      "messages with role 'tool' must be a response",
    ],
    ['an unknown path', '/v1/complete', {}, 404, 'unknown path'],
  ];
  test.each(cases)('%s, at %s', async (_, path, body, status, says) => {
    const answer = await post(await serve(), path, body);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(says);
    const { error } = z.object({ error: z.looseObject({}) }).parse(JSON.parse(answer.text));
    expect(error).toMatchObject({ type: expect.any(String), message: expect.any(String) });
  });

  test('a wrong key, where one is asked for; and no key is kept', async () => {
    const server = await serve({ key: 'sk-right-123456' });
    const ask = (key: string) =>
      anthropicAt(server, key).messages.create({
        model: 'stub',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'Hi' }],
      });
    await expect(ask('sk-wrong-654321')).rejects.toMatchObject({ status: 401 });
    await expect(ask('sk-right-123456')).resolves.toMatchObject({ role: 'assistant' });
    const chat = { model: 'stub', messages: [{ role: 'user' as const, content: 'Hi' }] };
    await expect(
      openaiAt(server, 'sk-right-123456').chat.completions.create(chat),
    ).resolves.toBeDefined();
    expect(JSON.stringify(server.seen)).not.toMatch(/sk-(?:right|wrong)/);
    expect(server.seen[0]?.headers['content-type']).toBe('application/json');
  });

  test('models are listed in the form of the client', async () => {
    const server = await serve();
    const ids: string[] = [];
    for await (const { id } of openaiAt(server).models.list()) ids.push(id);
    for await (const { id } of anthropicAt(server).models.list()) ids.push(id);
    expect(ids).toEqual([...stubNames, ...stubNames]);
  });
});

describe('misbehaviour', () => {
  const body = { model: 'stub', max_tokens: 50, messages: [{ role: 'user', content: 'Say so' }] };

  test('comes in the order of the script, and ends with it', async () => {
    const server = await serve({ misbehave: parseMisbehaviour('429:2,529,500,503,408,ok') });
    server.misbehave({ kind: 'status', status: 500 });
    const statuses: number[] = [];
    for (let call = 0; call < 8; call++) {
      const { status, headers, text } = await post(server, '/v1/messages', body);
      statuses.push(status);
      expect(headers.get('retry-after')).toBe(call === 0 ? '2' : null);
      if (status === 429) expect(text).toContain('rate_limit_error');
      if (status === 529) expect(text).toContain('overloaded_error');
    }
    expect(statuses).toEqual([429, 529, 500, 503, 408, 200, 500, 200]);
  });

  test.each(['/v1/messages', '/v1/chat/completions'])('of the body, at %s', async (path) => {
    const server = await serve();
    const asked = (step: string, extra = {}) =>
      post(server, path, { ...body, ...extra }, { 'x-stub-misbehave': step });
    expect(() => JSON.parse('x')).toThrow();
    const malformed = await asked('malformed');
    expect(malformed.status).toBe(200);
    expect(() => JSON.parse(malformed.text)).toThrow();
    expect(JSON.parse((await asked('schema')).text)).not.toHaveProperty('model');
    expect(await asked('empty')).toMatchObject({ status: 200, text: '' });
    const blank = await asked('blank');
    expect(JSON.parse(blank.text)).toHaveProperty('usage');
    expect(blank.text).not.toContain('Say so');
    await expect(asked('drop')).rejects.toThrow();
    await expect(asked('cut')).rejects.toThrow();
    await expect(asked('cut', { stream: true })).rejects.toThrow();
    expect((await asked('nonsense')).status).toBe(400);
    expect((await asked('ok')).text).toContain('Say so');
    const kinds = server.seen.map(({ misbehaviour, aborted }) => [misbehaviour, aborted]);
    expect(kinds).toContainEqual(['cut', true]);
    expect(kinds).toContainEqual(['ok', false]);
  });

  test('a slow answer is late, a hanging one never comes, and both know when the client leaves', async () => {
    const server = await serve({ misbehave: parseMisbehaviour('slow:60,hang,slow:60000') });
    const began = performance.now();
    expect((await post(server, '/v1/messages', body)).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThan(50);
    for (let call = 0; call < 2; call++) {
      const leaving = AbortSignal.timeout(50);
      const init = { method: 'POST', body: JSON.stringify(body), signal: leaving };
      await expect(fetch(`${server.url}/v1/messages`, init)).rejects.toThrow();
      const left = () => server.seen.filter(({ aborted }) => aborted).length;
      await expect.poll(left).toBe(call + 1);
    }
    expect(server.maxConcurrent).toBe(1);
  });

  test('open requests are counted', async () => {
    const server = await serve({ misbehave: parseMisbehaviour('slow:80*3') });
    await Promise.all([1, 2, 3].map(() => post(server, '/v1/messages', body)));
    for (let call = 0; call < 5; call++) await post(server, '/v1/messages', body);
    expect(server.maxConcurrent).toBe(3);
  });

  test('a script that cannot be read says what could', () => {
    expect(parseMisbehaviour('429:0.5*2, drop')).toEqual([
      { kind: 'status', status: 429, retryAfter: 0.5 },
      { kind: 'status', status: 429, retryAfter: 0.5 },
      { kind: 'drop' },
    ]);
    for (const wrong of [
      '',
      'slow',
      '200',
      'drop:3',
      '429:',
      'hangs',
      '1e3',
      'slow:1.2.3',
      'ok*0x',
    ]) {
      expect(() => parseMisbehaviour(wrong), wrong).toThrow(/expected a status/);
    }
    expect(() => parseMisbehaviour('malfomed')).toThrow(/did you mean malformed\?/);
    expect(() => parseMisbehaviour('slow')).toThrow(/slow:MS or one of .* to repeat it$/);
  });
});

test('the pieces of a stream join to the text, and split no code point', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 9 }), (text, length) => {
      const pieces = piecesOf(text, length);
      expect(pieces.join('')).toBe(text);
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    }),
  );
});

test('a port in use is told', async () => {
  const { port } = await serve();
  await expect(startStubServer({ port })).rejects.toThrow(/port \d+: it is in use/);
});
