import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Misbehaviour } from '../../src/commands/stub-server/misbehaviour.ts';
import { type StubServer, startStubServer } from '../../src/commands/stub-server/server.ts';
import { openCassette } from '../../src/model/cassette.ts';
import { readRows } from '../../src/rows/csv.ts';
import { temporaryFolder } from '../support/folder.ts';
import { chat, writeRecordings, writeTrajectories } from '../support/sweeps.ts';
import { cliWith, finished, onlyFile, start } from './cli.ts';
import { timeless } from './timeless.ts';

const recordings = temporaryFolder();
writeRecordings(recordings, 4);

const servers: StubServer[] = [];
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

async function serve(misbehave: readonly Misbehaviour[] = []): Promise<StubServer> {
  const server = await startStubServer({ misbehave });
  servers.push(server);
  return server;
}

const ASSUMED = ['--assume-model', 'gpt-4.1'];
const SMALL = ['--config', 'cg-summarize-small', ...ASSUMED];
/** A server on this machine needs no key. */
const at = (server: StubServer) => ({ OPENAI_BASE_URL: `${server.url}/v1` });

function record(server: StubServer, cassette: string, out: string, ...words: string[]) {
  const given = ['--transcripts', recordings, '--out', out, '--model', 'record'];
  return cliWith(at(server), 'sweep', ...given, '--cassette', cassette, ...words);
}

function replay(cassette: string, out: string, ...words: string[]) {
  const given = ['--transcripts', recordings, '--out', out, '--model', 'replay'];
  return cliWith({}, 'sweep', ...given, '--cassette', cassette, ...words);
}

const lines = (file: string) => readFileSync(file, 'utf8').split('\n').length;

describe('record, then replay offline', () => {
  test('gives the same CSV except times, failed calls included', async () => {
    const refused: Misbehaviour = { kind: 'status', status: 400 };
    const server = await serve([{ kind: 'ok' }, refused]);
    const cassette = join(temporaryFolder(), 'answers.jsonl');
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    const words = [...SMALL, '--config', 'cg-extract-code', '--samples', '2', '--jobs', '3'];
    const recorded = await record(server, cassette, first, ...words);
    expect([recorded.code, recorded.stdout]).toEqual([0, expect.stringContaining('24 rows')]);
    const before = server.seen.length;
    expect(before).toBeGreaterThan(4);
    const replayed = await replay(cassette, second, ...words);
    expect([replayed.code, replayed.stderr, server.seen.length]).toEqual([0, '', before]);
    const csv = onlyFile(first, '.csv');
    expect(timeless(onlyFile(second, '.csv'))).toEqual(timeless(csv));
    const rows = await readRows(csv);
    expect(new Set(rows.map(({ model }) => model))).toEqual(
      new Set(['recorded', 'recorded:gpt-4.1']),
    );
    expect(rows.some(({ reverted }) => reverted === 1)).toBe(true);

    // Recorded once more: what is there is not asked again, and a call that failed is.
    await record(server, cassette, temporaryFolder(), ...words);
    expect(server.seen.length).toBe(before + 1);
  });

  test('also where a call that several configs share has failed', async () => {
    // The recorded requests are asked about under both configs; each of these calls fails once.
    const server = await serve(Array.from({ length: 60 }, () => ({ kind: 'status', status: 400 })));
    const cassette = join(temporaryFolder(), 'answers.jsonl');
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    const mask = [
      '--set',
      'components.mask.keep_recent=0,1',
      '--set',
      'components.mask.min_tokens=5',
    ];
    const words = ['--config', 'cg-mask', ...mask, ...ASSUMED, '--agreement', '2', '--jobs', '1'];
    const recorded = await record(server, cassette, first, ...words);
    expect([recorded.code, recorded.stderr]).toEqual([1, expect.stringMatching(/calls failed/)]);
    const rows = await readRows(onlyFile(first, '.csv'));
    const asked = rows.filter(({ agreementSampled = 0 }) => agreementSampled > 0);
    expect(asked.length).toBeGreaterThan(4);
    expect(server.seen.length).toBeLessThan(
      asked.reduce((sum, { agreementCalls = 0 }) => sum + agreementCalls, 0),
    );
    expect(await replay(cassette, second, ...words)).toMatchObject({ code: 0 });
    expect(timeless(onlyFile(second, '.csv'))).toEqual(timeless(onlyFile(first, '.csv')));
  });

  test('of agreement and probes as well', async () => {
    const server = await serve();
    const cassette = join(temporaryFolder(), 'answers.jsonl');
    const [first, second] = [temporaryFolder(), temporaryFolder()];
    const words = [...SMALL, '--agreement', '2', '--probes', '1'];
    expect(await record(server, cassette, first, ...words)).toMatchObject({ code: 0 });
    const before = server.seen.length;
    expect(await replay(cassette, second, ...words)).toMatchObject({ code: 0, stderr: '' });
    expect(server.seen.length).toBe(before);
    const csv = onlyFile(first, '.csv');
    expect(timeless(onlyFile(second, '.csv'))).toEqual(timeless(csv));
    const rows = (await readRows(csv)).filter(({ config }) => config !== 'baseline');
    expect(rows.every(({ agreementSampled }) => agreementSampled === 2)).toBe(true);
    // The plan changes the ids of the cells.
    const other = temporaryFolder();
    await replay(cassette, other, ...SMALL, '--agreement', '1');
    const ids = new Set(rows.map(({ cellId }) => cellId));
    const others = await readRows(onlyFile(other, '.csv'));
    expect(others.some(({ cellId }) => ids.has(cellId))).toBe(false);
  });
});

