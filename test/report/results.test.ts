import { describe, expect, test } from 'vitest';
import { compareAll } from '../../src/report/comparison.ts';
import { headlinesOf, type Published } from '../../src/report/results/published.ts';
import { resultsPage } from '../../src/report/results.ts';
import {
  configsOf,
  fidelityOf,
  outcomesOf,
  savingsCellsOf,
  solvedFiredOf,
} from '../../src/report/run-figures.ts';
import { columnList } from '../../src/rows/columns.ts';
import type { CellResult } from '../../src/rows/result.ts';
import type { Manifest } from '../../src/sweep/manifest.ts';
import { runRow } from '../support/rows.ts';

const CONTROL = 'control-random@c';

function rowsOf(facts: Partial<CellResult> = {}): CellResult[] {
  return Array.from({ length: 25 }, (_, index) => [
    runRow(`t${index}`, 'baseline'),
    runRow(`t${index}`, 'c', facts),
    runRow(`t${index}`, CONTROL, { evidenceKept: 4, evidenceLost: 5 }),
  ]).flat();
}

function published(rows: readonly CellResult[], facts: Partial<Published> = {}) {
  const configs = configsOf(rows);
  const comparison = compareAll({
    baseline: 'baseline',
    configs,
    rewardKind: 'grounded',
    outcomes: outcomesOf(rows),
    cells: savingsCellsOf(rows),
    solvedFired: solvedFiredOf(rows),
  });
  const fidelity = configs.flatMap((config) => fidelityOf(rows, config) ?? []);
  const byConfig = new Map(fidelity.map((row) => [row.config, row]));
  const block: Published = {
    order: 1,
    date: '2026-01-01',
    name: 'n',
    stem: '2026-01-01-n',
    kind: 'run',
    model: 'stub',
    recordings: 'r',
    baseline: 'baseline',
    margin: 0.02,
    missing: 'loss',
    forced: [],
    rewards: null,
    configs: headlinesOf(comparison, byConfig, new Map(configs.map((name) => [name, `h-${name}`]))),
    ...facts,
  };
  return { block, comparison, fidelity };
}

const manifest: Manifest = {
  status: 'complete',
  started: '2026-01-01T00:00:00.000Z',
  selection: 's',
  configs: [{ name: 'c', hash: 'h-c', source: 's', about: 'About <c>.', text: 'name: c\n```\n' }],
  transcripts: { patterns: ['p'], format: 'auto' },
  options: {
    tokenizer: 'o200k_base',
    model: 'stub',
    samples: 1,
    guard: true,
    expand: 'off',
    prompts: {},
  },
  versions: { harness: '0', node: 'v20' },
  revision: { commit: 'abcdef0123456789', dirty: false },
  problems: [],
};

function page(
  rows = rowsOf(),
  facts: Partial<Published> = {},
  earlier: readonly Published[] = [],
): string {
  const { block, comparison, fidelity } = published(rows, facts);
  return resultsPage({
    published: block,
    earlier,
    run: { manifest, rows, comparison, fidelity },
    live: undefined,
    reproduce: { commands: ['npm ci'], notes: ['note | <x>'] },
  });
}

/** Cells of the first row of a section that begins with this name. */
function row(text: string, heading: string, name: string, table = 0): string[] {
  const section = text.slice(text.indexOf(`## ${heading}`)).split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.includes(`\`${name}\` |`));
  return (lines[table] ?? '').split('|').map((cell) => cell.trim());
}

