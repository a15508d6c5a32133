import { isObject, type JsonObject } from '../wire/json-object.ts';
import { elements, members, rootSpan, type Span, slice } from '../wire/json-spans.ts';
import { isContentsList, isInput, isMessageList } from './dialects.ts';
import { type Document, linesOf } from './document.ts';

/** One logged call in the text of a file: a capture around a body, or a body alone. */
export interface CaptureEntry {
  /** Exact JSON text of the entry. */
  readonly text: string;
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
  if ('messages' in value) return !isOtherRecording(value);
  if ('contents' in value) return true;
  if ('events' in value || 'target' in value) return false;
  return (
    RESPONSES_KEYS.some((key) => key in value) ||
    (typeof value.model === 'string' &&
      ('kwargs' in value || 'tools' in value || 'stream' in value)) ||
    (typeof value.model === 'string' && Object.keys(value).length <= 3)
  );
}

/** True for a body, or for an object around one that says more about the call. */
export function isCapture(value: unknown): boolean {
  if (!isObject(value)) return false;
  return isBody(value.body) || isBody(value.request) || isLoneBody(value);
}

const REQUEST_KEYS = ['model', 'tools', 'system', 'max_tokens', 'kwargs', 'response'];
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
    for (const { line, text } of linesOf(document.bytes)) yield { text: text.trim(), line };
    return;
  }
  const { text } = document;
  const [value] = document.sample;
  const root = rootSpan(text);
  if (isCapture(value)) {
    yield { text: slice(text, root), line: undefined };
    return;
  }
  const spans: readonly Span[] = Array.isArray(value)
    ? elements(text, root)
    : members(text, root).map((entry) => entry.value);
  let line = 1;
  let at = 0;
  for (const span of spans) {
    line += text.slice(at, span.start).split('\n').length - 1;
    at = span.start;
    yield { text: slice(text, span), line };
  }
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
