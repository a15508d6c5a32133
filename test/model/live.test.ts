import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  baseUrl,
  type StubServer,
  type StubServerOptions,
  startStubServer,
} from '../../src/commands/stub-server/server.ts';
import { type ErrorCode, HarnessError } from '../../src/errors.ts';
import type { ModelChoice } from '../../src/model/endpoint.ts';
import { type LiveOptions, liveModels } from '../../src/model/live.ts';
import type { Model, ModelRequest, TurnRequest, WireName } from '../../src/model/model.ts';
import { type ModelServer, modelServer, replyOf, sendJson } from '../support/model-server.ts';

const WIRES = ['anthropic', 'openai-chat'] as const;
const KEY = 'planted-key-8d1f60c2a9';

const REQUEST: ModelRequest = {
  purpose: 'summarize',
  system: 'Summarize in at most 60 tokens.',
  prompt:
    '<task>Fix src/app.ts</task><transcript>\n[0] user: Fix src/app.ts, error E42.\n</transcript>',
  maxOutputTokens: 100,
  sample: 0,
};

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanups.splice(0)) await close();
});

async function stub(options?: StubServerOptions): Promise<StubServer> {
  const server = await startStubServer({ key: KEY, ...options });
  cleanups.push(() => server.close());
  return server;
}

async function scripted(...given: Parameters<typeof modelServer>): Promise<ModelServer> {
  const server = await modelServer(...given);
  cleanups.push(() => server.close());
  return server;
}

function choiceFor(wire: WireName, url: string, more: Partial<ModelChoice> = {}): ModelChoice {
  const provider = wire === 'anthropic' ? 'anthropic' : 'openai';
  const common = { source: 'config', model: 'stub', auth: 'x-api-key', api_key: KEY } as const;
  return { ...common, provider, base_url: url, ...more };
}

function modelAt(choice: ModelChoice, options: Partial<LiveOptions> = {}): Model {
  const models = liveModels({
    variables: {},
    concurrency: 8,
    now: Date.now,
    retry: { firstDelay: 5, longestDelay: 20 },
    ...options,
  });
  const model = models.resolverFor(undefined, 'anthropic')(choice);
  if (model === undefined) throw new Error('no model');
  return model;
}

function ask(model: Model, signal = new AbortController().signal) {
  return model.ask(REQUEST, signal);
}

async function failure(asked: Promise<unknown>): Promise<HarnessError> {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof HarnessError) return error;
  throw new Error(`expected a HarnessError, got ${String(error)}`);
}

/** Fired after `ms`, as a component's limit is. */
function limit(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new HarnessError('model.timeout', 'limit')), ms);
  return controller.signal;
}

