import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { parsePublished } from '../../../src/report/published.ts';
import { compareRewards } from '../../../src/report/statistics/compare.ts';
import { compareMeasure } from '../../../src/report/statistics/measures.ts';
import { absent, hasShared, sharedText } from './shared-results.ts';

const ROWS = 'experiment_instance_costs_sweagent.csv';
const read = (file: string) => sharedText('results', 'complexity-trap', file);
const table = (file: string): Record<string, string>[] => parse(read(file), { columns: true });

/** Three tenths of a percentage point. */
const TOLERANCE = 0.003;

describe.runIf(hasShared)(`the published table of complexity-trap${absent}`, () => {
  const columns = { task: 'instance_id', config: 'experiment', reward: 'outcome' };
  const { rows } = hasShared ? parsePublished(read(ROWS), ROWS, columns) : { rows: [] };
  const published = hasShared ? table('paired_ci_diffs_vs_raw.csv') : [];
  const compare = (other = '', raw = '', missing: 'loss' | 'drop' = 'loss') =>
    compareRewards(rows, { baseline: raw, config: other, missing });

  test('all ten paired differences and bootstrap intervals are the published ones', () => {
    expect(published).toHaveLength(10);
    for (const row of published) {
      const { pairing, verdict, bootstrap } = compare(row.experiment_other, row.experiment_raw);
      const name = `${row.group} ${row.strategy}`;
      const off = (value: number | undefined, expected: string | undefined) =>
        Math.abs((value ?? Number.NaN) - Number(expected));
      expect(pairing.pairs.length, name).toBe(500);
      expect(off(verdict.difference, row.solve_rate_diff), name).toBeLessThan(1e-9);
      expect(off(bootstrap?.low, row.solve_rate_lo), name).toBeLessThan(TOLERANCE);
      expect(off(bootstrap?.high, row.solve_rate_hi), name).toBeLessThan(TOLERANCE);
      // With tens of discordant pairs the interval that decides is nearly the same.
      expect(off(verdict.interval.low, row.solve_rate_lo), name).toBeLessThan(2 * TOLERANCE);
      expect(off(verdict.interval.high, row.solve_rate_hi), name).toBeLessThan(2 * TOLERANCE);
    }
  });

  test('the published p of .0406 is .061 by exact McNemar on 499 rows, .049 with the missing one a loss', () => {
    const row = published.find(({ solve_rate_p }) => solve_rate_p === '0.0406');
    const loss = compare(row?.experiment_other, row?.experiment_raw);
    const drop = compare(row?.experiment_other, row?.experiment_raw, 'drop');
    expect(drop.pairing.pairs).toHaveLength(499);
    expect(drop.test).toMatchObject({ kind: 'mcnemar', gained: 37, lost: 56 });
    expect(drop.test.p).toBeCloseTo(0.0614, 4);
    expect(loss.pairing.missing).toMatchObject({ inBaseline: [], imputed: 1 });
    expect(loss.test).toMatchObject({ kind: 'mcnemar', gained: 37, lost: 57 });
    expect(loss.test.p).toBeCloseTo(0.0495, 4);
  });

  test('the verdict is regressed for the summary of the thinking model, and holds without any one task', () => {
    const words = published.map((row) => {
      const { verdict, leaveOneOut } = compare(row.experiment_other, row.experiment_raw);
      return [
        `${row.group?.slice(0, 3)} ${row.strategy}`,
        verdict.word,
        leaveOneOut?.decisive.length,
      ];
    });
    expect(words).toContainEqual(['(b) LLM-Summary', 'regressed', 0]);
  });

  test('cost differences are the published ones once the cost of the summarizer is added', () => {
    const costs = table(ROWS).map((row) => ({
      task: row.instance_id ?? '',
      config: row.experiment ?? '',
      usd: Number(row.cost) + Number(row.summary_cost),
    }));
    let complete = 0;
    for (const row of published) {
      const arms = { baseline: row.experiment_raw ?? '', config: row.experiment_other ?? '' };
      const { pairing, difference, bootstrap } = compareMeasure(costs, ({ usd }) => usd, arms);
      // Where instances are missing, how the published table filled their cost is not known.
      if (pairing.pairs.length < 500) continue;
      complete++;
      expect(difference).toBeCloseTo(Number(row.mean_cost_diff), 3);
      expect(bootstrap?.low).toBeCloseTo(Number(row.mean_cost_lo), 1);
      expect(bootstrap?.high).toBeCloseTo(Number(row.mean_cost_hi), 1);
    }
    expect(complete).toBe(5);
  });
});
