import type { CellCharges } from '../rows/charges.ts';
import type { CellResult } from '../rows/result.ts';
import type { StashReference } from './stash-index.ts';

/** Everything that a run keeps of one cell that was measured or failed. */
export interface CellOutcome {
  readonly row: CellResult;
  /** Where what it stashed lies; empty of a cell that failed. */
  readonly references: readonly StashReference[];
  /** What it is billed as; absent of a cell that failed. */
  readonly charges?: CellCharges;
  /** Tokens after of each request, where a control matches its config. */
  readonly budget?: readonly number[];
}
