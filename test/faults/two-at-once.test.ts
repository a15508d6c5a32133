/** Two commands on one output: one is told by `output.conflict`, or both are whole. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { HarnessError } from '../../src/errors.ts';
import { readRows } from '../../src/rows/csv.ts';
import { RunLock } from '../../src/sweep/lock.ts';
import { finished, onlyFile, start } from '../commands/cli.ts';
import { timeless } from '../commands/timeless.ts';
import { command } from '../support/crash/command.ts';
import { Injector } from '../support/crash/injector.ts';
import { checkCompanions, csvsIn } from '../support/crash/run-folder.ts';
import { contentsOf } from '../support/crash/whole-files.ts';
import { temporaryFolder } from '../support/folder.ts';
import { holder, writeRecordings } from '../support/sweeps.ts';

const recordings = temporaryFolder();
writeRecordings(recordings, 4);
const SELECTED = ['--transcripts', recordings, '--config', 'cg-summarize-small', '--jobs', '1'];
const whole = temporaryFolder();

beforeAll(async () => {
  expect(await command(['sweep', ...SELECTED, '--out', whole])).toMatchObject({ code: 0 });
});

/** A run whose process died behind its second row. */
async function interrupted(): Promise<string> {
  const out = temporaryFolder();
  let rows = 0;
  const injector = Injector.begin([out], ({ name, path }) => {
    if (name === 'handle.appendFile' && path.endsWith('.csv')) rows++;
    return rows === 3 ? { kind: 'kill', when: 'half' } : { kind: 'none' };
  });
  await command(['sweep', ...SELECTED, '--out', out]).finally(() => injector.end());
  expect(await readRows(onlyFile(out, '.csv'))).toHaveLength(2);
  return out;
}

describe('two that go on with one run', () => {
  test('at once, after its process died: one does, and the other is told who', async () => {
    const out = await interrupted();
    const words = ['sweep', ...SELECTED, '--out', out, '--resume'];
    const both = await Promise.all([2, 3].map((pid) => command(words, { pid, dead: [1] })));
    const codes = both.map(({ code }) => code).toSorted();
    expect(codes).toEqual([0, 2]);
    const told = both.find(({ code }) => code === 2)?.stderr;
    expect(told).toMatch(/process [23] on here is writing this; wait for it, or delete .*\.lock/);
    const csv = onlyFile(out, '.csv');
    expect(timeless(csv)).toEqual(timeless(onlyFile(whole, '.csv')));
    checkCompanions(csv, await readRows(csv));
  });

  test('as processes of their own: the same', async () => {
    const out = await interrupted();
    const csv = onlyFile(out, '.csv');
    // As a process of this machine that has ended would have left it.
    const dead = spawnSync(process.execPath, ['-p', 'process.pid+" "+os.hostname()']);
    const [pid = '', host = ''] = String(dead.stdout).trim().split(' ');
    writeFileSync(`${csv}.lock`, JSON.stringify({ pid: Number(pid), host }));
    const words = ['sweep', ...SELECTED, '--out', out, '--resume'];
    const both = await Promise.all([start(words), start(words)].map(finished));
    for (const { code, stderr } of both) {
      // The later one may find the run complete, and has then nothing to do.
      expect([0, 2]).toContain(code);
      if (code === 2) expect(stderr).toMatch(/is writing this; wait for it/);
    }
    expect(both.map(({ code }) => code)).toContain(0);
    expect(timeless(csv)).toEqual(timeless(onlyFile(whole, '.csv')));
    checkCompanions(csv, await readRows(csv));
  });

  test('a lock that a dead process left is taken over by one of those that try', async () => {
    const folder = temporaryFolder();
    for (let round = 0; round < 30; round++) {
      const csv = join(folder, `${round}.csv`);
      await RunLock.acquire(csv, holder(1));
      const tries = Array.from({ length: 8 }, (_, index) =>
        RunLock.acquire(csv, holder(10 + index, [1])).then(
          () => 'taken',
          (error: unknown) => (error instanceof HarnessError ? error.code : String(error)),
        ),
      );
      const ends = await Promise.all(tries);
      expect(
        ends.filter((end) => end === 'taken'),
        ends.join(),
      ).toHaveLength(1);
      expect(new Set(ends)).toEqual(new Set(['taken', 'output.conflict']));
      expect(readdirSync(folder).filter((name) => name.startsWith(`${round}.`))).toEqual([
        `${round}.csv.lock`,
      ]);
    }
  });

  test('a lock that another took over in between is left to it', async () => {
    const csv = join(temporaryFolder(), 'one.csv');
    const lock = `${csv}.lock`;
    await RunLock.acquire(csv, holder(1));
    const other = JSON.stringify({ pid: 12, host: 'here' });
    let isTaken = false;
    // Between the look at the abandoned lock and its takeover, or its removal.
    const injector = Injector.begin([dirname(csv)], ({ name, path }) => {
      const isRemoval =
        (name === 'link' && path === `${lock}.takeover`) || (name === 'rm' && path === lock);
      if (isRemoval && !isTaken) {
        isTaken = true;
        writeFileSync(lock, other);
      }
      return { kind: 'none' };
    });
    const late = RunLock.acquire(csv, holder(11, [1])).finally(() => injector.end());
    await expect(late).rejects.toMatchObject({ code: 'output.conflict' });
    expect(isTaken).toBe(true);
    expect(readFileSync(lock, 'utf8')).toBe(other);
    expect(readdirSync(dirname(csv))).toEqual(['one.csv.lock']);
  });

  test('a takeover whose process died is taken over too', async () => {
    const csv = join(temporaryFolder(), 'one.csv');
    const lock = `${csv}.lock`;
    await RunLock.acquire(csv, holder(1));
    const injector = Injector.begin([dirname(csv)], ({ path, name }) =>
      name === 'rename' && path === lock ? { kind: 'kill', when: 'before' } : { kind: 'none' },
    );
    await RunLock.acquire(csv, holder(2, [1]))
      .catch(() => {})
      .finally(() => injector.end());
    expect(existsSync(`${lock}.takeover`)).toBe(true);
    await RunLock.acquire(csv, holder(3, [1, 2]));
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toEqual({ pid: 3, host: 'here' });
    expect(readdirSync(dirname(csv)).filter((name) => !name.endsWith('.tmp'))).toEqual([
      'one.csv.lock',
    ]);
  });
});

