import { CONFIDENCE, type MeanInterval } from './interval.ts';
import { studentQuantile } from './quantiles.ts';

const POWER = 0.8;

/**
 * The smallest true difference that such an interval would exclude 0 for in 80 of 100 repetitions:
 * (t₀.₉₇₅ + t₀.₈₀) · standard error (Bloom, Evaluation Review 19, 1995).
 */
export function minimumDetectableEffect({ standardError, degrees }: MeanInterval): number {
  const critical = studentQuantile((1 + CONFIDENCE) / 2, degrees);
  return (critical + studentQuantile(POWER, degrees)) * standardError;
}
