import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Misbehaviour } from '../../src/commands/stub-server/misbehaviour.ts';
import {
  type StubServer,
  type StubServerOptions,
  startStubServer,
} from '../../src/commands/stub-server/server.ts';
import type { Model, WireName } from '../../src/model/model.ts';
import { callPrice } from '../../src/model/prices.ts';
import { stubModel } from '../../src/model/stub.ts';
import { readRows } from '../../src/rows/csv.ts';
import { readManifest } from '../../src/sweep/manifest.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeRecordings } from '../support/sweeps.ts';
import { cliWith, onlyFile } from './cli.ts';

/** Planted: none of them may stand in anything that a run writes. */
const KEYS = {
  ANTHROPIC_API_KEY: 'sk-ant-planted-8c1f0d2e7b',
  OPENAI_API_KEY: 'planted/openai+key=91',
  CHEAP_MODEL_KEY: 'cheapplantedkey42',
};
const BLOCK_KEY = 'blockplantedkey77';
const SECRETS = [...Object.values(KEYS), BLOCK_KEY];

const WIRES: readonly WireName[] = ['anthropic', 'openai-chat'];

const recordings = temporaryFolder();
writeRecordings(recordings, 3);

const servers: StubServer[] = [];
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

async function serve(options: StubServerOptions = {}): Promise<StubServer> {
  const server = await startStubServer(options);
  servers.push(server);
  return server;
}

const configs = temporaryFolder();

/** A config that summarizes soon, and asks this server over this wire. */
function configFor(wire: WireName, url: string, key?: string): string {
  const file = join(configs, `${wire}-${new URL(url).port}${key === undefined ? '' : '-key'}.yaml`);
  writeFileSync(
    file,
    `name: ${wire}
preset: cg-summarize-small
components:
  summarize:
    model:
      source: config
      model: ${wire === 'anthropic' ? 'claude-haiku-4-5' : 'gpt-4.1-mini'}
      provider: ${wire === 'anthropic' ? 'anthropic' : 'openai'}
      base_url: ${url}
${key === undefined ? '' : `      api_key: ${key}\n`}`,
  );
  return file;
}

interface Swept {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly out: string;
}

async function sweep(config: string, ...words: string[]): Promise<Swept> {
  const out = temporaryFolder();
  const given = ['--transcripts', recordings, '--config', config, '--out', out];
  return { ...(await cliWith(KEYS, 'sweep', ...given, ...words)), out };
}

/** Everything that a run wrote, files and terminal. */
function written({ out, stdout, stderr }: Swept, ...files: string[]): string {
  const paths = [...readdirSync(out).map((name) => join(out, name)), ...files];
  return [stdout, stderr, ...paths.map((path) => readFileSync(path, 'utf8'))].join('\n');
}

/** Of keys, also in the forms that headers, URLs and JSON give them. */
function planted(text: string): string[] {
  const forms = SECRETS.flatMap((key) => [
    key,
    encodeURIComponent(key),
    Buffer.from(key).toString('base64').replace(/=+$/, ''),
  ]);
  return forms.filter((form) => text.includes(form));
}

