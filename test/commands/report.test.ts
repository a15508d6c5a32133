import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseArguments } from '../../src/commands/program.ts';
import { mergeRuns } from '../../src/commands/report/runs.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runRow } from '../support/rows.ts';
import { writeRecordings } from '../support/sweeps.ts';
import { cli, onlyFile } from './cli.ts';

const folder = temporaryFolder();
const recordings = join(folder, 'recordings');
const runs = join(folder, 'runs');
let csv = '';

const summary = z.object({
  cells: z.number(),
  replayed: z.number(),
  with_details: z.number(),
  files: z.array(z.object({ kind: z.string(), file: z.string(), bytes: z.number() })),
  notes: z.array(z.string()),
  configs: z.array(z.looseObject({ config: z.string() })),
});

async function reported(...words: string[]) {
  const { code, stdout, stderr } = await cli('report', ...words, '--json');
  expect(stderr).not.toContain('error:');
  expect(code).toBe(0);
  return summary.parse(JSON.parse(stdout));
}

/** A copy of the run, with another manifest. */
function copied(name: string, change: (manifest: string) => string): string {
  const copy = join(folder, `${name}.csv`);
  cpSync(csv, copy);
  const manifest = readFileSync(csv.replace(/\.csv$/, '.manifest.json'), 'utf8');
  writeFileSync(copy.replace(/\.csv$/, '.manifest.json'), change(manifest));
  return copy;
}

beforeAll(async () => {
  writeRecordings(recordings, 3);
  const words = [
    '--transcripts',
    recordings,
    '--config',
    'cg-summarize-small,cg-mask',
    '--controls',
  ];
  await cli('sweep', ...words, '--out', runs);
  csv = onlyFile(runs, '.csv');
}, 240_000);

describe('report', () => {
  test('writes beside the run, replays each cell, and says what it wrote', async () => {
    const { cells, replayed, with_details, files, notes, configs } = await reported(csv);
    expect([cells, replayed, with_details]).toEqual([21, 21, 21]);
    expect(notes).toEqual([]);
    expect(files.map(({ kind, file }) => [kind, basename(file)])).toEqual([
      ['html', basename(csv).replace(/csv$/, 'html')],
    ]);
    expect(configs.map(({ config }) => config)).toContain('control-recency@cg-mask');
    const file = csv.replace(/csv$/, 'html');
    expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>/);
    expect(files[0]?.bytes).toBe(readFileSync(file).byteLength);
  });

  test('is the same each time', async () => {
    const [one, other] = [join(folder, 'one.html'), join(folder, 'other.html')];
    await reported(csv, '--out', one);
    await reported(csv, '--out', other);
    expect(readFileSync(one, 'utf8')).toBe(readFileSync(other, 'utf8'));
  });

  test('writes charts and a summary in Markdown, also to standard output', async () => {
    const svg = join(folder, 'svg');
    const out = join(folder, 'x.html');
    const { files } = await reported(csv, '--out', out, '--svg', svg);
    const names = readdirSync(svg);
    expect(names).toContain('spread.svg');
    expect(names).toContain('session-1.svg');
    expect(names).toHaveLength(files.length - 1);
    for (const name of names) expect(readFileSync(join(svg, name), 'utf8')).toMatch(/^<svg xmlns=/);
    const { code, stdout } = await cli('report', csv, '--out', out, '--markdown', '-');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^## Compaction report/);
    expect(stdout).toContain('| config |');
    expect(stdout).toContain('`cg-mask`');
    expect(stdout).toContain('<details>');
  });

  test('without its recordings, manifest or stub it says what is left out', async () => {
    const out = ['--out', join(folder, 'y.html')];
    const live = copied('live', (text) => text.replace('"model": "stub"', '"model": "live"'));
    const ofLive = await reported(live, ...out);
    expect(ofLive.replayed).toBe(0);
    expect(ofLive.notes.join()).toContain('asked a model (live)');
    const gone = copied('gone', (text) => text.replaceAll(recordings, join(folder, 'nowhere')));
    const ofGone = await reported(gone, ...out);
    expect(ofGone.notes.join()).toContain('21 cells whose recordings are no longer found');
    const changed = copied('changed', (text) => text.replace('keep_recent: 3', 'keep_recent: 2'));
    const ofChanged = await reported(changed, ...out);
    expect(ofChanged.notes.join()).toContain('Not replayed: cg-mask');
    const bare = join(folder, 'bare.csv');
    cpSync(csv, bare);
    const ofBare = await reported(bare, ...out);
    expect(ofBare.notes.join()).toContain('no manifest');
    expect(readFileSync(join(folder, 'y.html'), 'utf8')).toContain('There is no manifest');
  });

  test('a row whose figures a replay does not give again is left out', async () => {
    const wrong = copied('wrong', (text) => text);
    const rows = readFileSync(wrong, 'utf8').split('\n');
    const at = (rows[0] ?? '').split(',').indexOf('gw_after');
    const cells = (rows[1] ?? '').split(',');
    cells[at] = '1';
    rows[1] = cells.join(',');
    writeFileSync(wrong, rows.join('\n'));
    const { notes, with_details } = await reported(wrong, '--out', join(folder, 'z.html'));
    expect(with_details).toBe(20);
    expect(notes.join()).toContain('1 cell for which a replay now gives other figures');
  });

  test('takes a folder or another file of a run, and names a run that is not finished', async () => {
    const { files } = await reported(runs, '--out', join(folder, 'f.html'));
    expect(files).toHaveLength(1);
    const stopped = copied('stopped', (text) =>
      text.replace('"status": "complete"', '"status": "interrupted"'),
    );
    const manifest = stopped.replace(/csv$/, 'manifest.json');
    const { stdout } = await cli(
      'report',
      manifest,
      '--out',
      join(folder, 'f.html'),
      '--markdown',
      '-',
    );
    expect(stdout).toContain('was interrupted');
    expect(readFileSync(join(folder, 'f.html'), 'utf8')).toContain('was interrupted');
  });

  test('several runs stand side by side, told apart by their model', async () => {
    const out = join(folder, 'vague');
    const words = ['--transcripts', recordings, '--config', 'cg-summarize-small'];
    await cli('sweep', ...words, '--model', 'stub-vague', '--out', out);
    const { configs } = await reported(
      csv,
      onlyFile(out, '.csv'),
      '--out',
      join(folder, 'two.html'),
    );
    const names = configs.map(({ config }) => config);
    expect(names).toContain('cg-summarize-small (stub)');
    expect(names).toContain('cg-summarize-small (stub-vague)');
    expect(names.filter((name) => name.startsWith('baseline'))).toEqual(['baseline']);
    expect(configs.find(({ config }) => config === 'baseline')?.cells).toBe(3);
  });

  test('what is wrong is told, with what to do', async () => {
    const none = await cli('report', join(folder, 'none.csv'));
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('none.csv')]);
    const other = await cli('report', csv, '--baseline', 'cg-other');
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("config 'cg-other'")]);
    const both = await cli('report', csv, '--json', '--markdown', '-');
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringContaining('give --markdown a file'),
    ]);
    const place = await cli('report', csv, '--out', join(csv, 'inside.html'));
    expect([place.code, place.stderr]).toEqual([2, expect.stringContaining('cannot write')]);
    writeFileSync(join(folder, 'empty.csv'), `${readFileSync(csv, 'utf8').split('\n')[0]}\n`);
    const empty = await cli('report', join(folder, 'empty.csv'));
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('no rows')]);
  });
});

