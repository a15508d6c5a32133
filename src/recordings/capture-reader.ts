import { z } from 'zod';
import { HarnessError } from '../errors.ts';
import type { DialectName } from '../transcript/message.ts';
import { BodyReader } from '../wire/body-reader.ts';
import { dialectOf } from '../wire/catalog.ts';
import { syntaxError } from '../wire/json-error.ts';
import { isObject } from '../wire/json-object.ts';
import { members, rootSpan, type Span, slice } from '../wire/json-spans.ts';
import { type CaptureEntry, LIST_KEYS } from './capture-entries.ts';
import type { CapturedRequest } from './captured.ts';
import { isMessage, judgeDialect } from './dialects.ts';
import type { ReadContext } from './formats/format.ts';
import { describeOdd } from './odd-message.ts';
import { problemOf } from './problem.ts';
import { readTime, readUsage, responseMessage } from './responses.ts';
import { inputError, schemaError } from './schema.ts';
import { explicitSession } from './session-id.ts';

const nameSchema = z.union([z.string(), z.number()]).nullish();

/** What stands around a body; unknown keys are kept and ignored. */
const captureSchema = z.looseObject({
  provider: z.string().nullish(),
  model: z.string().nullish(),
  task: nameSchema,
  task_id: nameSchema,
  trial: nameSchema,
  agent: z.string().nullish(),
  reward: z.union([z.number(), z.boolean()]).nullish(),
  cost: z.number().nullish(),
  timestamp: z.union([z.number(), z.string()]).nullish(),
  time: z.union([z.number(), z.string()]).nullish(),
});
type Capture = z.infer<typeof captureSchema>;

interface Taken {
  readonly capture: Capture;
  /** Exact text of the request body. */
  readonly body: string;
  readonly response: string | undefined;
  /** Where a session id may stand inside the body. */
  readonly metadata: unknown;
  /** Keys of the body, provider and model: what never differs within one dialect's log. */
  readonly kind: string;
}

/** Reads entries of captures as requests; what cannot be read is reported with its place. */
export class CaptureReader {
  readonly #context: ReadContext;
  readonly #readers = new Map<DialectName, BodyReader>();
  readonly #dialects = new Map<string, DialectName>();

  constructor(context: ReadContext) {
    this.#context = context;
  }

  /**
   * @param file path to name in sources and problems
   * @param fallback dialect of bodies that would fit several
   */
  read(
    file: string,
    entries: Iterable<CaptureEntry>,
    fallback: DialectName | undefined,
  ): readonly CapturedRequest[] {
    const requests: CapturedRequest[] = [];
    for (const entry of entries) {
      try {
        const taken = takeApart(entry.text);
        if (taken === undefined) this.#skip(file, entry);
        else requests.push(this.#toRequest(file, taken, fallback));
      } catch (error) {
        this.#context.loss.skipped(file, 'a broken call');
        const known = located(entry.text, inputError(entry.text, error));
        this.#context.report(problemOf(known, file, entry.line));
      }
    }
    return requests;
  }

  #skip(file: string, entry: CaptureEntry): void {
    this.#context.loss.skipped(file, 'no request body');
    this.#context.report({
      code: 'input.schema',
      message: `skipped: expected a request body or a capture with one, found ${entry.text.slice(0, 60)}`,
      at: { file, ...(entry.line === undefined ? {} : { line: entry.line }) },
      severity: 'notice',
    });
  }

  #toRequest(file: string, taken: Taken, fallback: DialectName | undefined): CapturedRequest {
    const { capture } = taken;
    const name = this.#dialectOf(taken, fallback);
    const { messages, envelope, model: asked } = this.#reader(name).read(taken.body);
    const raw = taken.response;
    const response =
      raw === undefined ? undefined : responseMessage(raw, name, this.#context.table);
    const logged: unknown = raw === undefined ? undefined : JSON.parse(raw);
    const usage =
      readUsage(isObject(logged) ? (logged.usage ?? logged.usageMetadata) : undefined) ??
      readUsage(capture.usage);
    const answered = isObject(logged)
      ? [logged.model, logged.modelVersion].find((value) => typeof value === 'string')
      : undefined;
    const fields = {
      response,
      model: capture.model ?? asked ?? (answered === undefined ? undefined : String(answered)),
      time: readTime(capture.timestamp ?? capture.time),
      usage,
      cost: capture.cost ?? undefined,
      session: explicitSession(capture, taken.metadata),
      task: nameOf(capture.task ?? capture.task_id),
      trial: nameOf(capture.trial),
      agent: capture.agent ?? undefined,
      reward: capture.reward === null || capture.reward === undefined ? undefined : +capture.reward,
    };
    return { file, dialect: name, messages, envelope, ...withoutUndefined(fields) };
  }

  #dialectOf(taken: Taken, fallback: DialectName | undefined): DialectName {
    const known = this.#dialects.get(taken.kind);
    if (known !== undefined) return known;
    const body: unknown = JSON.parse(taken.body);
    const verdict = judgeDialect(body, taken.capture.provider ?? undefined);
    if (verdict === undefined) {
      throw new HarnessError('input.format', unknownDialect(body));
    }
    if (verdict.certain) this.#dialects.set(taken.kind, verdict.dialect);
    return verdict.certain ? verdict.dialect : (fallback ?? verdict.dialect);
  }

  #reader(name: DialectName): BodyReader {
    const known = this.#readers.get(name);
    if (known !== undefined) return known;
    const reader = new BodyReader(dialectOf(name), this.#context.table);
    this.#readers.set(name, reader);
    return reader;
  }
}

