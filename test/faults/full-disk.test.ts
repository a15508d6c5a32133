/** Disks that are really full, and writers that the system takes less from than they give. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StubServer, startStubServer } from '../../src/commands/stub-server/server.ts';
import { openCassette } from '../../src/model/cassette.ts';
import { readRows } from '../../src/rows/csv.ts';
import { isFinished } from '../../src/rows/result.ts';
import { onlyFile } from '../commands/cli.ts';
import { command } from '../support/crash/command.ts';
import { checkTold } from '../support/crash/disk-faults.ts';
import { type Fault, Injector, type Operation } from '../support/crash/injector.ts';
import { lastingRows } from '../support/crash/run-folder.ts';
import { contentsOf } from '../support/crash/whole-files.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeRecordings } from '../support/sweeps.ts';

const recordings = temporaryFolder();
writeRecordings(recordings, 4);
const SELECTED = ['--transcripts', recordings, '--config', 'cg-summarize-small', '--jobs', '1'];

const mounted: string[] = [];

/** Mounts a disk of so many kB of memory; false where that is not permitted. */
function mount(folder: string, size: string): boolean {
  const options = mounted.includes(folder) ? `remount,size=${size}` : `size=${size}`;
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'none', folder]);
  if (status === 0 && !mounted.includes(folder)) mounted.push(folder);
  return status === 0;
}
afterAll(() => {
  for (const folder of mounted) spawnSync('umount', [folder]);
});

const disk = temporaryFolder();
const canMount = mount(disk, '16m');

test(`a sweep on a small disk keeps its rows, and goes on when there is space${canMount ? '' : ' (skipped: no mount)'}`, async (context) => {
  if (!canMount) context.skip();
  const whole = temporaryFolder();
  await command(['sweep', ...SELECTED, '--out', whole]);
  const expected = await lastingRows(onlyFile(whole, '.csv'));
  // About half of what the run takes, in the pages of which the disk is made.
  const pages = readdirSync(whole).map((name) =>
    Math.ceil(statSync(join(whole, name)).size / 4096),
  );
  mount(disk, `${Math.round(pages.reduce((sum, count) => sum + count, 2) * 4 * 0.6)}k`);
  const out = join(disk, 'runs');
  const words = ['sweep', ...SELECTED, '--out', out];
  const full = await command(words);
  checkTold(full, 'ENOSPC');
  expect(full.code).toBe(2);
  const csv = onlyFile(out, '.csv');
  const kept = await lastingRows(csv);
  expect(kept.length).toBeGreaterThan(0);
  expect(expected.slice(0, kept.length)).toEqual(kept);
  // Still full: said again, and nothing is lost by trying.
  checkTold(await command([...words, '--resume', csv]), 'ENOSPC');
  expect((await lastingRows(csv)).length).toBeGreaterThanOrEqual(kept.length);
  mount(disk, '16m');
  expect(await command([...words, '--resume', csv])).toMatchObject({ code: 0 });
  expect(await lastingRows(csv)).toEqual(expected);
});

const hasFull = existsSync('/dev/full');
test(`a report to a full device says so, and the device stays one${hasFull ? '' : ' (skipped: no /dev/full)'}`, async (context) => {
  if (!hasFull) context.skip();
  const out = temporaryFolder();
  await command(['sweep', ...SELECTED, '--out', out]);
  const page = join(out, 'page.html');
  const words = ['report', onlyFile(out, '.csv'), '--out', page, '--markdown', '/dev/full'];
  const { code, stderr } = await command(words);
  expect([code, stderr]).toEqual([2, expect.stringContaining('/dev/full: cannot write: ENOSPC')]);
  expect(readFileSync(page, 'utf8')).toContain('</html>');
});