describe('merge while a shard is written', () => {
  const shards = temporaryFolder();
  beforeAll(async () => {
    for (const shard of ['1/2', '2/2']) {
      const words = ['sweep', ...SELECTED, '--shard', shard, '--out', shards];
      expect(await command(words)).toMatchObject({ code: 0 });
    }
  });

  test.each(['.csv', '.charges.jsonl', '.stash.jsonl'])(
    'that changes its *%s after it was checked is refused by its name',
    async (ending) => {
      const folder = temporaryFolder();
      cpSync(shards, folder, { recursive: true });
      const [first = '', second = ''] = csvsIn(folder);
      const changed = second.replace(/\.csv$/, ending);
      const out = temporaryFolder();
      let isChanged = false;
      const injector = Injector.begin([out], () => {
        // The first thing that merge writes comes behind its checks.
        if (!isChanged) appendFileSync(changed, readFileSync(changed, 'utf8').slice(0, 200));
        isChanged = true;
        return { kind: 'none' };
      });
      const done = await command(['merge', first, second, '--out', out]).finally(() =>
        injector.end(),
      );
      expect([done.code, done.stderr]).toEqual([
        2,
        expect.stringMatching(/shard 2\/2 has been changed since its sweep wrote it: .*/),
      ]);
      expect(done.stderr).toContain(changed);
      expect(readdirSync(out)).toEqual([]);
    },
  );
});

test('publish-results twice at once: both are on the page, or one is told to wait', async () => {
  const out = temporaryFolder();
  const words = ['publish-results', '--run', onlyFile(whole, '.csv'), '--force', '--out', out];
  const both = await Promise.all([2, 3].map((pid) => command(words, { pid })));
  const published = both.filter(({ code }) => code === 0);
  expect(published.length).toBeGreaterThan(0);
  for (const { code, stderr } of both) {
    if (code === 0) continue;
    expect([code, stderr]).toEqual([2, expect.stringContaining('is writing this; wait for it')]);
  }
  const found = contentsOf(out);
  const csvs = [...found.keys()].filter((name) => name.endsWith('.csv'));
  expect(csvs).toHaveLength(published.length);
  for (const name of csvs) {
    expect(found.get('README.md')).toContain(`](${name})`);
    expect(found.has(name.replace('.csv', '.manifest.json'))).toBe(true);
  }
  expect(readdirSync(out).filter((name) => /lock|tmp/.test(name))).toEqual([]);
});

describe('two imports into one folder', () => {
  const talk = join(temporaryFolder(), 'talk.json');
  const say = (text: string): void => {
    const messages = [
      { role: 'user', content: text },
      { role: 'assistant', content: 'ok' },
    ];
    writeFileSync(talk, JSON.stringify(messages));
  };

  test('of the same recordings are both whole', async () => {
    const [out, alone] = [join(temporaryFolder(), 'new'), temporaryFolder()];
    await command(['import', recordings, '--out', alone]);
    const both = await Promise.all(
      [2, 3].map((pid) => command(['import', recordings, '--out', out], { pid })),
    );
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(contentsOf(out)).toEqual(contentsOf(alone));
  });

  test('of another content under one name: the later is refused, and nothing is replaced', async () => {
    const out = temporaryFolder();
    say('two');
    let isPut = false;
    // The other import puts its file just before this one does.
    const injector = Injector.begin([out], ({ name }) => {
      if (name !== 'linkSync' || isPut) return { kind: 'none' };
      isPut = true;
      say('one');
      const put = spawnSync(
        process.execPath,
        ['--import', 'tsx', 'src/cli.ts', 'import', talk, '--out', out],
        { cwd: join(import.meta.dirname, '../..') },
      );
      expect(put.status, String(put.stderr)).toBe(0);
      return { kind: 'none' };
    });
    const done = await command(['import', talk, '--out', out]).finally(() => injector.end());
    expect(isPut).toBe(true);
    expect([done.code, done.stderr]).toEqual([
      2,
      expect.stringContaining('the file is there with another content'),
    ]);
    const [name = ''] = readdirSync(out);
    expect(readdirSync(out)).toHaveLength(1);
    expect(readFileSync(join(out, name), 'utf8')).toContain('one');
    expect(existsSync(join(out, name))).toBe(true);
  });
});