describe('the report of a recorded run', () => {
  test('has before and after of its cells from the cassette, and without it says so', async () => {
    const server = await serve();
    const home = temporaryFolder();
    const cassette = join(home, 'answers.jsonl');
    const out = join(home, 'runs');
    expect((await record(server, cassette, out, ...SMALL)).code).toBe(0);
    const csv = onlyFile(out, '.csv');
    const report = async () => {
      const words = ['report', csv, '--out', join(home, 'report.html'), '--json'];
      const { code, stdout } = await cliWith({}, ...words);
      expect(code).toBe(0);
      const { cells, with_details, notes, configs } = JSON.parse(stdout);
      return {
        cells,
        with_details,
        notes,
        names: configs.map((one: { config: string }) => one.config),
      };
    };
    const cells = 8;
    const names = ['baseline', 'cg-summarize-small'];
    expect(await report()).toEqual({ cells, with_details: cells, notes: [], names });
    writeFileSync(
      cassette,
      readFileSync(cassette, 'utf8').replace(/^.*"purpose":"summarize".*\n/m, ''),
    );
    const cut = await report();
    expect(cut.with_details).toBeLessThan(cells);
    expect(cut.notes.join()).toContain('other figures');
    rmSync(cassette);
    const gone = await report();
    expect(gone.with_details).toBe(0);
    expect(gone.notes.join()).toContain('cassette');
  });
});

describe('a strict replay', () => {
  test('of one changed prompt word is exit code 2 with a diff, and no row of that cell', async () => {
    const server = await serve();
    const cassette = join(temporaryFolder(), 'answers.jsonl');
    await record(server, cassette, temporaryFolder(), ...SMALL);
    const text = readFileSync(cassette, 'utf8');
    writeFileSync(cassette, text.replaceAll('the fault in module-2', 'the fault inn module-2'));
    const out = temporaryFolder();
    const { code, stderr } = await replay(cassette, out, ...SMALL, '--jobs', '1');
    expect(code).toBe(2);
    expect(stderr).toMatch(/answers\.jsonl:\d+: the cassette holds no answer to this call/);
    expect(stderr).toMatch(/inn/);
    const rows = await readRows(onlyFile(out, '.csv'));
    expect(rows.map(({ task, config }) => [task, config])).not.toContainEqual([
      '2',
      'cg-summarize-small',
    ]);
    expect(rows.length).toBeGreaterThan(3);

    const rules = ['live', 'stub', 'skip'].map(async (rule) => {
      const folder = temporaryFolder();
      const given = ['--transcripts', recordings, '--out', folder, '--model', 'replay'];
      const miss = ['--cassette', cassette, '--on-miss', rule];
      const done = await cliWith(at(server), 'sweep', ...given, ...miss, ...SMALL);
      const own = (await readRows(onlyFile(folder, '.csv'))).filter(({ task }) => task === '2');
      expect(done.stderr).toMatch(
        new RegExp(`notice: \\d+ calls? w.* not in the cassette .*\\(--on-miss ${rule}\\)`),
      );
      return [done.code, own.at(-1)?.reverted, own.at(-1)?.model];
    });
    const before = server.seen.length;
    expect(await Promise.all(rules)).toEqual([
      [0, 0, 'recorded:gpt-4.1'],
      [0, 0, 'recorded:gpt-4.1'],
      [0, expect.any(Number), 'recorded:gpt-4.1'],
    ]);
    expect(server.seen.length).toBeGreaterThan(before);
  });

  test('without the file, or of another one, says what to do', async () => {
    const out = temporaryFolder();
    const none = await replay(join(out, 'none.jsonl'), out, ...SMALL);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--model record')]);
    expect(readdirSync(out)).toEqual([]);
  });
});

