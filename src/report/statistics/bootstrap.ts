import { CONFIDENCE, type Interval } from './interval.ts';
import { sampleQuantile } from './quantiles.ts';
import { seededRandom } from './random.ts';

const RESAMPLES = 10_000;

/**
 * Percentile interval of the mean by resampling tasks with replacement, trials within them already averaged
 * (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13). Printed beside the verdict and
 * never decides: with few discordant pairs it collapses to a point. Undefined without a task.
 */
export function bootstrapInterval(
  differences: readonly number[],
  seed: number,
  resamples = RESAMPLES,
): Interval | undefined {
  const count = differences.length;
  // Drawing from the sorted values makes the interval independent of the order of the rows.
  const values = Float64Array.from(differences).sort();
  const random = seededRandom(seed);
  const means = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample++) {
    let sum = 0;
    for (let draw = 0; draw < count; draw++) sum += values[random.below(count)] ?? 0;
    means[resample] = sum / count;
  }
  means.sort();
  const low = sampleQuantile(means, (1 - CONFIDENCE) / 2);
  const high = sampleQuantile(means, (1 + CONFIDENCE) / 2);
  if (count === 0 || low === undefined || high === undefined) return undefined;
  return { low, high };
}
