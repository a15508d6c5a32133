import pLimit from 'p-limit';
import { type CellsToMeasure, measureCells } from '../measure-cells.ts';
import type { Executor } from './executor.ts';
import { InOrder } from './in-order.ts';

/**
 * Measures in this process, `jobs` transcripts at once. `inOrder`: outcomes are kept in the order of the transcripts,
 * and not as soon as they are there, as suits those that nobody paid for.
 */
export function localExecutor(jobs: number, inOrder = false): Executor {
  return {
    run: async ({ works, host, stop, keep }) => {
      const order = new InOrder(keep);
      const measure = async (work: CellsToMeasure) => {
        const turn = inOrder ? order.begin() : { keep, end: async () => {} };
        await order.room;
        for await (const outcome of measureCells(work, host, stop)) await turn.keep(outcome);
        await turn.end();
      };
      try {
        await runLocally(works, jobs, measure, stop);
      } finally {
        await order.flush();
      }
    },
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
