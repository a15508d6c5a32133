import { CONFIDENCE, type Interval } from './interval.ts';
import { normalQuantile } from './quantiles.ts';

/**
 * Score interval for one rate of independent yes-or-no outcomes (Wilson, JASA 22, 1927); undefined without a
 * trial. Repeated trials of one task are not independent: give it one outcome a task.
 */
export function wilsonInterval(
  successes: number,
  trials: number,
  confidence = CONFIDENCE,
): Interval | undefined {
  if (!(successes >= 0 && successes <= trials)) {
    throw new RangeError(`successes are ${successes}, expected 0 to ${trials}`);
  }
  if (trials === 0) return undefined;
  const z = normalQuantile((1 + confidence) / 2);
  const rate = successes / trials;
  const spread = Math.sqrt((rate * (1 - rate)) / trials + (z * z) / (4 * trials * trials));
  const scale = 1 + (z * z) / trials;
  const center = (rate + (z * z) / (2 * trials)) / scale;
  return {
    low: successes === 0 ? 0 : center - (z * spread) / scale,
    high: successes === trials ? 1 : center + (z * spread) / scale,
  };
}
