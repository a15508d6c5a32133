import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readRows } from '../../src/rows/csv.ts';
import type { CellResult } from '../../src/rows/result.ts';
import { temporaryFolder } from '../support/folder.ts';
import { chat, writeRecordings, writeTrajectories } from '../support/sweeps.ts';
import { cli, onlyFile, root, shared } from './cli.ts';

const folder = temporaryFolder();
const recordings = join(folder, 'recordings');
const plain = join(folder, 'plain');
const fixture = join(root, 'fixtures/transcripts/rename-account-fields.jsonl');
const COMMIT = '0123456789abcdef0123456789abcdef01234567';

/** Runs a sweep whose manifest says that a clean revision ran it. */
async function sweep(out: string, ...words: string[]): Promise<string> {
  const given = words.includes('--transcripts') ? [] : ['--transcripts', recordings];
  const done = await cli('sweep', '--out', out, ...given, ...words);
  expect(done.code, done.stderr).toBe(0);
  edit(out, (manifest) => ({ ...manifest, revision: { commit: COMMIT, dirty: false } }));
  return onlyFile(out, '.csv');
}

function edit(out: string, change: (manifest: Record<string, unknown>) => object): void {
  const file = onlyFile(out, '.manifest.json');
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')))));
}

const read = (out: string, name = 'README.md') => readFileSync(join(out, name), 'utf8');

const prices = join(folder, 'prices.yaml');
writeFileSync(
  prices,
  'date: "2026-11-01"\nmodels: {gpt-4.1: {input: 1, output: 2, cache_read: 0.1}}\n',
);

beforeAll(async () => {
  writeRecordings(recordings, 4);
  await sweep(plain, '--config', 'cg-summarize-small', '--name', 'pair');
});

