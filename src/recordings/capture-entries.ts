import { isObject, type JsonObject } from '../wire/json-object.ts';
import { elements, members, path, rootSpan, type Span, slice } from '../wire/json-spans.ts';
import { isContentsList, isInput, isMessageList } from './dialects.ts';
import { type Document, isBlank } from './document.ts';
import { captureOfExchange, isExchange } from './http-exchange.ts';
import { LineCounter } from './line-counter.ts';

/** One logged call in the text of a file: a capture around a body, or a body alone. */
export interface CaptureEntry {
  /** Exact JSON text of the entry; of a JSONL file its bytes, good until the next entry is asked for. */
  readonly json: string | Buffer;
  /** Offset of the bytes in their file. */
  readonly start?: number;
  /** Line that the entry starts at; undefined when it is the whole file. */
  readonly line: number | undefined;
}

/** Keys that hold the list of messages, on one wire or the other. */
export const LIST_KEYS = ['messages', 'contents', 'input'] as const;

/** True for a request body with a list of messages. */
function isBody(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  if (Array.isArray(value.messages)) return isMessageList(value.messages);
  return isContentsList(value.contents) || isInput(value.input);
}

/** What says that an object with `input`, a word that anything may use, is a request. */
const RESPONSES_KEYS = ['instructions', 'max_output_tokens', 'previous_response_id', 'tool_choice'];

/** True for a body that stands by itself. */
function isLoneBody(value: JsonObject): boolean {
  if (!isBody(value)) return false;
  if ('messages' in value) return !isOtherRecording(value) && !isConversation(value);
  if ('contents' in value) return true;
  if ('events' in value || 'target' in value) return false;
  return (
    RESPONSES_KEYS.some((key) => key in value) ||
    (typeof value.model === 'string' &&
      ('kwargs' in value || 'tools' in value || 'stream' in value)) ||
    (typeof value.model === 'string' && Object.keys(value).length <= 3)
  );
}

/** The text of an exchange as that of a capture; any other text as it is. */
export function captureText(text: string): string {
  return captureOfExchange(text, isBody) ?? text;
}

/** True for a body, or for an object around one that says more about the call. */
export function isCapture(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    isBody(value.body) || isBody(value.request) || isLoneBody(value) || isExchange(value, isBody)
  );
}

/** Exchanges that a browser saved: `{log: {entries}}`. */
export function savedExchanges(value: unknown): readonly unknown[] | undefined {
  const log = isObject(value) ? value.log : undefined;
  const entries = isObject(log) ? log.entries : undefined;
  const isSaved = Array.isArray(entries) && entries.some((entry) => isExchange(entry, isBody));
  return isSaved ? entries : undefined;
}

/** True for a list of captures; of exchanges, others than calls of a model may stand between. */
export function isCaptureList(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every(isCapture) || value.some((entry) => isExchange(entry, isBody));
}

/** True for `{messages}` with nothing of a request, that ends with an answer: what was said, not what was sent. */
export function isConversation(value: unknown): value is JsonObject {
  if (!isObject(value) || !isMessageList(value.messages)) return false;
  const { messages } = value;
  if (messages.length < 2 || messages.at(-1)?.role !== 'assistant') return false;
  return !NOT_SAID.some((key) => key in value) && !isOtherRecording(value);
}

const REQUEST_KEYS = ['model', 'tools', 'system', 'max_tokens', 'kwargs', 'response'];
/** What a list is sent with; conversations of data sets have their tools too. */
const NOT_SAID = ['model', 'system', 'max_tokens', 'kwargs', 'response', 'stream'];
const AGENT_KEYS = [
  'info',
  'trajectory',
  'trajectory_format',
  'simulations',
  'history',
  'sessionId',
  'epoch',
];

/** Agents' own files that also hold `messages`, and nothing of a request. */
function isOtherRecording(value: JsonObject): boolean {
  return !REQUEST_KEYS.some((key) => key in value) && AGENT_KEYS.some((key) => key in value);
}

/** True for an object of named captures. */
export function isNamedCaptures(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  const entries = Object.values(value);
  return entries.length > 0 && entries.every(isCapture);
}

/** The entries of a document in order; those of a JSONL file are lines, not yet known to be JSON. */
export function* captureEntries(document: Document): Generator<CaptureEntry> {
  if (document.kind === 'jsonl') {
    for (const { line, start, bytes } of document.content.pieces()) {
      if (!isBlank(bytes)) yield { json: bytes, start, line };
    }
    return;
  }
  const { text } = document;
  const [value] = document.sample;
  const root = rootSpan(text);
  if (isCapture(value)) {
    yield { json: slice(text, root), line: undefined };
    return;
  }
  const saved = savedExchanges(value) === undefined ? undefined : path(text, ['log', 'entries']);
  const list = saved ?? (Array.isArray(value) ? root : undefined);
  const spans: readonly Span[] = list
    ? elements(text, list)
    : members(text, root).map((entry) => entry.value);
  const lines = new LineCounter(text);
  for (const span of spans) yield { json: slice(text, span), line: lines.lineOf(span.start) };
}

/** The bodies that a document was recognized by, with their providers. */
export function sampleBodies(
  document: Document,
): readonly { readonly body: JsonObject; readonly provider: string | undefined }[] {
  const [value] = document.sample;
  const holders =
    document.kind === 'jsonl' || isCapture(value)
      ? document.sample
      : Object.values(isObject(value) ? value : { ...(Array.isArray(value) ? value : []) });
  return holders.filter(isObject).flatMap((holder) => {
    const body = [holder.body, holder.request, holder].find(isBody);
    const provider = typeof holder.provider === 'string' ? holder.provider : undefined;
    return body === undefined ? [] : [{ body, provider }];
  });
}
