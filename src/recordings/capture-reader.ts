import { z } from 'zod';
import { HarnessError } from '../errors.ts';
import type { MessageTable } from '../transcript/intern.ts';
import type { DialectName, Message } from '../transcript/message.ts';
import { BodyReader } from '../wire/body-reader.ts';
import { dialectOf } from '../wire/catalog.ts';
import type { ParsedRequest } from '../wire/dialect.ts';
import { syntaxError } from '../wire/json-error.ts';
import { isObject } from '../wire/json-object.ts';
import { members, rootSpan, type Span, slice } from '../wire/json-spans.ts';
import { type CaptureEntry, captureText, LIST_KEYS } from './capture-entries.ts';
import type { CapturedRequest } from './captured.ts';
import { isMessage, judgeDialect } from './dialects.ts';
import type { ReadContext } from './formats/format.ts';
import { historyKept } from './kept-by-provider.ts';
import { describeOdd } from './odd-message.ts';
import { problemOf } from './problem.ts';
import {
  beginsAs,
  EarlierLines,
  type LineFacts,
  type RepeatedLine,
  type SameBody,
  sameBody,
  shortened,
} from './repeated-lines.ts';
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

interface Around {
  readonly capture: Capture;
  readonly response: string | undefined;
  /** Where a session id may stand inside the body. */
  readonly metadata: unknown;
  /** Keys of the body, provider and model: what never differs within one dialect's log. */
  readonly kind: string;
}

interface Taken extends Around {
  /** Exact text of the request body. */
  readonly body: string;
}

/** A logged call, its body read. */
interface Call {
  readonly taken: Around;
  readonly dialect: DialectName;
  readonly parsed: ParsedRequest;
}

/** Reads entries of captures as requests; what cannot be read is reported with its place. */
export class CaptureReader {
  readonly #context: ReadContext;
  readonly #table: MessageTable;
  readonly #readers = new Map<DialectName, BodyReader>();
  /** By what never differs within one dialect's log. */
  readonly #dialects: Map<string, DialectName>;
  readonly #earlier = new EarlierLines();

  constructor(context: ReadContext, dialects = new Map<string, DialectName>()) {
    this.#context = context;
    this.#table = context.table;
    this.#dialects = dialects;
  }

