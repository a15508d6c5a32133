import type { CellResult } from '../rows/result.ts';
import type { PublishedRow, PublishedTable } from './published.ts';
import { savingsCellsOf } from './run-figures.ts';
import type { SavingsCell } from './statistics/savings.ts';

/** Rewards of live runs laid beside the cells of an offline run of the same tasks, trials and configs. */
export interface LiveJoin {
  /** Rows of the table that have a cell, and those that have none. */
  readonly joined: number;
  readonly alone: number;
  /** Cells of the run that no row belongs to. */
  readonly cellsAlone: number;
  /** The cells that have a row, for their token counts and evidence. */
  readonly cells: readonly CellResult[];
  /** What the grounded reward says of the joined cells that are not the baseline's, against the live one. */
  readonly agreement: Agreement;
}

/** Cells by whether the grounded reward and the live one are a full reward. */
export interface Agreement {
  readonly both: number;
  readonly groundedOnly: number;
  readonly liveOnly: number;
  readonly neither: number;
}

/**
 * Joins by task, trial and config. Where a task has one trial on either side, they belong together whatever
 * their numbers. A `'` that keeps a spreadsheet from running a name as a formula is no part of the name.
 */
export function joinLive(
  table: PublishedTable,
  rows: readonly CellResult[],
  baseline: string,
): LiveJoin {
  const cells = groupBy(rows, ({ task, config }) => keyOf(task, config));
  const live = groupBy(table.rows, ({ task, config }) => keyOf(task, config));
  const joined = new Set<CellResult>();
  const agreement = { both: 0, groundedOnly: 0, liveOnly: 0, neither: 0 };
  let alone = 0;
  for (const [key, ofPair] of live) {
    const candidates = cells.get(key) ?? [];
    const single = distinct(ofPair) === 1 && distinct(candidates) === 1;
    for (const row of ofPair) {
      const own = candidates.filter((cell) => single || cell.trial === row.trial);
      if (own.length === 0) alone++;
      for (const cell of own) {
        joined.add(cell);
        const side = row.config === baseline ? undefined : sideOf(cell, row);
        if (side !== undefined) agreement[side]++;
      }
    }
  }
  return {
    joined: table.rows.length - alone,
    alone,
    cellsAlone: rows.length - joined.size,
    cells: rows.filter((cell) => joined.has(cell)),
    agreement,
  };
}

/** Counts of the table where it has any, since those are of the runs that were rewarded; else the cells'. */
export function joinedSavings(table: PublishedTable, join: LiveJoin | undefined): SavingsCell[] {
  const counted = table.rows.some(
    ({ before, after }) => before !== undefined && after !== undefined,
  );
  if (counted || join === undefined) return [...table.rows];
  return savingsCellsOf(join.cells);
}

function sideOf(cell: CellResult, row: PublishedRow): keyof Agreement | undefined {
  if (cell.reward === undefined || row.reward === undefined) return undefined;
  if (cell.reward >= 1) return row.reward >= 1 ? 'both' : 'groundedOnly';
  return row.reward >= 1 ? 'liveOnly' : 'neither';
}

function keyOf(task: string, config: string): string {
  return JSON.stringify([task, config].map((name) => name.replace(/^'(?=[=+\-@'])/, '')));
}

function distinct(rows: readonly { readonly trial?: string | undefined }[]): number {
  return new Set(rows.map(({ trial }) => trial)).size;
}

function groupBy<Item>(items: readonly Item[], keyOfItem: (item: Item) => string) {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOfItem(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
