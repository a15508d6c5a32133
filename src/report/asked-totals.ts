import type { CellResult } from '../rows/result.ts';
import { type Bounds, scoreInterval } from '../rows/score-interval.ts';

/** A mean over tasks, each weighing the same, with its interval; undefined where nothing was scored. */
export interface TaskMean {
  readonly mean: number | undefined;
  readonly interval: Bounds | undefined;
  /** What was scored: requests or questions. */
  readonly count: number;
}

/** Agreement and probes of one config. */
export interface AskedTotals {
  /** Undefined where no row measured it. */
  readonly agreement: AgreementTotals | undefined;
  readonly probes: ProbeTotals | undefined;
}

export interface AgreementTotals extends TaskMean {
  readonly eligible: number;
  readonly sampled: number;
  readonly notReproduced: number;
  readonly unparsed: number;
}

export interface ProbeTotals {
  readonly plain: TaskMean;
  readonly withExpand: TaskMean;
  readonly spans: number;
  readonly unparsed: number;
  readonly dropped: number;
}

/**
 * The rows of one config, added up. The unit is the task, as for verdicts: requests of one transcript are alike,
 * and trials of one task too, so the interval is a score interval over task means.
 *
 * @returns undefined where no row was asked about
 */
export function askedTotalsOf(rows: readonly CellResult[]): AskedTotals | undefined {
  const sum = (figure: (row: CellResult) => number | undefined) =>
    rows.reduce((total, row) => total + (figure(row) ?? 0), 0);
  const agreed = rows.some((row) => row.agreementSampled !== undefined);
  const probed = rows.some((row) => row.probeSpans !== undefined);
  if (!agreed && !probed) return undefined;
  const mean = (score: keyof CellResult, count: keyof CellResult) => taskMean(rows, score, count);
  return {
    agreement: agreed
      ? {
          ...mean('agreement', 'agreementCount'),
          eligible: sum((row) => row.agreementEligible),
          sampled: sum((row) => row.agreementSampled),
          notReproduced: sum((row) => row.agreementNotReproduced),
          unparsed: sum((row) => row.agreementUnparsed),
        }
      : undefined,
    probes: probed
      ? {
          plain: mean('probeScore', 'probeCount'),
          withExpand: mean('probeScoreExpand', 'probeCountExpand'),
          spans: sum((row) => row.probeSpans),
          unparsed: sum((row) => (row.probeUnparsed ?? 0) + (row.probeUnparsedExpand ?? 0)),
          dropped: sum((row) => row.probeDropped),
        }
      : undefined,
  };
}

function taskMean(
  rows: readonly CellResult[],
  score: keyof CellResult,
  count: keyof CellResult,
): TaskMean {
  const tasks = new Map<string, { total: number; count: number }>();
  for (const row of rows) {
    const [value, times] = [row[score], row[count]];
    if (typeof value !== 'number' || typeof times !== 'number' || times === 0) continue;
    const task = tasks.get(row.task) ?? { total: 0, count: 0 };
    tasks.set(row.task, task);
    task.total += value * times;
    task.count += times;
  }
  const means = [...tasks.values()]
    .map((task) => Math.min(1, task.total / task.count))
    .toSorted((a, b) => a - b);
  const total = means.reduce((sum, mean) => sum + mean, 0);
  return {
    mean: means.length === 0 ? undefined : total / means.length,
    interval: scoreInterval(Math.min(total, means.length), means.length),
    count: [...tasks.values()].reduce((sum, task) => sum + task.count, 0),
  };
}
