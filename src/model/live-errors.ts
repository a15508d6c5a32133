/** What a failed attempt of a live call is reported as, and whether it is made again. */

import { type ErrorCode, HarnessError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { KeyRedaction } from './key-redaction.ts';
import type { WireFailure } from './provider-wire.ts';
import { retryAfterOf } from './retry-after.ts';

export interface AttemptFailure {
  /** Of the failure alone, without its cause: an SDK's error holds headers. */
  readonly error: HarnessError;
  /** Whether another attempt may fare better. */
  readonly retry: boolean;
  /** What the server asks to wait, in milliseconds. */
  readonly retryAfter?: number;
}

export interface FailureContext {
  readonly endpoint: Endpoint;
  readonly redact: KeyRedaction;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Longest part of a server's text in a message, in characters. */
const LONGEST_TEXT = 160;

/**
 * The error of an attempt: `model.transport`, `model.reply` or `model.timeout`. Its message names the model,
 * the host, what happened and what to do; never a key or a header.
 */
export function liveFailure(failure: WireFailure, context: FailureContext): AttemptFailure {
  const { endpoint, redact, now } = context;
  const fail = (code: ErrorCode, text: string, retry: boolean): AttemptFailure => {
    const message = `${endpoint.model} at ${endpoint.host}: ${text}`;
    return { error: new HarnessError(code, redact.whole(message)), retry };
  };
  const quoted = (text: string): string => quote(redact.pieces(text));
  switch (failure.kind) {
    case 'status': {
      const { status, headers } = failure;
      const advice = adviceFor(status, endpoint);
      const text = `HTTP ${status}${quoted(failure.text)}${advice === '' ? '' : `; ${advice}`}`;
      const retryAfter = retryAfterOf(headers, now);
      const retry = isRetried(status) && !isFinal(failure);
      return {
        ...fail('model.transport', text, retry),
        ...(retryAfter === undefined ? {} : { retryAfter }),
      };
    }
    case 'timeout':
      return fail('model.timeout', 'the server did not answer in time', true);
    case 'connection': {
      const { code, text } = failure;
      const retry = code === undefined || !FINAL_CODES.test(code);
      const advice = `check the address${retry ? ', and that the server runs' : ''}`;
      return fail('model.transport', `no connection${quoted(text)}; ${advice}`, retry);
    }
    case 'cut':
      return fail('model.transport', 'the connection ended inside the reply', true);
    case 'malformed': {
      const advice = `is ${endpoint.wire} the wire that this server speaks?`;
      return fail('model.reply', `malformed reply${quoted(failure.text)}; ${advice}`, true);
    }
    case 'unexpected':
      return fail('model.transport', `the call failed${quoted(failure.text)}`, false);
  }
}

/** Request timeouts, rate limits, and everything that is the server's own trouble (529: overloaded). */
function isRetried(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** The server says that waiting does not help, or the account has nothing left to spend. */
function isFinal({ headers, text }: WireFailure & { kind: 'status' }): boolean {
  return headers.get('x-should-retry') === 'false' || text.startsWith('insufficient_quota');
}

/** Names that do not resolve, and certificates that are refused. */
const FINAL_CODES = /^(?:ENOTFOUND|ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

function adviceFor(status: number, { keyHint, official }: Endpoint): string {
  if (status === 401 || status === 403) return `check the key (${keyHint})`;
  if (status === 404) return `check the model's name${official ? '' : ' and the address'}`;
  if (status === 413) return 'the prompt is too large for this model';
  if (status === 429) return 'give a lower --concurrency, or run it again later';
  return status === 408 || status >= 500 ? 'run it again later' : '';
}

/** `: text`, on one line and cut; empty where there is none. */
function quote(text: string): string {
  const line = /^\s*</.test(text) ? 'a page of HTML' : text.replace(/\s+/g, ' ').trim();
  if (line === '') return '';
  const cut = line.slice(0, LONGEST_TEXT).replace(/\p{Cs}$/u, '');
  return `: ${cut}${line.length > LONGEST_TEXT ? '…' : ''}`;
}
