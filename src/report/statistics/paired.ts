import {
  DEFAULT_MISSING_RULE,
  type MissingReport,
  type MissingRule,
  settleMissing,
} from './missing.ts';
import { mean } from './moments.ts';

/** What every row says: which task, in which arm. */
export interface ArmRow {
  readonly task: string;
  readonly config: string;
}

/** The reward of one trial of one task under one config, 0 to 1; undefined where it is missing. */
export interface Outcome extends ArmRow {
  readonly trial?: string | undefined;
  readonly reward?: number | undefined;
}

/** One task in both arms, its trials averaged. */
export interface Pair {
  readonly task: string;
  readonly baseline: number;
  readonly config: number;
  /** `config` − `baseline`. */
  readonly difference: number;
  readonly baselineTrials: number;
  readonly configTrials: number;
  /** True where nothing of it was counted as a loss for being missing. */
  readonly observed: boolean;
}

export interface Pairing {
  readonly baseline: string;
  readonly config: string;
  /** In the order of the tasks' names. */
  readonly pairs: readonly Pair[];
  readonly missing: MissingReport;
  /** Tasks whose arms have different numbers of trials: their averages are not equally precise. */
  readonly unequalTrials: number;
}

export interface PairingOptions {
  readonly baseline: string;
  readonly config: string;
  readonly missing?: MissingRule | undefined;
}

/**
 * Pairs two configs by task. Trials are averaged within their task and are not paired with one another,
 * since trial 1 of one arm has nothing in common with trial 1 of the other. A task that neither config
 * has a row of is no pair. A trial without a row is missing as one without a reward is.
 */
export function pairByTask<Row extends ArmRow>(
  rows: readonly Row[],
  valueAt: (row: Row) => number | undefined,
  options: PairingOptions,
): Pairing {
  const { baseline, config, missing: rule = DEFAULT_MISSING_RULE } = options;
  const baselineValues = valuesByTask(rows, valueAt, baseline);
  const configValues = valuesByTask(rows, valueAt, config);
  const tasks = [...new Set([...baselineValues.keys(), ...configValues.keys()])].sort();
  const pairs: Pair[] = [];
  const inBaseline: string[] = [];
  const inConfig: string[] = [];
  const dropped: string[] = [];
  let imputed = 0;
  const [baselineMost, configMost] = [mostTrials(baselineValues), mostTrials(configValues)];
  for (const task of tasks) {
    const inLeft = baselineValues.get(task) ?? [];
    const inRight = configValues.get(task) ?? [];
    const left = settleMissing(withGaps(inLeft, inRight.length, baselineMost), rule);
    const right = settleMissing(withGaps(inRight, inLeft.length, configMost), rule);
    if (left.missing > 0) inBaseline.push(task);
    if (right.missing > 0) inConfig.push(task);
    const [before, after] = [mean(left.values), mean(right.values)];
    if (before === undefined || after === undefined) {
      dropped.push(task);
      continue;
    }
    const missing = left.missing + right.missing;
    if (rule === 'loss') imputed += missing;
    pairs.push({
      task,
      baseline: before,
      config: after,
      difference: after - before,
      baselineTrials: left.values.length,
      configTrials: right.values.length,
      observed: rule === 'drop' || missing === 0,
    });
  }
  const unequalTrials = pairs.filter((pair) => pair.baselineTrials !== pair.configTrials).length;
  const missing = { rule, inBaseline, inConfig, imputed, dropped };
  return { baseline, config, pairs, missing, unequalTrials };
}

type Values = readonly (number | undefined)[];

function mostTrials(values: ReadonlyMap<string, Values>): number {
  let most = 0;
  for (const { length } of values.values()) most = Math.max(most, length);
  return most;
}

/**
 * The trials of one arm with a gap for each that is missing: the other arm has so many of the task, and
 * this arm of another task. A table often leaves out the runs that crashed, and an average over the rest
 * would favour the arm that crashes. An arm that has fewer trials of every task was planned so.
 */
function withGaps(values: Values, others: number, most: number): Values {
  const missing = Math.min(others, most) - values.length;
  return missing > 0 ? [...values, ...Array.from({ length: missing }, () => undefined)] : values;
}

function valuesByTask<Row extends ArmRow>(
  rows: readonly Row[],
  valueAt: (row: Row) => number | undefined,
  config: string,
): Map<string, (number | undefined)[]> {
  const values = new Map<string, (number | undefined)[]>();
  for (const row of rows) {
    if (row.config !== config) continue;
    const value = valueAt(row);
    const ofTask = values.get(row.task);
    if (ofTask === undefined) values.set(row.task, [value]);
    else ofTask.push(value);
  }
  return values;
}
