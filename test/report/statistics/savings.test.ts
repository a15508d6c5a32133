import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SavingsCell, savingsOf } from '../../../src/report/statistics/savings.ts';

const cell = (task: string, config: string, before?: number, after?: number): SavingsCell => ({
  task,
  config,
  before,
  after,
});

describe('savings', () => {
  test('pooled, mean and median are different figures', () => {
    const cells = [cell('a', 'c', 1000, 0), cell('b', 'c', 100, 90), cell('d', 'c', 100, 100)];
    expect(savingsOf(cells, 'c', 'baseline')).toMatchObject({
      gross: 1010,
      pooledPercent: (100 * 1010) / 1200,
      meanPercent: 110 / 3,
      medianPercent: 10,
      firedCells: 2,
      firedShare: 2 / 3,
      unique: undefined,
      net: undefined,
    });
  });

  test('a cell without counts is a cell, but in no figure', () => {
    const savings = savingsOf([cell('a', 'c'), cell('b', 'c', 10, 5)], 'c', 'baseline');
    expect(savings).toMatchObject({ cells: 2, counted: 1, gross: 5, firedShare: 1 });
    expect(savingsOf([cell('a', 'c')], 'c', 'baseline')).toMatchObject({
      gross: undefined,
      pooledPercent: undefined,
      meanPercent: undefined,
      firedShare: undefined,
      signsDisagree: false,
    });
  });

  test('flags a saving that sent more, and the tasks where it did', () => {
    const cells = [
      cell('a', 'baseline', 100, 100),
      cell('b', 'baseline', 100, 100),
      cell('lone', 'baseline', 1e6, 1e6),
      cell('a', 'c', 1000, 480),
      cell('b', 'c', 100, 90),
    ];
    const savings = savingsOf(cells, 'c', 'baseline');
    expect(savings.signsDisagree).toBe(true);
    expect(savings.sent).toEqual({
      tasks: 2,
      baseline: 200,
      config: 570,
      percent: 185,
      disagreeing: [{ task: 'a', saved: 520, baseline: 100, config: 480 }],
    });
  });

  test('replayed over the same transcripts, the signs never disagree', () => {
    const counts = fc.array(fc.tuple(fc.nat(1000), fc.nat(1000)), { maxLength: 12 });
    fc.assert(
      fc.property(counts, fc.nat(2), (pairs, trials) => {
        const cells = pairs.flatMap(([before, after], index) => [
          cell(`t${index % (trials + 1)}`, 'baseline', before, before),
          cell(`t${index % (trials + 1)}`, 'c', before, after),
        ]);
        const savings = savingsOf(cells, 'c', 'baseline');
        const unequalWeights = trials > 0;
        if (!unequalWeights) expect(savings.signsDisagree).toBe(false);
        expect(savings.sent.disagreeing).toEqual([]);
        expect(savings.firedCells).toBe(pairs.filter(([before, after]) => before !== after).length);
      }),
    );
  });

  test('takes the rewritten requests for firing where they are known', () => {
    const cells = [
      { ...cell('a', 'c', 10, 10), fired: 1 },
      { ...cell('b', 'c', 10, 9), fired: 0 },
    ];
    expect(savingsOf(cells, 'c', 'baseline')).toMatchObject({ firedCells: 1, firedShare: 0.5 });
  });
});
