import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askedNotes, askedTables } from '../../src/report/asked-tables.ts';
import { askedTotalsOf } from '../../src/report/asked-totals.ts';
import { plainPaint } from '../../src/report/paint.ts';
import { summaryLines } from '../../src/report/summary.ts';
import { tableWidth } from '../../src/report/table.ts';
import { totalsOf } from '../../src/report/totals.ts';
import type { CellResult } from '../../src/rows/result.ts';
import { runRow } from '../support/rows.ts';

const asked = (task: string, agreement: number | undefined, count: number): CellResult =>
  runRow(task, 'one', {
    ...(agreement === undefined ? {} : { agreement }),
    agreementCount: count,
    agreementEligible: 9,
    agreementSampled: count + 3,
    agreementNotReproduced: 2,
    agreementUnparsed: 1,
    agreementPlan: 'per_cell=5;seed=1',
  });
const probed = (task: string, score: number, withExpand?: number): CellResult =>
  runRow(task, 'one', {
    probeScore: score,
    probeCount: 4,
    probeSpans: 2,
    probeUnparsed: 1,
    probeDropped: 1,
    ...(withExpand === undefined
      ? {}
      : { probeScoreExpand: withExpand, probeCountExpand: 5, probeUnparsedExpand: 0 }),
  });

describe('the totals of agreement', () => {
  it('weigh each task the same, whatever its trials and requests', () => {
    const rows = [asked('a', 1, 1), asked('a', 1, 9), asked('b', 0, 2), asked('c', undefined, 0)];
    const total = askedTotalsOf(rows)?.agreement;
    expect(total).toMatchObject({ mean: 0.5, count: 12, sampled: 24, eligible: 36 });
    expect(total).toMatchObject({ notReproduced: 8, unparsed: 4 });
    // Two tasks say little.
    expect(total?.interval?.low).toBeLessThan(0.1);
    expect(total?.interval?.high).toBeGreaterThan(0.9);
  });

  it('are undefined where nothing was asked, and have no mean where nothing was scored', () => {
    expect(askedTotalsOf([runRow('a', 'one')])).toBeUndefined();
    expect(askedTotalsOf([])).toBeUndefined();
    const none = askedTotalsOf([asked('a', undefined, 0)]);
    expect(none?.agreement).toMatchObject({ mean: undefined, interval: undefined, count: 0 });
    expect(none?.probes).toBeUndefined();
  });

  it('take probes without and with expand apart', () => {
    const total = askedTotalsOf([probed('a', 0.5, 1), probed('b', 0.25)])?.probes;
    expect(total).toMatchObject({ spans: 4, unparsed: 2, dropped: 2 });
    expect(total?.plain).toMatchObject({ mean: 0.375, count: 8 });
    expect(total?.withExpand).toMatchObject({ mean: 1, count: 5 });
  });

  it('lie within 0 and 1 and in their interval, for any scores', () => {
    const row = fc
      .tuple(
        fc.constantFrom('a', 'b', 'c'),
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 1, max: 3 }),
      )
      .map(([task, halves, count]) => asked(task, Math.min(1, halves / (2 * count)), count));
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), (rows) => {
        const { mean = -1, interval } = askedTotalsOf(rows)?.agreement ?? {};
        expect(interval?.low).toBeLessThanOrEqual(mean + 1e-12);
        expect(interval?.high).toBeGreaterThanOrEqual(mean - 1e-12);
      }),
      { seed: 4 },
    );
  });
});

describe('the tables', () => {
  it('are shown where something was asked, and leave room for names', () => {
    expect(askedTables([undefined, undefined])).toEqual([]);
    expect(askedNotes([undefined])).toEqual([]);
    const all = [askedTotalsOf([asked('a', 1, 3)]), askedTotalsOf([probed('a', 1, 1)]), undefined];
    const tables = askedTables(all);
    expect(tables.map(({ title }) => title)).toEqual(['Agrees', 'Recalls']);
    for (const { columns } of tables) {
      expect(tableWidth(columns)).toBeLessThan(66);
      for (const { cells } of columns) expect(cells).toHaveLength(3);
    }
    for (const note of askedNotes(all)) expect(note.length).toBeLessThanOrEqual(80);
    expect(askedTables(all.slice(1)).map(({ title }) => title)).toEqual(['Recalls']);
  });

  it('stand in the summary, with interval and counts', () => {
    const rows = [runRow('a', 'baseline'), asked('a', 0.75, 2), asked('b', 1, 2)];
    const lines = summaryLines(totalsOf(rows, ['baseline', 'one'], 'baseline'), plainPaint);
    const start = lines.findIndex((line) => line.startsWith('Agrees'));
    const table = lines.slice(start - 1, start + 4);
    expect(
      table.some((line) => /one .* 87\.5 +\[26\.4, 99\.3\] +4 +10 +18 +4 +2$/.test(line)),
    ).toBe(true);
    expect(table.some((line) => /baseline +–/.test(line))).toBe(true);
    for (const line of table) expect(line.length).toBeLessThanOrEqual(80);
    const without = summaryLines(
      totalsOf([runRow('a', 'baseline')], ['baseline'], 'baseline'),
      plainPaint,
    );
    expect(without.join('\n')).not.toContain('Agrees');
  });
});
