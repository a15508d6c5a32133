import type { CellsToMeasure } from '../measure-cells.ts';
import { workOf } from '../shard.ts';
import type { Turn } from './in-order.ts';

/** What a cell costs beside what it shares with the others of its transcript, in parts of that. */
const CELL_SHARE = 0.3;

/** What is left of one transcript's cells. */
export interface Unit {
  readonly work: CellsToMeasure;
  /** How long it takes, as `sizeOf` has it. */
  readonly size: number;
  /** Ids of the cells that are not to be measured any more. */
  readonly finished: Set<string>;
  readonly turn: Turn;
  /** True after a thread died of it: it is measured in a thread again. */
  readonly isDeadly: boolean;
}

export function unitOf(work: CellsToMeasure, turn: Turn): Unit {
  const ids = work.cells.map(({ id }) => id);
  const finished = new Set(ids.filter((id) => work.isFinished(id)));
  return { work, size: sizeOf(work), finished, turn, isDeadly: false };
}

/** How long the cells of a transcript take, in characters of text that is counted in that time. */
export function sizeOf({ cells, isFinished }: CellsToMeasure): number {
  const [cell] = cells;
  if (cell === undefined) return 0;
  const left = cells.filter(({ id }) => !isFinished(id)).length;
  return workOf(cell.transcript) * (1 + CELL_SHARE * left);
}