describe.each(WIRES)('a live sweep over the wire of %s', (wire) => {
  test('asks the server, and says who answered', async () => {
    const server = await serve();
    const done = await sweep(configFor(wire, server.url), '--model', 'live');
    expect([done.code, done.stderr]).toEqual([
      0,
      expect.stringMatching(/\d+ paid model calls, \$/),
    ]);
    const rows = await readRows(onlyFile(done.out, '.csv'));
    const own = rows.filter(({ config }) => config === wire);
    expect(own).toHaveLength(3);
    const model = wire === 'anthropic' ? 'claude-haiku-4-5' : 'gpt-4.1-mini';
    for (const row of own) {
      expect(row.model).toBe(`live:${model}`);
      expect(row.fired).toBeGreaterThan(0);
      expect(row.modelOutputTokens).toBeGreaterThan(0);
    }
    const calls = own.reduce((sum, row) => sum + (row.modelCalls ?? 0), 0);
    expect(server.seen.filter(({ status }) => status === 200)).toHaveLength(calls);
    const manifest = await readManifest(onlyFile(done.out, '.manifest.json'));
    expect(manifest.options).toMatchObject({ model: 'live', mode: 'live', concurrency: 4 });
    expect(manifest.spend).toMatchObject({ calls, usd: expect.any(Number) });
  });

  test.each([
    ['429 with retry-after', { kind: 'status', status: 429, retryAfter: 0 }],
    ['529', { kind: 'status', status: 529 }],
    ['503', { kind: 'status', status: 503 }],
    ['408', { kind: 'status', status: 408 }],
    ['a dropped connection', { kind: 'drop' }],
    ['a reply that is cut', { kind: 'cut' }],
    ['a reply that is no JSON', { kind: 'malformed' }],
  ] as const)('gets over %s', async (_, step: Misbehaviour) => {
    const server = await serve({ misbehave: [step] });
    const { code, out } = await sweep(configFor(wire, server.url), '--model', 'live');
    expect(code).toBe(0);
    const rows = (await readRows(onlyFile(out, '.csv'))).filter(({ config }) => config === wire);
    expect(rows.map(({ reverted }) => reverted)).toEqual([0, 0, 0]);
    const calls = rows.reduce((sum, row) => sum + (row.modelCalls ?? 0), 0);
    expect(server.seen).toHaveLength(calls + 1);
  });

  test('counts a call that cannot succeed as reverted, and goes on', async () => {
    const refused: Misbehaviour = { kind: 'status', status: 400 };
    const server = await serve({ misbehave: [refused] });
    const words = ['--model', 'live', '--jobs', '1'];
    const { code, out, stderr } = await sweep(configFor(wire, server.url), ...words);
    expect(code).toBe(0);
    expect(stderr).toMatch(/1 of \d+ model calls failed/);
    expect(stderr).toMatch(/ {2}1 × .* at 127\.0\.0\.1:\d+: HTTP 400/);
    const rows = (await readRows(onlyFile(out, '.csv'))).filter(({ config }) => config === wire);
    expect(rows.map(({ reverted }) => reverted)).toEqual([1, 0, 0]);
    expect(rows[0]?.refusals?.get('error:model.transport')).toBe(1);
  });

  test('is no success where nothing is answered, as with a wrong key', async () => {
    const server = await serve({ key: 'another key' });
    const config = configFor(wire, server.url, BLOCK_KEY);
    const { code, stderr } = await sweep(config, '--model', 'live');
    expect(code).toBe(1);
    const count = server.seen.length;
    expect(count).toBeGreaterThan(2);
    expect(stderr).toContain(`${count} of ${count} model calls failed`);
    expect(stderr).toMatch(new RegExp(`  ${count} × .*HTTP 401.*; check the key`));
    const json = await sweep(config, '--model', 'live', '--json');
    expect([json.code, JSON.parse(json.stdout).model_calls]).toEqual([
      1,
      {
        answered: 0,
        failed: count,
        failures: [{ count, message: expect.stringContaining('HTTP 401') }],
      },
    ]);
  });

  test('has no more calls open at once than --concurrency says', async () => {
    for (const concurrency of [1, 3]) {
      const misbehave = Array.from({ length: 40 }, () => ({ kind: 'slow', ms: 15 }) as const);
      const server = await serve({ misbehave });
      const words = ['--model', 'live', '--jobs', '8', '--concurrency', String(concurrency)];
      const { code } = await sweep(configFor(wire, server.url), ...words);
      expect(code).toBe(0);
      expect(server.maxConcurrent).toBe(concurrency);
    }
  });

  test('writes no key anywhere, whatever goes wrong', async () => {
    const echo: Misbehaviour[] = [
      { kind: 'status', status: 401 },
      { kind: 'status', status: 400 },
      { kind: 'malformed' },
    ];
    const cassette = join(temporaryFolder(), 'answers.jsonl');
    for (const misbehave of [[], echo]) {
      for (const key of [undefined, BLOCK_KEY]) {
        const server = await serve({ misbehave });
        const config = configFor(wire, server.url, key);
        const mode = ['--model', 'record', '--cassette', cassette];
        const done = await sweep(config, ...mode, '--json');
        expect(planted(written(done, cassette))).toEqual([]);
        const wrong = await sweep(config, ...mode, '--resume', `${BLOCK_KEY}.csv`);
        expect([wrong.code, key === undefined ? [] : planted(written(wrong))]).toEqual([2, []]);
      }
    }
    expect(planted(`x ${BLOCK_KEY} y`)).toContain(BLOCK_KEY);
  });
});

