import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainPaint } from '../../src/report/paint.ts';
import { summaryLines } from '../../src/report/summary.ts';
import { totalsOf } from '../../src/report/totals.ts';
import type { CellResult } from '../../src/rows/result.ts';

function row(config: string, task: string, figures: Partial<CellResult>): CellResult {
  return {
    task,
    config,
    note: 'ok',
    trial: '0',
    sample: 0,
    lineage: 'main',
    sourceFormat: 'messages',
    model: 'stub',
    tokenizer: 'o200k_base',
    cellId: `${config} ${task}`,
    configHash: config,
    transcriptHash: task,
    ...figures,
  };
}

/** A row that saves `saved` of 1,000 tokens and `net` of 2 USD. */
function costing(config: string, task: string, saved: number, net: number): CellResult {
  return row(config, task, {
    tokensBefore: 1000,
    tokensAfter: 1000 - saved,
    tokensSaved: saved,
    freshBefore: 100,
    cacheReadBefore: 900,
    freshAfter: 300,
    cacheReadAfter: 500,
    cacheWriteAfter: 200,
    usdBefore: 2,
    usdAfter: 2 - net,
    usdModel: 0,
    usdNet: net,
    cacheBustTokens: 150,
  });
}

const summary = (rows: readonly CellResult[], names: readonly string[]) =>
  summaryLines(totalsOf(rows, names, 'baseline'), plainPaint);

describe('the table Cost', () => {
  test('adds up dollars, and gives the share of the input that came from the cache', () => {
    const rows = [costing('c', 'a', 100, 0.5), costing('c', 'b', 100, 0.25)];
    const [total] = totalsOf(rows, ['c'], 'baseline');
    expect(total?.cost).toEqual({
      usdBefore: 4,
      usdAfter: 3.25,
      usdModel: 0,
      usdNet: 0.75,
      cacheReadPercentBefore: 90,
      cacheReadPercentAfter: 50,
      cacheBust: 300,
      breakEvenRequest: undefined,
    });
  });

  test('leaves unknown what one row does not know', () => {
    const { usdBefore: _, usdNet: __, ...unknown } = costing('c', 'b', 100, 1);
    const rows = [costing('c', 'a', 100, 1), unknown];
    const [total] = totalsOf(rows, ['c'], 'baseline');
    expect(total?.cost).toMatchObject({ usdBefore: undefined, usdNet: undefined, usdAfter: 2 });
    const line = summary(rows, ['c']).find(
      (text) => text.startsWith('c ') && text.includes('2.0000'),
    );
    expect(line).toMatch(/^c +– +2\.0000 +0\.0000 +–/);
    expect(totalsOf([row('c', 'a', {})], ['c'], 'baseline')[0]?.cost.usdNet).toBeUndefined();
  });

  test('breaks even at the median request, and not where most rows never do', () => {
    const at = (...requests: (number | undefined)[]) =>
      totalsOf(
        requests.map((breakEvenRequest, task) => row('c', `${task}`, { breakEvenRequest })),
        ['c'],
        'baseline',
      )[0]?.cost.breakEvenRequest;
    expect(at(4, 9, 2)).toBe(4);
    expect(at(4, undefined, 2)).toBe(4);
    expect(at(4, undefined, undefined)).toBeUndefined();
  });

  test('says by name which config saves tokens and costs more', () => {
    const rows = [
      costing('dear', 'a', 400, -0.5),
      costing('cheap', 'a', 400, 0.5),
      costing('same', 'a', 0, 0),
      costing('grows', 'a', -10, -0.5),
    ];
    const lines = summary(rows, ['dear', 'cheap', 'same', 'grows']);
    const told = lines.filter((line) => line.startsWith('!'));
    expect(told).toEqual(['! dear: 40.0 % fewer tokens, yet 0.5000 USD dearer (+25.0 %)']);
  });

  test('has no line over 80 characters, whatever the names and figures', () => {
    const name = fc.stringMatching(/^[a-z@=,.-]{1,90}$/);
    const usd = fc.double({ min: -99_999, max: 99_999, noNaN: true });
    const count = fc.nat({ max: 2_000_000_000 });
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(name, usd, usd, usd, count), {
          minLength: 1,
          maxLength: 6,
          selector: ([key]) => key,
        }),
        (configs) => {
          const rows = configs.map(([config, usdBefore, usdAfter, usdNet, tokens]) =>
            row(config, 'a', {
              tokensBefore: tokens + 1,
              tokensSaved: tokens,
              tokensAfter: 1,
              ...{ usdBefore, usdAfter, usdNet, usdModel: Math.abs(usdNet) },
              ...{ freshBefore: tokens, cacheReadBefore: tokens, cacheBustTokens: tokens },
              breakEvenRequest: tokens % 9999,
            }),
          );
          const names = configs.map(([config]) => config);
          for (const line of summary(rows, names)) {
            expect(line.length, line).toBeLessThanOrEqual(80);
          }
        },
      ),
      { numRuns: 100, seed: 3 },
    );
  });
});
