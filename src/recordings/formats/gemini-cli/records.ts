import { z } from 'zod';
import { isObject, type JsonObject } from '../../../wire/json-object.ts';
import { elements, member, path, rootSpan, type Span, slice } from '../../../wire/json-spans.ts';
import { stringOf } from '../../../wire/parts.ts';
import { type Document, documentLines } from '../../document.ts';
import { problemOf } from '../../problem.ts';
import { readTime } from '../../responses.ts';
import { inputError, placeOf, schemaError } from '../../schema.ts';
import { type Fates, merged, READ, SAID, skipped } from '../fates.ts';
import type { ReadContext } from '../format.ts';

const tokensSchema = z
  .looseObject({
    input: z.number().nullish(),
    output: z.number().nullish(),
    cached: z.number().nullish(),
    thoughts: z.number().nullish(),
    tool: z.number().nullish(),
    total: z.number().nullish(),
  })
  .nullish();

const callSchema = z.looseObject({
  id: z.string().nullish(),
  name: z.string(),
  status: z.string().nullish(),
});

const messageSchema = z.looseObject({
  id: z.string().nullish(),
  type: z.string(),
  timestamp: z.union([z.string(), z.number()]).nullish(),
  content: z.unknown().optional(),
  model: z.string().nullish(),
  tokens: tokensSchema,
  toolCalls: z.array(callSchema).nullish(),
});

/** One tool call: its parts as they go over the wire. */
export interface ChatCall {
  /** The `functionCall` part. */
  readonly call: string;
  /** The parts that answer it. */
  readonly results: readonly string[];
  readonly time: number | undefined;
}

/** What one message of a chat says. */
export interface ChatMessage {
  readonly id: string | undefined;
  readonly type: string;
  readonly time: number | undefined;
  readonly model: string | undefined;
  readonly tokens: z.infer<typeof tokensSchema>;
  /** Content as parts of the wire. */
  readonly parts: readonly string[];
  readonly calls: readonly ChatCall[];
  /** Its place in the fates of its file. */
  readonly position: number;
}

/** A chat's own file: what it says of the session, and its messages. */
export interface Chat {
  readonly facts: JsonObject;
  readonly messages: readonly ChatMessage[];
}

const ABOUT = 'a message {id, type: user | gemini | info, content, toolCalls}';

/**
 * Reads a chat: one object with all messages, or, in later versions, a line for the session and one for
 * each message. A line with the id of an earlier message takes its place; `$rewindTo` takes messages back.
 */
export function readChat(document: Document, context: ReadContext, fates: Fates): Chat {
  const { path: file } = document.file;
  const [value] = document.sample;
  if (document.kind === 'json' && isObject(value) && Array.isArray(value.messages)) {
    const { text } = document;
    const list = path(text, ['messages']);
    const spans = list === undefined ? [] : elements(text, list);
    context.loss.found(file, spans.length, 'messages');
    const messages = spans.flatMap((span) => {
      const position = fates.add(SAID);
      try {
        return [readMessage(slice(text, span), position)];
      } catch (error) {
        const known = inputError(slice(text, span), error);
        context.report({
          ...problemOf(known, file),
          at: { ...known.at, ...placeOf(text, span.start, file) },
        });
        fates.set(position, skipped('broken message'));
        return [];
      }
    });
    return { facts: value, messages: onePerId(messages, fates) };
  }
  return readLines(document, context, fates);
}

function readLines(document: Document, context: ReadContext, fates: Fates): Chat {
  const { path: file } = document.file;
  const chat: GrowingChat = { facts: {}, messages: [] };
  for (const { line, text } of documentLines(document)) {
    const position = fates.add(READ);
    try {
      takeLine(chat, text, position, fates);
    } catch (error) {
      context.report(problemOf(inputError(text, error), file, line));
      fates.set(position, skipped('broken line'));
    }
  }
  context.loss.found(file, fates.next, 'lines');
  return { ...chat, messages: onePerId(chat.messages, fates) };
}

