/**
 * Tables in CSV: the rows of a sweep (`--resume`, `report`, `merge`), rewards of live runs, the gate's snapshot.
 * A table that is taken has as many rows as it has lines, and rows that are written again are the same.
 */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readSnapshot } from '../../../src/commands/gate/snapshot.ts';
import { importRewardsFrom } from '../../../src/commands/imported.ts';
import { parsePublished } from '../../../src/report/published.ts';
import { readRows, replaceRows } from '../../../src/rows/csv.ts';
import { insist } from '../finding.ts';
import type { Fuzzer } from '../fuzzer.ts';
import type { Seed } from '../material.ts';
import { endedLines, fileFuzzer, seedOf } from './one-file.ts';

const RUN = 'results/2026-11-30-fixtures-stub-2.csv';

const REWARDS = [
  'task,config,reward,trial',
  'fix-a,baseline,1,0',
  'fix-a,cg-summarize,0,0',
  'fix-b,baseline,0.5,0',
  'fix-b,cg-summarize,,0',
  'fix-b,cg-mask,1,0',
  '',
].join('\n');

const PUBLISHED = [
  'task,config,agent,reward,passed,wall_s,gw_requests,gw_before,gw_after,gw_saved,gw_pct,note',
  'sympy-1,baseline,agent,1,True,67,,,,,,exited',
  'sympy-1,cg-balanced,agent,1,True,91,14,31738,27109,4629,14.5,exited',
  'sympy-2,baseline,agent,0,False,67,,,,,,"a, quoted ""note"""',
  'sympy-2,cg-balanced,agent,0,False,91,14,31738,27109,4629,14.5,exited',
  '',
].join('\n');

function table(path: string, text: string): Seed {
  return { name: path, files: [{ path, kind: 'csv', bytes: Buffer.from(text) }] };
}

/** Of a text without quotes, in which a line is a row. */
function plainRows(text: string): number | undefined {
  return text.includes('"') || text.includes('\r') ? undefined : endedLines(text).length - 1;
}

export const tableFuzzers: readonly Fuzzer[] = [
  fileFuzzer(
    {
      name: 'rows',
      about: 'the CSV of a sweep, as resume, report and merge read it',
      seeds: () => [
        seedOf(RUN, 'csv', (text) => text.split('\n').slice(0, 8).join('\n').concat('\n')),
        seedOf(RUN, 'csv', (text) => text.split('\n').slice(0, 2).join('\n').concat('\n')),
      ],
    },
    async ({ path, text, run }) => {
      const rows = await readRows(path);
      const lines = plainRows(text.replace(/^\ufeff/, ''));
      const blank = endedLines(text).filter((line) => line.trim() === '').length;
      insist(
        lines === undefined || rows.length >= lines - blank,
        () => `${rows.length} rows of ${lines} lines`,
      );
      const copy = join(run.folder, 'copy.csv');
      await replaceRows(copy, rows);
      const again = await readRows(copy);
      insist(isDeepStrictEqual(again, rows), () => 'rows written again are others');
      for (const row of rows) {
        for (const [key, value] of Object.entries(row)) {
          insist(typeof value !== 'number' || Number.isFinite(value), () => `${key} is ${value}`);
        }
      }
      return 'read';
    },
  ),
  fileFuzzer(
    {
      name: 'rewards',
      about: 'the table of import-rewards',
      seeds: () => [table('rewards.csv', REWARDS), table('published.csv', PUBLISHED)],
    },
    async ({ path, text, run }) => {
      const { rows, configs } = parsePublished(text, path);
      const lines =
        text.includes('"') || text.includes('\r') ? undefined : text.split('\n').filter(Boolean);
      insist(
        lines === undefined || rows.length === lines.length - 1,
        () => `${rows.length} rows of ${lines?.length} lines with the header`,
      );
      for (const { reward, line, task, config } of rows) {
        insist(
          reward === undefined || (reward >= 0 && reward <= 1),
          () => `line ${line}: ${reward}`,
        );
        insist(task !== '' && configs.includes(config), () => `line ${line}: ${task} ${config}`);
      }
      if (run.choice % 6 > 0) return 'read';
      const options = { baseline: configs[0], margin: undefined, missing: undefined, columns: {} };
      const { comparison } = await importRewardsFrom(path, options, undefined, run.folder);
      for (const { rate } of comparison.configs) {
        const share = rate?.rate ?? 0;
        insist(share >= 0 && share <= 1, () => `a rate of ${share}`);
      }
      return 'read';
    },
  ),
  fileFuzzer(
    {
      name: 'gate-snapshot',
      about: 'results/gate/snapshot.csv',
      seeds: () => [
        seedOf('results/gate/snapshot.csv', 'csv', (text) =>
          text.split('\n').slice(0, 12).join('\n').concat('\n'),
        ),
      ],
    },
    async ({ path, text }) => {
      const cells = (await readSnapshot(path)) ?? [];
      const lines = plainRows(text.replace(/^\ufeff/, ''));
      const blank = endedLines(text).filter((line) => line === '').length;
      insist(
        lines === undefined || cells.length >= lines - blank,
        () => `${cells.length} of ${lines}`,
      );
      for (const cell of cells) {
        for (const [key, value] of Object.entries(cell)) {
          insist(typeof value !== 'number' || Number.isFinite(value), () => `${key} is ${value}`);
        }
      }
      return 'read';
    },
  ),
];