describe('the page of a run', () => {
  test('has the headline: rewards with bound and verdict, and tokens in every measure', () => {
    const text = page();
    const rewards = row(text, 'Headline', 'c');
    expect(rewards.slice(1, 6)).toEqual([
      '`c`',
      '25/25',
      '0.0',
      '[−11.0, +11.0]',
      '**inconclusive**',
    ]);
    expect(rewards[8]).toBe('25');
    const tokens = row(text, 'Headline', 'c', 1);
    expect(tokens.slice(1)).toEqual([
      ...['`c`', '12,500', '6,250', '6,250', '50.00', '50.00', '50.00', '−50.0 %'],
      ...['25/25 (100 %)', '80.0', '1,050', ''],
    ]);
  });

  test('puts a control beside its config, and says which keeps more evidence', () => {
    const text = page();
    const lines = text.slice(text.indexOf('## Headline')).split('\n');
    const index = lines.findIndex((line) => line.startsWith('| `c` |'));
    expect(lines[index + 1]).toMatch(/^\| ↳ `control-random@c` \|/);
    expect(text).toContain(
      '`c` keeps 80.0 % of the evidence (net 6,250 tokens saved), more than its control `control-random@c` of equal budget, 40.0 %',
    );
  });

  test('shows evidence against the tokens that were removed', () => {
    expect(row(page(), 'Fidelity', 'c').slice(2)).toEqual([
      ...['6,250', '250', '80.0', '10.0', '10.0', '0.0', '32.00', '8.00', '100/125'],
      ...['25/25', '25/25', ''],
    ]);
  });

  test('says in plain words what it cannot tell', () => {
    const text = page();
    expect(text).toContain('0 of 25 pairs differ: a flip rate above 11.3 % is excluded');
    expect(text).toContain('never the outcome of a live run');
    expect(text).toContain('Noise floor');
    expect(text).not.toContain('Untested:');
    expect(page(rowsOf({ fired: 0 }))).toContain('Untested:');
    const bare = rowsOf().map((one) => ({ ...one, recordedReward: undefined, reward: undefined }));
    expect(page(bare)).toContain('No reward is recorded');
  });

  test('explains every column of the CSV', () => {
    const text = page();
    for (const { header } of columnList) expect(text).toContain(`| \`${header}\` |`);
  });

  test('tells why it should have been refused', () => {
    expect(page()).not.toContain('by force');
    expect(page(rowsOf(), { forced: ['2 of 9 cells failed'] })).toMatch(
      /Published by force[\s\S]*2 of 9 cells failed/,
    );
  });

  test('holds hostile names in their cells', () => {
    const hostile = '<script>|`x`\n[a](http://b)';
    const rows = rowsOf().map((one) => ({
      ...one,
      task: hostile + one.task,
      config: one.config === 'c' ? hostile : one.config,
      reward: one.config === 'c' ? 0 : one.reward,
    }));
    const text = page(rows);
    expect(text).not.toMatch(/<script|(?<!\\)\]\(http/);
    const tables = text.split('\n').filter((line) => line.startsWith('|'));
    const columns = (line: string) => line.replace(/\\\|/g, '').split('|').length;
    for (const [index, line] of tables.entries()) {
      const next = tables[index + 1];
      if (next?.startsWith('| ---') === true) expect(columns(next)).toBe(columns(line));
    }
    expect(tables.filter((line) => line.includes('script')).map(columns)).toContain(10);
  });
});

describe('snapshots before it', () => {
  const before = published(rowsOf({ netSaved: 100, evidenceKept: 9, evidenceLost: 0 }), {
    stem: '2025-12-31-n',
  }).block;

  test('are listed, and the change from the last comparable one is shown', () => {
    const other = { ...before, stem: '2025-12-31-other', model: 'none', order: 2 };
    const text = page(rowsOf(), { order: 3 }, [before, other]);
    expect(text).toContain('[2025-12-31-other](2025-12-31-other.csv)');
    expect(text).toContain('Against `2025-12-31-n`, on the same recordings');
    expect(row(text, 'Change from', 'c').slice(2, 7)).toEqual([
      ...['25/25', 'inconclusive', '6,250 (+3,750)', '50.0', '80.0 (−10.0)'],
    ]);
  });

  test('on other recordings are said to be so; without any there is no table', () => {
    expect(page(rowsOf(), {}, [{ ...before, recordings: 'x' }])).toContain('**other recordings**');
    expect(page()).toContain('This is the first snapshot.');
    expect(page(rowsOf(), {}, [{ ...before, kind: 'rewards', model: null }])).toContain(
      'No earlier snapshot is of the same kind',
    );
  });

  test('under the other stub give a range, of the same configs on the same recordings only', () => {
    const vague = published(rowsOf({ evidenceKept: 3, reward: 0 }), { model: 'stub-vague' }).block;
    expect(row(page(rowsOf(), {}, [vague]), 'Under both stubs', 'c').slice(2, 4)).toEqual([
      '30.0 to 80.0',
      '0 to 25',
    ]);
    const changed = vague.configs.map((headline) => ({ ...headline, hash: 'other' }));
    expect(page(rowsOf(), {}, [{ ...vague, configs: changed }])).not.toContain('30.0 to 80.0');
    expect(page(rowsOf(), {}, [{ ...vague, recordings: 'x' }])).toContain(
      'Only `stub` is published',
    );
  });
});

test('without a run, live rewards make the page', () => {
  const outcomes = ['a', 'b'].flatMap((task) => [
    { task, config: 'baseline', reward: 1, before: 10, after: 10 },
    { task, config: 'c', reward: 1, before: 100, after: 60 },
  ]);
  const comparison = compareAll({
    baseline: 'baseline',
    configs: ['baseline', 'c'],
    rewardKind: 'live',
    outcomes,
    cells: outcomes,
  });
  const { block } = published(rowsOf(), { kind: 'rewards', model: null });
  const text = resultsPage({
    published: block,
    earlier: [],
    run: undefined,
    live: { file: 'r.csv', comparison, agreement: undefined },
    reproduce: { commands: [], notes: [] },
  });
  expect(row(text, 'Headline', 'c')[5]).toBe('**inconclusive**');
  expect(row(text, 'Headline', 'c', 1)).toContain('+500.0 % ⚠ signs disagree');
  expect(text).not.toContain('Fidelity');
});
