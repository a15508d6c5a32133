/** Calls that end as soon as their signal aborts, whatever they wait for. */

import type { LimitFunction } from 'p-limit';

/** Runs `work` when its turn comes; a signal that aborts in the queue ends the waiting at once. */
export async function inTurn<T>(
  limit: LimitFunction,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const turn = limit(() => {
    signal.throwIfAborted();
    return work();
  });
  const { promise: aborted, reject } = rejection();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([turn, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function rejection(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  return { promise, reject };
}

/**
 * Runs `work` under a signal that aborts with the first of `signals`. Listeners are taken off afterwards,
 * since one of the signals lives as long as the run.
 */
export async function underSignals<T>(
  signals: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const given = signals.filter((signal) => signal !== undefined);
  const listeners = given.map((signal) => {
    signal.throwIfAborted();
    const abort = () => controller.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    return () => signal.removeEventListener('abort', abort);
  });
  try {
    return await work(controller.signal);
  } catch (error) {
    // Whatever the SDK made of it, the reason is what the caller knows.
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    for (const remove of listeners) remove();
  }
}
