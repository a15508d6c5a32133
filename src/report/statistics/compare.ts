import { HarnessError } from '../../errors.ts';
import { bootstrapInterval } from './bootstrap.ts';
import { type FlipRate, flipRate } from './flip-rate.ts';
import { holm } from './holm.ts';
import type { Interval } from './interval.ts';
import { type LeaveOneOut, leaveOneOut } from './leave-one-out.ts';
import { type McNemar, mcnemarOf } from './mcnemar.ts';
import { type Outcome, type Pairing, type PairingOptions, pairByTask } from './paired.ts';
import { type SignFlipTest, signFlipTest } from './permutation.ts';
import { minimumDetectableEffect } from './power.ts';
import { type ArmRate, armRate } from './rates.ts';
import { type Verdict, type VerdictWord, verdictOf } from './verdict.ts';

export const DEFAULT_SEED = 1;

/** The test beside the verdict: McNemar's where each task has one trial of 0 or 1, else the sign flip. */
export type RewardTest =
  | ({ readonly kind: 'mcnemar' } & McNemar)
  | ({ readonly kind: 'sign-flip' } & SignFlipTest);

/** One config against the baseline in rewards. Differences are config − baseline, in shares of 1. */
export interface RewardComparison {
  readonly pairing: Pairing;
  readonly verdict: Verdict;
  readonly test: RewardTest;
  readonly bootstrap: Interval | undefined;
  /** Smallest difference that these pairs would detect with 80 % power. */
  readonly detectable: number;
  /** What the observed pairs exclude; a pair that was filled in is no observation. */
  readonly flips: FlipRate;
  readonly leaveOneOut: LeaveOneOut<VerdictWord> | undefined;
  readonly baselineRate: ArmRate;
  readonly configRate: ArmRate;
}

export interface RewardOptions extends PairingOptions {
  readonly margin?: number | undefined;
  readonly solvedFired?: number | undefined;
  readonly seed?: number | undefined;
}

/** Throws `input.schema` where a reward is not within 0 to 1, `RangeError` for a margin that is not. */
export function compareRewards(
  outcomes: readonly Outcome[],
  options: RewardOptions,
): RewardComparison {
  const { margin, solvedFired, seed = DEFAULT_SEED } = options;
  const pairing = pairByTask(outcomes, checkedReward, options);
  const { pairs } = pairing;
  const differences = pairs.map((pair) => pair.difference);
  const conclude = (some: readonly number[]) => verdictOf(some, { margin, solvedFired });
  const verdict = conclude(differences);
  const mcnemar = mcnemarOf(pairs);
  const observed = pairs.filter((pair) => pair.observed);
  const discordant = observed.filter((pair) => pair.difference !== 0);
  return {
    pairing,
    verdict,
    test:
      mcnemar === undefined
        ? { kind: 'sign-flip', ...signFlipTest(differences, seed) }
        : { kind: 'mcnemar', ...mcnemar },
    bootstrap: bootstrapInterval(differences, seed),
    detectable: minimumDetectableEffect(verdict.interval),
    flips: flipRate(discordant.length, observed.length),
    leaveOneOut: leaveOneOut(pairs, (some) => conclude(some).word),
    baselineRate: armRate(outcomes, pairing, 'baseline'),
    configRate: armRate(outcomes, pairing, 'config'),
  };
}

/** A comparison among several: `adjustedP` is its test's p by Holm over all of them. */
export interface AdjustedComparison extends RewardComparison {
  readonly adjustedP: number;
}

/** Every config against the baseline, in the order given. Verdicts keep their own 95 %; only p is adjusted. */
export function compareConfigs(
  outcomes: readonly Outcome[],
  configs: readonly (Omit<RewardOptions, 'baseline'> & { readonly config: string })[],
  baseline: string,
): AdjustedComparison[] {
  const comparisons = configs.map((options) => compareRewards(outcomes, { ...options, baseline }));
  const adjusted = holm(comparisons.map((comparison) => comparison.test.p));
  return comparisons.map((comparison, index) => ({
    ...comparison,
    adjustedP: adjusted[index] ?? comparison.test.p,
  }));
}

function checkedReward({ task, config, reward }: Outcome): number | undefined {
  if (reward === undefined || (reward >= 0 && reward <= 1)) return reward;
  const message = `the reward of '${task}' under '${config}' is ${reward}, expected 0 to 1; rescale the rewards`;
  throw new HarnessError('input.schema', message, { at: { key: 'reward' } });
}
