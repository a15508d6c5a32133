import type { Budget } from '../model/budget.ts';
import { callPrice, type PriceTable } from '../model/prices.ts';
import { thousands } from '../report/numbers.ts';
import type { Selection } from '../sweep/manifest.ts';
import type { SweepResult } from '../sweep/run.ts';
import type { Environment } from './environment.ts';
import { type CallEstimate, estimateCalls, totalUsd } from './sweep-estimate.ts';
import type { SweepOptions } from './sweep-options.ts';

/** What a run paid, and what it left. */
export interface SpendReport {
  /** USD by the price table; undefined where the price of a model is not known. */
  readonly usd: number | undefined;
  readonly calls: number;
  readonly maxUsd: number | undefined;
  /** Why the run was stopped by `--max-usd`; undefined where it was not. */
  readonly refusal: string | undefined;
  readonly cellsLeft: number;
  /** Of the cells that are left; empty where none is. */
  readonly left: readonly CallEstimate[];
}

/** What is left is estimated only where the budget has stopped the run. */
export async function spendReport(
  given: {
    readonly budget: Budget;
    readonly result: SweepResult;
    /** Of the whole selection. */
    readonly cells: number | undefined;
    readonly prices: PriceTable;
  },
  selection: Selection,
  options: SweepOptions,
  environment: Environment,
): Promise<SpendReport> {
  const { budget, result, cells = result.counts.cells, prices } = given;
  const { exhausted, spent: usd, calls } = budget;
  const refusal = exhausted.aborted ? String(exhausted.reason?.message) : undefined;
  const priceOf = (...call: Parameters<typeof callPrice>) => callPrice(call[0], call[1], prices);
  const left =
    refusal === undefined || environment.signal.aborted
      ? []
      : await estimateCalls(selection, priceOf, options, environment, result.finished);
  const cellsLeft = Math.max(0, cells - result.finished.size);
  return { usd, calls, maxUsd: options.maxUsd, refusal, cellsLeft, left };
}

/** The lines at the end of a sweep that asked a provider. */
export function spendLines(spend: SpendReport, finished: number): readonly string[] {
  const { usd, calls, refusal, cellsLeft, left } = spend;
  const price =
    usd === undefined ? 'at least one at an unknown price' : `${usdText(usd)} by the price table`;
  const paid = `${thousands(calls)} paid model ${calls === 1 ? 'call' : 'calls'}, ${price}`;
  if (refusal === undefined) return [paid];
  const more = totalUsd(left, 'usd');
  const asked = left.reduce((sum, estimate) => sum + estimate.calls, 0);
  return [
    paid,
    `stopped by --max-usd: ${refusal}`,
    `${thousands(finished)} cells are finished, ${thousands(cellsLeft)} are left: about ${thousands(asked)} calls and ${usdText(more)} more, as the stub in the model's place makes them`,
  ];
}

/** Six digits behind the point, without zeros at the end. */
export function usdText(usd: number | undefined): string {
  return usd === undefined ? 'an unknown price' : `$${Number(usd.toFixed(6))}`;
}
