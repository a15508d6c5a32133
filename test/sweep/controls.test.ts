import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadConfigs } from '../../src/compaction/preset.ts';
import { HarnessError } from '../../src/errors.ts';
import { stubModel } from '../../src/model/stub.ts';
import { readRows } from '../../src/rows/csv.ts';
import type { CellResult } from '../../src/rows/result.ts';
import { type Selection, startManifest } from '../../src/sweep/manifest.ts';
import { resumeRun } from '../../src/sweep/resume.ts';
import { runSweep, type SweepPlan } from '../../src/sweep/run.ts';
import { createRun, runFiles } from '../../src/sweep/run-files.ts';
import { temporaryFolder } from '../support/folder.ts';
import { holder, writeRecordings } from '../support/sweeps.ts';

const recordings = temporaryFolder();
writeRecordings(recordings, 2);
const START = new Date('2026-01-02T03:04:05Z');

async function selectionOf(sets: readonly string[] = []): Promise<Selection> {
  const names = [
    'baseline',
    'cg-summarize-small',
    'control-recency',
    'control-random_drop',
    'control-noop',
  ];
  const { configs } = await loadConfigs({ names, sets, folder: 'sweeps' });
  const settings = { tokenizer: 'o200k_base', model: 'stub', samples: 1, guard: true } as const;
  return { configs, patterns: ['.'], format: 'auto', settings };
}

function planOf(selection: Selection, changes: Partial<SweepPlan> = {}): SweepPlan {
  return {
    selection,
    reading: { cwd: recordings },
    jobs: 2,
    models: () => {
      const model = stubModel('stub');
      return () => model;
    },
    redact: (text) => text,
    now: () => 0,
    signal: new AbortController().signal,
    ...changes,
  };
}

async function start(
  plan: SweepPlan,
  folder = temporaryFolder(),
): Promise<{ csv: string; folder: string }> {
  const run = await createRun(folder, 'test', START, holder(1));
  const manifest = startManifest(plan.selection, { versions: { harness: '0', node: '0' } }, START);
  await runSweep(plan, run, manifest, new Map());
  return { csv: run.files.csv, folder };
}

function rowsOf(rows: readonly CellResult[], config: string): readonly CellResult[] {
  return rows.filter((row) => row.config === config);
}

const timeless = (rows: readonly CellResult[]) =>
  rows.map(({ wallSeconds: _, addedMsMedian: __, addedMs95: ___, ...row }) => row);

describe('controls in a sweep', () => {
  test('get what the matched config left of each request', async () => {
    const { csv } = await start(planOf(await selectionOf()));
    const rows = await readRows(csv);
    const matched = rowsOf(rows, 'cg-summarize-small');
    expect(matched).toHaveLength(2);
    for (const name of ['control-recency', 'control-random_drop']) {
      const controls = rowsOf(rows, `${name}@cg-summarize-small`);
      for (const [index, row] of controls.entries()) {
        expect(row.note).toBe('ok');
        expect(row.fired).toBeGreaterThan(0);
        // Never more in all, and not far from it: an exchange has about 400 tokens.
        const budget = matched[index]?.tokensAfter ?? 0;
        expect(row.tokensAfter).toBeLessThanOrEqual(budget);
        expect(row.tokensAfter).toBeGreaterThan(budget - 450 * (row.requests ?? 0));
        expect(row.violationsAdded).toBe(0);
      }
    }
    const baseline = rowsOf(rows, 'baseline');
    for (const [index, row] of rowsOf(rows, 'control-noop@cg-summarize-small').entries()) {
      expect(row).toMatchObject({ fired: 0, tokensAfter: baseline[index]?.tokensAfter });
    }
  });

  test('are other cells where the matched config is another', async () => {
    const ids = await Promise.all(
      [[], ['components.summarize.keep_last=5']].map(async (sets) => {
        const selection = await selectionOf(sets);
        const { csv } = await start(planOf(selection));
        return (await readRows(csv))
          .filter(({ config }) => config.startsWith('control-'))
          .map(({ cellId }) => cellId);
      }),
    );
    expect(new Set(ids.flat()).size).toBe(12);
  });

  test.each(['with', 'without'])(
    'resume %s the budgets that were kept, with the same rows',
    async (how) => {
      const selection = await selectionOf();
      const { csv, folder } = await start(planOf(selection));
      const whole = timeless(await readRows(csv));
      // As if it had been killed after the first matched cell, whose row and budget are written.
      const lines = readFileSync(csv, 'utf8').split('\n');
      writeFileSync(csv, `${lines.slice(0, 3).join('\n')}\n`);
      const { budgets } = runFiles(csv);
      if (how === 'without') writeFileSync(budgets, '{"cell": "cut o');
      const run = await resumeRun(folder, csv, selection, holder(2, [1]));
      let asked = 0;
      const plan = planOf(selection, {
        models: () => {
          asked++;
          const model = stubModel('stub');
          return () => model;
        },
      });
      await runSweep(plan, run, run.manifest, run.kept);
      expect(timeless(await readRows(csv))).toEqual(whole);
      // Eight cells are left; without its budget, the matched one is replayed once more.
      expect(asked).toBe(how === 'with' ? 8 : 9);
    },
  );

  test('of a config that failed fail by name, and the others go on', async () => {
    const selection = await selectionOf();
    const failing = selection.configs.find(({ name }) => name === 'cg-summarize-small');
    let replays = 0;
    const plan = planOf(selection, {
      jobs: 1,
      models: () => {
        replays++;
        // The second replay of a transcript is the matched config's.
        if (replays === 2) throw new HarnessError('model.transport', 'gone');
        const model = stubModel('stub');
        return () => model;
      },
    });
    expect(failing).toBeDefined();
    const { csv } = await start(plan);
    const rows = await readRows(csv);
    const notes = rows.slice(0, 5).map(({ note }) => note.replace(/ .*/, ''));
    expect(notes).toEqual([
      'ok',
      'error:model.transport',
      ...Array(3).fill('error:control.budget'),
    ]);
    expect(rows.slice(5).map(({ note }) => note)).toEqual(Array(5).fill('ok'));
  });
});
