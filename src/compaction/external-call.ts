/** What is asked: a program that is run for each request, or an endpoint that is posted to. */
export type ExternalTarget =
  | {
      readonly kind: 'command';
      /** The program and its arguments; no shell reads them. */
      readonly words: readonly string[];
      /** Names of the environment variables that it may read, beside the usual ones. */
      readonly variables: readonly string[];
    }
  | { readonly kind: 'url'; readonly url: string };

/** Why there is no reply; the row counts it as `external:<reason>`. */
export type ExternalFailure =
  /** The program cannot be started. */
  | 'start'
  /** The program ended with a code other than 0, or by a signal. */
  | 'exit'
  /** No whole reply within the limit. */
  | 'timeout'
  /** The endpoint cannot be reached, or the connection broke. */
  | 'transport'
  /** The endpoint answered with a status that is not 2xx. */
  | 'status'
  /** The reply is longer than any request. */
  | 'too_large'
  /** The reply is not UTF-8 text. */
  | 'reply';

export type ExternalReply =
  | { readonly kind: 'reply'; readonly body: string }
  | { readonly kind: 'failed'; readonly reason: ExternalFailure; readonly detail: string };

/**
 * Sends one request body and gives what came back. Never rejects.
 *
 * @param limits `milliseconds` until the call is given up and what was started for it is ended; the
 * signal ends it sooner
 */
export type ExternalCall = (
  target: ExternalTarget,
  body: string,
  limits: { readonly milliseconds: number; readonly signal: AbortSignal },
) => Promise<ExternalReply>;

/** Bytes of the longest reply that is read: no provider takes a request of this size. */
export const LONGEST_REPLY = 64 * 1024 * 1024;

export function externalFailure(reason: ExternalFailure, detail: string): ExternalReply {
  return { kind: 'failed', reason, detail };
}
