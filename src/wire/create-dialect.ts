import { HarnessError } from '../errors.ts';
import type { MessageReading, MessageTable } from '../transcript/intern.ts';
import type { Block, DialectName, Message, Role } from '../transcript/message.ts';
import type { Envelope } from '../transcript/transcript.ts';
import type { Dialect, ParsedRequest } from './dialect.ts';
import { syntaxError } from './json-error.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { elements, members, rootSpan, type Span, slice, valueEnd } from './json-spans.ts';

/** What differs from wire to wire; `createDialect` adds what is the same. */
export interface DialectSpec {
  readonly name: DialectName;
  readonly listKey: string;
  /** Key of the top-level system prompt, or its spellings. */
  readonly systemKey?: string | readonly string[];
  /** Reads one message; `raw` is its exact text and `items` its parsed value, or values on Responses. */
  read(raw: string, items: readonly JsonObject[]): MessageReading;
  /** How many entries of the list, at `spans` of `text`, form each message. Default: one each. */
  group?(text: string, spans: readonly Span[]): readonly number[];
  /** What stands around a string that takes the place of the list, to make it a user message. */
  readonly stringList?: { readonly before: string; readonly after: string };
  write(
    role: Role,
    blocks: readonly Block[],
    toolNames: ReadonlyMap<string, string>,
  ): readonly string[];
  /** Raw text of the message with the text of one tool result replaced. */
  replaceResult(message: Message, blockIndex: number, text: string): string;
  insertUserText?: Dialect['insertUserText'];
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

export function createDialect(spec: DialectSpec): Dialect {
  const parseItems = (raw: string): JsonObject[] => {
    const items = parseJson(`[${raw}]`);
    if (!Array.isArray(items) || !items.every(isObject)) throw notAMessage(spec.name, raw);
    // On one wire alone, a message is several entries of the list.
    const isOne = items.length === 1 || (items.length > 1 && spec.group !== undefined);
    if (!isOne) throw notAMessage(spec.name, raw);
    return items;
  };

  const intern = (table: MessageTable, raw: string, isOwn = false): Message =>
    table.intern(spec.name, raw, (own) => spec.read(own, parseItems(own)), isOwn);

  const readList = (text: string, list: Span, table: MessageTable) => {
    const spans = elements(text, list);
    const messages: Message[] = [];
    const gaps: string[] = [];
    let last: Span | undefined;
    const sizes = spec.group?.(text, spans);
    for (let index = 0; index < spans.length; ) {
      const count = sizes?.[messages.length] ?? 1;
      const first = spans[index];
      const final = spans[index + count - 1];
      if (first === undefined || final === undefined) break;
      if (last !== undefined) gaps.push(text.slice(last.end, first.start));
      messages.push(intern(table, text.slice(first.start, final.end)));
      last = final;
      index += count;
    }
    return { messages, gaps, spans };
  };

  const dialect: Dialect = {
    name: spec.name,
    listKey: spec.listKey,

    parse(body, table) {
      parseJson(body);
      const root = rootSpan(body);
      const top = new Map(members(body, root).map((entry) => [entry.key, entry.value]));
      const list = top.get(spec.listKey);
      const model = stringAt(body, top.get('model') ?? top.get('modelId'));
      const systemKey = [spec.systemKey ?? []].flat().find((key) => top.has(key));
      const parts = {
        system: systemKey === undefined ? undefined : top.get(systemKey),
        tools: top.get('tools') ?? top.get('toolConfig'),
      };
      if (spec.stringList !== undefined && list !== undefined && body[list.start] === '"') {
        const { before, after } = spec.stringList;
        return {
          dialect: spec.name,
          messages: [intern(table, `${before}${slice(body, list)}${after}`)],
          envelope: stringEnvelope(body, list, parts),
          ...(model === undefined ? {} : { model }),
        };
      }
      if (list === undefined || body[list.start] !== '[') {
        throw new HarnessError(
          'input.schema',
          `expected a request body with a "${spec.listKey}" array (${spec.name}), found ${
            top.size === 0 ? 'no object' : `keys ${[...top.keys()].slice(0, 8).join(', ')}`
          }`,
        );
      }
      const { messages, gaps, spans } = readList(body, list, table);
      return {
        dialect: spec.name,
        messages,
        envelope: envelopeOf(body, list, spans, gaps, parts),
        ...(model === undefined ? {} : { model }),
      } satisfies ParsedRequest;
    },

    parseList(list, table) {
      return readList(list, rootSpan(list), table).messages;
    },

    parseMessage(raw, table) {
      return intern(table, raw);
    },

    parsedMessage(raw, value, table) {
      return table.intern(spec.name, raw, (own) => spec.read(own, [value]), true);
    },

    encode(messages, envelope) {
      if (envelope === undefined) {
        return `{${JSON.stringify(spec.listKey)}:[${joinRaw(messages, undefined)}]}`;
      }
      if (spec.stringList !== undefined && isStringEnvelope(envelope)) {
        const [message] = messages;
        const text = messages.length === 1 ? listString(message, spec.stringList) : undefined;
        const list = text ?? `[${joinRaw(messages, envelope)}]`;
        return `${envelope.head}${list}${envelope.tail}`;
      }
      return `${envelope.head}${joinRaw(messages, envelope)}${envelope.tail}`;
    },

    userText(text, table) {
      const [raw] = spec.write('user', [{ kind: 'text', text }], NO_NAMES);
      return intern(table, raw ?? '');
    },

    insertUserText(before, text, after, table) {
      if (spec.insertUserText !== undefined) return spec.insertUserText(before, text, after, table);
      return [...before, dialect.userText(text, table), ...after];
    },

    replaceResult(message, blockIndex, text, table) {
      return intern(table, spec.replaceResult(message, blockIndex, text), true);
    },

    write(role, blocks, table, toolNames = NO_NAMES) {
      return spec.write(role, blocks, toolNames).map((raw) => intern(table, raw));
    },
  };
  return dialect;
}

function joinRaw(messages: readonly Message[], envelope: Envelope | undefined): string {
  const gaps = envelope?.gaps;
  if (gaps !== undefined && gaps.length === messages.length - 1) {
    return messages.map((message, index) => `${gaps[index - 1] ?? ''}${message.raw}`).join('');
  }
  return messages.map((message) => message.raw).join(envelope?.separator ?? ',');
}

/** The parts of a body that its envelope names. */
interface EnvelopeParts {
  readonly system: Span | undefined;
  readonly tools: Span | undefined;
}

function envelopeOf(
  body: string,
  list: Span,
  spans: readonly Span[],
  gaps: readonly string[],
  parts: EnvelopeParts,
): Envelope {
  const separator = gaps[0] ?? ',';
  return {
    head: body.slice(0, spans[0]?.start ?? list.start + 1),
    separator,
    tail: body.slice(spans.at(-1)?.end ?? list.start + 1),
    ...(gaps.some((gap) => gap !== separator) ? { gaps } : {}),
    ...partTexts(body, parts),
  };
}

function partTexts(body: string, parts: EnvelopeParts): Pick<Envelope, 'system' | 'tools'> {
  return {
    ...(parts.system === undefined ? {} : { system: slice(body, parts.system) }),
    ...(parts.tools === undefined ? {} : { tools: slice(body, parts.tools) }),
  };
}

/**
 * The envelope of a body whose list is one string. It has no brackets, which its empty `gaps` say: a
 * list gets some only where it has two messages.
 */
function stringEnvelope(body: string, list: Span, parts: EnvelopeParts): Envelope {
  return {
    head: body.slice(0, list.start),
    separator: ',',
    gaps: [],
    tail: body.slice(list.end),
    ...partTexts(body, parts),
  };
}

function isStringEnvelope(envelope: Envelope): boolean {
  return envelope.gaps?.length === 0;
}

/** The string that the message was read from, or would be, when nothing but a string is in it. */
function listString(
  message: Message | undefined,
  { before, after }: { readonly before: string; readonly after: string },
): string | undefined {
  if (message === undefined) return undefined;
  const { raw } = message;
  if (!raw.startsWith(`${before}"`) || !raw.endsWith(`"${after}`)) return undefined;
  const text = raw.slice(before.length, raw.length - after.length);
  return valueEnd(text, 0) === text.length ? text : undefined;
}

function stringAt(text: string, span: Span | undefined): string | undefined {
  const value: unknown = span === undefined ? undefined : JSON.parse(slice(text, span));
  return typeof value === 'string' ? value : undefined;
}

function notAMessage(dialect: DialectName, raw: string): HarnessError {
  return new HarnessError(
    'input.schema',
    `expected a message object (${dialect}), found ${raw.slice(0, 40)}`,
  );
}

/** `JSON.parse` whose error has line and column. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw syntaxError(text, error);
  }
}
