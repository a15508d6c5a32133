import { setTimeout } from 'node:timers/promises';
import { HarnessError } from '../errors.ts';
import type { AttemptFailure } from './live-errors.ts';

/** Times in milliseconds. */
export interface RetryPolicy {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  readonly firstDelay: number;
  readonly longestDelay: number;
  /** A server that asks to wait longer is not waited for. */
  readonly longestRetryAfter: number;
}

const DEFAULTS: RetryPolicy = {
  attempts: 5,
  firstDelay: 500,
  longestDelay: 8000,
  longestRetryAfter: 120_000,
};

export function retryPolicy(given: Partial<RetryPolicy> = {}): RetryPolicy {
  return { ...DEFAULTS, ...given };
}

export interface RetryOptions {
  readonly policy: RetryPolicy;
  readonly signal: AbortSignal;
  /** Number of the call in its run: what spreads the delays of calls that failed together. */
  readonly phase: number;
  /** What an attempt's rejection means. */
  readonly judge: (error: unknown) => AttemptFailure;
}

/**
 * Attempts until one succeeds, cannot succeed, or was the last. The delays double; what the server asks for
 * is kept exactly. Rejects with the last attempt's error, which says how many there were, or with the signal's
 * reason.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { policy, signal, phase, judge }: RetryOptions,
): Promise<T> {
  for (let number = 1; ; number++) {
    signal.throwIfAborted();
    let failure: AttemptFailure;
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      failure = judge(error);
    }
    const { error, retry, retryAfter } = failure;
    if (!retry) throw told(error, number);
    if (retryAfter !== undefined && retryAfter > policy.longestRetryAfter) {
      const seconds = Math.ceil(retryAfter / 1000);
      throw told(error, number, `the server asks to wait ${seconds} s`);
    }
    if (number >= policy.attempts) throw told(error, number);
    await pause(retryAfter ?? delayBefore(number, phase, policy), signal);
  }
}

/** The error with the number of attempts in its message, where it was not the first. */
function told(error: HarnessError, attempts: number, reason?: string): HarnessError {
  const notes = [attempts === 1 ? undefined : `${attempts} attempts`, reason];
  const note = notes.filter((text) => text !== undefined).join(', ');
  return note === '' ? error : new HarnessError(error.code, `${error.message} (${note})`);
}

/**
 * Delay after the attempt of this number, from 1. Calls that failed together come back spread over the last
 * quarter of it: by multiples of the golden ratio, which spread evenly without chance.
 */
export function delayBefore(number: number, phase: number, policy: RetryPolicy): number {
  const longest = Math.min(policy.firstDelay * 2 ** (number - 1), policy.longestDelay);
  const spread = (phase * GOLDEN_RATIO) % 1;
  return longest * (1 - spread / 4);
}

const GOLDEN_RATIO = (1 + Math.sqrt(5)) / 2;

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
