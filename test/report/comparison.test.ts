import { describe, expect, test } from 'vitest';
import { compareAll } from '../../src/report/comparison.ts';
import type { Outcome } from '../../src/report/statistics/paired.ts';

const outcomes: Outcome[] = ['a', 'b', 'd'].flatMap((task) => [
  { task, config: 'baseline', reward: 1 },
  { task, config: 'c', reward: task === 'a' ? 0 : 1 },
]);
const input = {
  baseline: 'baseline',
  configs: ['c', 'baseline', 'untried'],
  outcomes,
  cells: [],
} as const;

describe('a comparison of all configs', () => {
  test('puts the baseline first, and takes an untried config for no loss', () => {
    const { configs } = compareAll({ ...input, rewardKind: 'live' });
    expect(configs.map(({ config }) => config)).toEqual(['baseline', 'c', 'untried']);
    expect(configs.map(({ rate }) => rate?.resolved)).toEqual([3, 2, undefined]);
    expect(configs.map(({ reward }) => reward?.verdict.word)).toEqual([
      undefined,
      'inconclusive',
      undefined,
    ]);
  });

  test('calls a grounded reward untested where too few solved cells fired, a live one never', () => {
    const word = (rewardKind: 'live' | 'grounded', fired: number) =>
      compareAll({ ...input, rewardKind, solvedFired: new Map([['c', fired]]) }).configs[1]?.reward
        ?.verdict.word;
    expect(word('grounded', 19)).toBe('untested');
    expect(word('grounded', 20)).toBe('inconclusive');
    expect(word('live', 0)).toBe('inconclusive');
  });

  test('without any outcome has no verdict', () => {
    const { configs, tasks } = compareAll({ ...input, outcomes: [], rewardKind: 'grounded' });
    expect(tasks).toBe(0);
    expect(configs.every(({ reward, rate }) => reward === undefined && rate === undefined)).toBe(
      true,
    );
  });
});
