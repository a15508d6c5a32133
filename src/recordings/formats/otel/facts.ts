import type { DialectName } from '../../../transcript/message.ts';
import type { Usage } from '../../../transcript/transcript.ts';
import { isObject } from '../../../wire/json-object.ts';
import { looseJsonAt } from './messages.ts';
import type { Attributes, SpanRecord } from './spans.ts';

/** What a span says of its call beside the messages, under the keys of each convention. */
export function modelOf(attributes: Attributes): string | undefined {
  return textAt(attributes, MODEL_KEYS);
}

/** USD. */
export function costOf(attributes: Attributes): number | undefined {
  return countAt(attributes, ['gen_ai.usage.cost', 'llm.cost.total', 'llm.usage.cost']);
}

const MODEL_KEYS = [
  ...['gen_ai.request.model', 'llm.model_name', 'ai.model.id', 'gen_ai.response.model'],
  ...['llm.request.model', 'langfuse.observation.model.name'],
];
const PROVIDER_KEYS = [
  ...['ai.model.provider', 'gen_ai.provider.name', 'gen_ai.system', 'llm.provider', 'llm.system'],
];

/** The wire that the provider's name stands for; chat for a provider of its own. */
export function dialectOf(attributes: Attributes): DialectName {
  const provider = (textAt(attributes, PROVIDER_KEYS) ?? '').toLowerCase();
  if (provider.includes('responses')) return 'openai-responses';
  if (/anthropic|claude/.test(provider)) return 'anthropic';
  if (provider.includes('bedrock')) return 'bedrock';
  return /google|gemini|vertex|^gcp\b/.test(provider) ? 'gemini' : 'openai-chat';
}

export function usageOf(attributes: Attributes): Usage | undefined {
  const input = countAt(attributes, [
    ...['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.token_count.prompt'],
    ...['llm.usage.prompt_tokens', 'ai.usage.inputTokens', 'ai.usage.promptTokens'],
  ]);
  const output = countAt(attributes, [
    ...['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'],
    ...['llm.token_count.completion', 'llm.usage.completion_tokens'],
    ...['ai.usage.outputTokens', 'ai.usage.completionTokens'],
  ]);
  if (input === undefined || output === undefined) return undefined;
  const read = countAt(attributes, [
    ...['gen_ai.usage.cache_read_input_tokens', 'gen_ai.usage.cache_read.input_tokens'],
    ...['gen_ai.usage.input_tokens.cached', 'llm.token_count.prompt_details.cache_read'],
    ...['ai.usage.cachedInputTokens', 'gen_ai.usage.details.cache_read_tokens'],
  ]);
  const written = countAt(attributes, [
    ...['gen_ai.usage.cache_creation_input_tokens', 'gen_ai.usage.cache_creation.input_tokens'],
    ...['llm.token_count.prompt_details.cache_write', 'gen_ai.usage.details.cache_write_tokens'],
  ]);
  // The conventions count the cache as input; an instrumentation that does not counts less than it.
  const cached = (read ?? 0) + (written ?? 0);
  return {
    inputTokens: cached <= input ? input - cached : input,
    outputTokens: output,
    ...(read === undefined ? {} : { cacheReadTokens: read }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
  };
}

function textAt(attributes: Attributes, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = attributes.get(key);
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

function countAt(attributes: Attributes, keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const value = attributes.get(key);
    const number = typeof value === 'string' && value !== '' ? Number(value) : value;
    if (typeof number === 'number' && Number.isFinite(number) && number >= 0) return number;
  }
  return undefined;
}

const SESSION_KEYS = [
  ...['gen_ai.conversation.id', 'session.id', 'gen_ai.session.id', 'gcp.vertex.agent.session_id'],
  ...['langfuse.session.id', 'ai.telemetry.metadata.sessionId', 'ai.telemetry.metadata.threadId'],
  'traceloop.association.properties.session_id',
  'traceloop.association.properties.thread_id',
  'traceloop.association.properties.conversation_id',
];

/** The explicit id of the conversation that a span belongs to. */
export function sessionOf({ attributes }: SpanRecord): string | undefined {
  const own = textAt(attributes, SESSION_KEYS);
  if (own !== undefined) return own;
  const metadata = looseJsonAt(attributes, 'metadata');
  if (!isObject(metadata)) return undefined;
  const id = metadata.thread_id ?? metadata.session_id ?? metadata.sessionId;
  return typeof id === 'string' ? id : undefined;
}

/** The agent's name, else its service's. */
export function agentOf({ attributes, service }: SpanRecord): string | undefined {
  return textAt(attributes, ['gen_ai.agent.name', 'agent.name']) ?? service;
}