test('a server that says the keys that it was sent gets them into nothing', async () => {
  const said = `Keys: ${SECRETS.join(' ')}`;
  const stub = stubModel('stub');
  const echo: Model = {
    ...stub,
    ask: async (request, signal) => {
      const reply = await stub.ask(request, signal);
      return { ...reply, text: `${reply.text} ${said}` };
    },
  };
  const server = await serve({ model: echo });
  const config = configFor('anthropic', server.url, BLOCK_KEY);
  const cassette = join(temporaryFolder(), 'answers.jsonl');
  const done = await sweep(config, '--model', 'record', '--cassette', cassette);
  expect([done.code, done.stderr]).toEqual([0, expect.stringMatching(/paid model calls/)]);
  const text = written(done, cassette);
  expect(planted(text)).toEqual([]);
  expect(text).toContain('Keys: [redacted]');
});

describe('before the first cell', () => {
  test('a key that is missing is one message for all, and nothing is written', async () => {
    const out = temporaryFolder();
    const words = ['--config', 'cg-summarize-small', '--transcripts', recordings, '--out', out];
    const live = ['--model', 'live', '--assume-model', 'gpt-4.1'];
    const { code, stderr } = await cliWith({}, 'sweep', ...words, ...live);
    expect(code).toBe(2);
    expect(stderr.match(/OPENAI_API_KEY/g)).toHaveLength(1);
    expect(readdirSync(out)).toEqual([]);
  });

  test('under --max-usd a price that is not known is refused with the nearest name', async () => {
    const server = await serve();
    const words = ['--model', 'live', '--max-usd', '1', '--assume-model', 'gpt-4.1-minni'];
    const out = temporaryFolder();
    const given = ['--transcripts', recordings, '--config', 'cg-summarize-small', '--out', out];
    const variables = { OPENAI_BASE_URL: server.url };
    const { code, stderr } = await cliWith(variables, 'sweep', ...given, ...words);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/gpt-4\.1-mini\b.*--prices FILE/)]);
    expect([server.seen, readdirSync(out)]).toEqual([[], []]);
  });

  test('a price of one’s own is enough for --max-usd, and changes no cell’s id', async () => {
    const server = await serve();
    const prices = join(temporaryFolder(), 'prices.yaml');
    writeFileSync(prices, 'date: 2026-11-30\nmodels:\n  own-model: { input: 1, output: 2 }\n');
    const runs = [['--prices', prices, '--max-usd', '1'], []].map(async (words) => {
      const out = temporaryFolder();
      const given = ['--transcripts', recordings, '--config', 'cg-summarize-small', '--out', out];
      const live = ['--model', 'live', '--assume-model', 'own-model', '--json', ...words];
      const done = await cliWith({ OPENAI_BASE_URL: server.url }, 'sweep', ...given, ...live);
      expect(done.code).toBe(0);
      const { spend } = JSON.parse(done.stdout) as { spend: { usd: number | null } };
      const rows = await readRows(onlyFile(out, '.csv'));
      return { usd: spend.usd, rows };
    });
    const [priced, unpriced] = await Promise.all(runs);
    expect(priced?.usd).toBeGreaterThan(0);
    expect(unpriced?.usd).toBeNull();
    const sum = priced?.rows.reduce((total, row) => total + (row.usdModel ?? 0), 0);
    expect(sum).toBeCloseTo(priced?.usd ?? Number.NaN, 9);
    expect(unpriced?.rows.map(({ usdModel }) => usdModel)).toContain(undefined);
    const ids = (rows: typeof priced) => rows?.rows.map(({ cellId }) => cellId);
    expect(ids(priced)).toEqual(ids(unpriced));
  });

  test('--dry-run asks nobody, needs no key, and estimates what a run then pays', async () => {
    const server = await serve();
    const config = configFor('openai-chat', server.url);
    const words = ['--model', 'live', '--json'];
    const plan = await sweep(config, ...words, '--dry-run');
    expect([plan.code, server.seen, readdirSync(plan.out)]).toEqual([0, [], []]);
    const estimate = JSON.parse(plan.stdout) as {
      model_calls: { model: string; calls: number; usd: number }[];
      estimated_usd: number;
    };
    const done = await sweep(config, ...words);
    const { spend } = JSON.parse(done.stdout) as { spend: { usd: number; calls: number } };
    expect(estimate.model_calls).toMatchObject([{ model: 'gpt-4.1-mini', calls: spend.calls }]);
    // The server's model is the stub, so that the estimate is near: its counts hold a template.
    expect(estimate.estimated_usd / spend.usd).toBeGreaterThan(0.9);
    expect(estimate.estimated_usd / spend.usd).toBeLessThan(1.1);

    const missing = await cliWith(
      {},
      ...['sweep', '--config', 'cg-summarize-small', '--transcripts', recordings],
      ...['--model', 'live', '--assume-model', 'claude-haiku-4-5', '--dry-run'],
    );
    expect([missing.code, missing.stdout]).toEqual([
      0,
      expect.stringMatching(/claude-haiku-4-5: \d+ calls, .* about \$0\.0/),
    ]);
  });
});

