import { type CellResult, isFinished } from '../rows/result.ts';
import { frontierOf } from './frontier.ts';

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
  readonly modelInput: number;
  readonly modelOutput: number;
  /** 100 × tokens sent ÷ tokens that the baseline sent for the same transcripts. */
  readonly sentPercent: number | undefined;
  /** The same with the tokens of the component's own model calls added. */
  readonly sentWithModelPercent: number | undefined;
  readonly violationsAdded: number | undefined;
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
  const sentByBaseline = new Map<string, number>();
  for (const row of byConfig.get(baseline) ?? []) {
    if (row.tokensAfter !== undefined) sentByBaseline.set(recordingOf(row), row.tokensAfter);
  }
  const totals = names.map((name) => add(name, byConfig.get(name) ?? [], sentByBaseline));
  const best = frontierOf(
    totals
      .filter(({ fired }) => fired > 0)
      .map(({ config, net, modelInput, modelOutput, violationsAdded }) => ({
        name: config,
        saved: net,
        costs: [modelInput + modelOutput, violationsAdded],
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

/** The recording and sample that a row shares with the baseline's. */
function recordingOf({ task, trial, lineage, transcriptHash, sample }: CellResult): string {
  return JSON.stringify([task, trial, lineage, transcriptHash, sample]);
}

function add(
  config: string,
  rows: readonly CellResult[],
  sentByBaseline: ReadonlyMap<string, number>,
): Omit<ConfigTotals, 'frontier'> {
  const measured = rows.filter(isFinished);
  const sum = (figure: (row: CellResult) => number | undefined) =>
    measured.reduce((total, row) => total + (figure(row) ?? 0), 0);
  const before = sum((row) => row.tokensBefore);
  const gross = sum((row) => row.tokensSaved);
  const modelInput = sum((row) => row.modelInputTokens);
  const modelOutput = sum((row) => row.modelOutputTokens);
  const comparable = measured.filter((row) => sentByBaseline.has(recordingOf(row)));
  const sentBaseline = comparable.reduce(
    (total, row) => total + (sentByBaseline.get(recordingOf(row)) ?? 0),
    0,
  );
  const sent = comparable.reduce((total, row) => total + (row.tokensAfter ?? 0), 0);
  const asked = comparable.reduce(
    (total, row) => total + (row.modelInputTokens ?? 0) + (row.modelOutputTokens ?? 0),
    0,
  );
  const rewarded = measured.filter((row) => row.reward !== undefined);
  return {
    config,
    cells: rows.length,
    failed: rows.length - measured.length,
    tasks: new Set(rows.map((row) => row.task)).size,
    rewarded: rewarded.length,
    resolved: rewarded.filter((row) => row.passed === true).length,
    requests: sum((row) => row.requests),
    before,
    after: sum((row) => row.tokensAfter),
    gross,
    unique: sum((row) => row.uniqueSaved),
    net: sum((row) => row.netSaved),
    pooledPercent: percent(gross, before),
    meanPercent:
      measured.length === 0 ? undefined : sum((row) => row.percentSaved) / measured.length,
    fired: sum((row) => row.fired),
    firedCells: measured.filter((row) => (row.fired ?? 0) > 0).length,
    modelCalls: sum((row) => row.modelCalls),
    modelInput,
    modelOutput,
    sentPercent: percent(sent, sentBaseline),
    sentWithModelPercent: percent(sent + asked, sentBaseline),
    violationsAdded: measured.some((row) => row.violationsAdded !== undefined)
      ? sum((row) => row.violationsAdded)
      : undefined,
  };
}

function percent(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : (100 * part) / whole;
}
