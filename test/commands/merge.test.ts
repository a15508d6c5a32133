import { copyFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readReferences } from '../../src/sweep/stash-index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeRecordings } from '../support/sweeps.ts';
import { cli, onlyFile } from './cli.ts';
import { timeless } from './timeless.ts';

const recordings = temporaryFolder();
const words = [
  'sweep',
  '--config',
  'cg-summarize-small',
  '--controls',
  '--transcripts',
  recordings,
];
const whole = temporaryFolder();
const shards = temporaryFolder();
const COUNT = 3;

/** The CSV files of a folder, those of shards by their index. */
function csvs(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.csv'));
  return names
    .toSorted((a, b) => (a.replace(/.*-shard-/, '') < b.replace(/.*-shard-/, '') ? -1 : 1))
    .map((name) => join(folder, name));
}

async function sweepShards(folder: string, count: number, ...more: string[]): Promise<void> {
  for (let index = 1; index <= count; index++) {
    const shard = ['--shard', `${index}/${count}`, '--out', folder];
    const { code, stderr } = await cli(...words, ...shard, ...more);
    if (code !== 0) throw new Error(stderr);
  }
}

/** A copy of the shards to break. */
function copied(): string[] {
  const folder = temporaryFolder();
  cpSync(shards, folder, { recursive: true });
  return csvs(folder);
}

function manifestOf(csv: string): Record<string, unknown> {
  return JSON.parse(readFileSync(csv.replace(/\.csv$/, '.manifest.json'), 'utf8'));
}

function changeManifest(csv: string, change: Record<string, unknown>): void {
  const file = csv.replace(/\.csv$/, '.manifest.json');
  writeFileSync(file, JSON.stringify({ ...manifestOf(csv), ...change }));
}

async function merged(...given: string[]) {
  const out = temporaryFolder();
  return { out, ...(await cli('merge', '--out', out, ...given)) };
}

beforeAll(async () => {
  writeRecordings(recordings, 7);
  await cli(...words, '--out', whole, '--jobs', '1');
  await sweepShards(shards, COUNT);
});

