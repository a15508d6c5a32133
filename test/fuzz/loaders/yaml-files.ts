/** Files in YAML beside the configs: prices, and the thresholds of the gate. What is taken is as it is written. */
import { join } from 'node:path';
import { parse } from 'yaml';
import { readThresholds } from '../../../src/commands/gate/thresholds.ts';
import { readPrices } from '../../../src/commands/price-file.ts';
import { isObject } from '../../../src/wire/json-object.ts';
import { insist } from '../finding.ts';
import type { Fuzzer } from '../fuzzer.ts';
import type { Seed } from '../material.ts';
import { fileFuzzer, seedOf } from './one-file.ts';

const PRICES = `date: 2026-11-30
models:
  claude-x: {input: 3, output: 15, cache_read: 0.3, cache_write_5m: 3.75, cache_write_1h: 6}
  "gpt-x": {input: 1.25, output: 10}
  vendor/odd-model: {input: 0, output: 0}
`;

const prices: Seed[] = [PRICES, JSON.stringify(parse(PRICES), null, 2)].map((text, at) => ({
  name: `prices ${at}`,
  files: [{ path: `prices-${at}.yaml`, kind: 'yaml' as const, bytes: Buffer.from(text) }],
}));

const FIELDS = [
  ['input', 'input'],
  ['output', 'output'],
  ['cache_read', 'cacheRead'],
  ['cache_write_5m', 'cacheWrite5m'],
  ['cache_write_1h', 'cacheWrite1h'],
] as const;

export const yamlFuzzers: readonly Fuzzer[] = [
  fileFuzzer(
    { name: 'prices', about: 'the file of --prices', seeds: () => prices },
    async ({ path, text, run }) => {
      const table = await readPrices(path.slice(run.folder.length + 1), run.folder);
      const said: unknown = readAnew(text);
      const models = isObject(said) && isObject(said.models) ? said.models : {};
      for (const [name, given] of Object.entries(models)) {
        const found = table.pricesOf(name, 0);
        for (const [written, field] of FIELDS) {
          const [expected, price] = [isObject(given) ? given[written] : undefined, found?.[field]];
          insist(
            expected === price || (expected === null && price === undefined),
            () => `${name}: ${written} is ${price}, the file says ${JSON.stringify(expected)}`,
          );
          insist(
            price === undefined || (Number.isFinite(price) && price >= 0),
            () => `${name}: ${written} is ${price}`,
          );
        }
      }
      return 'read';
    },
  ),
  fileFuzzer(
    {
      name: 'gate-thresholds',
      about: 'sweeps/gate.yaml',
      seeds: () => [seedOf(join('sweeps', 'gate.yaml'), 'yaml')],
    },
    async ({ path, text }) => {
      const thresholds = await readThresholds(path);
      const said: unknown = readAnew(text);
      insist(
        JSON.stringify(sorted(thresholds)) === JSON.stringify(sorted(said)),
        () =>
          `the thresholds are ${JSON.stringify(thresholds)}, the file says ${JSON.stringify(said)}`,
      );
      const numbers = [...Object.values(thresholds.contract), ...Object.values(thresholds.cells)];
      insist(numbers.every(Number.isFinite), () => `no numbers: ${numbers.join()}`);
      return 'read';
    },
  ),
];

function readAnew(text: string): unknown {
  try {
    return parse(text.replace(/^\ufeff/, ''), { logLevel: 'silent' });
  } catch {
    return undefined;
  }
}

function sorted(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
}
