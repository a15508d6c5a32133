import type { CellOutcome } from '../cell-outcome.ts';
import type { CellsToMeasure, MeasuringHost } from '../measure-cells.ts';

/** Where the cells of a sweep are measured. */
export interface Executor {
  /**
   * Measures what is left of each work, and takes the next one only when there is a place for it. When `stop`
   * aborts, no further cell begins. Rejects with what ends the whole run, once nothing runs any more.
   */
  run(job: ExecutorJob): Promise<void>;
}

export interface ExecutorJob {
  /** One transcript's cells each, in the order of the recordings. */
  readonly works: AsyncIterable<CellsToMeasure>;
  readonly host: MeasuringHost;
  readonly stop: AbortSignal;
  /** Keeps an outcome; one that it has is left out. Rejects where it cannot be written. */
  keep(outcome: CellOutcome): Promise<void>;
}
