import { fitted } from '../text/long-lists.ts';
import type { MessageReading } from '../transcript/intern.ts';
import type { Block, Media, Message, Role, ToolResult } from '../transcript/message.ts';
import { canonicalJson, sortedKeys } from './canonical.ts';
import { createDialect } from './create-dialect.ts';
import { writeContents } from './gemini-write.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { elements, member, path, type Span, slice } from './json-spans.ts';
import { mediaType, pixelSize } from './media.ts';
import { stringOf } from './parts.ts';

/**
 * Gemini generateContent. Source: the provider's API reference; its parser takes snake case too.
 *
 * Calls and responses mostly have no ids, and are paired by name and position. Such a block has the
 * name of its function as id: whoever pairs by id, in order, then pairs as the provider does.
 */
export const gemini = createDialect({
  name: 'gemini',
  listKey: 'contents',
  systemKey: ['systemInstruction', 'system_instruction'],
  read: readMessage,
  write: writeContents,
  replaceResult,
});

function readMessage(raw: string, items: readonly JsonObject[]): MessageReading {
  const value = items[0] ?? {};
  const parts: readonly unknown[] = Array.isArray(value.parts) ? value.parts : [];
  const spans = partSpans(raw);
  return {
    role: roleOf(value.role),
    blocks: parts.map((part, index) => readPart(raw, spans[index], part)),
    canonical: canonicalJson(raw, canonicalValue(value)),
  };
}

function roleOf(role: unknown): Role {
  if (role === 'model') return 'assistant';
  if (role === 'function') return 'tool';
  return role === 'system' ? 'system' : 'user';
}

function canonicalValue(value: JsonObject): JsonObject {
  if (!Array.isArray(value.parts)) return sortedKeys(value);
  const parts = value.parts.map((part: unknown) => (isObject(part) ? sortedKeys(part) : part));
  return sortedKeys({ ...value, parts });
}

function partSpans(raw: string): Span[] {
  const parts = path(raw, ['parts']);
  return parts === undefined ? [] : elements(raw, parts);
}

/** What a part may hold, in the order of precedence; camel case, and snake case beside it. */
const KINDS = [
  ...['functionCall', 'functionResponse', 'inlineData', 'fileData', 'executableCode'],
  ...['codeExecutionResult', 'toolCall', 'toolResponse', 'text'],
] as const;

const SNAKE: Readonly<Record<string, string>> = Object.fromEntries(
  [...KINDS, 'mimeType', 'fileUri', 'thoughtSignature'].map((key) => [key, snakeCase(key)]),
);

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The key under which the object has the field. */
function keyIn(value: JsonObject, field: string): string | undefined {
  if (value[field] !== undefined) return field;
  const snake = SNAKE[field];
  return snake !== undefined && value[snake] !== undefined ? snake : undefined;
}

function field(value: JsonObject, name: string): unknown {
  const key = keyIn(value, name);
  return key === undefined ? undefined : value[key];
}

function readPart(raw: string, span: Span | undefined, part: unknown): Block {
  const text = span === undefined ? '' : slice(raw, span);
  if (!isObject(part) || span === undefined) return { kind: 'other', type: typeof part, raw: text };
  const kind = KINDS.find((name) => keyIn(part, name) !== undefined);
  const key = kind === undefined ? undefined : keyIn(part, kind);
  const body = key === undefined ? undefined : part[key];
  const at = key === undefined ? undefined : member(raw, span, key);
  if (kind === undefined || at === undefined) {
    const signature = field(part, 'thoughtSignature');
    if (typeof signature === 'string') return { kind: 'thinking', text: '', signature, raw: text };
    return { kind: 'other', type: Object.keys(part)[0] ?? '', raw: text };
  }
  if (kind === 'text') {
    if (part.thought !== true) return { kind: 'text', text: stringOf(body) };
    const signature = field(part, 'thoughtSignature');
    return {
      kind: 'thinking',
      text: stringOf(body),
      ...(typeof signature === 'string' ? { signature } : {}),
      raw: text,
    };
  }
  if (!isObject(body)) return { kind: 'other', type: kind, raw: text };
  switch (kind) {
    case 'functionCall':
    case 'toolCall': {
      const args = member(raw, at, 'args');
      const name = stringOf(body.name ?? body.toolType ?? body.tool_type);
      return {
        kind: 'tool-call',
        id: typeof body.id === 'string' && body.id !== '' ? body.id : name,
        name,
        arguments: args === undefined ? '{}' : slice(raw, args),
        ...(kind === 'toolCall' ? { server: true } : {}),
      };
    }
    case 'functionResponse':
    case 'toolResponse':
      return readResponse(raw, at, body, kind === 'toolResponse');
    case 'executableCode':
      return {
        kind: 'tool-call',
        id: typeof body.id === 'string' ? body.id : CODE_EXECUTION,
        name: CODE_EXECUTION,
        arguments: slice(raw, at),
        server: true,
      };
    case 'codeExecutionResult':
      return {
        kind: 'tool-result',
        id: typeof body.id === 'string' ? body.id : CODE_EXECUTION,
        texts: [stringOf(body.output)],
        media: [],
        isError: body.outcome !== 'OUTCOME_OK',
        server: true,
      };
    case 'inlineData':
    case 'fileData':
      return readMedia(body, text);
  }
}