describe('publish-results', () => {
  test('twice on one day: nothing is overwritten, and the second page compares with the first', async () => {
    const out = join(folder, 'twice');
    const run = onlyFile(plain, '.csv');
    const publish = ['publish-results', '--run', run, '--out', out];
    const first = await cli(...publish);
    expect(first.code, first.stderr).toBe(0);
    const stem = readdirSync(out)
      .find((name) => name.endsWith('.csv'))
      ?.replace('.csv', '');
    expect(stem).toMatch(/^\d{4}-\d\d-\d\d-pair$/);
    const kept = [read(out, `${stem}.csv`), read(out, `${stem}.manifest.json`)];
    expect(kept[0]).toBe(readFileSync(run, 'utf8'));
    expect((await cli(...publish)).code).toBe(0);
    expect(readdirSync(out).toSorted()).toEqual(
      ['', '-2']
        .flatMap((suffix) => [`${stem}${suffix}.csv`, `${stem}${suffix}.manifest.json`])
        .concat('README.md')
        .toSorted(),
    );
    expect([read(out, `${stem}.csv`), read(out, `${stem}.manifest.json`)]).toEqual(kept);
    expect(read(out)).toContain(`Against \`${stem}\`, on the same recordings`);
    expect(read(out)).toContain(`[${stem}](${stem}.csv)`);
  });

  test('the same run gives the same page', async () => {
    const pages: string[] = [];
    for (const name of ['one', 'two']) {
      const out = join(folder, name);
      const run = onlyFile(plain, '.csv');
      expect((await cli('publish-results', '--run', run, '--out', out)).code).toBe(0);
      pages.push(read(out));
    }
    expect(pages[1]).toBe(pages[0]);
  });

  test.each([
    ['a matrix', ['--set', 'components.summarize.keep_last=2,4']],
    ['what is not the default', ['--expand', 'on', '--no-guard', '--samples', '2', '--controls']],
    [
      'other models and prices',
      ['--assume-model', 'gpt-4.1', '--tokenizer', 'cl100k_base', '--prices', prices],
    ],
  ])('a stranger gets the same rows from the commands of the page: %s', async (name, options) => {
    const out = join(folder, 'stranger', name);
    const varied = join(folder, 'varied', name);
    const run = await sweep(varied, '--config', 'cg-summarize-small', ...options, '--name', 'it');
    expect((await cli('publish-results', '--run', run, '--out', out)).code).toBe(0);
    const page = read(out);
    expect(page).toContain(`git checkout ${COMMIT}`);
    const command = /^npm run (sweep -- .*)$/m.exec(page)?.[1] ?? '';
    const again = join(folder, 'again', name);
    const words = command.replace(' -- ', ' ').split(' ');
    expect((await cli(...words, '--out', again)).code).toBe(0);
    const timeless = ({ wallSeconds, addedMsMedian, addedMs95, ...row }: CellResult) => row;
    const rows = (await readRows(run)).map(timeless);
    const isVaried = rows.some(({ config }) => config === 'cg-summarize-small:keep_last=2');
    expect(isVaried).toBe(name === 'a matrix');
    const key = ({ task, config, sample }: CellResult) => `${task} ${config} ${sample}`;
    const sorted = (some: readonly CellResult[]) =>
      some.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).map(timeless);
    const repeated = await readRows(onlyFile(again, '.csv'));
    expect(sorted(repeated)).toEqual(sorted(await readRows(run)));
    edit(again, (manifest) => ({ ...manifest, revision: { commit: COMMIT, dirty: false } }));
    const publish = /^npm run (publish-results -- .*)$/m.exec(page)?.[1] ?? '';
    const other = join(folder, 'other', name);
    const given = ['--run', onlyFile(again, '.csv'), '--out', other];
    expect((await cli(...publish.replace(' -- ', ' ').split(' '), ...given)).code).toBe(0);
    const headline = (text: string) => /## Headline[\s\S]*?(?=## Caveats)/.exec(text)?.[0];
    expect(headline(read(other))).toBe(headline(page));
  });

  test('both stubs on the same recordings give a range', async () => {
    const out = join(folder, 'range');
    for (const model of ['stub-vague', 'stub']) {
      const words = ['--config', 'cg-summarize-small', '--transcripts', fixture, '--model', model];
      const run = await sweep(join(folder, model), ...words);
      expect((await cli('publish-results', '--run', run, '--out', out)).code).toBe(0);
    }
    expect(read(out)).toMatch(/From `stub` \(this snapshot\) and `stub-vague`/);
    expect(read(out)).toMatch(/\| `cg-summarize-small` \| [\d.]+ to [\d.]+ \|/);
  });

  test('live rewards stand beside the replay', async () => {
    const out = join(folder, 'live');
    const rewards = join(folder, 'live.csv');
    const rows = ['0', '1', '2', '3'].flatMap((task) => [
      `${task},baseline,1`,
      `${task},cg-summarize-small,1`,
    ]);
    writeFileSync(rewards, `task,config,reward\n${rows.join('\n')}\n`);
    const run = onlyFile(plain, '.csv');
    const words = ['--run', run, '--rewards', rewards, '--out', out];
    expect((await cli('publish-results', ...words)).code).toBe(0);
    const page = read(out);
    expect(page).toMatch(/## Live rewards[\s\S]*\| `cg-summarize-small` \| 4\/4 \| 0\.0 \|/);
    expect(page).toContain('Grounded against live reward, over 4 joined cells');
    expect(readdirSync(out).some((name) => name.endsWith('.rewards.csv'))).toBe(true);
  });

  test('without --run takes a table of live rewards by itself, safe in a spreadsheet', async () => {
    const out = join(folder, 'alone');
    const rewards = join(folder, 'hostile.csv');
    const task = '"=cmd|\' /C calc\'!A0"';
    writeFileSync(rewards, `task,config,reward\n${task},baseline,1\n${task},c,0\n`);
    const done = await cli(
      'publish-results',
      '--rewards',
      rewards,
      '--out',
      out,
      '--name',
      'x/../y',
    );
    expect(done.code, done.stderr).toBe(0);
    const csv = readdirSync(out).find((name) => name.endsWith('.csv')) ?? '';
    expect(csv).toMatch(/^\d{4}-\d\d-\d\d-x-\.\.-y\.csv$/);
    expect(read(out, csv)).toContain("'=cmd");
    const command = /^npm run (import-rewards -- results\/.*)$/m.exec(read(out))?.[1] ?? '';
    const words = command.replace(' -- ', ' ').replace('results/', `${out}/`).split(' ');
    const again = await cli(...words);
    expect(again.code, again.stderr).toBe(0);
    expect(again.stdout).toContain('inconclusive');
  });
});

