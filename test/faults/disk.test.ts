/**
 * A disk that is full, can only be read, or fails, at every write of the commands that write: a named error with
 * the file and what to do, nothing lost that was written, and the same rows or files once the disk is well.
 */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type StubServer, startStubServer } from '../../src/commands/stub-server/server.ts';
import { readRows } from '../../src/rows/csv.ts';
import type { CellResult } from '../../src/rows/result.ts';
import { listRuns } from '../../src/sweep/run-files.ts';
import { onlyFile } from '../commands/cli.ts';
import { command } from '../support/crash/command.ts';
import { failEverywhere } from '../support/crash/disk-faults.ts';
import {
  checkCompanions,
  checkRunFolder,
  csvsIn,
  lasting,
  lastingRows,
} from '../support/crash/run-folder.ts';
import { checkWhole, contentsOf } from '../support/crash/whole-files.ts';
import { temporaryFolder } from '../support/folder.ts';
import { chat, writeTrajectories } from '../support/sweeps.ts';

vi.setConfig({ testTimeout: 240_000 });

const recordings = temporaryFolder();
const run = temporaryFolder();
const bare = temporaryFolder();
const shards = temporaryFolder();
const SELECTED = ['--transcripts', recordings, '--config', 'cg-summarize-small', '--jobs', '2'];

let server: StubServer;

beforeAll(async () => {
  server = await startStubServer({});
  for (const index of [0, 1]) {
    writeTrajectories(join(recordings, `${index}.json`), [
      { task: index, reward: 1, traj: chat(`module-${index}`, 8, 200) },
    ]);
  }
  expect(await command(['sweep', ...SELECTED, '--out', run])).toMatchObject({ code: 0 });
  cpSync(run, bare, { recursive: true });
  rmSync(onlyFile(bare, '.manifest.json'));
  for (const shard of ['1/2', '2/2']) {
    const words = ['sweep', ...SELECTED, '--shard', shard, '--out', shards];
    expect(await command(words)).toMatchObject({ code: 0 });
  }
});
afterAll(() => server.close());

const RECORD = ['--model', 'record', '--assume-model', 'gpt-4.1'];

describe('a sweep on a disk that fails', () => {
  test.each([
    ['with controls', ['--controls'], false],
    ['that records', RECORD, true],
  ] as const)('%s says so, and goes on once it is well', async (_, words, records) => {
    const call = (folder: string, pid: number, ...more: string[]) => {
      const kept = records ? ['--cassette', join(folder, 'answers.jsonl')] : [];
      const given = ['sweep', ...SELECTED, ...words, ...kept, '--out', join(folder, 'runs')];
      const variables = { OPENAI_BASE_URL: `${server.url}/v1` };
      return command([...given, ...more], { pid, dead: [1], variables });
    };
    const whole = temporaryFolder();
    expect(await call(whole, 2)).toMatchObject({ code: 0 });
    const expected: readonly CellResult[] = await readRows(onlyFile(join(whole, 'runs'), '.csv'));
    await failEverywhere<string>({
      most: 20,
      prepare: temporaryFolder,
      folders: (folder) => [folder],
      run: (folder) => call(folder, 1),
      recovers: async (folder, first) => {
        const out = join(folder, 'runs');
        // A cell whose answer could not be recorded has failed, and has a row that says so.
        if (!first.stderr.includes('failed:')) await checkRunFolder(out, expected);
        const [begun = ''] = await listRuns(out);
        const kept = begun === '' ? 0 : (await readRows(begun)).length;
        const resumed = await call(folder, 3, '--resume');
        if (resumed.code !== 0) {
          expect(resumed.stderr).toContain('leave --resume out to start one');
          // Only a run that has not begun cannot be gone on with.
          expect(kept).toBe(0);
          expect(await call(folder, 3)).toMatchObject({ code: 0 });
        }
        const [csv = ''] = await listRuns(out);
        expect(await lastingRows(csv)).toEqual(expected.map(lasting));
        checkCompanions(csv, await readRows(csv));
      },
    });
  });

  test('keeps the rows that were written before, and says how to go on', async () => {
    const out = temporaryFolder();
    const full = { rows: 0 };
    const { Injector } = await import('../support/crash/injector.ts');
    const injector = Injector.begin([out], ({ name, path }) => {
      const isRow = name === 'handle.appendFile' && path.endsWith('.csv');
      if (isRow) full.rows++;
      return isRow && full.rows === 3
        ? { kind: 'error', code: 'ENOSPC', half: true }
        : { kind: 'none' };
    });
    const words = ['sweep', ...SELECTED, '--out', out];
    const { code, stderr } = await command(words).finally(() => injector.end());
    expect(code).toBe(2);
    expect(stderr).toMatch(/to go on: the same command with --resume \S+\.csv/);
    const csv = onlyFile(out, '.csv');
    expect(readFileSync(csv, 'utf8').endsWith('\n')).toBe(true);
    expect(await readRows(csv)).toHaveLength(2);
    expect(await command([...words, '--resume', csv])).toMatchObject({ code: 0 });
    expect(await readRows(csv)).toHaveLength(4);
  });
});

