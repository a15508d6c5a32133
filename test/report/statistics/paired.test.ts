import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Outcome, type Pairing, pairByTask } from '../../../src/report/statistics/paired.ts';
import { outcomes } from './arbitraries.ts';

const arms = { baseline: 'baseline', config: 'candidate' } as const;
const pair = (rows: readonly Outcome[], missing?: 'loss' | 'drop'): Pairing =>
  pairByTask(rows, (row) => row.reward, { ...arms, missing });
const row = (task: string, config: string, reward?: number): Outcome => ({ task, config, reward });

describe('pairing by task', () => {
  test('averages trials within their task', () => {
    const { pairs, unequalTrials } = pair([
      row('a', 'baseline', 1),
      row('a', 'baseline', 0),
      row('a', 'candidate', 1),
    ]);
    expect(pairs).toEqual([
      {
        task: 'a',
        baseline: 0.5,
        config: 1,
        difference: 0.5,
        baselineTrials: 2,
        configTrials: 1,
        observed: true,
      },
    ]);
    expect(unequalTrials).toBe(1);
  });

  test('counts what is missing as a loss in the arm that lacks it, and reports it', () => {
    const rows = [
      row('a', 'baseline', 1),
      row('b', 'baseline', 1),
      row('b', 'candidate', 1),
      row('b', 'candidate'),
      row('c', 'candidate', 0),
      row('d', 'other', 1),
    ];
    const { pairs, missing } = pair(rows);
    expect(pairs.map(({ task, difference }) => [task, difference])).toEqual([
      ['a', -1],
      ['b', -0.5],
      ['c', 0],
    ]);
    expect(pairs.every((one) => !one.observed)).toBe(true);
    expect(missing).toEqual({
      rule: 'loss',
      inBaseline: ['c'],
      inConfig: ['a', 'b'],
      imputed: 3,
      dropped: [],
    });
  });

  test('or leaves it out', () => {
    const rows = [row('a', 'baseline', 1), row('b', 'baseline', 1), row('b', 'candidate', 1)];
    const { pairs, missing } = pair([...rows, row('b', 'candidate')], 'drop');
    expect(pairs.map(({ task, difference }) => [task, difference])).toEqual([['b', 0]]);
    expect(missing).toMatchObject({ rule: 'drop', imputed: 0, dropped: ['a'] });
  });

  test('every task of the two arms is a pair or was dropped, and a loss never drops', () => {
    fc.assert(
      fc.property(outcomes, (rows) => {
        const tasks = [...new Set(rows.map(({ task }) => task))].sort();
        const kept = pair(rows, 'drop');
        expect([...kept.pairs.map(({ task }) => task), ...kept.missing.dropped].sort()).toEqual(
          tasks,
        );
        expect(pair(rows, 'loss').pairs.map(({ task }) => task)).toEqual(tasks);
      }),
    );
  });

  test('a trial without a row is missing as one without a reward is, in either arm', () => {
    const trials = fc.array(fc.array(fc.constantFrom(0, 1), { minLength: 4, maxLength: 4 }), {
      minLength: 2,
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        trials,
        fc.array(fc.nat(3), { minLength: 6, maxLength: 6 }),
        fc.boolean(),
        (rewards, cuts, inBaseline) => {
          const [short, whole] = inBaseline ? ['baseline', 'candidate'] : ['candidate', 'baseline'];
          const of = (isGap: boolean) =>
            rewards.flatMap((ofTask, task) =>
              ofTask.flatMap((reward, trial) => {
                // One task has all its trials, which tells how many there should be.
                const isCut = task > 0 && trial < (cuts[task] ?? 0);
                const rest =
                  isCut && !isGap ? [] : [row(`t${task}`, short, isCut ? undefined : reward)];
                return [row(`t${task}`, whole, reward), ...rest];
              }),
            );
          for (const rule of ['loss', 'drop'] as const) {
            expect(pair(of(false), rule)).toEqual(pair(of(true), rule));
          }
        },
      ),
    );
  });

  test('an arm that has fewer trials of every task was planned so', () => {
    const tasks = ['a', 'b', 'c'];
    const rows = tasks.flatMap((task) => [
      ...[1, 0, 1, 0].map((reward) => row(task, 'baseline', reward)),
      ...[1, 1].map((reward) => row(task, 'candidate', reward)),
    ]);
    const { pairs, missing, unequalTrials } = pair(rows);
    expect(pairs.map(({ difference }) => difference)).toEqual([0.5, 0.5, 0.5]);
    expect(missing).toMatchObject({ inBaseline: [], inConfig: [], imputed: 0 });
    expect(unequalTrials).toBe(3);
  });

  test('tasks that both arms ran a different number of times miss nothing', () => {
    const rows = [1, 2, 4].flatMap((count) =>
      ['baseline', 'candidate'].flatMap((config) =>
        Array.from({ length: count }, () => row(`t${count}`, config, 1)),
      ),
    );
    expect(pair(rows).missing.imputed).toBe(0);
  });

  test('without anything missing, both rules give the same pairs', () => {
    fc.assert(
      fc.property(outcomes, (rows) => {
        const full = rows.filter(({ reward }) => reward !== undefined);
        const both = pair(full, 'drop').pairs.filter(
          (one) => one.baselineTrials === one.configTrials,
        );
        const names = new Set(both.map(({ task }) => task));
        const complete = full.filter(({ task }) => names.has(task));
        expect(pair(complete, 'loss').pairs).toEqual(pair(complete, 'drop').pairs);
      }),
    );
  });
});