describe('a run that should not be published', () => {
  const broken = join(folder, 'broken');
  let run = '';
  beforeAll(async () => {
    run = await sweep(broken, '--config', 'cg-summarize-small', '--name', 'bad');
  });
  const clean = { revision: { commit: COMMIT, dirty: false }, status: 'complete' };

  test.each([
    [{ revision: { commit: COMMIT, dirty: true } }, /uncommitted changes/],
    [{ revision: undefined }, /revision that ran is not known/],
    [{ status: 'interrupted' }, /not finished \(interrupted\)/],
    [{ problems: [{ severity: 'error', code: 'x', message: 'm' }] }, /1 inputs could not be read/],
  ])('%j is refused, and told on the page when forced', async (change, reason) => {
    edit(broken, (manifest) => ({ ...manifest, problems: [], ...clean, ...change }));
    const out = temporaryFolder();
    const refused = await cli('publish-results', '--run', run, '--out', out);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(reason);
    expect(readdirSync(out)).toEqual([]);
    const forced = await cli('publish-results', '--run', run, '--out', out, '--force');
    expect(forced.code).toBe(0);
    expect(forced.stderr).toMatch(reason);
    expect(read(out)).toMatch(/Published by force/);
    expect(read(out).replaceAll('\\', '')).toMatch(reason);
    edit(broken, (manifest) => ({ ...manifest, problems: [], ...clean }));
  });

  test('so is one with settings that no document gives, or with a failed cell', async () => {
    const changed = (config: { name: string }) =>
      config.name === 'baseline' ? config : { ...config, hash: 'ffffffffffffffff' };
    const original = readFileSync(onlyFile(broken, '.manifest.json'), 'utf8');
    edit(broken, ({ configs, ...rest }) => ({
      ...rest,
      configs: (configs as { name: string }[]).map(changed),
    }));
    const text = readFileSync(run, 'utf8');
    const failed = text.replace(/,ok,/, ',error:harness.internal it broke,');
    writeFileSync(run, failed);
    const { code, stderr } = await cli('publish-results', '--run', run, '--out', folder);
    expect(code).toBe(2);
    expect(stderr).toMatch(/1 of 8 cells failed/);
    expect(stderr).toMatch(/no document of sweeps\/ gives.*cg-summarize-small/);
    writeFileSync(run, text);
    writeFileSync(onlyFile(broken, '.manifest.json'), original);
  });

  test('a baseline that it does not have is bad usage', async () => {
    const words = ['publish-results', '--run', run, '--baseline', 'raw', '--out', folder];
    const { code, stderr } = await cli(...words);
    expect(code).toBe(2);
    expect(stderr).toContain("no config 'raw'");
  });
});

test('a hostile task name stays in its cell', async () => {
  const own = join(folder, 'hostile');
  const name = 'a|b <img src=x> [c](http://d) `e`';
  writeTrajectories(join(own, 'in', 'one.json'), [
    { task: name, reward: 1, traj: chat('module', 12, 400) },
  ]);
  const runFolder = join(own, 'run');
  const config = ['--config', 'cg-summarize-small'];
  await cli('sweep', '--out', runFolder, '--transcripts', join(own, 'in'), ...config);
  const out = join(own, 'out');
  const words = ['--run', onlyFile(runFolder, '.csv'), '--out', out, '--force'];
  expect((await cli('publish-results', ...words)).code).toBe(0);
  expect(read(out)).not.toMatch(/<img|(?<!\\)\]\(http/);
});

const published = join(shared, 'results/context-guru/swe-bench-sweep-2026-07-13.csv');

test.runIf(existsSync(published))('a published table gives its published headline', async () => {
  const out = join(folder, 'published');
  expect((await cli('publish-results', '--rewards', published, '--out', out)).code).toBe(0);
  const page = read(out);
  expect(page).toMatch(/\| `cg-summarize` \| 15,577 \| 4\.81 \| 2\.88 \|/);
  expect(page).toMatch(/\| `cg-extract-code` \| 193,025 \| 23\.33 \| 6\.44 \|/);
  expect(page).toMatch(/\| `cg-mask` \|.*\+172\.1 % ⚠ signs disagree/);
  expect(page).toMatch(/\| `cg-mask` \| 6\/10 \|.*\*\*inconclusive\*\*/);
});
