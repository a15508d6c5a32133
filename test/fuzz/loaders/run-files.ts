/**
 * The files beside a run's CSV. A manifest and a stash index that are taken say what their text says; a line of
 * budgets or charges that cannot be read is left out alone; and of sealed shards, none is taken that is not, byte
 * for byte, what its sweep has written.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { offlinePrices } from '../../../src/model/prices.ts';
import { readRows } from '../../../src/rows/csv.ts';
import { readBudgets } from '../../../src/sweep/budgets.ts';
import { repriced } from '../../../src/sweep/charges.ts';
import { readManifest } from '../../../src/sweep/manifest.ts';
import { runFiles } from '../../../src/sweep/run-files.ts';
import { sealedFiles, sealsOf } from '../../../src/sweep/shard-seal.ts';
import { readShardSet } from '../../../src/sweep/shard-set.ts';
import { readReferences } from '../../../src/sweep/stash-index.ts';
import { isObject } from '../../../src/wire/json-object.ts';
import { insist } from '../finding.ts';
import type { Fuzzer } from '../fuzzer.ts';
import type { Seed, SeedFile } from '../material.ts';
import { endedLines, fileFuzzer, jsonOf, refusable, root, seedOf } from './one-file.ts';

const RUN = 'results/2026-11-30-fixtures-stub-2';

function lines(path: string, values: readonly unknown[]): Seed {
  const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
  return { name: path, files: [{ path, kind: 'jsonl', bytes: Buffer.from(text) }] };
}

const origin = {
  cell: 'c1',
  config: 'cg-mask',
  file: 'a.jsonl',
  format: 'llm-request-log',
  session: 's',
  task: 't',
  trial: '0',
  lineage: 'main',
};
const references = [
  { kind: 'messages', key: 'aaaa', ...origin, request: 3, from: 1, to: 4 },
  { kind: 'result', key: 'bbbb', ...origin, request: 3, message: 2, block: 0 },
  { kind: 'text', key: 'cccc', ...origin, text: 'what no recording holds', form: 'text' },
  {
    kind: 'text',
    key: 'dddd',
    ...origin,
    text: '[{"role":"user","content":"x"}]',
    form: 'messages',
  },
];
const budgets = [
  { cell: 'c1', after: [1, 2, 3] },
  { cell: 'c2', after: [] },
  { cell: 'c3', after: [100, 0] },
];

export const runFileFuzzers: readonly Fuzzer[] = [
  fileFuzzer(
    {
      name: 'manifest',
      about: 'the manifest of a run',
      seeds: () => [
        seedOf(`${RUN}.manifest.json`, 'json', shortManifest),
        seedOf(`${RUN}.manifest.json`, 'json', (text) =>
          shortManifest(text, { index: 1, count: 2 }),
        ),
      ],
    },
    async ({ path, text }) => {
      const manifest = await readManifest(path);
      const said: unknown = JSON.parse(text);
      insist(isObject(said), () => 'a manifest that is no object was taken');
      if (!isObject(said)) return 'read';
      for (const key of ['status', 'selection', 'started'] as const) {
        insist(manifest[key] === said[key], () => `${key} is ${manifest[key]}, not ${said[key]}`);
      }
      const names = Array.isArray(said.configs) ? said.configs.length : undefined;
      insist(
        manifest.configs.length === names,
        () => `${manifest.configs.length} of ${names} configs`,
      );
      return 'read';
    },
  ),
  fileFuzzer(
    {
      name: 'stash-index',
      about: 'where expand finds what was stashed',
      seeds: () => [lines('run.stash.jsonl', references)],
    },
    async ({ path, text }) => {
      const found = await readReferences(path);
      const ended = endedLines(text);
      insist(found.length === ended.length, () => `${found.length} keys of ${ended.length} lines`);
      for (const [index, reference] of found.entries()) {
        const said = jsonOf(ended[index] ?? '');
        const isSame = isObject(said) && said.key === reference.key && said.kind === reference.kind;
        insist(isSame, () => `line ${index + 1} is ${reference.key}`);
      }
      return 'read';
    },
  ),
  fileFuzzer(
    {
      name: 'kept-lines',
      about: 'budgets and charges of cells',
      seeds: () => [lines('run.budgets.jsonl', budgets)],
    },
    async ({ path, text }) => {
      const found = await readBudgets(path);
      for (const line of text.split('\n')) {
        const known = budgets.find((budget) => JSON.stringify(budget) === line);
        insist(
          known === undefined || found.has(known.cell),
          () => `the whole line ${line} is left out`,
        );
      }
      const rows = await repriced(new Map(), path, offlinePrices);
      insist(rows.size === 0, () => 'rows out of nothing');
      return found.size > 0 ? 'read' : 'rejected';
    },
  ),
  shardFuzzer(),
];

function shortManifest(text: string, shard?: object): string {
  const manifest: unknown = JSON.parse(text);
  if (!isObject(manifest)) return text;
  const { published: _, ...rest } = manifest;
  const configs = Array.isArray(rest.configs) ? rest.configs.slice(0, 3) : [];
  return JSON.stringify({ ...rest, configs, ...(shard === undefined ? {} : { shard }) }, null, 2);
}

function shardFuzzer(): Fuzzer {
  return {
    name: 'shards',
    about: 'sealed shards before merge puts them together',
    seeds: async () => [{ name: 'two shards', files: await sealedShards() }],
    hasSpellings: false,
    async check({ seed, files, folder }) {
      const csvs = [1, 2].map((index) => join(folder, `shard-${index}.csv`));
      return await refusable(async () => {
        const parts = await readShardSet(csvs, { allowFailed: false });
        insist(parts.length === 2, () => `${parts.length} parts`);
        for (const { path, bytes } of files) {
          const sealed = seed.files.find((file) => file.path === path)?.bytes;
          const isSealed = !path.endsWith('.manifest.json');
          insist(
            !isSealed || sealed?.equals(bytes) === true,
            () => `${path} was changed, and taken`,
          );
        }
        for (const csv of csvs) await readRows(csv);
        return 'read';
      }, 'shard');
    },
  };
}

async function sealedShards(): Promise<readonly SeedFile[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sealed-'));
  const csv = readFileSync(join(root, `${RUN}.csv`), 'utf8').split('\n');
  const manifest: unknown = JSON.parse(
    shortManifest(readFileSync(join(root, `${RUN}.manifest.json`), 'utf8')),
  );
  const seeds: SeedFile[] = [];
  try {
    for (const index of [1, 2]) {
      const files = runFiles(join(folder, `shard-${index}.csv`));
      const put = (file: string, kind: SeedFile['kind'], text: string) => {
        writeFileSync(file, text);
        seeds.push({ path: file.slice(folder.length + 1), kind, bytes: Buffer.from(text) });
      };
      put(files.csv, 'csv', `${csv[0]}\n${csv[index]}\n`);
      put(files.stash, 'jsonl', `${JSON.stringify(references[index])}\n`);
      put(files.budgets, 'jsonl', `${JSON.stringify(budgets[index])}\n`);
      const seals = await sealsOf(files);
      insist(
        sealedFiles.every((name) => name in seals),
        () => 'a file without a seal',
      );
      const shard = { index, count: 2, plan: 'p', transcripts: 2, own: [index - 1], files: seals };
      const whole = { ...(isObject(manifest) ? manifest : {}), status: 'complete', shard };
      put(files.manifest, 'json', JSON.stringify(whole, null, 2));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return seeds;
}
