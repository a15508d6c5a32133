import type { Outcome } from './statistics/paired.ts';

/** How much the baseline differs from itself: rewards of one trial of every task against another trial. */
export interface NoiseFloor {
  readonly trials: number;
  /** Tasks that both trials of a pair have, at the least. */
  readonly tasks: number;
  /** Smallest and largest share of tasks whose rewards differ, over the pairs of trials. */
  readonly low: number;
  readonly high: number;
}

/**
 * Identical trials of the baseline, A against A. Any claim about a config has to beat it. Undefined where no
 * two trials have a task in common.
 */
export function noiseFloorOf(
  outcomes: readonly Outcome[],
  baseline: string,
): NoiseFloor | undefined {
  const trials = new Map<string, Map<string, number>>();
  for (const { task, config, trial = '0', reward } of outcomes) {
    if (config !== baseline || reward === undefined) continue;
    const rewards = trials.get(trial) ?? new Map<string, number>();
    trials.set(trial, rewards.set(task, reward));
  }
  const arms = [...trials.values()];
  const shares: number[] = [];
  let tasks = Number.POSITIVE_INFINITY;
  for (const [index, one] of arms.entries()) {
    for (const other of arms.slice(index + 1)) {
      const common = [...one].filter(([task]) => other.has(task));
      if (common.length === 0) continue;
      const flipped = common.filter(([task, reward]) => other.get(task) !== reward);
      shares.push(flipped.length / common.length);
      tasks = Math.min(tasks, common.length);
    }
  }
  if (shares.length === 0) return undefined;
  return { trials: arms.length, tasks, low: Math.min(...shares), high: Math.max(...shares) };
}
