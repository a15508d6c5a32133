import type { Interval } from './interval.ts';
import type { Outcome, Pairing } from './paired.ts';
import { wilsonInterval } from './wilson.ts';

/** Rewards of one arm by themselves. */
export interface ArmRate {
  /** Outcomes that are there, and those of them with a reward of at least 1. */
  readonly outcomes: number;
  readonly resolved: number;
  /** Mean over the paired tasks of their average reward; undefined without a pair. */
  readonly rate: number | undefined;
  /** Wilson's interval with the task as the unit: cautious where trials or part rewards were averaged. */
  readonly interval: Interval | undefined;
}

export function armRate(
  outcomes: readonly Outcome[],
  { pairs, ...pairing }: Pairing,
  arm: 'baseline' | 'config',
): ArmRate {
  const rewards = outcomes
    .filter((outcome) => outcome.config === pairing[arm])
    .flatMap(({ reward }) => reward ?? []);
  // Added up in ascending order, as everywhere, so that the order of the tasks does not matter.
  const averages = pairs.map((pair) => pair[arm]).toSorted((a, b) => a - b);
  const solved = Math.min(
    pairs.length,
    averages.reduce((sum, average) => sum + average, 0),
  );
  return {
    outcomes: rewards.length,
    resolved: rewards.filter((reward) => reward >= 1).length,
    rate: pairs.length === 0 ? undefined : solved / pairs.length,
    interval: wilsonInterval(solved, pairs.length),
  };
}
