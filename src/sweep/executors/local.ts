import pLimit from 'p-limit';
import { measureCells } from '../measure-cells.ts';
import type { Executor } from './executor.ts';

/** Measures in this process, `jobs` transcripts at once. */
export function localExecutor(jobs: number): Executor {
  return {
    run: ({ works, host, stop, keep }) =>
      runLocally(
        works,
        jobs,
        async (work) => {
          for await (const outcome of measureCells(work, host, stop)) await keep(outcome);
        },
        stop,
      ),
  };
}

/**
 * Works on items in this process, at most `jobs` at once, and asks for the next item only when a place
 * is free, so that no more recordings are in memory than are being worked on. Stops asking when the
 * signal aborts or when work rejects; rejects with the first error once everything running has ended.
 */
export async function runLocally<T>(
  items: AsyncIterable<T>,
  jobs: number,
  work: (item: T) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const limit = pLimit(jobs);
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  for await (const item of items) {
    if (signal?.aborted === true || failures.length > 0) break;
    const task: Promise<void> = limit(() => work(item))
      .catch((error: unknown) => {
        failures.push(error);
      })
      .finally(() => running.delete(task));
    running.add(task);
    if (running.size >= jobs) await Promise.race(running);
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
}
