import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { compareRewards } from '../../../src/report/statistics/compare.ts';
import type { Outcome } from '../../../src/report/statistics/paired.ts';
import { type Random, seededRandom } from '../../../src/report/statistics/random.ts';
import { verdictOf } from '../../../src/report/statistics/verdict.ts';
import { absent, hasShared, sharedText } from './shared-results.ts';

const Runs = z.array(z.object({ task_id: z.int(), trial: z.int(), reward: z.number() }));

/** Rewards of the recorded runs, each trial as an arm of its own. */
function recordedOutcomes(): Outcome[] {
  const file = 'historical_trajectories__gpt-4o-airline.json';
  const text = sharedText('transcripts', 'tau-bench', 'sierra-research__tau-bench', file);
  return Runs.parse(JSON.parse(text)).map(({ task_id, trial, reward }) => ({
    task: String(task_id),
    config: `trial ${trial}`,
    reward,
  }));
}

/** The difference of two of a task's four trials against the other two, chosen at random. */
function splitDifference(rewards: readonly number[], random: Random): number {
  const left = [...rewards];
  const takeOne = () => left.splice(random.below(left.length), 1)[0] ?? Number.NaN;
  const own = takeOne() + takeOne();
  return (own - takeOne() - takeOne()) / 2;
}

describe.runIf(hasShared)(`identical trials of tau-bench, A against A${absent}`, () => {
  const outcomes = hasShared ? recordedOutcomes() : [];

  test('flip 22 to 38 % of the tasks between any two trials, and no verdict is regressed or improved', () => {
    const shares: number[] = [];
    for (let one = 0; one < 4; one++) {
      for (let other = one + 1; other < 4; other++) {
        const { flips, verdict } = compareRewards(outcomes, {
          baseline: `trial ${one}`,
          config: `trial ${other}`,
        });
        expect(flips.pairs).toBe(50);
        expect(verdict.word).toBe('inconclusive');
        shares.push(flips.discordant / flips.pairs);
      }
    }
    expect(shares).toHaveLength(6);
    expect(Math.min(...shares)).toBe(0.22);
    expect(Math.max(...shares)).toBe(0.38);
  });

  test('split two against two a thousand times, are regressed and improved in at most 3.5 % each', () => {
    const names = [...new Set(outcomes.map(({ task }) => task))];
    const tasks = names.map((name) =>
      outcomes.filter(({ task }) => task === name).map(({ reward }) => reward ?? Number.NaN),
    );
    const random = seededRandom(1);
    const words = Array.from({ length: 1000 }, () => {
      return verdictOf(tasks.map((rewards) => splitDifference(rewards, random))).word;
    });
    const share = (word: string) => words.filter((one) => one === word).length / words.length;
    expect(tasks).toHaveLength(50);
    expect(share('regressed')).toBeLessThanOrEqual(0.035);
    expect(share('improved')).toBeLessThanOrEqual(0.035);
    expect(share('regressed') + share('improved')).toBeGreaterThan(0);
    expect(share('inconclusive')).toBeGreaterThan(0.9);
  });
});
