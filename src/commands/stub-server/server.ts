/** The stub models behind the Anthropic and OpenAI wires, on a port of this machine. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { HarnessError, messageOf, systemCodeOf } from '../../errors.ts';
import type { Model, WireName } from '../../model/model.ts';
import { type StubName, stubModel, stubNames } from '../../model/stub.ts';
import { pushAll } from '../../text/long-lists.ts';
import { answer } from './answer.ts';
import { anthropicWire } from './anthropic.ts';
import { MISBEHAVE_HEADER, type Misbehaviour, parseMisbehaviour } from './misbehaviour.ts';
import { openaiChatWire } from './openai-chat.ts';
import { PromptCache } from './prompt-cache.ts';
import { harmlessHeaders, type SeenRequest } from './seen.ts';
import { aborted, bodyOf, type Content, delay, jsonContent, send } from './transfer.ts';
import { type Refusal, RefusedRequest, type ServedWire } from './wire.ts';

const HOST = '127.0.0.1';

export interface StubServerOptions {
  /** 0, the default: any that is free. */
  readonly port?: number;
  /**
   * A model of one's own answers everything. Of the stubs, the one that a request names as its model
   * answers, else this one (`stub`).
   */
  readonly model?: Model | StubName;
  /** A key that must be sent, as `x-api-key` or bearer. */
  readonly key?: string;
  /** How the first requests for a reply are treated, in order of arrival. */
  readonly misbehave?: readonly Misbehaviour[];
  /** Report cache reads and writes in the usage; they depend on the requests before. */
  readonly promptCache?: boolean;
  /** Told when a request has ended, answered or not. */
  readonly onEnd?: (seen: SeenRequest) => void;
}

export interface StubServer {
  /** `http://127.0.0.1:PORT`: the Anthropic base URL; the OpenAI one ends in `/v1`. */
  readonly url: string;
  readonly port: number;
  /** Every request so far, in order of arrival. */
  readonly seen: readonly SeenRequest[];
  /**
   * Most requests for a reply that were open at once. One that its client gave up counts until that is noticed,
   * which may be after the client's next request.
   */
  readonly maxConcurrent: number;
  /** Adds to the script of misbehaviour. */
  misbehave(...steps: readonly Misbehaviour[]): void;
  /** Drops open connections and stops. */
  close(): Promise<void>;
}

