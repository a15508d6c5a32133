import type { CellsToMeasure } from '../measure-cells.ts';
import { Crew, type CrewOptions } from './crew.ts';
import type { Executor } from './executor.ts';
import { localExecutor } from './local.ts';
import { sizeOf } from './unit.ts';

export interface ThreadsOptions extends CrewOptions {
  /** Transcripts at once in this process, where there is too little to do for threads. */
  readonly jobs: number;
  /** True: threads whatever there is to do. */
  readonly always: boolean;
}

/** Work from which on threads are started, in characters of text: about five seconds, as two of them gain nothing before. */
const ENOUGH_WORK = 40_000_000;

/**
 * Measures in threads of this process. The starter reads, and measures itself as long as the others have enough; a
 * thread gets transcripts, and tells each outcome as soon as it is there. Where there is little to do, no thread is
 * started.
 *
 * A thread that dies (out of memory, ended by a component) fails the cell that it was at with `worker.failed`; the
 * cells that are left go on in another one.
 */
export function threadsExecutor(options: ThreadsOptions): Executor {
  return {
    run: async (job) => {
      const { works } = job;
      const iterator = works[Symbol.asyncIterator]();
      const early: CellsToMeasure[] = [];
      try {
        const isEnough = await collect(iterator, early, options, job.stop);
        const all = { [Symbol.asyncIterator]: () => resumed(early, iterator) };
        if (isEnough) await new Crew(options, { ...job, works: all }).run();
        else await localExecutor(options.jobs, true).run({ ...job, works: all });
      } finally {
        await iterator.return?.();
      }
    },
  };
}

/** Reads until there is enough to do for threads; false where there is not. */
async function collect(
  iterator: AsyncIterator<CellsToMeasure>,
  early: CellsToMeasure[],
  { always }: ThreadsOptions,
  stop: AbortSignal,
): Promise<boolean> {
  if (always) return true;
  for (let work = 0; work < ENOUGH_WORK || early.length < 2; ) {
    const next = await iterator.next();
    if (next.done === true || stop.aborted) return false;
    early.push(next.value);
    work += sizeOf(next.value);
  }
  return true;
}

async function* resumed(
  early: CellsToMeasure[],
  iterator: AsyncIterator<CellsToMeasure>,
): AsyncGenerator<CellsToMeasure> {
  for (let next = early.shift(); next !== undefined; next = early.shift()) yield next;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    yield next.value;
  }
}
