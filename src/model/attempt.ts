/** One attempt of a live call, as whoever pays for it sees it. */

import type { ModelReply, ModelRequest, TurnRequest } from './model.ts';
import type { WireFailure } from './provider-wire.ts';

/** Tokens of one call; what was read from and written to the provider's cache is part of the input. */
export interface CallUsage
  extends Pick<
    ModelReply,
    'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'
  > {
  /** Of what was written, that with the lifetime of an hour. */
  readonly cacheWrite1hTokens?: number;
}

/** An attempt that is about to be made. */
export interface Attempt {
  /** As the price table is asked for it. */
  readonly model: string;
  /** UTF-8 bytes of everything that the model will read. */
  readonly inputBytes: number;
  /** Most tokens that the provider adds of its own. */
  readonly addedTokens: number;
  readonly maxOutputTokens: number;
  /** Whether it asks for the dearer cache writes that live for an hour; no reply tells them apart. */
  readonly hasHourMarks: boolean;
}

/**
 * What an attempt came to: a reply with its usage; an answer that is never billed, such as a 429; or
 * something in between (a lost connection, a time limit), where the provider may have done the work.
 */
export type AttemptEnd =
  | { readonly kind: 'usage'; readonly usage: CallUsage }
  | { readonly kind: 'unbilled' }
  | { readonly kind: 'unknown' };

/** Asked before every attempt of a call, repeated ones too; resolves when it may be made. */
export type AttemptGate = (
  attempt: Attempt,
  signal: AbortSignal,
) => Promise<(end: AttemptEnd) => void>;

/** A chat template's tokens; with tools, the system prompt that explains them (at most 700 at Anthropic). */
const TEMPLATE_TOKENS = 100;
const TOOL_PROMPT_TOKENS = 1000;

/** A picture or file that may be an address, or few bytes, and is read as many tokens. */
const MEDIA = /"type"\s*:\s*"(?:image|image_url|document|file|input_audio)"/g;

/**
 * Most tokens of one picture. Source: Anthropic, "Vision" (at most 4,784 in high resolution); OpenAI, "Images and
 * vision" (1,445 at most, but 2,833 and 5,667 for each of up to 6 tiles with GPT-4o mini).
 */
function mediaTokens(model: string): number {
  return /gpt-4o-mini/.test(model) ? 37_000 : 5000;
}

export function attemptOf(model: string, request: ModelRequest | TurnRequest): Attempt {
  const texts =
    'prompt' in request
      ? [request.system, request.prompt]
      : [request.system ?? '', request.tools ?? '', request.messages];
  const hasTools = 'tools' in request && request.tools !== undefined;
  const media = 'prompt' in request ? 0 : (request.messages.match(MEDIA)?.length ?? 0);
  return {
    model,
    inputBytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    addedTokens: (hasTools ? TOOL_PROMPT_TOKENS : TEMPLATE_TOKENS) + media * mediaTokens(model),
    maxOutputTokens: request.maxOutputTokens,
    hasHourMarks: !('prompt' in request) && texts.some((text) => HOUR_MARK.test(text)),
  };
}

const HOUR_MARK = /"ttl"\s*:\s*"1h"/;

/** Makes the attempt when the gate lets it, and tells the gate what it came to. */
export async function gated<R extends CallUsage>(
  gate: AttemptGate,
  attempt: Attempt,
  signal: AbortSignal,
  make: () => Promise<R>,
  failureOf: (error: unknown) => WireFailure,
): Promise<R> {
  const end = await gate(attempt, signal);
  try {
    const reply = await make();
    end({ kind: 'usage', usage: reply });
    return reply;
  } catch (error) {
    end({ kind: isUnbilled(failureOf(error)) ? 'unbilled' : 'unknown' });
    throw error;
  }
}

/** An error of the provider is not billed, nor is a server that was never reached. */
function isUnbilled(failure: WireFailure): boolean {
  if (failure.kind === 'status') return true;
  return failure.kind === 'connection' && NEVER_REACHED.test(failure.code ?? '');
}

const NEVER_REACHED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;
