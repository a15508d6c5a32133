import { bootstrapInterval } from './bootstrap.ts';
import { DEFAULT_SEED } from './compare.ts';
import { type Interval, type MeanInterval, meanInterval } from './interval.ts';
import { type LeaveOneOut, leaveOneOut } from './leave-one-out.ts';
import { mean } from './moments.ts';
import { type ArmRow, type Pairing, pairByTask } from './paired.ts';
import { type SignFlipTest, signFlipTest } from './permutation.ts';
import { minimumDetectableEffect } from './power.ts';

/** Whether the interval of the mean difference lies above 0, below it, or over it. */
export type Direction = 'higher' | 'lower' | 'unclear';

/** One config against the baseline in a continuous measure: tokens, USD, evidence. Its unit throughout. */
export interface MeasureComparison {
  readonly pairing: Pairing;
  readonly direction: Direction;
  readonly difference: number | undefined;
  /** Student's t-interval over tasks: no pseudo-tasks, since the measure has no range. */
  readonly interval: MeanInterval | undefined;
  readonly test: SignFlipTest;
  readonly bootstrap: Interval | undefined;
  readonly detectable: number | undefined;
  readonly leaveOneOut: LeaveOneOut<Direction> | undefined;
}

/** A missing measure cannot be counted as a loss, so it is dropped, and its task where nothing is left. */
export function compareMeasure<Row extends ArmRow>(
  rows: readonly Row[],
  valueAt: (row: Row) => number | undefined,
  options: {
    readonly baseline: string;
    readonly config: string;
    readonly seed?: number | undefined;
  },
): MeasureComparison {
  const { seed = DEFAULT_SEED } = options;
  const pairing = pairByTask(rows, valueAt, { ...options, missing: 'drop' });
  const differences = pairing.pairs.map((pair) => pair.difference);
  const interval = meanInterval(differences);
  return {
    pairing,
    direction: directionOf(differences),
    difference: mean(differences),
    interval,
    test: signFlipTest(differences, seed),
    bootstrap: bootstrapInterval(differences, seed),
    detectable: interval === undefined ? undefined : minimumDetectableEffect(interval),
    leaveOneOut: leaveOneOut(pairing.pairs, directionOf),
  };
}

function directionOf(differences: readonly number[]): Direction {
  const interval = meanInterval(differences);
  if (interval === undefined) return 'unclear';
  if (interval.low > 0) return 'higher';
  return interval.high < 0 ? 'lower' : 'unclear';
}
