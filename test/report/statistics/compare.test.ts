import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareConfigs, compareRewards } from '../../../src/report/statistics/compare.ts';
import { holm } from '../../../src/report/statistics/holm.ts';
import { adjustedInterval } from '../../../src/report/statistics/interval.ts';
import { compareMeasure } from '../../../src/report/statistics/measures.ts';
import type { Outcome } from '../../../src/report/statistics/paired.ts';
import { minimumDetectableEffect } from '../../../src/report/statistics/power.ts';
import { seededRandom } from '../../../src/report/statistics/random.ts';
import { verdictOf } from '../../../src/report/statistics/verdict.ts';
import { outcomes } from './arbitraries.ts';

const arms = { baseline: 'baseline', config: 'candidate' } as const;

/** Everything of a comparison that has no task's name in it. */
function figures(rows: readonly Outcome[], missing: 'loss' | 'drop') {
  const { pairing, leaveOneOut, ...rest } = compareRewards(rows, { ...arms, missing });
  return {
    ...rest,
    pairs: pairing.pairs.length,
    imputed: pairing.missing.imputed,
    dropped: pairing.missing.dropped.length,
    range: leaveOneOut?.difference,
    decisive: leaveOneOut?.decisive.map(({ word }) => word).sort(),
  };
}

describe('a comparison of rewards', () => {
  test('does not depend on the order of the rows nor on the names of the tasks', () => {
    fc.assert(
      fc.property(
        outcomes.chain((rows) =>
          fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
        ),
        fc.constantFrom('loss', 'drop'),
        ([rows, shuffled], missing) => {
          const renamed = shuffled.map((row) => ({ ...row, task: `${9 - Number(row.task[1])}x` }));
          expect(figures(renamed, missing)).toEqual(figures(rows, missing));
        },
      ),
      { numRuns: 30 },
    );
  });

  test('tests by McNemar what has one trial of 0 or 1 a task, else by sign flips', () => {
    const row = (config: string, reward: number) => ({ task: 'a', config, reward });
    const once = [row('baseline', 1), row('candidate', 0)];
    expect(compareRewards(once, arms).test).toEqual({ kind: 'mcnemar', gained: 0, lost: 1, p: 1 });
    const twice = [...once, row('candidate', 1)];
    expect(compareRewards(twice, arms).test).toMatchObject({ kind: 'sign-flip', p: 1 });
    const part = [row('baseline', 1), row('candidate', 0.5)];
    expect(compareRewards(part, arms).test.kind).toBe('sign-flip');
  });

  test('counts resolved outcomes, and takes only observed pairs for what it excludes', () => {
    const rows = [
      { task: 'a', config: 'baseline', reward: 1 },
      { task: 'a', config: 'candidate', reward: 1 },
      { task: 'b', config: 'candidate', reward: 1 },
    ];
    const comparison = compareRewards(rows, arms);
    expect(comparison.baselineRate).toMatchObject({ outcomes: 1, resolved: 1, rate: 0.5 });
    expect(comparison.configRate).toMatchObject({ outcomes: 2, resolved: 2, rate: 1 });
    expect(comparison.flips).toMatchObject({ pairs: 1, discordant: 0 });
  });

  test('names the tasks without which the verdict would be another', () => {
    const rows = Array.from({ length: 200 }, (_, index) => [
      { task: `t${index}`, config: 'baseline', reward: 1 },
      { task: `t${index}`, config: 'candidate', reward: index < 17 ? 0 : 1 },
    ]).flat();
    // The margin that is just met once one loss is left out.
    const without = Array.from({ length: 199 }, (_, index) => (index < 16 ? -1 : 0));
    const margin = -adjustedInterval(without).low;
    const { verdict, leaveOneOut } = compareRewards(rows, { ...arms, margin });
    expect(verdict.word).toBe('regressed');
    expect(leaveOneOut?.decisive).toHaveLength(17);
    expect(leaveOneOut?.decisive.every(({ word }) => word === 'non-inferior')).toBe(true);
    expect(leaveOneOut?.difference).toEqual({ low: -17 / 199, high: -16 / 199 });
  });

  test('refuses a reward outside 0 to 1, naming where', () => {
    const rows = [{ task: 'a', config: 'candidate', reward: 3 }];
    expect(() => compareRewards(rows, arms)).toThrow(/'a' under 'candidate' is 3, expected 0 to 1/);
  });

  test('of several configs adjusts p by Holm, and nothing else', () => {
    fc.assert(
      fc.property(outcomes, outcomes, (first, second) => {
        const rows = [
          ...first,
          ...second
            .filter(({ config }) => config === 'candidate')
            .map((row) => ({ ...row, config: 'other' })),
        ];
        const alone = ['candidate', 'other'].map((config) =>
          compareRewards(rows, { baseline: 'baseline', config }),
        );
        const adjusted = holm(alone.map(({ test: { p } }) => p));
        const configs = [{ config: 'candidate' }, { config: 'other' }];
        expect(compareConfigs(rows, configs, 'baseline')).toEqual(
          alone.map((comparison, index) => ({ ...comparison, adjustedP: adjusted[index] })),
        );
      }),
      { numRuns: 10 },
    );
  });
});

describe('a comparison of a measure', () => {
  const rows = Array.from({ length: 12 }, (_, index) => [
    { task: `t${index}`, config: 'baseline', tokens: 1000 + 10 * index },
    { task: `t${index}`, config: 'candidate', tokens: 900 + 12 * index },
  ]).flat();

  test('has its unit throughout, and drops what is missing', () => {
    const missing = { task: 'gone', config: 'baseline', tokens: 5 };
    const comparison = compareMeasure([...rows, missing], (row) => row.tokens, arms);
    expect(comparison.direction).toBe('lower');
    expect(comparison.difference).toBeCloseTo(-89, 10);
    expect(comparison.interval?.low).toBeLessThan(-89);
    expect(comparison.bootstrap?.high).toBeLessThan(0);
    expect(comparison.test.p).toBe(2 / 2 ** 12);
    expect(comparison.leaveOneOut?.decisive).toEqual([]);
    expect(comparison.pairing.missing.dropped).toEqual(['gone']);
  });

  test('of one task has no interval and no direction', () => {
    const comparison = compareMeasure(rows.slice(0, 2), (row) => row.tokens, arms);
    expect(comparison).toMatchObject({ direction: 'unclear', difference: -100 });
    expect(comparison.interval).toBeUndefined();
    expect(comparison.detectable).toBeUndefined();
  });
});

test('the minimum detectable effect is detected in about 80 of 100 simulated runs', () => {
  const random = seededRandom(11);
  const draw = (effect: number) =>
    random.unit() < 0.1 ? -1 : random.unit() < 0.1 / 0.9 + effect / 0.9 ? 1 : 0;
  const run = (effect: number) => Array.from({ length: 400 }, () => draw(effect));
  const effect = minimumDetectableEffect(adjustedInterval(run(0.05)));
  let detected = 0;
  for (let repetition = 0; repetition < 600; repetition++) {
    if (verdictOf(run(effect)).word === 'improved') detected++;
  }
  expect(effect).toBeGreaterThan(0.05);
  expect(detected / 600).toBeGreaterThan(0.74);
  expect(detected / 600).toBeLessThan(0.88);
});
