import { meanAndError } from './moments.ts';
import { studentQuantile } from './quantiles.ts';

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A two-sided interval for a mean, and what it was made from. */
export interface MeanInterval extends Interval {
  /** Centre of the interval. */
  readonly center: number;
  readonly standardError: number;
  readonly degrees: number;
}

export const CONFIDENCE = 0.95;

/** Student's t-interval for the mean of independent values; undefined of fewer than two. */
export function meanInterval(
  values: readonly number[],
  confidence = CONFIDENCE,
): MeanInterval | undefined {
  const moments = meanAndError(values);
  if (moments === undefined) return undefined;
  const { mean: center, standardError } = moments;
  const degrees = values.length - 1;
  const reach = studentQuantile((1 + confidence) / 2, degrees) * standardError;
  return { center, standardError, degrees, low: center - reach, high: center + reach };
}

/**
 * The interval that decides: the t-interval of per-task differences of rewards, each in [−1, 1], with two
 * pseudo-tasks, +1 and −1, added. For one trial a task it is Bonett and Price's adjusted Wald interval for
 * paired proportions (Journal of Educational and Behavioral Statistics 37, 2012) with t for z; averaging
 * the trials first makes the task the unit, hence "clustered". Without any task it is all of [−1, 1].
 */
export function adjustedInterval(
  differences: readonly number[],
  confidence = CONFIDENCE,
): MeanInterval {
  for (const difference of differences) {
    if (difference >= -1 && difference <= 1) continue;
    throw new RangeError(`a difference of rewards is ${difference}, expected −1 to 1`);
  }
  const interval = meanInterval([...differences, 1, -1], confidence);
  if (interval === undefined) throw new RangeError('two pseudo-tasks make an interval');
  return { ...interval, low: Math.max(-1, interval.low), high: Math.min(1, interval.high) };
}