/** Words of a command that writes into the folder. */
const COMMANDS: Readonly<Record<string, (out: string) => readonly string[]>> = {
  report: (out) => [
    ...['report', onlyFile(bare, '.csv'), '--out', join(out, 'new', 'page.html')],
    ...['--parquet', join(out, 'rows.parquet')],
  ],
  import: (out) => ['import', recordings, '--out', join(out, 'new')],
  gate: (out) => [
    ...['gate', '--part', 'cells', '--transcripts', join(recordings, '0.json')],
    ...['--config', 'cg-mask', '--dialect', 'openai-chat', '--update'],
    ...['--snapshot', join(out, 'gate', 'snapshot.csv'), '--junit', join(out, 'gate.xml')],
  ],
  'record-fixtures': (out) => ['record-fixtures', 'parse-subtitle-cues', '--out', out],
};

describe('a command on a disk that fails', () => {
  test.each(Object.entries(COMMANDS))(
    '%s says so, and leaves what was there',
    async (name, wordsOf) => {
      const whole = temporaryFolder();
      expect(await command(wordsOf(whole))).toMatchObject({ code: 0 });
      const after = contentsOf(whole);
      const isOver = name !== 'import';
      const before = new Map(isOver ? [...after.keys()].map((file) => [file, 'old']) : []);
      await failEverywhere<string>({
        most: name === 'record-fixtures' ? 3 : 12,
        prepare: () => {
          const folder = temporaryFolder();
          if (isOver) cpSync(whole, folder, { recursive: true });
          for (const [file, content] of before) writeFileSync(join(folder, file), content);
          return folder;
        },
        folders: (folder) => [folder],
        run: (folder) => command(wordsOf(folder)),
        recovers: async (folder) => {
          checkWhole(contentsOf(folder), before, after);
          expect(await command(wordsOf(folder))).toMatchObject({ code: 0 });
          expect(contentsOf(folder)).toEqual(after);
        },
      });
    },
  );

  test('merge says so, and leaves nothing that looks whole', async () => {
    const words = (out: string) => ['merge', ...csvsIn(shards), '--out', out];
    const whole = temporaryFolder();
    expect(await command(words(whole))).toMatchObject({ code: 0 });
    const expected = await readRows(onlyFile(whole, '.csv'));
    await failEverywhere<string>({
      most: 14,
      prepare: temporaryFolder,
      folders: (folder) => [folder],
      run: (folder) => command(words(folder)),
      recovers: async (folder) => {
        await checkRunFolder(folder, expected);
        expect(await command(words(folder), { pid: 2, dead: [1] })).toMatchObject({ code: 0 });
        const [newest = ''] = await listRuns(folder);
        expect(await lastingRows(newest)).toEqual(expected.map(lasting));
      },
    });
  });

  test('publish-results says so, and leaves the earlier page and snapshots', async () => {
    const publish = (folder: string, pid = 1) =>
      command(['publish-results', '--run', onlyFile(run, '.csv'), '--force', '--out', folder], {
        pid,
        dead: [1],
      });
    const first = temporaryFolder();
    expect(await publish(first)).toMatchObject({ code: 0 });
    const before = contentsOf(first);
    await failEverywhere<string>({
      most: 14,
      prepare: () => {
        const folder = temporaryFolder();
        cpSync(first, folder, { recursive: true });
        return folder;
      },
      folders: (folder) => [folder],
      run: (folder) => publish(folder),
      recovers: async (folder, done) => {
        for (const [name, content] of before) {
          if (name === 'README.md' && done.code === 0) continue;
          expect(contentsOf(folder).get(name), name).toBe(content);
        }
        expect(await publish(folder, 2)).toMatchObject({ code: 0 });
        expect(existsSync(join(folder, 'README.md.lock'))).toBe(false);
      },
    });
  });
});
