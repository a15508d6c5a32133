import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareAll } from '../../src/report/comparison.ts';
import { comparisonLines } from '../../src/report/comparison-page.ts';
import { plainPaint } from '../../src/report/paint.ts';
import { awkwardText } from '../support/cell-results.ts';

const reward = fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined });
const count = fc.option(fc.nat(3e9), { nil: undefined });

describe('the page of a comparison', () => {
  test('fits into 80 columns and is plain text, whatever the names and figures', () => {
    const row = fc.record({
      task: awkwardText,
      config: fc.constantFrom('baseline', 'x'.repeat(90), `${'x'.repeat(90)}y`, '\u001b[31mred'),
      reward,
      before: count,
      after: count,
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (rows) => {
        const lines = comparisonLines(
          compareAll({
            baseline: 'baseline',
            configs: [...new Set(rows.map(({ config }) => config))],
            rewardKind: 'live',
            outcomes: rows,
            cells: rows,
          }),
          plainPaint,
        );
        for (const line of lines) {
          expect(line.length, line).toBeLessThanOrEqual(80);
          expect(line).not.toMatch(/[\u0000-\u001f\u007f]/);
        }
      }),
      { numRuns: 15 },
    );
  });

  const rows = Array.from({ length: 12 }, (_, index) => [
    { task: `t${index}`, config: 'baseline', reward: 1, before: 100, after: 100 },
    { task: `t${index}`, config: 'c', reward: index === 0 ? 0 : 1, before: 900, after: 300 },
  ]).flat();
  const page = (missing: 'loss' | 'drop', some: typeof rows) =>
    comparisonLines(
      compareAll({
        baseline: 'baseline',
        configs: ['baseline', 'c'],
        rewardKind: 'live',
        outcomes: some,
        cells: some,
        missing,
      }),
      plainPaint,
    )
      .join(' ')
      .replace(/\s+/g, ' ');

  test('says what is flagged, what can be excluded and what was missing', () => {
    const text = page('loss', rows.slice(2));
    expect(text).toContain('saved +66.7 % of its own stream and sent +200.0 %');
    expect(text).toContain('DISAGREE');
    expect(text).toMatch(/0 of 11 pairs differ: a flip rate above 23\.8 % is excluded/);
    const missing = page('loss', rows.slice(1));
    expect(missing).toContain('The baseline lacks an outcome of t0: counted as a loss');
    expect(page('drop', rows.slice(1))).toContain('lacks an outcome of t0: left out');
  });

  test('trials that were left out of the table are told', () => {
    const thrice = ['1', '2', '3'].flatMap((trial) => rows.map((one) => ({ ...one, trial })));
    expect(page('loss', thrice)).not.toMatch(/lacks an outcome|different numbers of trials/);
    const isLast = ({ config, task }: (typeof rows)[number]) => config === 'c' && task === 't3';
    const short = thrice.filter((one) => one.trial !== '3' || !isLast(one));
    expect(page('loss', short)).toContain('c lacks an outcome of t3: counted as a loss, against');
    expect(page('drop', short)).toMatch(
      /c and the baseline have different numbers of trials in 1 of \d+ tasks\./,
    );
  });

  test('warns where much was filled in', () => {
    expect(page('loss', rows.slice(4))).not.toContain('More than a tenth');
    const few = rows.filter(({ config }, index) => config === 'baseline' || index < 8);
    expect(page('loss', few)).toContain('More than a tenth of the pairs of c were filled in');
  });
});
