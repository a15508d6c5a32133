/**
 * Commands that are killed at any of their writes leave each file absent, as it was, or whole and new; and the
 * same command again ends as if nobody had killed the first. `expand`, `show`, `validate`, `import-rewards` and
 * `stub-server` write no file; `docs` and `bench --save` write as `report` does, see `one-way-to-write.test.ts`.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { readRows } from '../../src/rows/csv.ts';
import { listRuns, runFiles } from '../../src/sweep/run-files.ts';
import { onlyFile } from '../commands/cli.ts';
import { command } from '../support/crash/command.ts';
import { crashEverywhere } from '../support/crash/crashes.ts';
import { checkRunFolder, csvsIn, lastingRows } from '../support/crash/run-folder.ts';
import { checkWhole, contentsOf } from '../support/crash/whole-files.ts';
import { temporaryFolder } from '../support/folder.ts';
import { chat, writeTrajectories } from '../support/sweeps.ts';

vi.setConfig({ testTimeout: 240_000 });

const recordings = temporaryFolder();
const key = join(temporaryFolder(), 'key');
/** A run, the same without a manifest, which is not replayed, and shards of it. */
const run = temporaryFolder();
const bare = temporaryFolder();
const shards = temporaryFolder();
const SELECTED = ['--transcripts', recordings, '--config', 'cg-summarize-small', '--jobs', '1'];

async function fine(words: readonly string[], pid = 1): Promise<void> {
  const { code, stderr } = await command(words, { pid, dead: [1] });
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
}

beforeAll(async () => {
  for (const index of [0, 1]) {
    writeTrajectories(join(recordings, `${index}.json`), [
      { task: index, reward: 1, traj: chat(`module-${index}`, 8, 200) },
    ]);
  }
  writeFileSync(key, 'a key of more than sixteen bytes');
  await fine(['sweep', ...SELECTED, '--out', run, '--name', 'pair']);
  const manifest = onlyFile(run, '.manifest.json');
  const clean = { commit: '0'.repeat(40), dirty: false };
  writeFileSync(
    manifest,
    JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), revision: clean }),
  );
  cpSync(run, bare, { recursive: true });
  rmSync(onlyFile(bare, '.manifest.json'));
  for (const shard of ['1/2', '2/2']) {
    await fine(['sweep', ...SELECTED, '--shard', shard, '--out', shards]);
  }
});

/** Words of a command that writes into the folder. */
const COMMANDS: Readonly<Record<string, (out: string) => readonly string[]>> = {
  'report as HTML, Markdown and Parquet': (out) => [
    ...['report', onlyFile(bare, '.csv'), '--out', join(out, 'page.html')],
    ...['--markdown', join(out, 'page.md'), '--parquet', join(out, 'rows.parquet')],
  ],
  import: (out) => ['import', recordings, '--out', out],
  'import --redact': (out) => ['import', recordings, '--out', out, '--redact', '--redact-key', key],
  'gate --update --junit': (out) => [
    ...['gate', '--part', 'cells', '--transcripts', join(recordings, '0.json')],
    ...['--config', 'cg-mask', '--dialect', 'openai-chat', '--update'],
    ...['--snapshot', join(out, 'gate', 'snapshot.csv'), '--junit', join(out, 'gate.xml')],
  ],
  'record-fixtures': (out) => ['record-fixtures', 'parse-subtitle-cues', '--out', out],
};

