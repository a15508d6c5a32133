import type { z } from 'zod';
import type { ModelReply, ModelRequest, TurnReply, TurnRequest, WireName } from './model.ts';

/** One provider's wire at one endpoint: each function makes one attempt, without retries or limits. */
export interface ProviderWire {
  readonly name: WireName;
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>;
  turn(request: TurnRequest, signal: AbortSignal): Promise<TurnReply>;
  /** What an attempt of this wire rejected with. */
  failureOf(error: unknown): WireFailure;
}

/** Why an attempt gave no reply, whichever SDK said so. */
export type WireFailure =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers: { get(name: string): string | null };
      /** What the server says of it; may quote the request. */
      readonly text: string;
    }
  /** The server did not answer in the time that the SDK gives an attempt. */
  | { readonly kind: 'timeout' }
  /** No connection, or one that ended before the reply; `code` is the system's or the HTTP client's. */
  | { readonly kind: 'connection'; readonly code: string | undefined; readonly text: string }
  /** The body ended early. */
  | { readonly kind: 'cut' }
  /** The body is no reply of this wire. */
  | { readonly kind: 'malformed'; readonly text: string }
  | { readonly kind: 'unexpected'; readonly text: string };

/** The reply's body is not what the wire promises. */
export class MalformedReply extends Error {
  override readonly name = 'MalformedReply';
}

/**
 * Longest that the headers of one attempt may take, in milliseconds. The limit that counts is the
 * component's, which ends an attempt by its signal.
 */
export const ATTEMPT_TIME_LIMIT = 600_000;

/** A JSON object of texts that are JSON already, in this order; what is undefined is left out. */
export function bodyOf(fields: readonly (readonly [string, string | undefined])[]): string {
  const written = fields.filter(([, text]) => text !== undefined);
  return `{${written.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/** The reply as its schema has it. Throws MalformedReply with the first thing that is wrong. */
export function parseReply<T>(schema: z.ZodType<T>, found: unknown): T {
  const parsed = schema.safeParse(found);
  if (parsed.success) return parsed.data;
  // A body that is not declared as JSON comes as its text.
  if (typeof found === 'string') throw new MalformedReply(found === '' ? 'empty' : found);
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') ?? '';
  throw new MalformedReply(`${path === '' ? 'the body' : path}: ${issue?.message ?? 'not valid'}`);
}

/** The classes by which an SDK tells its errors apart; the two SDKs have them alike. */
export interface SdkErrors {
  readonly APIError: ErrorClass;
  readonly APIConnectionError: ErrorClass;
  readonly APIConnectionTimeoutError: ErrorClass;
}

type ErrorClass = abstract new (...given: never) => Error;

/** Reads an SDK's error. Nothing of its request is looked at. */
export function readSdkError(error: unknown, sdk: SdkErrors): WireFailure {
  if (error instanceof MalformedReply) return { kind: 'malformed', text: error.message };
  // Neither SDK wraps what happens while the body is read.
  if (error instanceof SyntaxError) return { kind: 'malformed', text: 'the body is no JSON' };
  if (error instanceof sdk.APIConnectionTimeoutError) return { kind: 'timeout' };
  if (error instanceof sdk.APIConnectionError) {
    const code = systemCodeIn(error.cause);
    return { kind: 'connection', code, text: code ?? rootMessage(error) };
  }
  if (error instanceof sdk.APIError && 'status' in error && typeof error.status === 'number') {
    return {
      kind: 'status',
      status: error.status,
      headers: 'headers' in error && isHeaders(error.headers) ? error.headers : NO_HEADERS,
      text: bodyText('error' in error ? error.error : undefined) ?? error.message,
    };
  }
  if (error instanceof TypeError && error.message === 'terminated') return { kind: 'cut' };
  return { kind: 'unexpected', text: error instanceof Error ? error.message : String(error) };
}

const NO_HEADERS = { get: () => null };

function isHeaders(value: unknown): value is { get(name: string): string | null } {
  return value instanceof Headers;
}

/** `type: message` of a provider's error body, in any of the forms that are about. */
export function bodyText(body: unknown): string | undefined {
  if (typeof body === 'string') return body;
  if (typeof body !== 'object' || body === null) return undefined;
  if ('error' in body) return bodyText(body.error);
  const type = 'type' in body && typeof body.type === 'string' ? body.type : undefined;
  const code = 'code' in body && typeof body.code === 'string' ? body.code : undefined;
  const parameter = 'param' in body && typeof body.param === 'string' ? body.param : undefined;
  const message =
    'message' in body && typeof body.message === 'string' ? body.message : JSON.stringify(body);
  const kind = [code ?? type, parameter].filter((part) => part !== undefined).join(' ');
  return kind === '' ? message : `${kind}: ${message}`;
}

function systemCodeIn(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return undefined;
}

function rootMessage(error: Error): string {
  let root = error;
  while (root.cause instanceof Error) root = root.cause;
  return root.message;
}
