import { adjustedInterval, type MeanInterval } from './interval.ts';
import { mean } from './moments.ts';

export type VerdictWord = 'improved' | 'non-inferior' | 'regressed' | 'inconclusive' | 'untested';

/** Two points of reward. */
export const DEFAULT_MARGIN = 0.02;

/** A grounded reward can only fall where a solved cell fired; with fewer of them it was not put to the test. */
export const SOLVED_FIRED_NEEDED = 20;

/** Always has its bound: the interval [low, high] of the difference of rewards, config − baseline. */
export interface Verdict {
  readonly word: VerdictWord;
  readonly margin: number;
  readonly tasks: number;
  /** Mean of the per-task differences, without the pseudo-tasks; undefined without a task. */
  readonly difference: number | undefined;
  readonly interval: MeanInterval;
}

export interface VerdictOptions {
  /** Largest loss of reward that is accepted, 0 to 1. */
  readonly margin?: number | undefined;
  /** For grounded rewards only: solved cells in which the config rewrote something. */
  readonly solvedFired?: number | undefined;
}

/** The verdict on per-task differences of rewards, each in [−1, 1]. */
export function verdictOf(differences: readonly number[], options: VerdictOptions = {}): Verdict {
  const { margin = DEFAULT_MARGIN, solvedFired } = options;
  if (!(margin >= 0 && margin <= 1)) {
    throw new RangeError(`margin is ${margin}, expected 0 to 1 (0.02 is two points)`);
  }
  const interval = adjustedInterval(differences);
  const untested = solvedFired !== undefined && solvedFired < SOLVED_FIRED_NEEDED;
  return {
    word: untested ? 'untested' : wordOf(interval, margin),
    margin,
    tasks: differences.length,
    difference: mean(differences),
    interval,
  };
}

function wordOf({ low, high }: MeanInterval, margin: number): VerdictWord {
  if (low > 0) return 'improved';
  if (low >= -margin) return 'non-inferior';
  return high < 0 ? 'regressed' : 'inconclusive';
}