describe('recording', { timeout: 180_000 }, () => {
  const many = temporaryFolder();
  for (let index = 0; index < 8; index++) {
    writeTrajectories(join(many, `${index}.json`), [
      { task: index, reward: 1, traj: chat(`long-${index}`, 14, 400) },
    ]);
  }
  const slow = Array.from({ length: 200 }, (): Misbehaviour => ({ kind: 'slow', ms: 40 }));

  test('killed by kill -9 leaves a readable cassette, and --resume goes on', async () => {
    const server = await serve(slow);
    const cassette = join(temporaryFolder(), 'answers.jsonl');
    const [out, whole] = [temporaryFolder(), temporaryFolder()];
    const words = ['sweep', '--transcripts', many, ...SMALL, '--model', 'record'];
    const given = [...words, '--cassette', cassette, '--out', out, '--jobs', '2'];
    const child = start(given, at(server));
    for (;;) {
      if (child.exitCode !== null) throw new Error(`the sweep ended with ${child.exitCode}`);
      const [csv] = readdirSync(out).filter((name) => name.endsWith('.csv'));
      if (csv !== undefined && lines(join(out, csv)) > 5) break;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    child.kill('SIGKILL');
    await once(child, 'close');
    const held = openCassette(cassette, 'replay');
    const { size } = held;
    held.close();
    expect(size).toBeGreaterThan(0);

    const before = server.seen.length;
    const resumed = await finished(start([...given, '--resume', '--json'], at(server)));
    expect(resumed.code).toBe(0);
    const { kept, finished: done } = JSON.parse(resumed.stdout) as Record<string, number>;
    expect(kept).toBeGreaterThan(2);
    expect(done).toBe(16);
    const replayed = await cliWith(
      {},
      ...['sweep', '--transcripts', many, ...SMALL, '--model', 'replay'],
      ...['--cassette', cassette, '--out', whole],
    );
    expect(replayed.code).toBe(0);
    expect(timeless(onlyFile(whole, '.csv'))).toEqual(timeless(onlyFile(out, '.csv')));
    // What had been answered was not asked again.
    const all = openCassette(cassette, 'replay');
    expect(server.seen.length - before).toBe(all.size - size);
    all.close();
  });

  test('by two processes into one cassette loses nothing, and both have the same answers', async () => {
    const server = await serve(slow);
    const cassette = join(temporaryFolder(), 'answers.jsonl');
    const folders = [temporaryFolder(), temporaryFolder()];
    const words = ['sweep', '--transcripts', many, ...SMALL, '--model', 'record'];
    const runs = folders.map((out, index) => {
      const jobs = ['--jobs', String(index + 2)];
      return finished(start([...words, '--cassette', cassette, '--out', out, ...jobs], at(server)));
    });
    expect((await Promise.all(runs)).map(({ code }) => code)).toEqual([0, 0]);
    const [one = '', other = ''] = folders.map((out) => onlyFile(out, '.csv'));
    expect(timeless(one)).toEqual(timeless(other));
    const third = temporaryFolder();
    const replayed = await cliWith(
      {},
      ...['sweep', '--transcripts', many, ...SMALL, '--model', 'replay'],
      ...['--cassette', cassette, '--out', third],
    );
    expect([replayed.code, replayed.stderr]).toEqual([0, '']);
    expect(timeless(onlyFile(third, '.csv'))).toEqual(timeless(one));
  });

  test('asked to stop during a call ends at once, with what is done written', async () => {
    const server = await serve([{ kind: 'ok' }, { kind: 'ok' }, { kind: 'hang' }]);
    const cassette = join(temporaryFolder(), 'answers.jsonl');
    const out = temporaryFolder();
    const words = ['sweep', '--transcripts', many, ...SMALL, '--model', 'record'];
    const given = [...words, '--cassette', cassette, '--out', out, '--jobs', '1'];
    const child = start(given, at(server));
    const ended = finished(child);
    while (server.seen.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/stopped; to go on: .*--resume .*\.csv/);
    const rows = await readRows(onlyFile(out, '.csv'));
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect([row.note, row.reverted]).toEqual(['ok', 0]);
  });
});