function unknownDialect(body: unknown): string {
  const messages = isObject(body) ? body.messages : undefined;
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  const odd = list.findIndex((entry) => !isMessage(entry));
  let found = 'another wire form';
  if (odd >= 0) found = `${describeOdd(list[odd])}, at messages[${odd}]`;
  else if (messages !== undefined && list !== messages) found = 'messages that are no array';
  return `expected a request body with a list of messages ("messages" of anthropic, openai-chat or bedrock, "contents" of gemini, "input" of openai-responses), found ${found}`;
}

/** Undefined when the entry is JSON without a request body. @throws when it is not JSON. */
function takeApart(text: string): Taken | undefined {
  const root = rootSpan(text);
  const top = new Map(members(text, root).map((entry) => [entry.key, entry.value]));
  const holder = top.get('body') ?? top.get('request');
  if (holder !== undefined && text[holder.start] === '{') {
    if (isOtherExchange(text, holder)) {
      JSON.parse(text);
      return undefined;
    }
    return taken(
      slice(text, holder),
      JSON.parse(without(text, holder)),
      part(text, top, 'response'),
    );
  }
  const list = LIST_KEYS.map((key) => top.get(key)).find((span) => span !== undefined);
  if (list === undefined) {
    JSON.parse(text);
    return undefined;
  }
  if (!top.has('kwargs') && !top.has('response')) return taken(text, {}, undefined);
  // A log that spreads the body over its own keys: the body is what was sent of them.
  const around: unknown = JSON.parse(without(text, list));
  const sent = SENT_KEYS.flatMap((key) => {
    const value = part(text, top, key);
    return value === undefined ? [] : [`${JSON.stringify(key)}:${value}`];
  });
  return taken(`{${sent.join(',')}}`, around, part(text, top, 'response'));
}

/** True for the request of another HTTP exchange, which calls no model. */
function isOtherExchange(text: string, holder: Span): boolean {
  const keys = new Set(members(text, holder).map(({ key }) => key));
  const isHttp = ['url', 'method', 'headers'].some((key) => keys.has(key));
  return isHttp && !LIST_KEYS.some((key) => keys.has(key));
}

/** What a log that spreads the body holds of it. */
const SENT_KEYS = [
  'model',
  'modelId',
  'system',
  'instructions',
  'systemInstruction',
  'messages',
  'contents',
  'input',
  'tools',
  'toolConfig',
];

function taken(body: string, around: unknown, response: string | undefined): Taken {
  const parsed = captureSchema.safeParse(around);
  if (!parsed.success) throw schemaError(parsed.error, 'a capture around a request body', around);
  const capture = parsed.data;
  const top = new Map(members(body, rootSpan(body)).map((entry) => [entry.key, entry.value]));
  const model = part(body, top, 'model');
  return {
    capture,
    body,
    response,
    metadata: metadataIn(part(body, top, 'metadata')) ?? loggedMetadata(capture),
    kind: [capture.provider, model, ...top.keys()].join(' '),
  };
}

function metadataIn(raw: string | undefined): unknown {
  return raw === undefined ? undefined : JSON.parse(raw);
}

/** Where a client library logs the metadata that it sent: `kwargs.extra_body.metadata`. */
function loggedMetadata({ kwargs }: Capture): unknown {
  const sent = isObject(kwargs) ? kwargs.extra_body : undefined;
  return isObject(sent) ? sent.metadata : undefined;
}

function without(text: string, span: Span): string {
  return `${text.slice(0, span.start)}null${text.slice(span.end)}`;
}

function part(text: string, top: ReadonlyMap<string, Span>, key: string): string | undefined {
  const span = top.get(key);
  return span === undefined ? undefined : slice(text, span);
}

function nameOf(value: string | number | null | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

type Known<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(fields: T): Known<T> {
  const known: Known<T> = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) known[key] = value as Exclude<T[typeof key], undefined>;
  }
  return known;
}

/** A syntax error placed in the entry's own text, since parts of it are parsed by themselves. */
function located(text: string, error: HarnessError): HarnessError {
  if (error.code !== 'input.syntax') return error;
  try {
    JSON.parse(text);
    return error;
  } catch (cause) {
    return syntaxError(text, cause);
  }
}
