import { HarnessError } from '../errors.ts';
import type { MessageReading, MessageTable } from '../transcript/intern.ts';
import type { Block, DialectName, Message, Role } from '../transcript/message.ts';
import type { Envelope } from '../transcript/transcript.ts';
import type { Dialect, ParsedRequest } from './dialect.ts';
import { syntaxError } from './json-error.ts';
import { elements, members, rootSpan, type Span, slice } from './json-spans.ts';

/** A parsed JSON object whose members are still to be checked. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What differs from wire to wire; `createDialect` adds what is the same. */
export interface DialectSpec {
  readonly name: DialectName;
  readonly listKey: string;
  readonly systemKey?: string;
  /** Reads one message; `raw` is its exact text and `items` its parsed value, or values on Responses. */
  read(raw: string, items: readonly JsonObject[]): MessageReading;
  /** How many list entries, from `index`, form the next message. Default: one each. */
  group?(items: readonly JsonObject[], index: number): number;
  write(role: Role, blocks: readonly Block[]): readonly string[];
  /** Raw text of the message with the text of one tool result replaced. */
  replaceResult(message: Message, blockIndex: number, text: string): string;
  insertUserText?: Dialect['insertUserText'];
}

export function createDialect(spec: DialectSpec): Dialect {
  const parseItems = (raw: string): JsonObject[] => {
    const items = parseJson(`[${raw}]`);
    if (!Array.isArray(items) || !items.every(isObject)) throw notAMessage(spec.name, raw);
    return items;
  };

  const intern = (table: MessageTable, raw: string, items?: readonly JsonObject[]): Message =>
    table.intern(spec.name, raw, () => spec.read(raw, items ?? parseItems(raw)));

  const readList = (text: string, list: Span, table: MessageTable) => {
    const spans = elements(text, list);
    const messages: Message[] = [];
    const gaps: string[] = [];
    let last: Span | undefined;
    const grouped =
      spec.group === undefined
        ? undefined
        : spans.map((span) => only(parseItems(slice(text, span))));
    for (let index = 0; index < spans.length; ) {
      const count = grouped === undefined ? 1 : (spec.group?.(grouped, index) ?? 1);
      const first = spans[index];
      const final = spans[index + count - 1];
      if (first === undefined || final === undefined) break;
      if (last !== undefined) gaps.push(text.slice(last.end, first.start));
      messages.push(
        intern(table, text.slice(first.start, final.end), grouped?.slice(index, index + count)),
      );
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
      if (list === undefined || body[list.start] !== '[') {
        throw new HarnessError(
          'input.schema',
          `expected a request body with a "${spec.listKey}" array (${spec.name}), found ${
            top.size === 0 ? 'no object' : `keys ${[...top.keys()].slice(0, 8).join(', ')}`
          }`,
        );
      }
      const { messages, gaps, spans } = readList(body, list, table);
      const model = stringAt(body, top.get('model'));
      return {
        dialect: spec.name,
        messages,
        envelope: envelopeOf(body, list, spans, gaps, {
          system: spec.systemKey === undefined ? undefined : top.get(spec.systemKey),
          tools: top.get('tools') ?? top.get('toolConfig'),
        }),
        ...(model === undefined ? {} : { model }),
      } satisfies ParsedRequest;
    },

    parseList(list, table) {
      return readList(list, rootSpan(list), table).messages;
    },

    parseMessage(raw, table) {
      return intern(table, raw);
    },

    encode(messages, envelope) {
      if (envelope === undefined) {
        return `{${JSON.stringify(spec.listKey)}:[${joinRaw(messages, undefined)}]}`;
      }
      return `${envelope.head}${joinRaw(messages, envelope)}${envelope.tail}`;
    },

    userText(text, table) {
      const [raw] = spec.write('user', [{ kind: 'text', text }]);
      return intern(table, raw ?? '');
    },

    insertUserText(before, text, after, table) {
      if (spec.insertUserText !== undefined) return spec.insertUserText(before, text, after, table);
      return [...before, dialect.userText(text, table), ...after];
    },

    replaceResult(message, blockIndex, text, table) {
      return intern(table, spec.replaceResult(message, blockIndex, text));
    },

    write(role, blocks, table) {
      return spec.write(role, blocks).map((raw) => intern(table, raw));
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

function envelopeOf(
  body: string,
  list: Span,
  spans: readonly Span[],
  gaps: readonly string[],
  parts: { readonly system: Span | undefined; readonly tools: Span | undefined },
): Envelope {
  const separator = gaps[0] ?? ',';
  return {
    head: body.slice(0, spans[0]?.start ?? list.start + 1),
    separator,
    tail: body.slice(spans.at(-1)?.end ?? list.start + 1),
    ...(gaps.some((gap) => gap !== separator) ? { gaps } : {}),
    ...(parts.system === undefined ? {} : { system: slice(body, parts.system) }),
    ...(parts.tools === undefined ? {} : { tools: slice(body, parts.tools) }),
  };
}

function stringAt(text: string, span: Span | undefined): string | undefined {
  const value: unknown = span === undefined ? undefined : JSON.parse(slice(text, span));
  return typeof value === 'string' ? value : undefined;
}

function only(items: readonly JsonObject[]): JsonObject {
  return items[0] ?? {};
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
