/**
 * `npm run fuzz -- --reader NAME|all [--minutes 10 | --runs N] [--seed N]`, or `--list`: reads mutations of real
 * files until one breaks a property (recording-oracle.ts, loaders/). Prints a line for each fuzzer: name, seed,
 * runs, how many files were read and how many rejected, minutes. A finding is printed with what makes it again and
 * where its files are, and ends with exit code 1. `--fault NAME` puts a broken reader in the place of the true one.
 */

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { HarnessError } from '../../src/errors.ts';
import { fuzzerNamed, fuzzers } from './catalog.ts';
import type { Found } from './session.ts';
import { supervised } from './supervise.ts';

const { values: options } = parseArgs({
  options: {
    reader: { type: 'string', multiple: true },
    minutes: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string', default: '1' },
    fault: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});

/** CPU time that a run may take, ms. */
const LIMIT = 2000;
const MINUTES = 10;

if (options.list) {
  for (const { name, about } of fuzzers()) process.stdout.write(`${name.padEnd(24)} ${about}\n`);
} else await main();

async function main(): Promise<void> {
  const { reader = [], runs, minutes, fault } = options;
  if (reader.length === 0) {
    throw new HarnessError('usage', 'name a fuzzer with --reader NAME, or all; --list names them');
  }
  const seed = numberOf('seed', options.seed);
  const all = fuzzers().map(({ name }) => name);
  const names = reader.flatMap((name) => (name === 'all' ? all : [fuzzerNamed(name).name]));
  for (const name of names) {
    const milliseconds = numberOf('minutes', minutes ?? String(MINUTES)) * 60_000;
    const summary = await supervised(
      name,
      {
        seed,
        limit: LIMIT,
        runs: runs === undefined ? Number.POSITIVE_INFINITY : numberOf('runs', runs),
        milliseconds:
          runs !== undefined && minutes === undefined ? Number.POSITIVE_INFINITY : milliseconds,
      },
      fault,
    );
    const { found } = summary;
    const spent = (summary.milliseconds / 60_000).toFixed(2);
    process.stdout.write(
      `${name} seed=${seed} runs=${summary.runs} rejected=${summary.rejected} read=${summary.read} minutes=${spent}${found === undefined ? '' : ' FINDING'}\n`,
    );
    if (found === undefined) continue;
    tell(name, seed, found);
    process.exitCode = 1;
  }
}

function tell(name: string, seed: number, { run, what, seedName, steps, files }: Found): void {
  const folder = mkdtempSync(join(tmpdir(), `finding-${name}-`));
  for (const { path, bytes } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  const lines = [
    what,
    `from ${seedName}: ${steps.join(', ')}`,
    `its files are in ${folder}`,
    `again: npm run fuzz -- --reader ${name} --seed ${seed} --runs ${run + 1}`,
  ];
  process.stdout.write(`${lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}\n`).join('')}`);
}

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number) && number >= 0) return number;
  throw new HarnessError('usage', `--${name} ${text}: expected a number of 0 or more`);
}
