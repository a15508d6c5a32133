import { type CellResult, isFinished } from '../rows/result.ts';
import type { Outcome } from './statistics/paired.ts';
import type { SavingsCell } from './statistics/savings.ts';

/** What the statistics take from the rows of an offline run. */

/**
 * Outcomes of the cells whose recording has a reward; the task is the unit. A failed cell has none, and the
 * rule for missing outcomes decides about it.
 */
export function outcomesOf(rows: readonly CellResult[]): Outcome[] {
  return rows
    .filter(({ recordedReward }) => recordedReward !== undefined)
    .map(({ task, config, trial, reward }) => ({ task, config, trial, reward }));
}

/** The recording and sample that a row shares with the baseline's. */
function recordingOf({ task, trial, lineage, transcriptHash, sample }: CellResult): string {
  return JSON.stringify([task, trial, lineage, transcriptHash, sample]);
}

/**
 * Token counts of the rows. A replay feeds every config the same recordings, so the recording takes the place
 * of the task: what is sent is held against the baseline cell by cell.
 */
export function savingsCellsOf(rows: readonly CellResult[]): SavingsCell[] {
  return rows.map((row) => ({
    task: recordingOf(row),
    config: row.config,
    before: row.tokensBefore,
    after: row.tokensAfter,
    unique: row.uniqueSaved,
    net: row.netSaved,
    fired: row.fired,
  }));
}

/** Solved cells in which a config rewrote something: only there can a grounded reward fall. */
export function solvedFiredOf(rows: readonly CellResult[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { config, recordedReward, fired } of rows) {
    if ((recordedReward ?? 0) < 1 || (fired ?? 0) === 0) continue;
    counts.set(config, (counts.get(config) ?? 0) + 1);
  }
  return counts;
}

/** Names of the configs in the order of their first row. */
export function configsOf(rows: readonly { readonly config: string }[]): string[] {
  return [...new Set(rows.map(({ config }) => config))];
}

/** What a config keeps of what later actions use, against what it takes away. Counts over its finished cells. */
export interface Fidelity {
  readonly config: string;
  readonly total: number;
  readonly kept: number;
  readonly recoverable: number;
  readonly lost: number;
  readonly mutated: number;
  readonly actionsWithEvidence: number;
  readonly actionsSupported: number;
  /** Solved cells of the recording, and those still solved by grounded reward, without and with expand. */
  readonly solved: number;
  readonly grounded: number;
  readonly groundedWithExpand: number;
  readonly solvedFired: number;
  /** Net saved, in tokens. */
  readonly net: number;
  /** What the components' own model calls read and wrote, in tokens. */
  readonly modelTokens: number;
}

/** Undefined where no cell of the config measured evidence. */
export function fidelityOf(rows: readonly CellResult[], config: string): Fidelity | undefined {
  const own = rows.filter((row) => row.config === config && isFinished(row));
  if (!own.some((row) => row.evidenceTotal !== undefined)) return undefined;
  const sum = (figure: (row: CellResult) => number | undefined) =>
    own.reduce((total, row) => total + (figure(row) ?? 0), 0);
  const solved = own.filter(({ recordedReward }) => (recordedReward ?? 0) >= 1);
  const stillSolved = (figure: (row: CellResult) => number | undefined) =>
    solved.filter((row) => (figure(row) ?? 0) >= 1).length;
  return {
    config,
    total: sum((row) => row.evidenceTotal),
    kept: sum((row) => row.evidenceKept),
    recoverable: sum((row) => row.evidenceRecoverable),
    lost: sum((row) => row.evidenceLost),
    mutated: sum((row) => row.evidenceMutated),
    actionsWithEvidence: sum((row) => row.actionsWithEvidence),
    actionsSupported: sum((row) => row.actionsSupported),
    solved: solved.length,
    grounded: stillSolved((row) => row.reward),
    groundedWithExpand: stillSolved((row) => row.rewardWithExpand ?? row.reward),
    solvedFired: solved.filter(({ fired }) => (fired ?? 0) > 0).length,
    net: sum((row) => row.netSaved),
    modelTokens: modelTokensOf(own),
  };
}

export function modelTokensOf(rows: readonly CellResult[]): number {
  return rows.reduce(
    (total, row) => total + (row.modelInputTokens ?? 0) + (row.modelOutputTokens ?? 0),
    0,
  );
}