describe('a command that is killed at a write', () => {
  test.each(Object.entries(COMMANDS))('%s: old, new or absent', async (name, wordsOf) => {
    const whole = temporaryFolder();
    await fine(wordsOf(whole));
    const after = contentsOf(whole);
    expect(after.size).toBeGreaterThan(0);
    // Into an empty folder, over files of an earlier version, or both where that is cheap.
    const passes = name.startsWith('import')
      ? [false]
      : name.startsWith('gate')
        ? [false, true]
        : [true];
    for (const isThere of passes) {
      const before = new Map(isThere ? [...after.keys()].map((file) => [file, 'old']) : []);
      const tried = await crashEverywhere<string>({
        most: name === 'record-fixtures' ? 8 : 14,
        prepare: () => {
          const folder = temporaryFolder();
          if (isThere) cpSync(whole, folder, { recursive: true });
          for (const [file, content] of before) writeFileSync(join(folder, file), content);
          return folder;
        },
        folders: (folder) => [folder],
        run: (folder) => command(wordsOf(folder), { pid: 1 }),
        check: async (folder) => {
          checkWhole(contentsOf(folder), before, after);
          await fine(wordsOf(folder), 2);
          expect(contentsOf(folder)).toEqual(after);
        },
      });
      expect(tried.length).toBeGreaterThan(4);
    }
  });

  test('merge: what is there is not called complete, and a merge again is whole', async () => {
    const words = (out: string) => ['merge', ...csvsIn(shards), '--out', out];
    const whole = temporaryFolder();
    await fine(words(whole));
    const csv = onlyFile(whole, '.csv');
    const [expected, rows] = [await readRows(csv), await lastingRows(csv)];
    await crashEverywhere<string>({
      most: 30,
      prepare: temporaryFolder,
      folders: (folder) => [folder],
      run: (folder) => command(words(folder), { pid: 1 }),
      check: async (folder) => {
        await checkRunFolder(folder, expected);
        await fine(words(folder), 2);
        await checkRunFolder(folder, expected);
        const [newest = ''] = await listRuns(folder);
        expect(await lastingRows(newest)).toEqual(rows);
        for (const name of ['charges', 'stash'] as const) {
          expect(readFileSync(runFiles(newest)[name], 'utf8')).toBe(
            readFileSync(runFiles(csv)[name], 'utf8'),
          );
        }
      },
    });
  });

  test('publish-results: the page is old or new, and lists every snapshot that is whole', async () => {
    const publish = (folder: string, pid: number) =>
      command(['publish-results', '--run', onlyFile(run, '.csv'), '--out', folder], {
        pid,
        dead: [1],
      });
    const first = temporaryFolder();
    expect(await publish(first, 2)).toMatchObject({ code: 0 });
    const before = contentsOf(first);
    const second = temporaryFolder();
    cpSync(first, second, { recursive: true });
    expect(await publish(second, 2)).toMatchObject({ code: 0 });
    const after = contentsOf(second);
    expect([before.size, after.size]).toEqual([3, 5]);
    await crashEverywhere<string>({
      prepare: () => {
        const folder = temporaryFolder();
        cpSync(first, folder, { recursive: true });
        return folder;
      },
      folders: (folder) => [folder],
      run: (folder) => publish(folder, 1),
      check: async (folder) => {
        const left = contentsOf(folder);
        checkWhole(left, before, after);
        const { code, stderr } = await publish(folder, 2);
        expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
        const found = contentsOf(folder);
        const page = found.get('README.md') ?? '';
        for (const csv of [...found.keys()].filter((one) => one.endsWith('.csv'))) {
          const isWhole = found.has(csv.replace('.csv', '.manifest.json'));
          expect(page.includes(`](${csv})`), csv).toBe(isWhole);
          if (!isWhole) expect(stderr).toContain(`${csv} has no manifest`);
        }
      },
    });
  });
});

test('a writer that writes in place is caught', async () => {
  const file = (folder: string) => join(folder, 'page.html');
  const inPlace = crashEverywhere<string>({
    prepare: () => {
      const folder = temporaryFolder();
      writeFileSync(file(folder), 'the old page');
      return folder;
    },
    folders: (folder) => [folder],
    run: (folder) => writeFile(file(folder), 'the new page'),
    check: async (folder) => {
      const [before, after] = ['the old page', 'the new page'].map(
        (text) => new Map([['page.html', text]]),
      );
      checkWhole(contentsOf(folder), before ?? new Map(), after ?? new Map());
    },
  });
  await expect(inPlace).rejects.toThrow(/killed empty 0 .*page\.html is 0 characters/);
});
