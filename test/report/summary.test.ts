import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { oneDecimal, thousands, tokenColumn } from '../../src/report/numbers.ts';
import { paintFor, plainPaint } from '../../src/report/paint.ts';
import { shortenNames } from '../../src/report/shorten.ts';
import { summaryLines } from '../../src/report/summary.ts';
import { totalsOf } from '../../src/report/totals.ts';
import type { CellResult } from '../../src/rows/result.ts';

const tokens = fc.nat({ max: 2_000_000_000 });

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

function saving(
  config: string,
  task: string,
  before: number,
  after: number,
  more: Partial<CellResult> = {},
) {
  const saved = before - after;
  const percentSaved = before === 0 ? 0 : (100 * saved) / before;
  return row(config, task, {
    tokensBefore: before,
    tokensAfter: after,
    tokensSaved: saved,
    uniqueSaved: saved,
    netSaved: saved,
    percentSaved,
    fired: saved === 0 ? 0 : 1,
    ...more,
  });
}

describe('the summary', () => {
  test('has no line over 80 characters, whatever the names and figures', () => {
    const name = fc.stringMatching(/^[a-z@=,.-]{1,90}$/);
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(tokens, tokens, tokens), { minLength: 1, maxLength: 4 }),
        (names, figures) => {
          const configs = ['baseline', ...names.filter((each) => each !== 'baseline')];
          const rows = configs.flatMap((config) =>
            figures.map(([one, other, asked], task) =>
              saving(config, `${task}`, Math.max(one, other), Math.min(one, other), {
                modelInputTokens: asked,
                modelOutputTokens: asked,
                modelCalls: asked,
                evidenceTotal: Math.max(asked, other),
                evidenceKept: Math.min(asked, other),
                ...(asked % 2 === 0 ? {} : { reward: 1, recordedReward: 1, rewardWithExpand: 1 }),
              }),
            ),
          );
          const lines = summaryLines(totalsOf(rows, configs, 'baseline'), plainPaint);
          for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('tells pooled from mean, and both from what was sent with the model', () => {
    const rows = [
      saving('baseline', 'long', 1000, 1000),
      saving('baseline', 'short', 100, 100),
      saving('small', 'long', 1000, 900),
      saving('small', 'short', 100, 50, { modelInputTokens: 30, modelOutputTokens: 3 }),
    ];
    const [, small] = totalsOf(rows, ['baseline', 'small'], 'baseline');
    expect(small?.pooledPercent).toBeCloseTo((100 * 150) / 1100);
    expect(small?.meanPercent).toBeCloseTo((10 + 50) / 2);
    expect(small?.sentPercent).toBeCloseTo((100 * 950) / 1100);
    expect(small?.sentWithModelPercent).toBeCloseTo((100 * 983) / 1100);
  });

  test('compares with the baseline only what both measured', () => {
    const rows = [
      saving('baseline', 'one', 100, 100),
      row('baseline', 'two', { note: 'error:model.timeout slow' }),
      saving('small', 'one', 100, 60),
      saving('small', 'two', 1000, 10),
    ];
    const [baseline, small] = totalsOf(rows, ['baseline', 'small'], 'baseline');
    expect(baseline).toMatchObject({ failed: 1, cells: 2, tasks: 2 });
    expect(small?.sentPercent).toBeCloseTo(60);
  });

  test('marks the frontier among the configs that fired', () => {
    const asked = (total: number) => ({ modelInputTokens: total, modelOutputTokens: 0 });
    const rows = [
      saving('baseline', 'a', 100, 100),
      saving('most', 'a', 100, 40, asked(50)),
      saving('dear', 'a', 100, 50, asked(60)),
      saving('cheap', 'a', 100, 80, asked(10)),
      saving('idle', 'a', 100, 100),
    ];
    const names = ['baseline', 'most', 'dear', 'cheap', 'idle'];
    const marked = totalsOf(rows, names, 'baseline').filter(({ frontier }) => frontier);
    expect(marked.map(({ config }) => config)).toEqual(['most', 'cheap']);
  });

  test('tells what was kept, and what is left of the recorded rewards', () => {
    const kept = (config: string, task: string, figures: Partial<CellResult>) =>
      row(config, task, { evidenceTotal: 4, recordedReward: 1, ...figures });
    const rows = [
      kept('baseline', 'a', { evidenceKept: 4, reward: 1, passed: true }),
      kept('baseline', 'b', { evidenceKept: 4, reward: 1, passed: true }),
      kept('mask', 'a', { evidenceKept: 4, reward: 1, passed: true, rewardWithExpand: 1 }),
      kept('mask', 'b', { evidenceKept: 1, reward: 0, passed: false, rewardWithExpand: 1 }),
      kept('mask', 'c', { note: 'error:model.timeout slow' }),
    ];
    rows[3] = { ...rows[3], evidenceRecoverable: 2, evidenceLost: 1 } as CellResult;
    const totals = totalsOf(rows, ['baseline', 'mask'], 'baseline');
    expect(totals[1]).toMatchObject({
      rewarded: 2,
      resolved: 1,
      resolvedRecorded: 2,
      resolvedWithExpand: 2,
      evidence: 8,
      evidenceKeptPercent: 62.5,
      evidenceRecoverablePercent: 25,
      evidenceLostPercent: 12.5,
    });
    const lines = summaryLines(totals, plainPaint);
    expect(lines).toContain(
      'baseline       2/2       2/2       2/2         8  100.0     0.0   0.0',
    );
    expect(lines).toContain(
      'mask           2/2       1/2       2/2         8   62.5    25.0  12.5',
    );
  });

  test('the frontier counts what the agent would have lost', () => {
    const keeping = (config: string, after: number, evidenceKept: number) =>
      saving(config, 'a', 100, after, { evidenceTotal: 10, evidenceKept });
    const rows = [
      keeping('baseline', 100, 10),
      keeping('greedy', 40, 5),
      keeping('careful', 60, 9),
      keeping('careless', 60, 4),
    ];
    const names = ['baseline', 'greedy', 'careful', 'careless'];
    const marked = totalsOf(rows, names, 'baseline').filter(({ frontier }) => frontier);
    expect(marked.map(({ config }) => config)).toEqual(['greedy', 'careful']);
  });
});

describe('names in a table', () => {
  test('fit, and stay as different as they were', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.stringMatching(/^[ab=,]{1,60}$/), { maxLength: 20 }),
        fc.integer({ min: 12, max: 40 }),
        (names, width) => {
          const shown = shortenNames(names, width);
          expect(new Set(shown).size).toBe(names.length);
          for (const name of shown) expect(name.length).toBeLessThanOrEqual(width);
          for (const [index, name] of names.entries()) {
            if (name.length <= width - 5) expect(shown[index]).toBe(name);
          }
        },
      ),
    );
  });
});

