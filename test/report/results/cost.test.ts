import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costSection } from '../../../src/report/results/cost.ts';
import type { CellResult } from '../../../src/rows/result.ts';
import { runRow } from '../../support/rows.ts';

interface Price {
  readonly before: number;
  readonly after: number;
  readonly model: number;
}

function priced({ before, after, model }: Price): Partial<CellResult> {
  const usdNet = before - after - model;
  return { usdBefore: before, usdAfter: after, usdModel: model, usdNet, priceBasis: 'table: m' };
}

function rowsOf(prices: { readonly [config: string]: readonly (Price | undefined)[] }) {
  return Object.entries(prices).flatMap(([config, ofTasks]) =>
    ofTasks.map((price, task) =>
      runRow(`t${task}`, config, price === undefined ? {} : priced(price)),
    ),
  );
}

/** Cells of the table by config, names without what markup is around them. */
function tableOf(lines: readonly string[]): Map<string, string[]> {
  const rows = lines.filter((line) => line.startsWith('|')).slice(2);
  return new Map(
    rows.map((line) => {
      const [, name = '', ...cells] = line.split('|').map((cell) => cell.trim());
      return [name.replace(/[`↳ ]/g, ''), cells];
    }),
  );
}

const same = (usd: number): Price => ({ before: usd, after: usd, model: 0 });

describe('what each config costs', () => {
  test('is added up by hand', () => {
    const rows = rowsOf({
      baseline: [same(1), same(3), same(2)],
      c: [
        { before: 1, after: 0.5, model: 0.1 },
        { before: 3, after: 1, model: 0.2 },
        { before: 2, after: 1.25, model: 0.25 },
      ],
    });
    const lines = costSection(rows, ['baseline', 'c'], 'baseline');
    const cells = tableOf(lines).get('c');
    // Net by task 0.4, 1.8, 0.5: mean 0.9, s 0.781025, t(2) 4.302653, so ± 1.940173.
    expect(cells?.slice(0, 7)).toEqual([
      ...['3/3', '6.0000', '2.7500', '0.5500', '+2.7000', '45.0'],
      '−0.9000 [−2.8402, +1.0402]',
    ]);
    expect(tableOf(lines).get('baseline')?.slice(0, 7)).toEqual([
      ...['3/3', '6.0000', '6.0000', '0.0000', '0.0000', '0.0', '–'],
    ]);
    expect(lines).toContain(
      '- `c` is the cheapest: 2.7000 USD less than the recording (45.0 %), which over these tasks is not clear of 0.',
    );
    expect(lines).toContain('- table: m');
  });

  const amount = fc.integer({ min: 0, max: 5000 }).map((value) => value / 1000);
  const price = fc.record({ before: amount, after: amount, model: amount });

  test('property: names the cheapest, and each config that saves tokens and costs more', () => {
    const tasks = fc.array(fc.record({ a: price, b: price }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(tasks, (made) => {
        // One recording has one price before.
        const rows = rowsOf({
          baseline: made.map(({ a }) => same(a.before)),
          a: made.map(({ a }) => a),
          b: made.map(({ a, b }) => ({ ...b, before: a.before })),
        });
        const text = costSection(rows, ['baseline', 'a', 'b'], 'baseline').join('\n');
        const netOf = (config: string) =>
          rows
            .filter((row) => row.config === config)
            .reduce((sum, { usdNet = 0 }) => sum + usdNet, 0);
        const best = netOf('b') > netOf('a') + 1e-6 ? 'b' : 'a';
        if (Math.abs(netOf('a') - netOf('b')) > 1e-6 && netOf(best) > 1e-6) {
          expect(text).toContain(`\`${best}\` is the cheapest`);
        }
        for (const config of ['a', 'b']) {
          const isDearer = text.includes(`- \`${config}\` saves`);
          if (Math.abs(netOf(config)) > 1e-6) expect(isDearer).toBe(netOf(config) < 0);
        }
        if (netOf('a') < -1e-6 && netOf('b') < -1e-6) {
          expect(text).toContain('No config costs less');
        }
      }),
      { seed: 20261130, numRuns: 300 },
    );
  });

  test('a config that saves no tokens is not said to save some', () => {
    const dearer = priced({ before: 1, after: 2, model: 0 });
    const saying = (tokensAfter: number) =>
      costSection(
        [...rowsOf({ baseline: [same(1)] }), runRow('t0', 'c', { ...dearer, tokensAfter })],
        ['baseline', 'c'],
        'baseline',
      ).join('\n');
    expect(saying(900)).toContain('`c` saves 100 tokens **and costs 1.0000 USD more**');
    expect(saying(1000)).not.toContain('saves');
    expect(saying(1100)).not.toContain('saves');
  });

  test('is of the cells that have prices, and sums over different cells are no order', () => {
    const rows = rowsOf({
      baseline: [same(1), same(1)],
      c: [{ before: 1, after: 0.5, model: 0 }, undefined],
      d: [
        { before: 1, after: 0.9, model: 0 },
        { before: 1, after: 0.9, model: 0 },
      ],
    });
    const lines = costSection(rows, ['baseline', 'c', 'd'], 'baseline');
    expect(tableOf(lines).get('c')?.slice(0, 3)).toEqual(['1/2', '1.0000', '0.5000']);
    expect(lines.join('\n')).toContain('their sums are no order');
    expect(lines.join('\n')).not.toContain('cheapest');
  });

  test('is no section where nothing has a price; failed cells count nowhere', () => {
    const unpriced = rowsOf({ baseline: [undefined], c: [undefined] });
    expect(costSection(unpriced, ['baseline', 'c'], 'baseline')).toEqual([]);
    const failed = runRow('t9', 'c', { ...priced(same(9)), note: 'error: x' });
    const rows = [...rowsOf({ baseline: [same(1)], c: [same(1)] }), failed];
    const cells = tableOf(costSection(rows, ['baseline', 'c'], 'baseline')).get('c');
    expect(cells?.slice(0, 2)).toEqual(['1/1', '1.0000']);
  });

  test('stands beside its control, which is no candidate for the cheapest', () => {
    const control = 'control-recency@c';
    const rows = rowsOf({
      baseline: [same(2)],
      [control]: [{ before: 2, after: 0.1, model: 0 }],
      c: [{ before: 2, after: 1, model: 0 }],
    });
    const lines = costSection(rows, ['baseline', control, 'c'], 'baseline');
    expect([...tableOf(lines).keys()]).toEqual(['baseline', 'c', control]);
    expect(lines.join('\n')).toContain('`c` is the cheapest');
  });

  test('names of price bases are text, and not all of many', () => {
    const rows = Array.from({ length: 15 }, (_, index) =>
      runRow(`t${index}`, 'baseline', { ...priced(same(1)), priceBasis: `<b>${index}` }),
    );
    const text = costSection(rows, ['baseline'], 'baseline').join('\n');
    expect(text).not.toContain('<b>');
    expect(text).toContain('- and 3 more, in the column `price_basis`');
  });
});
