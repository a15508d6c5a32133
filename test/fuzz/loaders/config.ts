/**
 * Config documents. What is taken must be right: a config has the pipeline and the settings that the document
 * says, as another parser reads it; no unknown key is passed over; and the text that goes into the manifest
 * reads back to the same config. What is not is refused with file and line.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Config } from '../../../src/compaction/config.ts';
import { loadConfigs } from '../../../src/compaction/preset.ts';
import { isObject } from '../../../src/wire/json-object.ts';
import { insist } from '../finding.ts';
import type { Fuzzer } from '../fuzzer.ts';
import type { Seed } from '../material.ts';
import { fileFuzzer, root, seedOf } from './one-file.ts';

const sweeps = join(root, 'sweeps');

const RICH = `name: rich
about: everything that a document may say
pipeline: [summarize, extract, mask, collapse, dedup]
model: {source: config, model: claude-haiku-4-5, provider: anthropic, base_url: http://127.0.0.1:9/x}
store: {kind: redis}
mode: on
expand: {inject: always}
components:
  summarize: &shared
    summary_level: concise
    keep_last: 4
    trigger: {min_request_tokens: 5000, min_messages: 7, min_request_frac: 0.25}
    marker_mode: summary
  extract:
    strategy: code
    language: starlark
    min_keep_ratio: 0.1
    rlm: {max_rounds: 3, max_calls: 4}
  mask: {keep_recent: 2}
  collapse: {max_tokens: 900, head_lines: 5, tail_lines: 6}
  dedup:
matrix:
  summarize.keep_last: [3, 5]
  extract.strategy: [deterministic, code]
`;
const DERIVED = `name: derived
preset: cg-summarize
components:
  summarize: {keep_last: 5}
`;

export const configFuzzer: Fuzzer = fileFuzzer(
  {
    name: 'config',
    about: 'config documents of sweeps/, matrix, presets and --set',
    seeds(): readonly Seed[] {
      const names = readdirSync(sweeps).filter(
        (name) => name.endsWith('.yaml') && name !== 'gate.yaml',
      );
      const own = [RICH, DERIVED].map((text, at): Seed => {
        const path = `own-${at}.yaml`;
        return { name: path, files: [{ path, kind: 'yaml', bytes: Buffer.from(text) }] };
      });
      return [...own, ...names.map((name) => seedOf(`sweeps/${name}`, 'yaml'))];
    },
  },
  async ({ path, text, run: { choice } }) => {
    const sets = choice % 10 === 0 ? [SETS[choice % SETS.length] ?? ''] : [];
    const { configs } = await loadConfigs({ names: [path], sets, folder: sweeps });
    insist(configs.length > 0, () => 'a document gives no config and no error');
    const said: unknown = readAnew(text);
    for (const config of configs) {
      checkConfig(config);
      await checkText(config);
    }
    if (sets.length === 0) checkSaid(said, configs);
    return 'read';
  },
);

const SETS = [
  'summarize.keep_last=3,5',
  'keep_last=1',
  'mask.keep_recent=x',
  '__proto__.x=1',
  'summarize.trigger={min_messages: 3}',
  '=',
  'extract.strategy=[a',
  'summarize.keep_last=',
];

function checkConfig({ name, hash, steps, text }: Config): void {
  insist(
    name.trim() !== '' && !/\p{Cc}/u.test(name),
    () => `a config called ${JSON.stringify(name)}`,
  );
  insist(/^[0-9a-f]{16}$/.test(hash), () => `${name}: hash ${hash}`);
  const keys = steps.map(({ key }) => key);
  insist(new Set(keys).size === keys.length, () => `${name}: a step twice: ${keys.join()}`);
  insist(text !== '', () => `${name}: no text`);
}

/** The manifest's text leaves out keys and what a control matches. */
async function checkText(config: Config): Promise<void> {
  if (config.matches !== undefined || config.text.includes('use:')) return;
  const again = await loadConfigs({ names: ['env'], sets: [], folder: [], inline: config.text });
  const hashes = again.configs.map(({ hash }) => hash).join();
  insist(
    hashes === config.hash,
    () => `its text reads back to ${hashes}, not ${config.hash}:\n${config.text}`,
  );
}

/** As a parser reads it that knows nothing of configs. */
function readAnew(text: string): unknown {
  try {
    return parse(text.replace(/^\ufeff/, ''), {
      schema: 'core',
      version: '1.2',
      logLevel: 'silent',
    });
  } catch {
    return undefined;
  }
}

const HOST_KEYS: ReadonlySet<string> = new Set(['store', 'mode', 'observe', 'cache']);

function checkSaid(said: unknown, configs: readonly Config[]): void {
  if (!isObject(said)) return;
  const unknown = unknownKey(
    Object.fromEntries(Object.entries(said).filter(([key]) => !HOST_KEYS.has(key))),
  );
  insist(unknown === undefined, () => `the unknown key ${unknown} was passed over`);
  const [config] = configs;
  const isPlain = said.matrix === undefined && said.preset === undefined && configs.length === 1;
  if (config === undefined || !isPlain || config.matches !== undefined) return;
  const keys = config.steps.map(({ key }) => key);
  insist(
    JSON.stringify(said.pipeline) === JSON.stringify(keys),
    () => `the pipeline is ${keys.join()}, the document says ${JSON.stringify(said.pipeline)}`,
  );
  for (const { key, settings } of config.steps) {
    const block = isObject(said.components) ? said.components[key] : undefined;
    if (isObject(block)) checkSettings(block, settings, key);
  }
}

function unknownKey(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(unknownKey).find((key) => key !== undefined);
  if (!isObject(value)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = key.startsWith('zq_') ? key : unknownKey(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What is respelled or moved when it is read: a legacy key, a path, a budget's name. */
const RESPELLED: ReadonlySet<string> = new Set(['start_from_message', 'use', 'budget', 'timeout']);

function checkSettings(
  said: Readonly<Record<string, unknown>>,
  settings: unknown,
  place: string,
): void {
  for (const [key, value] of Object.entries(said)) {
    if (RESPELLED.has(key) || value === null || Array.isArray(value)) continue;
    const found = isObject(settings) ? settings[key] : undefined;
    if (isObject(value)) checkSettings(value, found, `${place}.${key}`);
    else {
      insist(
        Object.is(found, value) || found === value,
        () =>
          `${place}.${key} is ${JSON.stringify(found)}, the document says ${JSON.stringify(value)}`,
      );
    }
  }
}