describe('names of a matrix', () => {
  const names = [1, 3].flatMap((last) =>
    [200, 2000].flatMap((tokens) =>
      [0, 6000].map(
        (again) =>
          `cg-summarize:keep_last=${last}:min_tokens=${tokens}:resummarize_tokens=${again}`,
      ),
    ),
  );

  test('keep their values', () => {
    expect(shortenNames(names, 34)[1]).toBe('cg-summarize:kl=1:mt=200:rt=6000');
    expect(shortenNames(names, 24)[7]).toBe('cg-summarize:3:2000:6000');
    expect(shortenNames(names, 80)).toEqual(names);
    expect(shortenNames(names, 16).join()).not.toContain('#');
  });

  test('of one key need no other', () => {
    const one = [1, 3].map((last) => `cg-summarize:keep_last=${last}`);
    expect(shortenNames(one, 20)).toEqual(['cg-summa…keep_last=1', 'cg-summa…keep_last=3']);
  });
});

describe('numbers', () => {
  test('of one column share one unit that keeps them short', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 1e13 }), { maxLength: 6 }), (values) => {
        const { unit, cells } = tokenColumn(values);
        const scale = { tokens: 1, 'k tokens': 1e3, 'M tokens': 1e6 }[unit];
        for (const [index, cell] of cells.entries()) {
          expect(cell.length).toBeLessThanOrEqual(10);
          const value = Number(cell.replaceAll(',', ''));
          expect(Math.abs(value * scale - (values[index] ?? 0))).toBeLessThanOrEqual(scale / 2);
        }
      }),
    );
  });

  test('read as people write them', () => {
    expect(thousands(1234567)).toBe('1,234,567');
    expect([oneDecimal(14.58), oneDecimal(undefined)]).toEqual(['14.6', '–']);
  });
});

describe('colour', () => {
  test.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { CI: 'true' }, false],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('on a terminal (%s) with %o: %s', (isTerminal, variables, coloured) => {
    expect(paintFor(isTerminal, variables).bold('x') !== 'x').toBe(coloured);
  });
});
