import type { DialectName } from '../transcript/message.ts';
import { asString, isObject } from './json-values.ts';

/**
 * Fields of the request around its list that some rules need, under the wire's names. A rule whose field is
 * absent is not applied.
 */
export interface ShapeContext {
  readonly model?: string;
  /** Anthropic: a system message at index 0 stands for the top-level prompt. */
  readonly system_hoisted?: boolean;
  /** Width and height in pixels of the images of the list, in order. */
  readonly image_dims?: readonly (readonly number[])[];
  /** Bedrock: `null` says that the request has none, absence that its fields are not known. */
  readonly toolConfig?: unknown;
  /** Anthropic: the request's `thinking` setting. */
  readonly thinking?: unknown;
  /** Anthropic: top-level prompt and tools, for their cache marks. */
  readonly system?: unknown;
  readonly tools?: unknown;
  /** Anthropic: the request's own `cache_control`, which takes one of the four marks. */
  readonly cache_control?: unknown;
  /** OpenAI Responses: what the provider keeps of earlier requests, and goes before the list. */
  readonly previous_response_id?: unknown;
  readonly conversation?: unknown;
  /** Cache marks outside the list, where only their number is known. */
  readonly cache_marks?: number;
}

const FIELDS = {
  anthropic: ['thinking', 'system', 'tools', 'cache_control'],
  'openai-responses': ['previous_response_id', 'conversation'],
} as const;

/** Key of the message list in a request body of this dialect. */
export function listKeyOf(dialect: DialectName): 'messages' | 'input' | 'contents' {
  if (dialect === 'openai-responses') return 'input';
  return dialect === 'gemini' ? 'contents' : 'messages';
}

/**
 * The context that a request body gives. A body of the list alone gives none: it is a list, and says nothing
 * about the request that would carry it.
 */
export function contextOfBody(dialect: DialectName, body: unknown): ShapeContext {
  if (!isObject(body)) return {};
  const listKey = listKeyOf(dialect);
  if (Object.keys(body).every((key) => key === listKey)) return {};
  const context: { -readonly [Key in keyof ShapeContext]: ShapeContext[Key] } = {};
  const model = asString(body.model) ?? asString(body.modelId);
  if (model !== undefined) context.model = model;
  if (dialect === 'anthropic' || dialect === 'openai-responses') {
    for (const field of FIELDS[dialect]) {
      if (body[field] !== undefined) context[field] = body[field];
    }
  }
  if (dialect === 'bedrock') context.toolConfig = body.toolConfig ?? null;
  return context;
}
