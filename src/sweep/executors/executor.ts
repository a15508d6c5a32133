import type { CellOutcome } from '../cell-outcome.ts';
import type { CellsToMeasure, MeasuringHost } from '../measure-cells.ts';

/** Where the cells of a sweep are measured. */
export interface Executor {
  /**
   * Measures what is left of each work, and takes the next one only when there is a place for it. When `stop`
   * aborts, no further cell begins. Rejects with what ends the whole run, once nothing runs any more.
   */
  run<W extends CellsToMeasure>(job: ExecutorJob<W>): Promise<void>;
}

export interface ExecutorJob<W extends CellsToMeasure> {
  /** One transcript's cells each, in the order of the recordings. */
  readonly works: AsyncIterable<W>;
  readonly host: MeasuringHost;
  readonly stop: AbortSignal;
  /** Keeps an outcome; may be given one twice. Rejects where it cannot be written. */
  keep(work: W, outcome: CellOutcome): Promise<void>;
}