describe('merge', () => {
  test('gives the run that an undivided sweep writes', async () => {
    const { out, code, stdout } = await merged(...csvs(shards).toReversed());
    expect(code).toBe(0);
    expect(stdout).toContain('28 rows of 3 shards');
    expect(timeless(onlyFile(out, '.csv'))).toEqual(timeless(onlyFile(whole, '.csv')));
    for (const ending of ['.stash.jsonl', '.charges.jsonl', '.budgets.jsonl']) {
      const [ours, theirs] = [out, whole].map((folder) =>
        readFileSync(onlyFile(folder, ending), 'utf8'),
      );
      expect(ours).toBe(theirs);
    }
    const [ours, theirs] = [out, whole].map((folder) => {
      const text = readFileSync(onlyFile(folder, '.manifest.json'), 'utf8');
      return text.replace(/"(started|finished)": "[^"]+"/g, '"$1": ""');
    });
    expect(ours).toBe(theirs);
  });

  test.each([1, 2, 5, 9])('does so of %i shards, empty ones too', async (count) => {
    const folder = temporaryFolder();
    await sweepShards(folder, count);
    const { out, code } = await merged(...csvs(folder));
    expect(code).toBe(0);
    expect(timeless(onlyFile(out, '.csv'))).toEqual(timeless(onlyFile(whole, '.csv')));
  });

  test('gives what expand and --resume need', async () => {
    const { out } = await merged(...csvs(shards));
    const csv = onlyFile(out, '.csv');
    const [reference] = await readReferences(onlyFile(out, '.stash.jsonl'));
    const ours = await cli('expand', reference?.key ?? '', '--run', csv);
    const theirs = await cli('expand', reference?.key ?? '', '--run', onlyFile(whole, '.csv'));
    expect(ours.code).toBe(0);
    expect(ours.stdout).toBe(theirs.stdout);
    const again = await cli(...words, '--out', out, '--resume', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ kept: 28, finished: 28 });
  });

  test('refuses a missing shard by its name', async () => {
    const [one = '', , three = ''] = csvs(shards);
    const { code, stderr, out } = await merged(one, three);
    expect(code).toBe(2);
    expect(stderr).toMatch(/missing: shard 2\/3\n/);
    expect(readdirSync(out)).toEqual([]);
  });

  test('refuses a shard that is given twice, from another folder too', async () => {
    const all = csvs(shards);
    const [, copy = ''] = copied();
    const { code, stderr } = await merged(...all, copy);
    expect(code).toBe(2);
    expect(stderr).toContain(`shard 2/3 is given 2 times: ${all[1]}, ${copy}`);
  });

  test('refuses a foreign shard by its name and what differs', async () => {
    const folder = temporaryFolder();
    await sweepShards(folder, COUNT, '--set', 'components.summarize.keep_last=5');
    const [one = '', two = ''] = csvs(shards);
    const [, , three = ''] = csvs(folder);
    const { code, stderr } = await merged(one, two, three);
    expect(code).toBe(2);
    expect(stderr).toContain(`${three}: shard 3/3 is of another sweep than ${one}: configs:`);
  });

  test('refuses a shard of other recordings', async () => {
    const other = temporaryFolder();
    cpSync(recordings, other, { recursive: true });
    const [, two = '', three = ''] = csvs(shards);
    const kept = readFileSync(join(recordings, 'recording-3.json'), 'utf8');
    writeFileSync(join(recordings, 'recording-3.json'), kept.replaceAll('in order', 'in place'));
    const folder = temporaryFolder();
    await cli(...words, '--shard', '1/3', '--out', folder);
    writeFileSync(join(recordings, 'recording-3.json'), kept);
    const [one = ''] = csvs(folder);
    const { code, stderr } = await merged(one, two, three);
    expect(code).toBe(2);
    expect(stderr).toContain(`${one}: shard 1/3 is of another sweep`);
    expect(stderr).toContain('the recordings that it read were others');
  });

  const files = ['.csv', '.stash.jsonl', '.charges.jsonl', '.budgets.jsonl'];
  test.each(files)('refuses a shard whose %s has been changed', async (ending) => {
    const all = copied();
    const file = (all[1] ?? '').replace(/\.csv$/, ending);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, text.slice(0, -1).lastIndexOf('\n') + 1));
    const { code, stderr } = await merged(...all);
    expect(code).toBe(2);
    expect(stderr).toContain(`shard 2/3 has been changed since its sweep wrote it: ${file}`);
  });

  test('refuses rows that are not those of the manifest, sealed or not', async () => {
    const all = copied();
    changeManifest(all[0] ?? '', { shard: manifestOf(all[1] ?? '').shard });
    copyFileSync(all[1] ?? '', all[0] ?? '');
    const { code, stderr } = await merged(...all);
    expect(code).toBe(2);
    expect(stderr).toMatch(/shard 2\/3 is given 2 times/);
    expect(stderr).toMatch(/missing: shard 1\/3/);
  });

  test.each([
    ['running', /is not finished: it still runs, or was killed/],
    ['interrupted', /is not finished: it was stopped/],
  ])('refuses a shard that is %s, --allow-failed or not', async (status, message) => {
    const all = copied();
    changeManifest(all[2] ?? '', { status });
    for (const more of [[], ['--allow-failed']]) {
      const { code, stderr } = await merged(...all, ...more);
      expect(code).toBe(2);
      expect(stderr).toMatch(message);
      expect(stderr).toContain('shard 3/3');
    }
  });

  test('refuses a failed shard, and takes it with --allow-failed', async () => {
    const all = copied();
    changeManifest(all[2] ?? '', { status: 'failed' });
    const refused = await merged(...all);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/shard 3\/3 has .*--allow-failed/);
    const { code, out } = await merged(...all, '--allow-failed');
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(onlyFile(out, '.manifest.json'), 'utf8'))).toMatchObject({
      status: 'failed',
    });
  });

  test('refuses a shard of another revision or version', async () => {
    const all = copied();
    const manifest = manifestOf(all[1] ?? '');
    changeManifest(all[1] ?? '', { versions: { ...Object(manifest.versions), harness: '9.9.9' } });
    const { code, stderr } = await merged(...all);
    expect(code).toBe(2);
    expect(stderr).toContain('shard 2/3 is of another sweep');
    expect(stderr).toContain('version: "9.9.9"');
  });

  test('refuses a run that is no shard, and nothing at all', async () => {
    const none = await merged(onlyFile(whole, '.csv'));
    expect(none).toMatchObject({ code: 2 });
    expect(none.stderr).toMatch(/this run is no shard/);
    const { code, stderr } = await cli('merge');
    expect(code).toBe(2);
    expect(stderr).toMatch(/no shard is named/);
  });
});

describe('--shard with --resume', () => {
  test('goes on with its own shard among others', async () => {
    const folder = temporaryFolder();
    cpSync(shards, folder, { recursive: true });
    for (const [at, csv] of csvs(folder).entries()) {
      const { stdout } = await cli(
        ...words,
        '--shard',
        `${at + 1}/3`,
        '--out',
        folder,
        '--resume',
        '--json',
      );
      expect(JSON.parse(stdout).csv.endsWith(csv.replace(/.*\//, ''))).toBe(true);
    }
    const [one = ''] = csvs(folder);
    const other = await cli(...words, '--shard', '2/3', '--resume', one);
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/this run has --shard 1\/3, and this command 2\/3/);
  });
});
