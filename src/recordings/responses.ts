import type { MessageTable } from '../transcript/intern.ts';
import type { DialectName, Message } from '../transcript/message.ts';
import type { Usage } from '../transcript/transcript.ts';
import { dialectOf } from '../wire/catalog.ts';
import { isObject, type JsonObject } from '../wire/json-object.ts';
import { elements, member, path, rootSpan, type Span, slice } from '../wire/json-spans.ts';

/** Where a wire's response holds its message, and the role that it says there. */
const MESSAGE_PATHS: Readonly<Partial<Record<DialectName, readonly (string | number)[]>>> = {
  gemini: ['candidates', 0, 'content'],
  bedrock: ['output', 'message'],
};

/**
 * The assistant message in the raw JSON of a logged response: an Anthropic message, an OpenAI chat
 * completion, the output items of Responses, Gemini's first candidate, Bedrock's message, or a bare
 * assistant message.
 * @returns undefined when there is none, as in an error.
 */
export function responseMessage(
  raw: string,
  dialect: DialectName,
  table: MessageTable,
): Message | undefined {
  const root = rootSpan(raw);
  if (dialect === 'openai-responses') {
    const output = path(raw, ['output']);
    const items = elements(raw, output ?? root).map((item) => slice(raw, item));
    return items.length === 0 ? undefined : oneMessage(items.join(','), table);
  }
  const steps = MESSAGE_PATHS[dialect];
  if (steps !== undefined) {
    const found = path(raw, steps);
    return found === undefined
      ? undefined
      : dialectOf(dialect).parseMessage(slice(raw, found), table);
  }
  const inChoice = path(raw, ['choices', 0, 'message']);
  const span = inChoice ?? root;
  if (span === undefined || stringAt(raw, span, 'role') !== 'assistant') return undefined;
  if (inChoice !== undefined || dialect !== 'anthropic') {
    return dialectOf(dialect).parseMessage(slice(raw, span), table);
  }
  const content = member(raw, span, 'content');
  if (content === undefined) return undefined;
  // Of a response, the next request repeats role and content; id, usage and stop reason go.
  const message = `{"role":"assistant","content":${slice(raw, content)}}`;
  return dialectOf(dialect).parseMessage(message, table);
}

/** The answer of Responses, if the wire takes its items as one message. */
function oneMessage(items: string, table: MessageTable): Message | undefined {
  const [message, ...rest] = dialectOf('openai-responses').parseList(`[${items}]`, table);
  return rest.length === 0 ? message : undefined;
}

function stringAt(raw: string, span: Span, key: string): string | undefined {
  const value = member(raw, span, key);
  const parsed: unknown = value === undefined ? undefined : JSON.parse(slice(raw, value));
  return typeof parsed === 'string' ? parsed : undefined;
}

/**
 * Token counts of a provider's `usage` object (Gemini: `usageMetadata`). `inputTokens` are those that came neither from the
 * cache nor went to it: Anthropic says so itself; OpenAI's `cached_tokens` are taken off.
 */
export function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const cacheCreation = objectOf(value.cache_creation);
  const cached =
    objectOf(value.prompt_tokens_details).cached_tokens ??
    objectOf(value.input_tokens_details).cached_tokens ??
    value.cachedContentTokenCount;
  // Gemini counts what came from the cache as input, Bedrock does not.
  const input =
    value.prompt_tokens ?? value.input_tokens ?? value.promptTokenCount ?? value.inputTokens;
  const usage = {
    inputTokens: typeof input === 'number' && typeof cached === 'number' ? input - cached : input,
    outputTokens:
      value.completion_tokens ??
      value.output_tokens ??
      value.outputTokens ??
      sumOf(value.candidatesTokenCount, value.thoughtsTokenCount),
    cacheReadTokens: value.cache_read_input_tokens ?? value.cacheReadInputTokens ?? cached,
    cacheWriteTokens: value.cache_creation_input_tokens ?? value.cacheWriteInputTokens,
    cacheWrite1hTokens: cacheCreation.ephemeral_1h_input_tokens,
  };
  const known = Object.entries(usage).filter(([, tokens]) => isCount(tokens));
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function sumOf(a: unknown, b: unknown): number | undefined {
  if (!isCount(a)) return undefined;
  return isCount(b) ? a + b : a;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

const ZONELESS = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;

/** Milliseconds since the epoch from an ISO time, or from seconds or milliseconds. */
export function readTime(value: unknown): number | undefined {
  if (typeof value === 'string') {
    // Without a zone a time would be that of the machine it is read on.
    const time = Date.parse(ZONELESS.test(value) ? `${value}Z` : value);
    return Number.isNaN(time) ? undefined : time;
  }
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  // 1e11 seconds are in the year 5138, 1e11 milliseconds in 1973.
  return value < 1e11 ? Math.round(value * 1000) : value;
}