/** A chat while its lines are read. */
interface GrowingChat {
  facts: JsonObject;
  readonly messages: ChatMessage[];
}

function takeLine(chat: GrowingChat, text: string, position: number, fates: Fates): void {
  const value: unknown = JSON.parse(text);
  const { messages } = chat;
  if (isObject(value)) {
    if (isObject(value.$set)) {
      chat.facts = { ...chat.facts, ...value.$set };
      return;
    }
    if (value.type === undefined && typeof value.sessionId === 'string') {
      chat.facts = { ...chat.facts, ...value };
      return;
    }
    if (typeof value.$rewindTo === 'string') {
      const at = messages.findIndex(({ id }) => id === value.$rewindTo);
      if (at < 0) return;
      for (const gone of messages.splice(at)) fates.set(gone.position, skipped('turn taken back'));
      return;
    }
  }
  messages.push(readMessage(text, position));
  fates.set(position, SAID);
}

/** A message that is recorded again, with what it had by then, stands where it stood first. */
function onePerId(messages: readonly ChatMessage[], fates: Fates): readonly ChatMessage[] {
  const latest = new Map<string, ChatMessage>();
  const kept: (ChatMessage | string)[] = [];
  for (const message of messages) {
    const { id } = message;
    if (id === undefined) kept.push(message);
    else {
      const earlier = latest.get(id);
      if (earlier === undefined) kept.push(id);
      else fates.set(earlier.position, merged('earlier state of a message'));
      latest.set(id, message);
    }
  }
  return kept.flatMap((entry) => (typeof entry === 'string' ? (latest.get(entry) ?? []) : [entry]));
}

function readMessage(raw: string, position: number): ChatMessage {
  const value: unknown = JSON.parse(raw);
  const parsed = messageSchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, ABOUT, value);
  const message = parsed.data;
  const root = rootSpan(raw);
  const content = member(raw, root, 'content');
  const list = member(raw, root, 'toolCalls');
  const spans = list === undefined ? [] : elements(raw, list);
  return {
    id: message.id ?? undefined,
    type: message.type,
    time: readTime(message.timestamp),
    model: message.model ?? undefined,
    tokens: message.tokens,
    parts: content === undefined ? [] : partsAt(raw, content),
    calls: (message.toolCalls ?? []).flatMap((call, index) => {
      const span = spans[index];
      return span === undefined ? [] : [readCall(raw, span, call)];
    }),
    position,
  };
}

/** Content of any spelling (a text, a part, parts) as parts; an empty text is none. */
function partsAt(raw: string, content: Span): readonly string[] {
  const text = slice(raw, content);
  switch (raw[content.start]) {
    case '"':
      return text === '""' ? [] : [`{"text":${text}}`];
    case '{':
      return [text];
    case '[':
      return elements(raw, content).flatMap((span) => partsAt(raw, span));
    default:
      return [];
  }
}

function readCall(raw: string, span: Span, call: z.infer<typeof callSchema>): ChatCall {
  const args = member(raw, span, 'args');
  const id = call.id ?? undefined;
  const idText = id === undefined ? '' : `"id":${JSON.stringify(id)},`;
  const name = JSON.stringify(call.name);
  const result = member(raw, span, 'result');
  const recorded = result === undefined ? [] : partsAt(raw, result);
  const isAnswered = recorded.some((part) => /"function_?[rR]esponse"/.test(part));
  const shown = stringOf(call.resultDisplay);
  const said = recorded.length > 0 ? recorded.map(textOf).join('\n') : shown;
  const response = call.status === 'error' ? { error: said } : { output: said };
  return {
    call: `{"functionCall":{${idText}"name":${name},"args":${args === undefined ? '{}' : slice(raw, args)}}}`,
    results: isAnswered
      ? recorded
      : [`{"functionResponse":{${idText}"name":${name},"response":${JSON.stringify(response)}}}`],
    time: readTime(call.timestamp),
  };
}

function textOf(part: string): string {
  const value: unknown = JSON.parse(part);
  return isObject(value) && typeof value.text === 'string' ? value.text : part;
}