describe('--max-usd', () => {
  const many = temporaryFolder();
  writeRecordings(many, 12);

  test.each(WIRES)('0.01 is never passed under --jobs 8, over the wire of %s', async (wire) => {
    const model = wire === 'anthropic' ? 'claude-haiku-4-5' : 'gpt-4.1-mini';
    const failures: Misbehaviour[] = [
      { kind: 'ok' },
      { kind: 'cut' },
      { kind: 'status', status: 529 },
      { kind: 'slow', ms: 30 },
    ];
    // What a provider would bill: every answer that was made, also one that did not arrive.
    let billed = 0;
    const stub = stubModel('stub');
    const paid: Model = {
      ...stub,
      ask: async (request, signal) => {
        const reply = await stub.ask(request, signal);
        billed += callPrice(model, reply) ?? Number.NaN;
        return reply;
      },
    };
    const server = await serve({ misbehave: failures, model: paid });
    const out = temporaryFolder();
    const config = configFor(wire, server.url);
    const given = ['--transcripts', many, '--config', config, '--out', out, '--jobs', '8'];
    const live = ['--model', 'live', '--max-usd', '0.01'];
    const done = await cliWith(KEYS, 'sweep', ...given, ...live);
    expect(done.code).toBe(1);
    expect(server.seen.length).toBeGreaterThan(2);
    expect(billed).toBeGreaterThan(0);
    expect(billed).toBeLessThanOrEqual(0.01);
    expect(done.stderr).toMatch(/stopped by --max-usd: \$0\.0\d+ of the \$0\.01 of --max-usd/);
    expect(done.stderr).toMatch(/\d+ cells are finished, \d+ are left: about \d+ calls and \$/);
    expect(done.stderr).toMatch(/--resume .*\.csv; --max-usd counts each start by itself/);

    const rows = await readRows(onlyFile(out, '.csv'));
    // A cell without the answer that it was refused has no row.
    for (const row of rows) expect([row.note, row.reverted]).toEqual(['ok', 0]);
    const left = rows.length;
    const more = await cliWith(KEYS, 'sweep', ...given, '--model', 'live', '--resume', '--json');
    expect(more.code).toBe(0);
    expect(JSON.parse(more.stdout)).toMatchObject({ kept: left, finished: 24, cells: 24 });
  });
});
