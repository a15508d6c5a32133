import { expect, test } from 'vitest';
import { noiseFloorOf } from '../../src/report/noise-floor.ts';

const row = (task: string, trial: string, reward: number | undefined, config = 'baseline') => ({
  task,
  trial,
  reward,
  config,
});

test('is the share of tasks that differ between trials of the baseline, smallest and largest', () => {
  const outcomes = [
    ...['a', 'b', 'c', 'd'].map((task) => row(task, '0', 1)),
    ...['a', 'b', 'c', 'd'].map((task) => row(task, '1', task === 'a' ? 0 : 1)),
    ...['a', 'b', 'c', 'd'].map((task) => row(task, '2', task === 'a' ? 1 : 0)),
    row('a', '3', undefined),
    row('b', '9', 0, 'config'),
  ];
  expect(noiseFloorOf(outcomes, 'baseline')).toEqual({ trials: 3, tasks: 4, low: 0.25, high: 1 });
});

test('is not known without repeated trials', () => {
  expect(noiseFloorOf([row('a', '0', 1), row('b', '1', 1)], 'baseline')).toBeUndefined();
  expect(noiseFloorOf([], 'baseline')).toBeUndefined();
});
