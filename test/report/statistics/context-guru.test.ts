import { describe, expect, test } from 'vitest';
import { parsePublished } from '../../../src/report/published.ts';
import { compareConfigs, compareRewards } from '../../../src/report/statistics/compare.ts';
import { describeFlipRate } from '../../../src/report/statistics/flip-rate.ts';
import { savingsOf } from '../../../src/report/statistics/savings.ts';
import { absent, hasShared, sharedText } from './shared-results.ts';

const FILE = 'swe-bench-sweep-2026-07-13.csv';

describe.runIf(hasShared)(`the published sweep of context-guru${absent}`, () => {
  const text = hasShared
    ? sharedText('results', 'context-guru', FILE)
    : 'task,config,reward\na,b,1';
  const { rows, configs, impliedTrials } = parsePublished(text, FILE);
  const against = (config: string) => ({ baseline: 'baseline', config });

  test('has 149 rows of 15 configs, one baseline row missing', () => {
    expect(rows).toHaveLength(149);
    expect(configs).toHaveLength(15);
    expect(impliedTrials).toBe(0);
    const { pairing } = compareRewards(rows, against('cg-summarize'));
    expect(pairing.pairs).toHaveLength(10);
    expect(pairing.missing).toEqual({
      rule: 'loss',
      inBaseline: ['pydata__xarray-4629'],
      inConfig: [],
      imputed: 1,
      dropped: [],
    });
  });

  test.each([
    // config, resolved, saved, pooled %, mean %, fired, sent %
    ['cg-extract-code', 6, 193_025, 23.33, 6.44, 5, -16.9],
    ['cg-summarize', 6, 15_577, 4.81, 2.88, 2, -61.0],
    ['cg-mask', 6, 26_110_475, 92.98, 30.89, 8, 172.1],
    ['cg-extract', 6, 475_160, 24.23, 11.44, 8, 103.1],
  ])('%s', (config, resolved, saved, pooled, mean, fired, sent) => {
    const savings = savingsOf(rows, config, 'baseline');
    expect(savings).toMatchObject({ counted: 10, gross: saved, firedCells: fired });
    expect(savings.pooledPercent).toBeCloseTo(pooled, 2);
    expect(savings.meanPercent).toBeCloseTo(mean, 2);
    expect(savings.sent).toMatchObject({ tasks: 8, baseline: 715_677 });
    expect(savings.sent.percent).toBeCloseTo(sent, 1);
    expect(savings.signsDisagree).toBe(sent > 0);
    const { baselineRate, configRate } = compareRewards(rows, against(config));
    expect(baselineRate).toMatchObject({ outcomes: 9, resolved: 6 });
    expect(configRate).toMatchObject({ outcomes: 10, resolved });
  });

  test('cg-mask sent 4.8 times the tokens of the baseline on the task where it saved most', () => {
    const [worst] = savingsOf(rows, 'cg-mask', 'baseline').sent.disagreeing;
    expect(worst?.task).toBe('sympy__sympy-20438');
    expect((worst?.config ?? 0) / (worst?.baseline ?? 1)).toBeCloseTo(4.77, 2);
  });

  test.each(['loss', 'drop'] as const)('rewards are inconclusive at two points (%s)', (missing) => {
    for (const config of ['cg-extract-code', 'cg-summarize', 'cg-mask']) {
      const comparison = compareRewards(rows, { ...against(config), missing });
      expect(comparison.verdict.word).toBe('inconclusive');
      expect(comparison.verdict.difference).toBe(0);
      expect(comparison.test).toEqual({ kind: 'mcnemar', gained: 0, lost: 0, p: 1 });
      expect(comparison.bootstrap).toEqual({ low: 0, high: 0 });
      expect(comparison.detectable).toBeGreaterThan(0.35);
      expect(describeFlipRate(comparison.flips)).toBe(
        '0 of 9 pairs differ: a flip rate above 28.3 % is excluded (one-sided 95 %)',
      );
    }
  });

  test('with the missing row dropped, nine pairs give an interval of about ±30 points', () => {
    const { verdict } = compareRewards(rows, { ...against('cg-summarize'), missing: 'drop' });
    expect(verdict.tasks).toBe(9);
    expect(verdict.interval.low).toBeCloseTo(-0.3, 2);
    expect(verdict.interval.high).toBeCloseTo(0.3, 2);
  });

  test('no config of the sweep has shown anything but inconclusive', () => {
    const others = configs.filter((config) => config !== 'baseline').map((config) => ({ config }));
    const words = compareConfigs(rows, others, 'baseline').map(({ verdict }) => verdict.word);
    expect(words).toHaveLength(14);
    expect(new Set(words)).toEqual(new Set(['inconclusive']));
  });
});
