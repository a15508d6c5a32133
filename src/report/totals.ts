import { type CellResult, isFinished } from '../rows/result.ts';
import { type AskedTotals, askedTotalsOf } from './asked-totals.ts';
import { type CostTotals, costTotalsOf } from './cost-totals.ts';
import { frontierOf } from './frontier.ts';
import { savingsCellsOf } from './run-figures.ts';
import { type SavingsCell, type SentAgainstBaseline, savingsOf } from './statistics/savings.ts';

/** The rows of one config, added up. Token figures are in tokens; a figure without a row is undefined. */
export interface ConfigTotals {
  readonly config: string;
  readonly cells: number;
  readonly failed: number;
  /** Distinct tasks among its cells. */
  readonly tasks: number;
  /** Cells with a reward, and those of them with a reward of at least 1. */
  readonly rewarded: number;
  readonly resolved: number;
  /** Of the rewarded cells, those with a recorded reward of at least 1. */
  readonly resolvedRecorded: number;
  /** Those that are resolved if recoverable evidence is accepted; on the baseline as recorded. */
  readonly resolvedWithExpand: number;
  /** Identifiers that recorded actions took from their requests. */
  readonly evidence: number;
  /** 100 × what became of them ÷ all; undefined where no action used any. */
  readonly evidenceKeptPercent: number | undefined;
  readonly evidenceRecoverablePercent: number | undefined;
  readonly evidenceLostPercent: number | undefined;
  readonly requests: number;
  readonly before: number;
  readonly after: number;
  readonly gross: number;
  readonly unique: number;
  readonly net: number;
  /** 100 × Σ saved ÷ Σ before: long transcripts weigh more. */
  readonly pooledPercent: number | undefined;
  /** Mean over cells of each cell's own percentage: every transcript weighs the same. */
  readonly meanPercent: number | undefined;
  /** Requests that were rewritten, and the cells that had one. */
  readonly fired: number;
  readonly firedCells: number;
  readonly modelCalls: number;
  /** Price of the component calls in USD; undefined where one is not known. */
  readonly modelUsd: number | undefined;
  /** Later requests after which the component calls are earned again, at the price of cache reads. */
  readonly breakEvenRequests: number | undefined;
  readonly modelInput: number;
  readonly modelOutput: number;
  /** 100 × tokens sent ÷ tokens that the baseline sent for the same transcripts. */
  readonly sentPercent: number | undefined;
  /** The same with the tokens of the component's own model calls added. */
  readonly sentWithModelPercent: number | undefined;
  readonly violationsAdded: number | undefined;
  /** Agreement and probes; undefined where nothing was asked. */
  readonly asked: AskedTotals | undefined;
  readonly cost: CostTotals;
  /** See `frontierOf`; always false of a config that rewrote nothing. */
  readonly frontier: boolean;
}

/** Totals in the order of `names`. A config without steps is the baseline that the others are held against. */
export function totalsOf(
  rows: readonly CellResult[],
  names: readonly string[],
  baseline: string,
): ConfigTotals[] {
  const byConfig = groupByConfig(rows);
  const baselineRows = byConfig.get(baseline) ?? [];
  const totals = names.map((name) => add(name, byConfig.get(name) ?? [], baseline, baselineRows));
  const best = frontierOf(
    totals
      .filter(({ fired }) => fired > 0)
      .map(({ config, net, modelInput, modelOutput, violationsAdded, evidenceKeptPercent }) => ({
        name: config,
        saved: net,
        // What is behind a marker is gone too, as long as nobody expands.
        costs: [
          modelInput + modelOutput,
          violationsAdded,
          evidenceKeptPercent === undefined ? undefined : 100 - evidenceKeptPercent,
        ],
      })),
  );
  return totals.map((total) => ({ ...total, frontier: best.has(total.config) }));
}

function groupByConfig(rows: readonly CellResult[]): Map<string, CellResult[]> {
  const groups = new Map<string, CellResult[]>();
  for (const row of rows) {
    const group = groups.get(row.config);
    if (group === undefined) groups.set(row.config, [row]);
    else group.push(row);
  }
  return groups;
}

