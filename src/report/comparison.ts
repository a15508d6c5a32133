import { type NoiseFloor, noiseFloorOf } from './noise-floor.ts';
import { type AdjustedComparison, compareConfigs, compareRewards } from './statistics/compare.ts';
import { DEFAULT_MISSING_RULE, type MissingRule } from './statistics/missing.ts';
import type { Outcome } from './statistics/paired.ts';
import type { ArmRate } from './statistics/rates.ts';
import { type Savings, type SavingsCell, savingsOf } from './statistics/savings.ts';
import { DEFAULT_MARGIN } from './statistics/verdict.ts';

/** `live`: what an agent that ran under the config got. `grounded`: what evidence leaves of a recorded reward. */
export type RewardKind = 'live' | 'grounded';

export interface ComparisonInput {
  readonly baseline: string;
  /** Names in their order; the baseline may be among them. */
  readonly configs: readonly string[];
  readonly rewardKind: RewardKind;
  readonly outcomes: readonly Outcome[];
  readonly cells: readonly SavingsCell[];
  /** Of grounded rewards: solved cells in which a config rewrote something. */
  readonly solvedFired?: ReadonlyMap<string, number> | undefined;
  /** Largest loss of reward that is accepted, 0 to 1. */
  readonly margin?: number | undefined;
  readonly missing?: MissingRule | undefined;
}

/** Every config held against the baseline: rewards with their bounds, savings with their signs. */
export interface Comparison {
  readonly baseline: string;
  readonly rewardKind: RewardKind;
  readonly margin: number;
  readonly missing: MissingRule;
  /** Distinct tasks with an outcome, and all outcomes that are there. */
  readonly tasks: number;
  readonly outcomes: number;
  /** The baseline first. */
  readonly configs: readonly ConfigFigures[];
  /** What identical trials of the baseline show; undefined without repeated trials. */
  readonly noiseFloor: NoiseFloor | undefined;
}

export interface ConfigFigures {
  readonly config: string;
  readonly savings: Savings;
  /** Undefined where no reward is known. */
  readonly rate: ArmRate | undefined;
  /** Undefined of the baseline, and where no reward is known. */
  readonly reward: AdjustedComparison | undefined;
  /** Of grounded rewards: solved cells that fired. */
  readonly solvedFired: number | undefined;
}

/** Throws `input.schema` for a reward outside 0 to 1, `RangeError` for such a margin. */
export function compareAll(input: ComparisonInput): Comparison {
  const { baseline, outcomes, cells, rewardKind, solvedFired } = input;
  const { margin = DEFAULT_MARGIN, missing = DEFAULT_MISSING_RULE } = input;
  const others = input.configs.filter((config) => config !== baseline);
  const firedOf = (config: string) =>
    rewardKind === 'grounded' ? (solvedFired?.get(config) ?? 0) : undefined;
  const rewarded = new Set(outcomes.map(({ config }) => config));
  // A config without any outcome was not tried: that is no loss.
  const tried = others.filter((config) => rewarded.has(config) && rewarded.has(baseline));
  const options = tried.map((config) => ({
    config,
    margin,
    missing,
    solvedFired: firedOf(config),
  }));
  const comparisons = compareConfigs(outcomes, options, baseline);
  const rewards = new Map(tried.map((config, index) => [config, comparisons[index]]));
  const alone = rewarded.has(baseline)
    ? compareRewards(outcomes, { baseline, config: baseline, missing })
    : undefined;
  return {
    baseline,
    rewardKind,
    margin,
    missing,
    tasks: new Set(outcomes.map(({ task }) => task)).size,
    outcomes: outcomes.filter(({ reward }) => reward !== undefined).length,
    configs: [
      {
        config: baseline,
        savings: savingsOf(cells, baseline, baseline),
        rate: alone?.baselineRate,
        reward: undefined,
        solvedFired: undefined,
      },
      ...others.map((config) => ({
        config,
        savings: savingsOf(cells, config, baseline),
        rate: rewards.get(config)?.configRate,
        reward: rewards.get(config),
        solvedFired: firedOf(config),
      })),
    ],
    noiseFloor: noiseFloorOf(outcomes, baseline),
  };
}
