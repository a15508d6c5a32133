/** A line of a cassette: a call with its outcome, or the header that names the cassette. */
import { z } from 'zod';
import { type CassetteCall, keyOf } from './cassette-call.ts';
import type { ModelReply, TurnReply } from './model.ts';

/** Ways in which a recorded call may have failed. */
export const failureCodes = [
  'model.transport',
  'model.timeout',
  'model.reply',
  'component.timeout',
] as const;
type FailureCode = (typeof failureCodes)[number];

export type CassetteOutcome =
  | { readonly kind: 'reply'; readonly reply: ModelReply | TurnReply }
  | { readonly kind: 'failure'; readonly code: FailureCode };

export interface CassetteEntry {
  readonly call: CassetteCall;
  readonly outcome: CassetteOutcome;
  /** Key that the line states; it was edited where that is not the call's. */
  readonly stated: string;
}

export interface CassetteHeader {
  readonly id: string;
  readonly about?: string | undefined;
}

export type CassetteLine =
  | { readonly kind: 'entry'; readonly entry: CassetteEntry }
  | { readonly kind: 'header'; readonly header: CassetteHeader }
  | { readonly kind: 'unreadable'; readonly why: string };

const VERSION = 1;

const tokens = z.int().nonnegative();
const reply = z.object({
  text: z.string(),
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_tokens: tokens.optional(),
  cache_write_tokens: tokens.optional(),
  tool_calls: z
    .array(z.object({ id: z.string(), name: z.string(), arguments: z.string() }))
    .optional(),
});
type WrittenReply = z.output<typeof reply>;

const common = {
  key: z.string(),
  model: z.string(),
  purpose: z.enum(['summarize', 'extract', 'repair', 'explore', 'agreement', 'probe']),
  sample: z.int().nonnegative(),
  max_output_tokens: z.int(),
  parameters: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  reply: reply.optional(),
  failure: z.enum(failureCodes).optional(),
};
const prompt = z.object({ ...common, system: z.string(), prompt: z.string() });
/** JSON that stands in the line as such; where that would not give the same text again, the text. */
const embedded = z.unknown();
const turn = z.object({
  ...common,
  wire: z.enum(['anthropic', 'openai-chat']),
  system: embedded.optional(),
  tools: embedded.optional(),
  messages: embedded,
});
const header = z.object({ cassette: z.int(), id: z.string().min(1), about: z.string().optional() });

/** Text of the header line, without its line end. */
export function headerLine({ id, about }: CassetteHeader): string {
  return JSON.stringify({ cassette: VERSION, id, ...(about === undefined ? {} : { about }) });
}

/** Text of an entry's line, without its line end: what was asked, then the outcome. */
export function entryLine(call: CassetteCall, outcome: CassetteOutcome): string {
  const { purpose, sample, maxOutputTokens } = call.request;
  return JSON.stringify({
    key: keyOf(call),
    model: call.model,
    ...(call.kind === 'turn' ? { wire: call.wire } : {}),
    purpose,
    sample,
    max_output_tokens: maxOutputTokens,
    ...(call.parameters === undefined ? {} : { parameters: call.parameters }),
    ...askedOf(call),
    ...(outcome.kind === 'reply' ? { reply: written(outcome.reply) } : { failure: outcome.code }),
  });
}

function askedOf(call: CassetteCall): object {
  if (call.kind === 'prompt') {
    return { system: call.request.system, prompt: call.request.prompt };
  }
  const { system, tools, messages } = call.request;
  return {
    ...(system === undefined ? {} : { system: embed(system) }),
    ...(tools === undefined ? {} : { tools: embed(tools) }),
    messages: embed(messages),
  };
}

function written(reply: ModelReply | TurnReply): WrittenReply {
  const { text, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = reply;
  return {
    text,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cache_read_tokens: cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cache_write_tokens: cacheWriteTokens }),
    ...('toolCalls' in reply ? { tool_calls: reply.toolCalls.map((call) => ({ ...call })) } : {}),
  };
}

/** Reads the text of a line. Never throws. */
export function readLine(text: string): CassetteLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'unreadable', why: 'not JSON: torn, or edited' };
  }
  const head = header.safeParse(value);
  if (head.success) {
    const { cassette, id, about } = head.data;
    if (cassette === VERSION) return { kind: 'header', header: { id, about } };
    return { kind: 'unreadable', why: `a cassette of version ${cassette}, expected ${VERSION}` };
  }
  const isTurn = typeof value === 'object' && value !== null && 'wire' in value;
  const read = isTurn ? readTurn(value) : readPrompt(value);
  if (typeof read === 'string') return { kind: 'unreadable', why: read };
  return { kind: 'entry', entry: read };
}

function readPrompt(value: unknown): CassetteEntry | string {
  const { success, data, error } = prompt.safeParse(value);
  if (!success) return issueOf(error);
  const { system, prompt: text } = data;
  const call: CassetteCall = {
    kind: 'prompt',
    model: data.model,
    parameters: data.parameters,
    request: { ...requestOf(data), system, prompt: text },
  };
  return entryOf(call, data);
}

function readTurn(value: unknown): CassetteEntry | string {
  const { success, data, error } = turn.safeParse(value);
  if (!success) return issueOf(error);
  const { system, tools, messages, wire } = data;
  const call: CassetteCall = {
    kind: 'turn',
    model: data.model,
    wire,
    parameters: data.parameters,
    request: {
      ...requestOf(data),
      messages: extract(messages),
      ...(system === undefined ? {} : { system: extract(system) }),
      ...(tools === undefined ? {} : { tools: extract(tools) }),
    },
  };
  return entryOf(call, data);
}

type Common = z.output<z.ZodObject<typeof common>>;

function requestOf({ purpose, max_output_tokens, sample }: Common) {
  return { purpose, maxOutputTokens: max_output_tokens, sample };
}

function entryOf(call: CassetteCall, { key, reply, failure }: Common): CassetteEntry | string {
  if (reply !== undefined) {
    return { call, stated: key, outcome: { kind: 'reply', reply: replyOf(reply, call.kind) } };
  }
  if (failure === undefined) return 'neither reply nor failure';
  return { call, stated: key, outcome: { kind: 'failure', code: failure } };
}

function replyOf(reply: WrittenReply, kind: CassetteCall['kind']): ModelReply | TurnReply {
  const { text, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = reply;
  return {
    text,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    ...(cache_read_tokens === undefined ? {} : { cacheReadTokens: cache_read_tokens }),
    ...(cache_write_tokens === undefined ? {} : { cacheWriteTokens: cache_write_tokens }),
    ...(kind === 'turn' ? { toolCalls: reply.tool_calls ?? [] } : {}),
  };
}

function issueOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return `no entry: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`;
}

const AS_TEXT = 'json_text';

/** Parsing and writing again loses spellings (`1.0`, big integers, repeated keys); then the text is kept. */
function embed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (!isKeptAsText(value) && JSON.stringify(value) === text) return value;
  } catch {
    // Kept as text.
  }
  return { [AS_TEXT]: text };
}

/** The text that was embedded. */
function extract(value: unknown): string {
  return isKeptAsText(value) ? String(value[AS_TEXT]) : JSON.stringify(value);
}

function isKeptAsText(value: unknown): value is { readonly [AS_TEXT]: unknown } {
  return typeof value === 'object' && value !== null && AS_TEXT in value;
}
