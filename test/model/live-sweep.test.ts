import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startStubServer } from '../../src/commands/stub-server/server.ts';
import { readRows } from '../../src/rows/csv.ts';
import { cliWith, onlyFile } from '../commands/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { modelServer, replyOf, sendJson } from '../support/model-server.ts';
import { writeRecordings } from '../support/sweeps.ts';

const recordings = temporaryFolder();
writeRecordings(recordings, 1);

/** Keys wherever one can stand; each is found again by its own name. */
const KEYS = {
  ANTHROPIC_API_KEY: 'planted-anthropic-31c7d4e9',
  ANTHROPIC_AUTH_TOKEN: 'planted-token-82fa6b01',
  OPENAI_API_KEY: 'planted-openai-5d90ce77',
  CHEAP_MODEL_KEY: 'planted-cheap-c4417fa2',
};
const OF_BLOCK = 'planted-block-77aa10d3';
const OF_ADDRESS = 'planted-address-0be5526f';
const PLANTED = /planted-(?:anthropic|token|openai|cheap|block|address)-[0-9a-f]+/;

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanups.splice(0)) await close();
});

/** A config whose two components ask two endpoints, over both wires. */
function document(anthropic: string, openai: string): string {
  const file = join(temporaryFolder(), 'live.yaml');
  const withLogin = anthropic.replace('//', `//me:${OF_ADDRESS}@`);
  writeFileSync(
    file,
    `name: live
pipeline: [extract, summarize]
components:
  extract:
    strategy: code
    min_tokens: 100
    model: {source: config, model: claude-haiku-4-5, base_url: "${withLogin}", api_key: ${OF_BLOCK}}
  summarize:
    keep_last: 2
    min_tokens: 200
    resummarize_tokens: 1000
    model: {source: config, provider: openai, model: gpt-4.1-mini, base_url: "${openai}"}
`,
  );
  return file;
}

async function swept(config: string, variables: Record<string, string>, ...words: string[]) {
  const out = temporaryFolder();
  const given = ['--config', config, '--transcripts', recordings, '--out', out, '--model', 'live'];
  const result = await cliWith(variables, 'sweep', ...given, ...words);
  const files = readdirSync(out, { recursive: true, withFileTypes: true });
  const written = files
    .filter((file) => file.isFile())
    .map((file) => `${file.name}\n${readFileSync(join(file.parentPath, file.name), 'utf8')}`);
  return { ...result, out, everything: [result.stdout, result.stderr, ...written].join('\n') };
}

describe('sweep --model live', () => {
  test('asks both wires, at most --concurrency calls at once', async () => {
    const server = await startStubServer();
    cleanups.push(() => server.close());
    const config = document(server.url, `${server.url}/v1`);
    const { code, out } = await swept(config, KEYS, '--jobs', '8', '--concurrency', '1');
    expect(code).toBe(0);
    expect(new Set(server.seen.map(({ wire }) => wire)).size).toBe(2);
    const live = (await readRows(onlyFile(out, '.csv'))).filter((row) => row.config === 'live');
    expect(live.map((row) => (row.modelCalls ?? 0) > 0)).toEqual([true]);
    expect(server.maxConcurrent).toBe(1);
  });

  test.each([
    ['every call is refused and the server quotes the keys', [401]],
    ['every other reply fails so', [500, 200]],
    // 204 stands for a 200 that is no reply.
    ['the body of some quotes them and is no reply', [204, 200, 200, 200, 200, 200]],
  ] as const)('writes no key where %s', async (_, statuses) => {
    const sent: string[] = [];
    const server = await modelServer(({ headers, path }, response, index) => {
      const quoted = `${headers['x-api-key']} ${headers.authorization} ${OF_ADDRESS}`;
      sent.push(quoted);
      const status = statuses[index % statuses.length];
      if (status === 204) return sendJson(response, 200, { text: quoted });
      if (status !== 200) {
        const body = { error: { message: `no: ${quoted}`, quoted } };
        return sendJson(response, status ?? 500, body, { 'x-echo': quoted, 'retry-after': '0' });
      }
      const wire = path.endsWith('/messages') ? 'anthropic' : 'openai-chat';
      sendJson(response, 200, replyOf(wire, 'src/module-0-1.ts was read, its value is in order.'));
    });
    cleanups.push(() => server.close());
    const config = document(server.url, `${server.url}/v1`);
    const { everything } = await swept(config, KEYS, '--json');
    // The check can fail: the keys were sent and quoted.
    expect(sent.join()).toMatch(PLANTED);
    expect(everything).toContain('live');
    expect(everything).not.toMatch(PLANTED);
  });

  test('says what is missing before the first cell, all of it, and writes nothing', async () => {
    const config = document('https://one.example', 'https://two.example/v1');
    writeFileSync(
      config,
      readFileSync(config, 'utf8')
        .replace(`, api_key: ${OF_BLOCK}`, '')
        .replace(`me:${OF_ADDRESS}@`, ''),
    );
    const { code, stderr, out } = await swept(config, {});
    expect(code).toBe(2);
    expect(stderr).toContain('no key for one.example: set CHEAP_MODEL_KEY or ANTHROPIC_API_KEY');
    expect(stderr).toContain('no key for two.example: set CHEAP_MODEL_KEY or OPENAI_API_KEY');
    expect(readdirSync(out)).toEqual([]);
  });
});
