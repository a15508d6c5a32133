import { describe, expect, test } from 'vitest';
import { HarnessError } from '../../src/errors.ts';
import type { Model } from '../../src/model/model.ts';
import { stubModel } from '../../src/model/stub.ts';
import { readRows } from '../../src/rows/csv.ts';
import { readManifest, type Selection, startManifest } from '../../src/sweep/manifest.ts';
import { resumeRun } from '../../src/sweep/resume.ts';
import { runSweep, type SweepPlan, type SweepResult } from '../../src/sweep/run.ts';
import { createRun } from '../../src/sweep/run-files.ts';
import { temporaryFolder } from '../support/folder.ts';
import { configsNamed, holder, writeRecordings } from '../support/sweeps.ts';

const recordings = temporaryFolder();
writeRecordings(recordings, 4);

const START = new Date('2026-01-02T03:04:05Z');

async function selectionOf(): Promise<Selection> {
  return {
    configs: await configsNamed('baseline', 'cg-summarize-small', 'cg-mask'),
    patterns: ['.'],
    format: 'auto',
    settings: { tokenizer: 'o200k_base', model: 'live', samples: 1, guard: true },
  };
}

interface Given {
  readonly ask: Model['ask'];
  readonly signal?: AbortSignal;
  readonly exhausted?: AbortSignal;
}

function planOf(selection: Selection, { ask, signal, exhausted }: Given): SweepPlan {
  const model: Model = { name: 'real', contextWindow: 200_000, ask };
  return {
    selection,
    reading: { cwd: recordings },
    jobs: 1,
    models: () => () => model,
    redact: (text) => text,
    now: () => 0,
    signal: signal ?? new AbortController().signal,
    ...(exhausted === undefined ? {} : { exhausted }),
    spend: () => ({ calls: 3, usd: 0.5 }),
  };
}

async function start(
  plan: SweepPlan,
): Promise<{ folder: string; csv: string; run: Promise<SweepResult> }> {
  const folder = temporaryFolder();
  const opened = await createRun(folder, 'test', START, holder(1));
  const manifest = startManifest(plan.selection, { versions: { harness: '0', node: '0' } }, START);
  return { folder, csv: opened.files.csv, run: runSweep(plan, opened, manifest, new Map()) };
}

const stub = stubModel('stub');

/** Asks the stub `calls` times, then does what `then` does. */
function stubFor(calls: number, then: Model['ask']): Model['ask'] {
  let left = calls;
  return (request, signal) => (left-- > 0 ? stub.ask(request, signal) : then(request, signal));
}

describe('a cell that is stopped', () => {
  test('because nothing more may be paid has no row, and --resume runs it again', async () => {
    const exhausted = new AbortController();
    const error = new HarnessError('budget.exhausted', 'spent');
    const selection = await selectionOf();
    const ask = stubFor(1, async () => {
      exhausted.abort(error);
      throw error;
    });
    const { folder, csv, run } = await start(
      planOf(selection, { ask, exhausted: exhausted.signal }),
    );
    const result = await run;
    expect(result.status).toBe('interrupted');
    const rows = await readRows(csv);
    for (const row of rows) expect([row.note, row.reverted]).toEqual(['ok', 0]);
    expect(result.finished).toEqual(new Set(rows.map(({ cellId }) => cellId)));
    const last = rows.at(-1);
    expect([last?.task, last?.config]).not.toEqual(['3', 'cg-mask']);
    expect(await readManifest(csv.replace('.csv', '.manifest.json'))).toMatchObject({
      status: 'interrupted',
      spend: { calls: 3, usd: 0.5 },
    });
    const resumed = await resumeRun(folder, csv, selection, holder(2, [1]));
    const plan = planOf(selection, { ask: (request, signal) => stub.ask(request, signal) });
    const again = await runSweep(plan, resumed, resumed.manifest, resumed.kept);
    expect(again).toMatchObject({ status: 'complete', counts: { kept: rows.length, cells: 12 } });
  });

  test('by the user ends a call that is under way', async () => {
    const controller = new AbortController();
    const selection = await selectionOf();
    // Heeds no signal but the one that it is given.
    const ask = stubFor(1, (_, signal) => {
      setImmediate(() => controller.abort(new Error('Ctrl-C')));
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    });
    const { csv, run } = await start(planOf(selection, { ask, signal: controller.signal }));
    expect((await run).status).toBe('interrupted');
    const rows = await readRows(csv);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect([row.note, row.reverted]).toEqual(['ok', 0]);
  });

  test('by a strict replay ends the run with its error', async () => {
    const error = new HarnessError('cassette.miss', 'not there');
    const selection = await selectionOf();
    const ask = stubFor(1, () => Promise.reject(error));
    const { csv, run } = await start(planOf(selection, { ask }));
    await expect(run).rejects.toBe(error);
    for (const row of await readRows(csv)) expect([row.note, row.reverted]).toEqual(['ok', 0]);
    expect(await readManifest(csv.replace('.csv', '.manifest.json'))).toMatchObject({
      status: 'failed',
    });
  });

  test('and no other failure of a call: that is the component’s own', async () => {
    const error = new HarnessError('model.transport', 'lost');
    const selection = await selectionOf();
    const { csv, run } = await start(
      planOf(selection, { ask: stubFor(1, () => Promise.reject(error)) }),
    );
    expect((await run).status).toBe('complete');
    const rows = await readRows(csv);
    expect(rows).toHaveLength(12);
    expect(rows.some(({ reverted }) => (reverted ?? 0) > 0)).toBe(true);
    expect(new Set(rows.map(({ model }) => model))).toEqual(new Set(['live', 'live:real']));
  });
});