/** Runs with one kind of operation going wrong from its `nth` on, or only then. */
async function failing<T>(
  folder: string,
  isMeant: (operation: Operation) => boolean,
  faultOf: (nth: number) => Fault,
  run: () => Promise<T>,
): Promise<T> {
  let count = 0;
  const injector = Injector.begin([folder], (operation) =>
    isMeant(operation) ? faultOf(count++) : { kind: 'none' },
  );
  try {
    return await run();
  } finally {
    injector.end();
  }
}

describe('a cassette', () => {
  let server: StubServer;
  beforeAll(async () => {
    server = await startStubServer({});
  });
  afterAll(() => server.close());

  const record = (folder: string, ...more: string[]) => {
    const cassette = ['--cassette', join(folder, 'answers.jsonl')];
    const model = ['--model', 'record', '--assume-model', 'gpt-4.1', ...cassette];
    return command(['sweep', ...SELECTED, ...model, '--out', join(folder, 'runs'), ...more], {
      variables: { OPENAI_BASE_URL: `${server.url}/v1` },
    });
  };
  const isEntry = ({ name, path }: Operation) =>
    name === 'writeSync' && path.endsWith('answers.jsonl');

  test('that cannot be written fails the cells whose answers it lacks, and no other', async () => {
    const folder = temporaryFolder();
    const done = await failing(
      folder,
      isEntry,
      (nth) => (nth < 4 ? { kind: 'none' } : { kind: 'error', code: 'ENOSPC', half: true }),
      () => record(folder),
    );
    expect(done.code).toBe(1);
    checkTold(done, 'ENOSPC');
    const csv = onlyFile(join(folder, 'runs'), '.csv');
    const rows = await readRows(csv);
    expect(rows).toHaveLength(8);
    const failed = rows.filter((row) => !isFinished(row));
    expect(failed).toHaveLength(3);
    for (const { note, config } of failed) {
      expect([note, config]).toEqual([
        expect.stringMatching(/^error:output\.write .*cannot write the cassette: ENOSPC/),
        'cg-summarize-small',
      ]);
    }
    // A replay would not have the answer, so no row is there that used it.
    for (const row of rows.filter(isFinished)) expect(row.reverted ?? 0).toBe(0);
    expect(await record(folder, '--resume', csv)).toMatchObject({ code: 0 });
    expect((await readRows(csv)).every(isFinished)).toBe(true);
    const cassette = openCassette(join(folder, 'answers.jsonl'), 'replay');
    expect(cassette.size).toBe(12);
    cassette.close();
  });

  test('of which the system takes half of a line has it whole behind', async () => {
    const folder = temporaryFolder();
    const done = await failing(
      folder,
      isEntry,
      (nth) => (nth === 1 ? { kind: 'short' } : { kind: 'none' }),
      () => record(folder),
    );
    expect(done.code).toBe(0);
    const cassette = openCassette(join(folder, 'answers.jsonl'), 'replay');
    expect(cassette.size).toBe(12);
    expect(cassette.notices).toEqual([expect.stringContaining('left out')]);
    cassette.close();
  });
});

test('an import of which the system takes half at once is whole, and none at all is an error', async () => {
  const [folder, whole] = [temporaryFolder(), temporaryFolder()];
  await command(['import', recordings, '--out', whole]);
  const isWrite = ({ name }: Operation) => name === 'writeSync';
  const words = ['import', recordings, '--out', join(folder, 'in')];
  const done = await failing(
    folder,
    isWrite,
    (nth) => (nth % 9 === 8 ? { kind: 'none' } : { kind: 'short' }),
    () => command(words),
  );
  expect(done.code).toBe(0);
  expect(contentsOf(join(folder, 'in'))).toEqual(contentsOf(whole));
  const other = ['import', recordings, '--out', join(folder, 'out')];
  // Half of the half of … is nothing.
  const none = await failing(
    folder,
    isWrite,
    () => ({ kind: 'short' }),
    () => command(other),
  );
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('takes no more bytes')]);
  expect(readdirSync(join(folder, 'out'))).toEqual([]);
});