/** Rejects with HarnessError `usage` where the port is taken or may not be used. */
export async function startStubServer(options: StubServerOptions = {}): Promise<StubServer> {
  const serving = new Serving(options);
  const server = createServer((request, response) => void serving.handle(request, response));
  const port = await listen(server, options.port ?? 0);
  return {
    url: `http://${HOST}:${port}`,
    port,
    seen: serving.seen,
    get maxConcurrent() {
      return serving.maxConcurrent;
    },
    misbehave: (...steps) => {
      pushAll(serving.script, steps);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const said = systemCodeOf(cause) === 'EADDRINUSE' ? 'it is in use' : messageOf(cause);
      const message = `cannot listen on port ${port}: ${said}; give another --port, or 0 for any`;
      reject(new HarnessError('usage', message, { cause }));
    });
    server.listen(port, HOST, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

type Route =
  | { readonly kind: 'reply'; readonly wire: ServedWire }
  | { readonly kind: 'models' | 'unknown'; readonly wire: ServedWire };

type Entry = { -readonly [Key in keyof SeenRequest]: SeenRequest[Key] };

class Serving {
  readonly seen: Entry[] = [];
  readonly script: Misbehaviour[];
  maxConcurrent = 0;
  readonly #options: StubServerOptions;
  readonly #stubs = new Map<StubName, Model>();
  readonly #cache = new PromptCache();
  readonly #began = performance.now();
  #open = 0;

  constructor(options: StubServerOptions) {
    this.#options = options;
    this.script = [...(options.misbehave ?? [])];
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').replace(/[?#].*/, '');
    const method = request.method ?? 'GET';
    const route = routeOf(method, path, 'anthropic-version' in request.headers);
    const isReply = route.kind === 'reply';
    const entry: Entry = {
      method,
      path,
      wire: route.kind === 'unknown' ? undefined : route.wire.name,
      headers: harmlessHeaders(request.headers),
      body: '',
      arrivedMs: performance.now() - this.#began,
      misbehaviour: 'ok',
      status: undefined,
      aborted: false,
    };
    this.seen.push(entry);
    if (isReply) this.maxConcurrent = Math.max(this.maxConcurrent, ++this.#open);
    let isOpen = isReply;
    // Before the last byte is sent: a client that has it may ask again at once.
    const close = () => {
      if (isOpen) this.#open--;
      isOpen = false;
    };
    const gone = new AbortController();
    response.on('close', () => {
      close();
      entry.aborted = !response.writableFinished;
      gone.abort(new Error('the client went away'));
      this.#options.onEnd?.(entry);
    });
    // A request counts from its arrival, so its step is taken before its body is read.
    const step = isReply ? this.#takeStep(request) : { kind: 'ok' as const };
    entry.misbehaviour = step.kind;
    const content = await this.#contentFor(request, route, entry, step, gone.signal);
    if (gone.signal.aborted) return;
    if (step.kind !== 'drop') entry.status = content.status;
    close();
    await send(response, content, step);
  }

  async #contentFor(
    request: IncomingMessage,
    route: Route,
    entry: Entry,
    step: Misbehaviour,
    signal: AbortSignal,
  ): Promise<Content> {
    try {
      entry.body = await bodyOf(request);
      this.#admit(request);
      return await this.#reply(route, entry, step, signal);
    } catch (error) {
      const refusal =
        error instanceof RefusedRequest
          ? error.refusal
          : { status: 500, message: messageOf(error) };
      return problemOf(route.wire, refusal, entry);
    }
  }

  #takeStep(request: IncomingMessage): Misbehaviour {
    const asked = [request.headers[MISBEHAVE_HEADER] ?? []].flat()[0];
    if (asked === undefined) return this.script.shift() ?? { kind: 'ok' };
    try {
      return parseMisbehaviour(asked)[0] ?? { kind: 'ok' };
    } catch {
      return { kind: 'status', status: 400 };
    }
  }

  /** Refuses a request without the key. */
  #admit({ headers }: IncomingMessage): void {
    const { key } = this.#options;
    if (key === undefined) return;
    const bearer = /^Bearer (.*)$/i.exec(headers.authorization ?? '')?.[1];
    if (headers['x-api-key'] === key || bearer === key) return;
    const isMissing = headers['x-api-key'] === undefined && bearer === undefined;
    const message = isMissing ? 'no API key was sent' : 'invalid API key';
    throw new RefusedRequest({ status: 401, message });
  }

  async #reply(
    route: Route,
    entry: Entry,
    step: Misbehaviour,
    signal: AbortSignal,
  ): Promise<Content> {
    const { wire } = route;
    if (route.kind === 'models') return jsonContent(200, wire.models(stubNames));
    if (route.kind === 'unknown') {
      const message = `unknown path: ${entry.method} ${entry.path}`;
      throw new RefusedRequest({ status: 404, message });
    }
    switch (step.kind) {
      case 'status': {
        const { status, retryAfter } = step;
        const message = 'the stub server was asked to answer so';
        const content = problemOf(wire, { status, message }, entry);
        return retryAfter === undefined
          ? content
          : { ...content, headers: { ...content.headers, 'retry-after': String(retryAfter) } };
      }
      case 'malformed':
        return { ...jsonContent(200, null), pieces: ['{"id": "stub", "content": [{"type'] };
      case 'schema':
        return jsonContent(200, { status: 'fine', result: 42 });
      case 'empty':
        return { ...jsonContent(200, null), pieces: [] };
      case 'hang':
        await aborted(signal);
        break;
      case 'slow':
        await delay(step.ms, signal);
        break;
      default:
    }
    return this.#answer(wire, entry.body, step.kind === 'blank', signal);
  }

  async #answer(
    wire: ServedWire,
    body: string,
    isBlank: boolean,
    signal: AbortSignal,
  ): Promise<Content> {
    const request = wire.read(body);
    const id = idOf(body);
    const reply = isBlank
      ? { text: '', toolCalls: [], inputTokens: 1, outputTokens: 0 }
      : await answer(this.#modelFor(request.model), wire.name, request, id, signal);
    const use = this.#options.promptCache
      ? this.#cache.use(wire.name, request.model, request.parts, reply.inputTokens)
      : { cacheReadTokens: 0, cacheWriteTokens: 0 };
    const said = { ...reply, ...use };
    if (!request.stream) return jsonContent(200, wire.respond(request, said, id));
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
    return { status: 200, headers, pieces: wire.stream(request, said, id) };
  }

  #modelFor(requested: string): Model {
    const { model = 'stub' } = this.#options;
    if (typeof model === 'object') return model;
    const name = stubNames.find((known) => known === requested) ?? model;
    const known = this.#stubs.get(name) ?? stubModel(name);
    this.#stubs.set(name, known);
    return known;
  }
}

/** `/v1` may be left out, so that a base URL works with and without it. */
function routeOf(method: string, path: string, isAnthropic: boolean): Route {
  const name = path.replace(/^\/v1(?=\/)/, '').replace(/\/$/, '');
  const wire = isAnthropic || name === '/messages' ? anthropicWire : openaiChatWire;
  if (method === 'POST' && name === '/messages') return { kind: 'reply', wire };
  if (method === 'POST' && name === '/chat/completions') {
    return { kind: 'reply', wire: openaiChatWire };
  }
  return { kind: method === 'GET' && name === '/models' ? 'models' : 'unknown', wire };
}

function problemOf(wire: ServedWire, refusal: Refusal, { body }: Entry): Content {
  return jsonContent(refusal.status, wire.problem(refusal, idOf(body)));
}

function idOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 24);
}

/** The base URL of a wire's client. */
export function baseUrl(server: Pick<StubServer, 'url'>, wire: WireName): string {
  return wire === 'anthropic' ? server.url : `${server.url}/v1`;
}