test('a run of more rows than a page holds leaves some out and says so, under its limit', async () => {
  const [header = '', ...rows] = readFileSync(csv, 'utf8').trimEnd().split('\n');
  const many = join(folder, 'many.csv');
  const task = header.split(',').indexOf('task');
  const lines = Array.from({ length: 600 }, (_, copy) =>
    rows.map((row) => {
      const cells = row.split(',');
      cells[task] = `${cells[task]}-copy-${copy}`;
      return cells.join(',');
    }),
  ).flat();
  writeFileSync(many, `${[header, ...lines].join('\n')}\n`);
  const { cells, files, notes } = await reported(many, '--out', join(folder, 'many.html'));
  expect(cells).toBe(12_600);
  expect(files[0]?.bytes).toBeLessThan(10_000_000);
  expect(notes.join()).toMatch(/holds the first [\d,]+ of 12,600 cells/);
  rmSync(join(folder, 'many.html'));
}, 240_000);

describe('the command line of report', () => {
  const options = (...words: string[]) => {
    const invocation = parseArguments(['report', ...words]);
    if (invocation.kind !== 'report') throw new Error(invocation.kind);
    return invocation.options;
  };

  test('takes runs and where to write', () => {
    expect(options()).toMatchObject({ runs: [], redact: true, json: false, out: undefined });
    expect(options('a.csv', 'b.csv', '--no-redact', '--parquet', 'p')).toMatchObject({
      runs: ['a.csv', 'b.csv'],
      redact: false,
      parquet: 'p',
    });
    expect(() => options('--svg', 'a', '--svg', 'b')).toThrow('more than once');
  });
});

describe('runs that are joined', () => {
  const run = (csvFile: string, rows: ReturnType<typeof runRow>[]) => ({
    csv: csvFile,
    file: csvFile,
    rows,
    manifest: undefined,
  });

  test('one run is as it is, a recording that stands twice in it as well', () => {
    const rows = [runRow('a', 'baseline'), runRow('a', 'baseline'), runRow('a', 'x')];
    expect(mergeRuns([run('r.csv', rows)], 'baseline').map(({ config }) => config)).toEqual([
      'baseline',
      'baseline',
      'x',
    ]);
  });

  test('equal configs of two runs are one, others are told apart by the run', () => {
    const one = run('one.csv', [runRow('a', 'baseline'), runRow('a', 'x'), runRow('a', 'y')]);
    const other = run('two.csv', [
      runRow('a', 'baseline'),
      runRow('b', 'x'),
      runRow('a', 'y', { configHash: 'changed' }),
    ]);
    expect(
      mergeRuns([one, other], 'baseline').map(({ row, config }) => [row.task, config]),
    ).toEqual([
      ['a', 'baseline'],
      ['a', 'x'],
      ['a', 'y (one)'],
      ['b', 'x'],
      ['a', 'y (two)'],
    ]);
  });
});
