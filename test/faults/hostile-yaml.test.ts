import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readThresholds } from '../../src/commands/gate/thresholds.ts';
import { readPrices } from '../../src/commands/price-file.ts';
import { configOfManifest } from '../../src/commands/report/manifest-config.ts';
import { loadConfigs } from '../../src/compaction/preset.ts';
import { plainYaml } from '../../src/compaction/yaml-document.ts';
import { HarnessError } from '../../src/errors.ts';
import { cliWith, root } from '../commands/cli.ts';
import { temporaryFolder } from '../support/folder.ts';

const folder = temporaryFolder();

/** Nine of each line before: 9^30 values, in 2 KB. */
const laughs = [
  'a0: &a0 [lol, lol]',
  ...Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}]`),
].join('\n');

const hostile: readonly (readonly [string, string])[] = [
  ['a billion laughs', laughs],
  ['an alias of what holds it', 'pipeline: &a [*a]\n'],
  ['a mapping that holds itself', 'pipeline: [mask]\ncomponents: &c\n  mask: *c\n'],
  ['a flow sequence 100,000 deep', `pipeline: ${'['.repeat(100_000)}${']'.repeat(100_000)}\n`],
  ['an open one', `pipeline: ${'['.repeat(100_000)}`],
  ['flow mappings 30,000 deep', `x: ${'{a: '.repeat(30_000)}1${'}'.repeat(30_000)}\n`],
  ['a block sequence 100,000 deep', `${'- '.repeat(100_000)}a\n`],
  [
    'block mappings 500 deep',
    Array.from({ length: 500 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
  ],
  ['a key of 200,000 characters', `${'k'.repeat(200_000)}: 1\n`],
  ['a key that is a mapping', '? {a: 1}\n: 2\n'],
  ['15,000 anchors', `x: [${Array.from({ length: 15_000 }, (_, at) => `&a${at} 1`).join(',')}]\n`],
  ['merge keys', 'base: &b {a: 1}\n<<: *b\n'],
  ['tags', 'pipeline: !!js/function "x"\nx: !!binary aGk=\ny: !!set {a, b}\n'],
  [
    'the names of prototypes',
    '__proto__: {polluted: 1}\nconstructor: {prototype: {polluted: 1}}\n',
  ],
  ['20,000 documents', '---\na\n'.repeat(20_000)],
  ['a megabyte', `name: ${'x'.repeat(2 ** 20 - 10)}\n`],
  ['40,000 wrong lines', ':\n'.repeat(40_000)],
];

/** Every reader of YAML. A config is also given in the environment. */
const readers: Readonly<Record<string, (text: string, file: string) => Promise<unknown>>> = {
  config: (_, file) => loadConfigs({ names: [file], sets: [], folder }),
  prices: (_, file) => readPrices(file, folder),
  thresholds: (_, file) => readThresholds(file),
};

/** Processor milliseconds. */
async function cost(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe.each(Object.entries(readers))('a hostile document as %s', (kind, read) => {
  test.each(hostile)('%s is a named error, soon', async (name, text) => {
    const file = join(folder, `${kind}.yaml`);
    writeFileSync(file, text);
    const spent = await cost(async () => {
      const error = await read(text, file).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect([name, error]).toEqual([name, expect.any(HarnessError)]);
      if (!(error instanceof HarnessError)) return;
      expect(error.code).toMatch(/^(?:config|input)\./);
      expect(error.at?.file).toBe(file);
      expect(error.message.length).toBeLessThan(20_000);
    });
    // Ten times what the slowest of them takes.
    expect(spent).toBeLessThan(20_000);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('a hostile document elsewhere', () => {
  test.each(hostile)('%s in a manifest is no config', async (_, text) => {
    const entry = { name: 'x', about: '', source: 'sweeps/x.yaml', text, hash: 'x' };
    expect(await configOfManifest(entry, [entry], folder)).toBeUndefined();
    expect(() => plainYaml(text)).not.toThrow();
  });

  test.each(hostile)('%s in the environment is bad usage', async (_, text) => {
    const variables = { CONTEXT_GURU_CONFIG_YAML: text };
    const { code, stderr } = await cliWith(variables, 'sweep', '--config', 'env', '--dry-run');
    expect([code, stderr.slice(0, 7)]).toEqual([2, 'error: ']);
  });

  test('nothing but the one loader parses YAML', () => {
    const users = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) =>
        /import \{[^}]*\bparse(?:Document|AllDocuments)?\b[^}]*\} from 'yaml'/.test(
          readFileSync(join(root, 'src', file), 'utf8'),
        ),
      );
    expect(users).toEqual([join('compaction', 'yaml-document.ts')]);
  });
});
