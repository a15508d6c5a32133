import { describe, expect, test } from 'vitest';
import {
  fidelityOf,
  modelTokensOf,
  outcomesOf,
  savingsCellsOf,
  solvedFiredOf,
} from '../../src/report/run-figures.ts';
import { savingsOf } from '../../src/report/statistics/savings.ts';
import { runRow } from '../support/rows.ts';

describe('the figures of a run', () => {
  test('a recording without a reward is no outcome; a failed cell is a missing one', () => {
    const rows = [
      runRow('a', 'baseline'),
      runRow('a', 'c', { note: 'error:x y', reward: undefined }),
      runRow('b', 'c', { recordedReward: undefined, reward: undefined }),
    ];
    expect(outcomesOf(rows)).toEqual([
      { task: 'a', config: 'baseline', trial: '0', reward: 1 },
      { task: 'a', config: 'c', trial: '0', reward: undefined },
    ]);
  });

  test('only solved cells that were rewritten put a grounded reward to the test', () => {
    const rows = [
      runRow('a', 'c'),
      runRow('b', 'c', { fired: 0 }),
      runRow('d', 'c', { recordedReward: 0 }),
      runRow('e', 'c', { recordedReward: 0.5 }),
    ];
    expect(solvedFiredOf(rows)).toEqual(new Map([['c', 1]]));
  });

  test('lineages of one task are held against the same lineage of the baseline', () => {
    const lineage = (config: string, name: string, after: number) =>
      runRow('a', config, { lineage: name, transcriptHash: name, tokensAfter: after });
    const rows = [
      lineage('baseline', 'main', 1000),
      lineage('baseline', 'sub', 1000),
      lineage('c', 'main', 100),
    ];
    const { sent } = savingsOf(savingsCellsOf(rows), 'c', 'baseline');
    expect(sent).toMatchObject({ tasks: 1, baseline: 1000, config: 100, percent: -90 });
  });

  test('fidelity adds up the finished cells, and is not known where nothing was measured', () => {
    const rows = [
      runRow('a', 'c', { reward: 0 }),
      runRow('b', 'c', { recordedReward: 0 }),
      runRow('d', 'c', { note: 'error:x y' }),
    ];
    expect(fidelityOf(rows, 'c')).toEqual({
      config: 'c',
      total: 20,
      kept: 16,
      recoverable: 2,
      lost: 2,
      mutated: 0,
      actionsWithEvidence: 10,
      actionsSupported: 8,
      solved: 1,
      grounded: 0,
      groundedWithExpand: 1,
      solvedFired: 1,
      net: 500,
      modelTokens: 84,
    });
    expect(fidelityOf(rows, 'other')).toBeUndefined();
    expect(modelTokensOf(rows)).toBe(126);
  });
});
