import { scoreInterval } from '../../rows/score-interval.ts';
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
  return scoreInterval(successes, trials, normalQuantile((1 + confidence) / 2));
}
