/**
 * `npm run bench [-- --quick] [--rounds N] [--only NAME] [--json] [--save]`: what a replay costs, as ratios
 * within one run, so that they can be compared over machines. Inputs are built from seeds; each part runs in
 * a process of its own, with cold caches. `--save` adds the run to `results/bench/`.
 */

import { execFile } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { HarnessError } from '../../src/errors.ts';
import { writeWhole } from '../../src/text/write-whole.ts';
import { type Inputs, type Measurement, measurements } from './measurements.ts';
import type { Figures } from './parts.ts';
import { sessionLines } from './session.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
});

/** Of the full size, so that a run ends in a minute. */
const QUICK_SHARE = 0.05;

interface Line {
  readonly name: string;
  readonly figure: string;
  readonly min: number;
  readonly median: number;
}

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const rounds = options.quick ? 1 : Number(options.rounds);
  if (!Number.isSafeInteger(rounds) || rounds < 1) {
    throw new HarnessError('usage', `--rounds ${options.rounds}: expected a whole number from 1`);
  }
  const inputs = inputsIn(folder);
  const lines: Line[] = [];
  for (const measurement of chosen()) {
    const found = await measure(measurement, rounds, inputs);
    lines.push(...found);
    if (!options.json) print(measurement, found);
  }
  const run = {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cores: cpus().length,
    rounds,
    share: inputs.share,
    lines,
  };
  if (options.json) process.stdout.write(`${JSON.stringify(run, null, 2)}\n`);
  if (!options.save) return;
  mkdirSync('results/bench', { recursive: true });
  let file = `results/bench/${run.date}.json`;
  for (let number = 2; existsSync(file); number++)
    file = `results/bench/${run.date}-${number}.json`;
  await writeWhole(file, `${JSON.stringify(run, null, 2)}\n`);
  if (!options.json) process.stdout.write(`saved: ${file}\n`);
}

/** Named whole, or by how they begin. */
function chosen(): readonly Measurement[] {
  const { only } = options;
  if (only === undefined) return measurements.filter(({ isLarge }) => isLarge !== true);
  return only.flatMap((wanted) => {
    const found = measurements.filter(
      ({ name }) => name === wanted || name.startsWith(`${wanted}-`),
    );
    if (found.length > 0) return found;
    const names = measurements.map(({ name }) => name).join(', ');
    throw new HarnessError('usage', `--only ${wanted}: expected one of ${names}`);
  });
}

async function measure(
  measurement: Measurement,
  rounds: number,
  inputs: Inputs,
): Promise<readonly Line[]> {
  const found = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++) {
    const figures = await measurement.round(inProcess, inputs);
    for (const [label, value] of Object.entries(figures ?? {})) {
      const known = found.get(label);
      if (known === undefined) found.set(label, [value]);
      else known.push(value);
    }
  }
  return [...found].map(([figure, measured]) => {
    const sorted = measured.sort((a, b) => a - b);
    const [min = 0] = sorted;
    return { name: measurement.name, figure, min, median: sorted[sorted.length >> 1] ?? min };
  });
}

function print({ name, about }: Measurement, lines: readonly Line[]): void {
  process.stdout.write(`${name}: ${about}\n`);
  if (lines.length === 0) process.stdout.write('  not measured: its input is not at hand\n');
  for (const { figure, min, median } of lines) {
    const [least, middle] = [min, median].map((value) => value.toFixed(2).padStart(9));
    process.stdout.write(`  ${figure.padEnd(28)} min ${least}  median ${middle}\n`);
  }
}

/** Some at once, and never all. */
function writeLines(path: string, lines: Iterable<string>): void {
  let text = '';
  writeFileSync(path, text);
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < 1 << 22) continue;
    appendFileSync(path, text);
    text = '';
  }
  appendFileSync(path, text);
}

async function inProcess(
  part: string,
  file: string,
  names: readonly string[] = [],
): Promise<Figures> {
  const script = resolve(import.meta.dirname, 'part.ts');
  // What stands for the command runs in Node as the command does.
  const own = part === 'sweep' ? sweepOptions() : process.execArgv;
  const node = [...own, script, part, file, ...names];
  const { stdout } = await promisify(execFile)(process.execPath, node, { maxBuffer: 1 << 26 });
  const figures: Figures = JSON.parse(stdout);
  return figures;
}

/** Node's own options in the script of `npm run sweep`. */
function sweepOptions(): readonly string[] {
  const text = readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8');
  const manifest: { scripts: { sweep: string } } = JSON.parse(text);
  const [, ...words] = manifest.scripts.sweep.split(' ');
  return words.slice(0, words.indexOf('src/cli.ts'));
}

function inputsIn(temporary: string): Inputs {
  const made = (name: string, lines: () => Iterable<string>): string => {
    const path = join(temporary, name);
    if (!existsSync(path)) writeLines(path, lines());
    return path;
  };
  const recordings = resolve(process.env.CG_SHARED ?? '../shared', 'transcripts');
  const shared = join(recordings, 'tau-bench');
  const [tau] = existsSync(shared)
    ? readdirSync(shared, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.json'),
      )
    : [];
  return {
    share: options.quick ? QUICK_SHARE : 1,
    recordings: existsSync(recordings) ? recordings : undefined,
    tauBench: tau === undefined ? undefined : join(shared, tau),
    presets: readdirSync('sweeps')
      .filter((name) => name.endsWith('.yaml') && !/^(?:gate|control-|external-)/.test(name))
      .map((name) => name.slice(0, -'.yaml'.length)),
    session: (shape) =>
      made(`${shape.bytes}-${shape.requests}-${shape.compactAt ?? 0}.jsonl`, () =>
        sessionLines(shape),
      ),
    file: made,
  };
}
