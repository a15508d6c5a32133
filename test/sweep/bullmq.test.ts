import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startStubServer } from '../../src/commands/stub-server/server.ts';
import { readRows } from '../../src/rows/csv.ts';
import { cli, cliWith, finished, onlyFile, start } from '../commands/cli.ts';
import { timeless } from '../commands/timeless.ts';
import { temporaryFolder } from '../support/folder.ts';
import { redisProgram, TestRedis } from '../support/redis-server.ts';
import { writeRecordings } from '../support/sweeps.ts';

const PASSWORD = 'pass-word-of-redis';
const missing = redisProgram === undefined ? ' (skipped: no redis-server here)' : '';

/** Polls until it holds; the test's own time limit ends it. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe.skipIf(missing !== '')(`workers on a real Redis${missing}`, () => {
  let redis: TestRedis;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    redis = await TestRedis.start(temporaryFolder(), PASSWORD);
  });

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  afterAll(() => redis.stop());

  function run(words: readonly string[], variables: Record<string, string> = {}): ChildProcess {
    const child = start(words, { REDIS_URL: redis.url, ...variables });
    children.push(child);
    return child;
  }

  const worker = (...words: string[]) => run(['worker', '--stalled', '2', ...words]);

  /** Keys of a queue end like that. */
  const queueKey = (name: string) =>
    redis.with(async (client) => (await client.keys(`compaction:cells-*:${name}`))[0] ?? '');

  const active = async () => {
    const key = await queueKey('active');
    return redis.with((client) => client.llen(key));
  };

  /** How often a job was taken over, since the Redis is there. */
  const takenOver = async () => {
    const key = await queueKey('events');
    const events = await redis.with((client) => client.xrange(key, '-', '+'));
    return events.filter(([, fields]) => fields.includes('stalled')).length;
  };

  /** Keys of runs; those of the queue itself stay. */
  const leftovers = () => redis.with((client) => client.keys('compaction:run:*'));

  function rowsSoFar(out: string): number {
    const [name] = existsSync(out) ? readdirSync(out).filter((file) => file.endsWith('.csv')) : [];
    if (name === undefined) return 0;
    return readFileSync(join(out, name), 'utf8').split('\n').length - 2;
  }

  test('500 cells over three, one killed, one stopped and continued, Redis restarted: the local CSV', async () => {
    const configs = ['--config', 'cg-mask,cg-dedup,cg-collapse', '--controls', '--samples', '5'];
    const [out, whole] = [temporaryFolder(), temporaryFolder()];
    const workers = [worker(), worker(), worker()];
    const starter = run(['sweep', ...configs, '--executor', 'bullmq', '--out', out]);
    const ended = finished(starter);
    await until(() => rowsSoFar(out) >= 20);
    const [killed, stopped, other] = workers;
    const signalAll = (signal: NodeJS.Signals) => {
      for (const one of workers) one.kill(signal);
    };
    // Jobs are short, so the workers are held until each of them is in the middle of one.
    await until(async () => {
      signalAll('SIGSTOP');
      if ((await active()) === workers.length) return true;
      signalAll('SIGCONT');
      return false;
    });
    killed?.kill('SIGKILL');
    other?.kill('SIGCONT');
    await until(() => rowsSoFar(out) >= 80);
    await redis.stop();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await redis.start();
    await until(async () => (await takenOver()) >= 2);
    stopped?.kill('SIGCONT');
    const { code, stderr, stdout } = await ended;
    expect(stderr).toMatch(/cannot be reached[\s\S]*is there again/);
    expect(`${stdout}${stderr}`).not.toContain(PASSWORD);
    expect(code).toBe(0);
    // The one of the killed worker and the one of the stopped worker.
    expect(await takenOver()).toBeGreaterThanOrEqual(2);
    expect(await leftovers()).toEqual([]);

    await cli('sweep', ...configs, '--out', whole);
    const rows = timeless(onlyFile(whole, '.csv'));
    expect(rows).toHaveLength(501);
    expect(timeless(onlyFile(out, '.csv'))).toEqual(rows);
    for (const ending of ['.stash.jsonl', '.charges.jsonl', '.budgets.jsonl']) {
      const [ours, theirs] = [out, whole].map((folder) =>
        readFileSync(onlyFile(folder, ending), 'utf8').split('\n').toSorted(),
      );
      expect(ours).toEqual(theirs);
    }
  }, 180_000);

  test('a sweep that is stopped leaves nothing behind, and goes on from there', async () => {
    const recordings = temporaryFolder();
    writeRecordings(recordings, 24);
    const words = ['--config', 'cg-summarize-small', '--transcripts', recordings];
    const [out, whole] = [temporaryFolder(), temporaryFolder()];
    const remote = ['--executor', 'bullmq', '--send', 'path', '--out', out];
    const starter = run(['sweep', ...words, ...remote]);
    const ended = finished(starter);
    worker();
    await until(() => rowsSoFar(out) >= 4);
    starter.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/to go on: the same command with --resume/);
    expect(await leftovers()).toEqual([]);
    const kept = await readRows(onlyFile(out, '.csv'));
    expect(kept.length).toBeLessThan(48);

    const again = await finished(run(['sweep', ...words, ...remote, '--resume', '--json']));
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ kept: kept.length, finished: 48 });
    await cli('sweep', ...words, '--out', whole);
    expect(timeless(onlyFile(out, '.csv'))).toEqual(timeless(onlyFile(whole, '.csv')));
  });

  test('a starter that is killed finds on its return what the workers did meanwhile', async () => {
    const recordings = temporaryFolder();
    writeRecordings(recordings, 12);
    const words = ['sweep', '--config', 'cg-summarize-small', '--transcripts', recordings];
    const [out, whole] = [temporaryFolder(), temporaryFolder()];
    const remote = ['--executor', 'bullmq', '--out', out];
    const starter = run([...words, ...remote]);
    const ended = finished(starter);
    worker();
    await until(() => rowsSoFar(out) >= 2);
    starter.kill('SIGKILL');
    await ended;
    // The workers do what was sent.
    await until(async () => (await active()) === 0);
    const again = await finished(run([...words, ...remote, '--resume', '--json']));
    expect(again.code).toBe(0);
    await cli(...words, '--out', whole);
    expect(timeless(onlyFile(out, '.csv'))).toEqual(timeless(onlyFile(whole, '.csv')));
    expect(await leftovers()).toEqual([]);
  });

  test('live models are asked with the keys of the worker, which never go through Redis', async () => {
    const server = await startStubServer({});
    const key = 'sk-ant-planted-in-the-worker';
    const folder = temporaryFolder();
    writeRecordings(folder, 3);
    const model = `{source: config, model: claude-haiku-4-5, base_url: '${server.url}'}`;
    const block = `components:\n  summarize:\n    model: ${model}\n`;
    const config = join(temporaryFolder(), 'live.yaml');
    writeFileSync(config, `name: live\npreset: cg-summarize-small\n${block}`);
    const words = ['sweep', '--config', config, '--transcripts', folder, '--model', 'live'];
    const [out, whole] = [temporaryFolder(), temporaryFolder()];
    try {
      const local = await cliWith({ ANTHROPIC_API_KEY: key }, ...words, '--out', whole);
      expect(local.code).toBe(0);
      const none = { ANTHROPIC_API_KEY: '', CHEAP_MODEL_KEY: '' };
      const starter = run([...words, '--executor', 'bullmq', '--out', out], none);
      const ended = finished(starter);
      run(['worker'], { ...none, CHEAP_MODEL_KEY: key });
      const { code, stderr } = await ended;
      expect(stderr).not.toContain(key);
      expect(code).toBe(0);
    } finally {
      await server.close();
    }
    const rows = timeless(onlyFile(out, '.csv'));
    expect(rows).toEqual(timeless(onlyFile(whole, '.csv')));
    expect(rows.join()).toContain('live:claude-haiku-4-5');
    expect(redis.written()).toContain('live');
    expect(redis.written()).not.toContain(key);

    writeFileSync(
      config,
      `name: live\npreset: cg-summarize-small\n${block.replace('{', '{api_key: planted-in-config, ')}`,
    );
    const refused = await cliWith({ REDIS_URL: redis.url }, ...words, '--executor', 'bullmq');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/has its own api_key, and keys never go through Redis/);
  });

  test('what no worker can read is a failed row that says so', async () => {
    const recordings = temporaryFolder();
    writeRecordings(recordings, 2);
    const out = temporaryFolder();
    const words = ['sweep', '--config', 'baseline', '--transcripts', recordings];
    const starter = run([...words, '--executor', 'bullmq', '--send', 'path', '--out', out]);
    const ended = finished(starter);
    await until(async () => {
      const key = await queueKey('wait');
      return (await redis.with((client) => client.llen(key))) === 2;
    });
    rmSync(recordings, { recursive: true });
    worker();
    const { code } = await ended;
    expect(code).toBe(1);
    const rows = await readRows(onlyFile(out, '.csv'));
    expect(rows.map(({ note }) => note)).toEqual([
      expect.stringMatching(/^error:worker\.failed .*--send content/),
      expect.stringMatching(/^error:worker\.failed .*--send content/),
    ]);
    expect(await leftovers()).toEqual([]);
  });

  test('a wrong password ends starter and worker, and is not shown', async () => {
    const url = `redis://:wrong-secret@127.0.0.1:${redis.port}`;
    const both = [
      run(['sweep', '--config', 'baseline', '--executor', 'bullmq', '--out', temporaryFolder()], {
        REDIS_URL: url,
      }),
      run(['worker'], { REDIS_URL: url }),
    ];
    for (const { code, stderr, stdout } of await Promise.all(both.map(finished))) {
      expect(code).toBe(2);
      expect(stderr).toMatch(/WRONGPASS.*check user and password/);
      expect(`${stdout}${stderr}`).not.toContain('wrong-secret');
    }
  });
});

describe('--executor bullmq', () => {
  const refused: readonly [string, readonly string[], RegExp][] = [
    ['without a Redis', [], /give --redis redis:/],
    ['with what is no address', ['--redis', 'localhost:6379'], /cannot be read, expected redis:/],
    [
      'with a budget',
      ['--redis', 'redis://h', '--model', 'live', '--max-usd', '1'],
      /--max-usd cannot be kept by workers/,
    ],
    [
      'and a recording',
      ['--redis', 'redis://h', '--model', 'record', '--cassette', 'c'],
      /one cassette/,
    ],
    ['misspelt', ['--executor', 'bulmq'], /did you mean bullmq/],
  ];
  test.each(refused)('%s is refused', async (_, words, message) => {
    const named = words.includes('--executor') ? [] : ['--executor', 'bullmq'];
    const { code, stderr } = await cli('sweep', '--config', 'baseline', ...named, ...words);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test.each([
    ['--redis', 'redis://h'],
    ['--send', 'path'],
  ])('is needed for %s', async (...words) => {
    const { code, stderr } = await cli('sweep', '--config', 'baseline', ...words);
    expect(code).toBe(2);
    expect(stderr).toMatch(/has no effect without workers/);
  });
});
