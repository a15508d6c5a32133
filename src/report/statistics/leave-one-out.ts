import type { Interval } from './interval.ts';
import { mean } from './moments.ts';
import type { Pair } from './paired.ts';

/** How much hangs on a single task. */
export interface LeaveOneOut<Word> {
  /** Range of the mean difference over all ways to leave one task out. */
  readonly difference: Interval;
  /** Tasks without which the conclusion would be another one, with that one; in the order of the pairs. */
  readonly decisive: readonly { readonly task: string; readonly word: Word }[];
}

/** `conclude` gives the conclusion from per-task differences. Undefined of fewer than two pairs. */
export function leaveOneOut<Word extends string>(
  pairs: readonly Pair[],
  conclude: (differences: readonly number[]) => Word,
): LeaveOneOut<Word> | undefined {
  if (pairs.length < 2) return undefined;
  const differences = pairs.map((pair) => pair.difference);
  const whole = conclude(differences);
  // Tasks of equal difference leave the same behind, and rewards have few different values.
  const without = new Map<number, { mean: number; word: Word }>();
  for (const [index, difference] of differences.entries()) {
    if (without.has(difference)) continue;
    const rest = differences.toSpliced(index, 1);
    without.set(difference, { mean: mean(rest) ?? 0, word: conclude(rest) });
  }
  let low = Infinity;
  let high = -Infinity;
  for (const left of without.values()) {
    low = Math.min(low, left.mean);
    high = Math.max(high, left.mean);
  }
  const decisive = pairs.flatMap(({ task, difference }) => {
    const word = without.get(difference)?.word;
    return word === undefined || word === whole ? [] : [{ task, word }];
  });
  return { difference: { low, high }, decisive };
}
