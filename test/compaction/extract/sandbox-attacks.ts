/** Runs hostile programs one after another, and measures what they cost the process. */

import { expect } from 'vitest';
import type { SandboxPool } from '../../../src/compaction/extract/sandbox/pool.ts';
import type { Language, Refusal } from '../../../src/compaction/extract/sandbox/program.ts';

export interface Attack {
  readonly name: string;
  readonly code: string;
  /** More than one where it depends on the machine's speed which limit comes first. */
  readonly refusals: readonly Refusal[];
}

/** Rows of a table: the refusals (joined by `|`), then name and code in turn. */
export function attacks(
  table: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Attack[] {
  return Object.entries(table).flatMap(([refusals, programs]) =>
    Object.entries(programs).map(([name, code]) => ({
      name,
      code,
      refusals: refusals.split('|').map(refusalOf),
    })),
  );
}

const REFUSALS: readonly Refusal[] = [
  'syntax',
  'runtime',
  'step_limit',
  'time_limit',
  'memory_limit',
];

function refusalOf(name: string): Refusal {
  const found = REFUSALS.find((refusal) => refusal === name);
  if (found === undefined) throw new Error(`no refusal is called ${name}`);
  return found;
}

const MEGABYTE = 2 ** 20;
const SAMPLE_MILLISECONDS = 10;
const MOST_MILLISECONDS = 3000;
const MOST_MEGABYTES = 300;

const AFTER: Readonly<Record<Language, string>> = {
  javascript: 'OUTPUT = INPUT.toUpperCase() + [3, 1, 2].sort().join("") + JSON.stringify({ a: 1 })',
  starlark: 'OUTPUT = INPUT.upper() + "".join(sorted("312")) + json.encode({"a": 1})',
};

/** The attack ends in its refusal within its limits, and the next program is right. */
export async function withstand(
  pool: SandboxPool,
  language: Language,
  { code, refusals }: Attack,
): Promise<void> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, SAMPLE_MILLISECONDS);
  const from = performance.now();
  const result = await pool.evaluate({ language, code, input: 'one\ntwo\n' });
  const milliseconds = performance.now() - from;
  clearInterval(timer);
  const refusal =
    result.kind === 'refused' ? result.refusal : `done: ${result.output.slice(0, 80)}`;
  expect(refusals, JSON.stringify(result)).toContain(refusal);
  expect(milliseconds).toBeLessThan(MOST_MILLISECONDS);
  expect((peak - before) / MEGABYTE).toBeLessThan(MOST_MEGABYTES);
  const next = await pool.evaluate({ language, code: AFTER[language], input: 'ok' });
  expect(next).toMatchObject({ kind: 'done', output: 'OK123{"a":1}' });
}
