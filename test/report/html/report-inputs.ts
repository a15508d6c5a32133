import { compareAll } from '../../../src/report/comparison.ts';
import type { ReportInput } from '../../../src/report/html/report-input.ts';
import {
  configsOf,
  outcomesOf,
  savingsCellsOf,
  solvedFiredOf,
} from '../../../src/report/run-figures.ts';
import { totalsOf } from '../../../src/report/totals.ts';
import type { CellResult } from '../../../src/rows/result.ts';

/** A report of these rows, of which nothing was replayed. */
export function reportInput(rows: readonly CellResult[]): ReportInput {
  const configs = configsOf(rows);
  return {
    title: 'A report',
    baseline: 'baseline',
    runs: [
      {
        file: 'run.csv',
        status: 'complete',
        started: '2026-01-01T00:00:00.000Z',
        model: 'stub',
        tokenizer: 'o200k_base',
        expand: 'off',
        guard: true,
        patterns: ['fixtures'],
        harness: '0',
        revision: undefined,
      },
    ],
    configs: configs.map((name) => ({
      name,
      about: '',
      source: `${name}.yaml`,
      text: 'pipeline: []',
    })),
    rows,
    comparison: compareAll({
      baseline: 'baseline',
      configs,
      rewardKind: 'grounded',
      outcomes: outcomesOf(rows),
      cells: savingsCellsOf(rows),
      solvedFired: solvedFiredOf(rows),
    }),
    totals: totalsOf(rows, configs, 'baseline'),
    replayed: {
      cells: 0,
      curves: [],
      sources: new Map(),
      details: [],
      notes: ['Nothing was replayed.'],
    },
  };
}