  /** A reader for what follows, with the table that the context has now. */
  anew(): CaptureReader {
    return new CaptureReader(this.#context, this.#dialects);
  }

  /**
   * @param file path to name in sources and problems
   * @param fallback dialect of bodies that would fit several
   * @param decided dialect of this very entry, where it was read before
   * @returns undefined for what cannot be read
   */
  read(
    file: string,
    { json, line }: CaptureEntry,
    fallback: DialectName | undefined,
    decided?: DialectName,
  ): CapturedRequest | undefined {
    const repeated = typeof json === 'string' ? undefined : this.#earlier.find(json);
    const known = repeated === undefined ? undefined : this.#readRepeated(repeated, decided);
    if (known !== undefined) {
      this.#tellKept(file, line, known);
      return this.#remembered(file, json, known, repeated);
    }
    const text = captureText(typeof json === 'string' ? json : json.toString('utf8').trim());
    try {
      const taken = takeApart(text);
      if (taken !== undefined) {
        const dialect = decided ?? this.#dialectOf(taken, fallback);
        if (decided !== undefined) this.#dialects.set(taken.kind, decided);
        const parsed = this.#reader(dialect).read(taken.body);
        this.#tellKept(file, line, { taken, dialect, parsed });
        return this.#remembered(file, json, { taken, dialect, parsed });
      }
      this.#skip(file, text, line);
    } catch (error) {
      this.#context.loss.skipped(file, 'a broken call');
      const found = located(text, inputError(text, error));
      this.#context.report(problemOf(found, file, line));
    }
    return undefined;
  }

  /** The call is read as it was logged, which is not all that the model read. */
  #tellKept(file: string, line: number | undefined, { dialect, parsed }: Call): void {
    const history = dialect === 'openai-responses' ? historyKept(parsed.envelope) : undefined;
    if (history === undefined) return;
    this.#context.report({
      code: 'input.schema',
      message: `the request goes on with ${history}, which the provider keeps: what stands before its list is not in the log and not counted; log with the whole input`,
      at: { file, ...(line === undefined ? {} : { line }) },
      severity: 'notice',
    });
  }

  #skip(file: string, text: string, line: number | undefined): void {
    this.#context.loss.skipped(file, 'no request body');
    this.#context.report({
      code: 'input.schema',
      message: `skipped: expected a request body or a capture with one, found ${text.slice(0, 60)}`,
      at: { file, ...(line === undefined ? {} : { line }) },
      severity: 'notice',
    });
  }

  /** A line that repeats an earlier one; undefined where it has to be read as a whole, broken ones too. */
  #readRepeated(repeated: RepeatedLine, decided: DialectName | undefined): Call | undefined {
    const { facts } = repeated.earlier;
    if ((decided ?? this.#dialects.get(facts.kind)) !== facts.dialect) return undefined;
    try {
      return this.#readSameBody(repeated) ?? this.#readShortened(repeated);
    } catch {
      return undefined;
    }
  }

  #readSameBody(repeated: RepeatedLine): Call | undefined {
    const same = sameBody(repeated);
    const { facts, parsed } = repeated.earlier;
    const taken = same === undefined ? undefined : takeAround(same, repeated.place.holder, facts);
    if (same === undefined || taken === undefined) return undefined;
    const added = dialectOf(facts.dialect).parseList(same.list, this.#table);
    const messages = joined(repeated, added);
    // A list of one has no separator to tell.
    const isLone = messages?.length === 1 && parsed.envelope.separator !== ',';
    if (messages === undefined || isLone) return undefined;
    return { taken, dialect: facts.dialect, parsed: { ...parsed, messages } };
  }

  #readShortened(repeated: RepeatedLine): Call | undefined {
    const { facts, parsed: before } = repeated.earlier;
    const taken = takeApart(captureText(shortened(repeated)));
    if (taken?.kind !== facts.kind) return undefined;
    const rest = dialectOf(facts.dialect).parse(taken.body, this.#table);
    const messages = joined(repeated, rest.messages);
    const { envelope } = rest;
    if (messages === undefined || envelope.gaps !== undefined) return undefined;
    if (!beginsAs(repeated, envelope.head)) return undefined;
    const { separator } = repeated.count < 2 ? envelope : before.envelope;
    if (rest.messages.length > 1 && envelope.separator !== separator) return undefined;
    const whole = this.#reader(facts.dialect).share({ ...envelope, separator });
    return { taken, dialect: facts.dialect, parsed: { ...rest, messages, envelope: whole } };
  }

  #remembered(
    file: string,
    json: string | Buffer,
    call: Call,
    after?: RepeatedLine,
  ): CapturedRequest {
    const { taken, dialect, parsed } = call;
    if (typeof json !== 'string' && this.#dialects.get(taken.kind) === dialect) {
      const { capture, kind, metadata } = taken;
      const facts = { dialect, provider: capture.provider ?? undefined, kind, metadata };
      this.#earlier.remember(json, parsed, facts, after);
    }
    return this.#toRequest(file, call);
  }

  #toRequest(file: string, { taken, dialect: name, parsed }: Call): CapturedRequest {
    const { capture } = taken;
    const { messages, envelope, model: asked } = parsed;
    const raw = taken.response;
    const response = raw === undefined ? undefined : responseMessage(raw, name, this.#table);
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
      session: explicitSession(capture, taken.metadata ?? loggedMetadata(capture)),
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
    const reader = new BodyReader(dialectOf(name), this.#table);
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
    metadata: metadataIn(part(body, top, 'metadata')),
    kind: [capture.provider, model, ...top.keys()].join(' '),
  };
}

/**
 * What stands around a body that is an earlier one's but for its list; undefined where that may be no capture of
 * the same kind.
 */
function takeAround(
  { before, behind }: SameBody,
  holder: string,
  { provider, kind, metadata }: LineFacts,
): Around | undefined {
  if (holder === '') {
    const isAlone = before.trim() === '' && behind.trim() === '';
    return isAlone ? { capture: {}, response: undefined, metadata, kind } : undefined;
  }
  const text = `${before}null${behind}`;
  const top = new Map(members(text, rootSpan(text)).map((entry) => [entry.key, entry.value]));
  if (HOLDING_KEYS.some((key) => key !== holder && top.has(key))) return undefined;
  if (top.get(holder)?.start !== before.length) return undefined;
  const parsed = captureSchema.safeParse(JSON.parse(text));
  if (!parsed.success || (parsed.data.provider ?? undefined) !== provider) return undefined;
  return { capture: parsed.data, response: part(text, top, 'response'), metadata, kind };
}

/** Where a capture or an exchange may have its body. */
const HOLDING_KEYS = ['body', 'request', 'request_body', ...LIST_KEYS];

/** The messages of a line: those that it shares with the earlier one, and what follows them. */
function joined(
  { earlier, count }: RepeatedLine,
  rest: readonly Message[],
): readonly Message[] | undefined {
  const { messages } = earlier.parsed;
  if (rest[0] !== messages[count - 1]) return undefined;
  if (rest.length === 1 && count === messages.length) return messages;
  return [...messages.slice(0, count - 1), ...rest];
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