function add(
  config: string,
  rows: readonly CellResult[],
  baseline: string,
  baselineRows: readonly CellResult[],
): Omit<ConfigTotals, 'frontier'> {
  const measured = rows.filter(isFinished);
  const sum = (figure: (row: CellResult) => number | undefined) =>
    measured.reduce((total, row) => total + (figure(row) ?? 0), 0);
  const others = config === baseline ? [] : savingsCellsOf(baselineRows);
  const savings = savingsOf([...others, ...savingsCellsOf(measured)], config, baseline);
  const withModel = savingsOf([...others, ...withModelTokens(measured)], config, baseline);
  const rewarded = measured.filter((row) => row.reward !== undefined);
  const evidence = sum((row) => row.evidenceTotal);
  const ofEvidence = (figure: (row: CellResult) => number | undefined) =>
    evidence === 0 ? undefined : (100 * sum(figure)) / evidence;
  return {
    config,
    cells: rows.length,
    failed: rows.length - measured.length,
    tasks: new Set(rows.map((row) => row.task)).size,
    rewarded: rewarded.length,
    resolved: rewarded.filter((row) => row.passed === true).length,
    resolvedRecorded: rewarded.filter((row) => (row.recordedReward ?? 0) >= 1).length,
    resolvedWithExpand: rewarded.filter((row) => (row.rewardWithExpand ?? row.reward ?? 0) >= 1)
      .length,
    evidence,
    evidenceKeptPercent: ofEvidence((row) => row.evidenceKept),
    evidenceRecoverablePercent: ofEvidence((row) => row.evidenceRecoverable),
    evidenceLostPercent: ofEvidence((row) => row.evidenceLost),
    requests: sum((row) => row.requests),
    before: savings.before,
    after: savings.after,
    gross: savings.gross ?? 0,
    unique: savings.unique ?? 0,
    net: savings.net ?? 0,
    pooledPercent: savings.pooledPercent,
    meanPercent: savings.meanPercent,
    fired: sum((row) => row.fired),
    firedCells: savings.firedCells,
    modelCalls: sum((row) => row.modelCalls),
    ...spent(measured),
    modelInput: sum((row) => row.modelInputTokens),
    modelOutput: sum((row) => row.modelOutputTokens),
    sentPercent: percentOfBaseline(savings.sent),
    sentWithModelPercent: percentOfBaseline(withModel.sent),
    violationsAdded: measured.some((row) => row.violationsAdded !== undefined)
      ? sum((row) => row.violationsAdded)
      : undefined,
    asked: askedTotalsOf(measured),
    cost: costTotalsOf(measured),
  };
}

/** The cells with what the component's own model calls read and wrote added to what is sent. */
function withModelTokens(rows: readonly CellResult[]): SavingsCell[] {
  return savingsCellsOf(rows).map((cell, index) => {
    const { modelInputTokens = 0, modelOutputTokens = 0 } = rows[index] ?? {};
    const { after } = cell;
    if (after === undefined) return cell;
    return { ...cell, after: after + modelInputTokens + modelOutputTokens };
  });
}

function percentOfBaseline({ config, baseline }: SentAgainstBaseline): number | undefined {
  return baseline === 0 ? undefined : (100 * config) / baseline;
}

/** Rows without calls cost nothing; one row with an unknown price leaves the whole unknown. */
function spent(rows: readonly CellResult[]): Pick<ConfigTotals, 'modelUsd' | 'breakEvenRequests'> {
  let usd = 0;
  let earned = 0;
  for (const { usdModel, breakEvenRequests } of rows) {
    if (usdModel === undefined) return { modelUsd: undefined, breakEvenRequests: undefined };
    usd += usdModel;
    if (breakEvenRequests !== undefined && breakEvenRequests > 0)
      earned += usdModel / breakEvenRequests;
  }
  return { modelUsd: usd, breakEvenRequests: earned === 0 ? undefined : usd / earned };
}