describe.each(WIRES)('%s', (wire) => {
  const at = (server: StubServer, options?: Partial<LiveOptions>) =>
    modelAt(choiceFor(wire, baseUrl(server, wire)), options);

  test('a reply with its tokens; the system part is sent apart, before the prompt', async () => {
    const server = await stub();
    const model = at(server);
    expect(model.name).toBe('stub');
    const reply = await ask(model);
    expect(reply.text).toContain('src/app.ts');
    expect(reply.inputTokens).toBeGreaterThan(10);
    expect(reply.outputTokens).toBeGreaterThan(0);
    const body: unknown = JSON.parse(server.seen[0]?.body ?? '');
    const block = { type: 'text', text: REQUEST.system, cache_control: { type: 'ephemeral' } };
    expect(body).toEqual(
      wire === 'anthropic'
        ? {
            model: 'stub',
            max_tokens: 100,
            system: [block],
            messages: [{ role: 'user', content: REQUEST.prompt }],
          }
        : {
            model: 'stub',
            max_tokens: 100,
            messages: [
              { role: 'system', content: REQUEST.system },
              { role: 'user', content: REQUEST.prompt },
            ],
          },
    );
  });

  test.each([408, 429, 500, 502, 503, 529])('HTTP %d is retried', async (status) => {
    const server = await stub({ misbehave: [{ kind: 'status', status }] });
    expect((await ask(at(server))).text).not.toBe('');
    expect(server.seen.map((seen) => seen.status)).toEqual([status, 200]);
  });

  test.each(['drop', 'cut', 'malformed', 'schema', 'empty'] as const)(
    'a reply that is %s is retried',
    async (kind) => {
      const server = await stub({ misbehave: [{ kind }, { kind }] });
      expect((await ask(at(server))).text).not.toBe('');
      expect(server.seen).toHaveLength(3);
    },
  );

  test.each([
    ['drop', 'model.transport', 'no connection'],
    ['cut', 'model.transport', 'the connection ended inside the reply'],
    ['malformed', 'model.reply', 'malformed reply'],
    ['schema', 'model.reply', 'malformed reply'],
    ['empty', 'model.reply', 'malformed reply'],
  ] as const)('nothing but %s is reported after all attempts', async (kind, code, text) => {
    const server = await stub({ misbehave: Array.from({ length: 5 }, () => ({ kind })) });
    const error = await failure(ask(at(server)));
    expect(error.code).toBe<ErrorCode>(code);
    expect(error.message).toContain(`stub at 127.0.0.1:${server.port}: ${text}`);
    expect(error.message).toContain('5 attempts');
    expect(server.seen).toHaveLength(5);
  });

  test('retry-after is kept, as seconds and as a date', async () => {
    const date = new Date(Date.now() + 2000).toUTCString();
    for (const [retryAfter, least] of [
      [0.3, 290],
      [date, 900],
    ] as const) {
      const server = await stub({ misbehave: [{ kind: 'status', status: 429, retryAfter }] });
      await ask(at(server));
      const [first, second] = server.seen;
      expect((second?.arrivedMs ?? 0) - (first?.arrivedMs ?? 0)).toBeGreaterThan(least);
    }
  });

  test.each([400, 401, 403, 404, 413, 422])('HTTP %d is not retried', async (status) => {
    const server = await stub({ misbehave: [{ kind: 'status', status }] });
    const error = await failure(ask(at(server)));
    expect(error.code).toBe<ErrorCode>('model.transport');
    expect(error.message).toContain(`stub at 127.0.0.1:${server.port}: HTTP ${status}`);
    expect(server.seen).toHaveLength(1);
  });

  test('a limit ends a call within 10 %, and the connection with it', async () => {
    const steps = [{ kind: 'hang' }, { kind: 'slow', ms: 60_000 }] as const;
    const calls = steps.map(async (step) => {
      const server = await stub();
      const model = at(server);
      await ask(model);
      server.misbehave(step);
      const start = performance.now();
      const error = await failure(ask(model, limit(2000)));
      expect(performance.now() - start).toBeLessThan(2200);
      expect(error.code).toBe<ErrorCode>('model.timeout');
      await vi.waitFor(() => expect(server.seen.at(-1)?.aborted).toBe(true));
    });
    await Promise.all(calls);
  });

  test('a limit also ends a pause between attempts and the waiting for a turn', async () => {
    const server = await stub({
      misbehave: [{ kind: 'status', status: 429, retryAfter: 60 }, { kind: 'hang' }],
    });
    const model = at(server, { concurrency: 1 });
    const [first, second] = await Promise.all([
      failure(ask(model, limit(300))),
      failure(ask(model, limit(100))),
    ]);
    expect([first.code, second.code]).toEqual(['model.timeout', 'model.timeout']);
    expect(server.seen).toHaveLength(1);
  });

  test('no more calls at once than allowed, whatever they come to', async () => {
    const steps = ['slow', 'slow', 'slow', '429', 'ok', 'drop'];
    const server = await stub({
      misbehave: Array.from({ length: 24 }, (_, index) => {
        const step = steps[index % steps.length];
        if (step === 'slow') return { kind: 'slow', ms: 40 } as const;
        if (step === 'drop' || step === 'ok') return { kind: step } as const;
        return { kind: 'status', status: 429, retryAfter: 0.02 } as const;
      }),
    });
    const model = at(server, { concurrency: 3 });
    await Promise.all(Array.from({ length: 30 }, () => ask(model)));
    expect(server.maxConcurrent).toBe(3);
  });

  test('models of one endpoint share its limit', async () => {
    const server = await stub({
      misbehave: Array.from({ length: 8 }, () => ({ kind: 'slow', ms: 20 })),
    });
    const models = liveModels({ variables: {}, concurrency: 2, now: Date.now });
    const calls = ['stub', 'stub-vague'].flatMap((name) => {
      const resolve = models.resolverFor('any', 'openai-chat');
      const model = resolve(choiceFor(wire, baseUrl(server, wire), { model: name }));
      return [0, 1, 2, 3].map(() => model?.ask(REQUEST, new AbortController().signal));
    });
    await Promise.all(calls);
    expect(server.maxConcurrent).toBe(2);
  });

  test('the run’s signal ends every call', async () => {
    const server = await stub({ misbehave: [{ kind: 'hang' }, { kind: 'hang' }] });
    const stop = new AbortController();
    const model = at(server, { signal: stop.signal });
    const calls = [ask(model), ask(model)].map((call) => call.catch((reason: unknown) => reason));
    setTimeout(() => stop.abort('stopped'), 50);
    expect(await Promise.all(calls)).toEqual(['stopped', 'stopped']);
    await expect(ask(model)).rejects.toBe('stopped');
  });

  test('a blank or refused reply is an empty text, not an error', async () => {
    const server = await stub({ misbehave: [{ kind: 'blank' }] });
    expect((await ask(at(server))).text).toBe('');
    const refusing = await scripted((_, response) => {
      const refused =
        wire === 'anthropic'
          ? {
              content: [{ type: 'text', text: 'part of' }],
              stop_reason: 'refusal',
              usage: { input_tokens: 5, output_tokens: 3 },
            }
          : {
              choices: [{ finish_reason: 'content_filter', message: { content: 'part of' } }],
              usage: { prompt_tokens: 5, completion_tokens: 3 },
            };
      sendJson(response, 200, refused);
    });
    const reply = await ask(modelAt(choiceFor(wire, refusing.url)));
    expect(reply).toMatchObject({ text: '', inputTokens: 5, outputTokens: 3 });
  });

  test('what a cache read and took is in the input, and told apart', async () => {
    const server = await scripted((_, response) => {
      const usage =
        wire === 'anthropic'
          ? {
              input_tokens: 7,
              cache_read_input_tokens: 200,
              cache_creation_input_tokens: 30,
              output_tokens: 4,
            }
          : {
              prompt_tokens: 237,
              completion_tokens: 4,
              prompt_tokens_details: { cached_tokens: 200 },
            };
      sendJson(response, 200, { ...(replyOf(wire, 'said') as object), usage });
    });
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = await ask(
      modelAt(choiceFor(wire, server.url)),
    );
    expect({ inputTokens, outputTokens, cacheReadTokens }).toEqual({
      inputTokens: 237,
      outputTokens: 4,
      cacheReadTokens: 200,
    });
    expect(cacheWriteTokens).toBe(wire === 'anthropic' ? 30 : undefined);
  });

  test('a whole request is sent in the very texts that it was given', async () => {
    const server = await scripted((_, response) => {
      const call = { id: 'c1', name: 'read_file', input: { path: 'a.ts' } };
      const reply =
        wire === 'anthropic'
          ? {
              content: [
                { type: 'text', text: 'So:' },
                { type: 'tool_use', ...call },
              ],
            }
          : {
              choices: [
                {
                  message: {
                    content: 'So:',
                    tool_calls: [
                      { id: 'c1', function: { name: call.name, arguments: '{"path":"a.ts"}' } },
                    ],
                  },
                },
              ],
            };
      sendJson(response, 200, reply);
    });
    const messages = '[ {"role":"user", "content":"1e3 \\u00e9 é", "n":12345678901234567890} ]';
    const tools = '[{ "name":"read_file" , "x": 1.0}]';
    const request: TurnRequest = {
      purpose: 'agreement',
      messages,
      tools,
      ...(wire === 'anthropic' ? { system: '[{"type":"text",  "text":"S"}]' } : {}),
      maxOutputTokens: 50,
      sample: 0,
    };
    const { turns } = modelAt(choiceFor(wire, server.url));
    expect(turns?.wire).toBe(wire);
    const reply = await turns?.ask(request, new AbortController().signal);
    expect(reply?.text).toBe('So:');
    expect(reply?.toolCalls).toEqual([
      { id: 'c1', name: 'read_file', arguments: '{"path":"a.ts"}' },
    ]);
    const body = server.sent[0]?.body ?? '';
    expect(body).toContain(`"messages":${messages}`);
    expect(body).toContain(`"tools":${tools}`);
    if (request.system !== undefined) expect(body).toContain(`"system":${request.system}`);
    expect(Object.keys(JSON.parse(body))).toHaveLength(wire === 'anthropic' ? 5 : 4);
  });

  test('without a usage the tokens are counted, those of calls too', async () => {
    const long = 'word '.repeat(200);
    const server = await scripted((_, response) => {
      const reply =
        wire === 'anthropic'
          ? { content: [{ type: 'tool_use', id: 'c', name: 'write', input: { text: long } }] }
          : {
              choices: [
                {
                  message: {
                    content: null,
                    tool_calls: [
                      {
                        id: 'c',
                        function: { name: 'write', arguments: JSON.stringify({ text: long }) },
                      },
                    ],
                  },
                },
              ],
            };
      sendJson(response, 200, reply);
    });
    const request: TurnRequest = {
      purpose: 'agreement',
      messages: '[{"role":"user","content":"Write it."}]',
      maxOutputTokens: 500,
      sample: 0,
    };
    const { turns } = modelAt(choiceFor(wire, server.url));
    const reply = await turns?.ask(request, new AbortController().signal);
    expect(reply?.inputTokens).toBeGreaterThan(3);
    expect(reply?.outputTokens).toBeGreaterThan(200);
  });

  test('the key goes where it should, and nothing of the environment goes with it', async () => {
    const server = await scripted((_, response) => sendJson(response, 200, replyOf(wire, 'said')));
    const choices = {
      key: {},
      bearer: { auth: 'bearer' },
      none: { api_key: undefined },
      login: { api_key: undefined, base_url: server.url.replace('//', '//me:pass@') },
    } as const;
    for (const more of Object.values(choices)) {
      await ask(modelAt(choiceFor(wire, server.url, more)));
    }
    const sent = server.sent.map(({ headers }) => [headers['x-api-key'], headers.authorization]);
    const bearer = [undefined, `Bearer ${KEY}`];
    expect(sent).toEqual([
      wire === 'anthropic' ? [KEY, undefined] : bearer,
      bearer,
      [undefined, undefined],
      [undefined, `Basic ${Buffer.from('me:pass').toString('base64')}`],
    ]);
  });

  test('a key that the server quotes, whole or in part, stands in no error', async () => {
    const bodies = [
      { error: { type: 'auth', message: `no such key: ${KEY}` } },
      { error: `Bearer ${KEY} is refused; it begins with ${KEY.slice(0, 14)}` },
      KEY,
    ];
    for (const status of [200, 400, 401, 500]) {
      for (const value of bodies) {
        const server = await scripted((_, response) =>
          sendJson(response, status, value, { 'x-echo': KEY, 'www-authenticate': KEY }),
        );
        const error = await failure(ask(modelAt(choiceFor(wire, server.url))));
        const shown = `${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
        expect(shown).not.toContain(KEY.slice(0, 14));
        expect(error.message).toContain('stub at 127.0.0.1');
      }
    }
  });

  test('a server that is not there', async () => {
    const server = await startStubServer();
    await server.close();
    const error = await failure(ask(modelAt(choiceFor(wire, server.url))));
    expect(error.code).toBe<ErrorCode>('model.transport');
    expect(error.message).toContain('no connection: ECONNREFUSED; check the address');
  });

  test('what waiting cannot help is not retried', async () => {
    const server = await scripted((_, response) =>
      sendJson(
        response,
        429,
        { error: { code: 'insufficient_quota', message: 'nothing left' } },
        { 'x-should-retry': 'false' },
      ),
    );
    const error = await failure(ask(modelAt(choiceFor(wire, server.url))));
    expect(error.message).toContain('HTTP 429: insufficient_quota: nothing left');
    expect(server.sent).toHaveLength(1);
  });
});

test('a host that speaks both wires has one limit', async () => {
  const slow = Array.from({ length: 12 }, () => ({ kind: 'slow', ms: 20 }) as const);
  const server = await stub({ misbehave: slow });
  const models = liveModels({ variables: {}, concurrency: 2, now: Date.now });
  const resolve = models.resolverFor(undefined, 'anthropic');
  const calls = WIRES.flatMap((wire) => {
    const model = resolve(choiceFor(wire, baseUrl(server, wire)));
    return Array.from({ length: 6 }, () => model?.ask(REQUEST, new AbortController().signal));
  });
  await Promise.all(calls);
  expect(new Set(server.seen.map(({ wire }) => wire)).size).toBe(2);
  expect(server.maxConcurrent).toBe(2);
});

describe('the two names of OpenAI’s limit', () => {
  test('where one is refused, the other serves from then on', async () => {
    const server = await scripted(({ body }, response) => {
      if (!body.includes('"max_tokens"'))
        return sendJson(response, 200, replyOf('openai-chat', 'x'));
      const message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
      sendJson(response, 400, { error: { message, param: 'max_tokens' } });
    });
    const model = modelAt(choiceFor('openai-chat', server.url));
    await ask(model);
    await ask(model);
    expect(server.sent.map(({ body }) => body.includes('"max_completion_tokens":100'))).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('another refusal is not taken for it', async () => {
    const server = await scripted((_, response) =>
      sendJson(response, 400, { error: { message: 'no such thing', param: 'messages' } }),
    );
    await failure(ask(modelAt(choiceFor('openai-chat', server.url))));
    expect(server.sent).toHaveLength(1);
  });
});

describe('the models of a run', () => {
  const variables = { ANTHROPIC_API_KEY: 'a-key-of-anthropic' };
  const incoming = { source: 'incoming', provider: 'anthropic', auth: 'x-api-key' } as const;

  test('one for each endpoint and name; none where something is missing', () => {
    const models = liveModels({ variables, concurrency: 1, now: Date.now });
    const claude = models.resolverFor('claude-sonnet-4-5', 'anthropic');
    expect(claude(incoming)?.name).toBe('claude-sonnet-4-5');
    expect(claude(incoming)?.contextWindow).toBeGreaterThan(100_000);
    const again = models.resolverFor('claude-sonnet-4-5', 'anthropic');
    expect(again({ ...incoming })).toBe(claude(incoming));
    expect(models.resolverFor('gpt-4.1', 'openai-chat')(incoming)).toBeUndefined();
  });

  test('their keys are known: those of the environment, of the blocks, and further ones', () => {
    const models = liveModels({ variables, concurrency: 1, now: Date.now, redactKeys: ['more'] });
    models.resolverFor('any', 'anthropic')({ ...incoming, api_key: 'own-key' });
    expect(models.keys).toEqual(['a-key-of-anthropic', 'more', 'own-key']);
  });
});