/** The name that the provider gives to the tool that runs `executableCode`. */
const CODE_EXECUTION = 'code_execution';

function readMedia(body: JsonObject, raw: string): Media {
  const mimeType = stringOf(field(body, 'mimeType'));
  const reference = field(body, 'fileUri');
  const data = body.data;
  const type = mediaType(mimeType);
  return {
    kind: 'media',
    type,
    ...(type === 'image' && typeof data === 'string' ? pixelSize(data) : {}),
    ...(mimeType === '' ? {} : { mimeType }),
    ...(typeof data === 'string' ? { data } : {}),
    ...(typeof reference === 'string' ? { reference } : {}),
    raw,
  };
}

/** Where hosts put the text of a result inside `response`, in the order of preference. */
const TEXT_KEYS = ['output', 'result', 'content', 'error'];

function textKey(response: unknown): string | undefined {
  if (!isObject(response)) return undefined;
  return TEXT_KEYS.find((key) => typeof response[key] === 'string');
}

/**
 * The text of a result is the string that its host put into `response`; the members beside it stay with
 * the message. A `response` without such a string is read as its JSON text.
 */
function readResponse(raw: string, at: Span, body: JsonObject, server: boolean): ToolResult {
  const { response } = body;
  const name = stringOf(body.name ?? body.toolType ?? body.tool_type);
  const span = member(raw, at, 'response');
  const key = textKey(response);
  const texts: string[] = [];
  if (typeof response === 'string') texts.push(response);
  else if (key !== undefined && isObject(response)) texts.push(stringOf(response[key]));
  else if (span !== undefined) texts.push(slice(raw, span));
  const list = member(raw, at, 'parts');
  const parts: readonly unknown[] = Array.isArray(body.parts) ? body.parts : [];
  const spans = list === undefined ? [] : elements(raw, list);
  const media = parts.flatMap((part, index) => {
    const block = readPart(raw, spans[index], part);
    return block.kind === 'media' ? [block] : [];
  });
  return {
    kind: 'tool-result',
    id: typeof body.id === 'string' && body.id !== '' ? body.id : name,
    texts: fitted(texts),
    media,
    isError: isObject(response) && 'error' in response && !('output' in response),
    ...(server ? { server: true } : {}),
  };
}

function replaceResult(message: Message, blockIndex: number, text: string): string {
  const { raw } = message;
  const part = partSpans(raw)[blockIndex];
  if (part === undefined) return raw;
  const body = member(raw, part, 'functionResponse') ?? member(raw, part, 'function_response');
  // The result of a server tool is the provider's own and stays as it is.
  if (body === undefined) return raw;
  const written = JSON.stringify(text);
  const response = member(raw, body, 'response');
  if (response === undefined) {
    const comma = raw.slice(body.start + 1, body.end - 1).trim() === '' ? '' : ',';
    return splice(raw, at(body.end - 1), `${comma}"response":{"output":${written}}`);
  }
  const value: unknown = JSON.parse(slice(raw, response));
  const key = textKey(value);
  const place = key === undefined ? undefined : member(raw, response, key);
  if (place !== undefined) return splice(raw, place, written);
  return splice(raw, response, typeof value === 'string' ? written : `{"output":${written}}`);
}

function at(offset: number): Span {
  return { start: offset, end: offset };
}

function splice(raw: string, span: Span, text: string): string {
  return `${raw.slice(0, span.start)}${text}${raw.slice(span.end)}`;
}
