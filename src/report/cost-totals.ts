import type { CellResult } from '../rows/result.ts';

/** What the rows of one config cost. USD, tokens and percentages; undefined is not known. */
export interface CostTotals {
  /** Undefined where the price of one row is not known. */
  readonly usdBefore: number | undefined;
  readonly usdAfter: number | undefined;
  readonly usdModel: number | undefined;
  readonly usdNet: number | undefined;
  /** 100 × tokens read from the prompt cache ÷ all input tokens, system prompt and tools included. */
  readonly cacheReadPercentBefore: number | undefined;
  readonly cacheReadPercentAfter: number | undefined;
  readonly cacheBust: number | undefined;
  /**
   * Median over the rows of the request from which on each is ahead of its recording; undefined where most
   * never are.
   */
  readonly breakEvenRequest: number | undefined;
}

export function costTotalsOf(rows: readonly CellResult[]): CostTotals {
  return {
    usdBefore: sum(rows, (row) => row.usdBefore),
    usdAfter: sum(rows, (row) => row.usdAfter),
    usdModel: sum(rows, (row) => row.usdModel),
    usdNet: sum(rows, (row) => row.usdNet),
    cacheReadPercentBefore: readPercent(rows, (row) => [
      row.freshBefore,
      row.cacheReadBefore,
      row.cacheWriteBefore,
    ]),
    cacheReadPercentAfter: readPercent(rows, (row) => [
      row.freshAfter,
      row.cacheReadAfter,
      row.cacheWriteAfter,
    ]),
    cacheBust: sum(rows, (row) => row.cacheBustTokens),
    breakEvenRequest: median(rows.map((row) => row.breakEvenRequest)),
  };
}

/** One row that does not know leaves the whole unknown. */
function sum(
  rows: readonly CellResult[],
  figure: (row: CellResult) => number | undefined,
): number | undefined {
  let total = 0;
  for (const row of rows) {
    const value = figure(row);
    if (value === undefined) return undefined;
    total += value;
  }
  return rows.length === 0 ? undefined : total;
}

type Tiers = readonly [
  fresh: number | undefined,
  read: number | undefined,
  write: number | undefined,
];

function readPercent(
  rows: readonly CellResult[],
  tiersOf: (row: CellResult) => Tiers,
): number | undefined {
  let read = 0;
  let all = 0;
  for (const row of rows) {
    const [fresh, cached, written] = tiersOf(row);
    if (fresh === undefined || cached === undefined) return undefined;
    read += cached;
    // Where writing has no price, what is not read is fresh.
    all += fresh + cached + (written ?? 0);
  }
  return all === 0 ? undefined : (100 * read) / all;
}

/** The upper median, where what never comes is later than anything. */
function median(values: readonly (number | undefined)[]): number | undefined {
  const sorted = values.map((value) => value ?? Number.POSITIVE_INFINITY).toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  return middle === undefined || middle === Number.POSITIVE_INFINITY ? undefined : middle;
}
