import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ModelResolver } from '../../src/compaction/pipeline.ts';
import { HarnessError } from '../../src/errors.ts';
import { stubModel } from '../../src/model/stub.ts';
import { readRows } from '../../src/rows/csv.ts';
import { type CellResult, isFinished } from '../../src/rows/result.ts';
import { readManifest, type Selection, startManifest } from '../../src/sweep/manifest.ts';
import { resumeRun } from '../../src/sweep/resume.ts';
import { runSweep, type SweepPlan, type SweepResult } from '../../src/sweep/run.ts';
import { createRun, listRuns } from '../../src/sweep/run-files.ts';
import { readReferences } from '../../src/sweep/stash-index.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { temporaryFolder } from '../support/folder.ts';
import { configsNamed, holder, writeRecordings } from '../support/sweeps.ts';

const recordings = temporaryFolder();
writeRecordings(recordings, 4);

const START = new Date('2026-01-02T03:04:05Z');

async function selectionOf(samples = 1): Promise<Selection> {
  return {
    configs: await configsNamed('baseline', 'cg-summarize-small'),
    patterns: ['.'],
    format: 'auto',
    settings: { tokenizer: 'o200k_base', model: 'stub', samples, guard: false },
  };
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
  folder: string,
  plan: SweepPlan,
): Promise<{ csv: string; result: SweepResult }> {
  const run = await createRun(folder, 'test', START, holder(1));
  const provenance = { versions: { harness: '0', node: '0' } };
  const manifest = startManifest(plan.selection, provenance, START);
  return { csv: run.files.csv, result: await runSweep(plan, run, manifest, new Map()) };
}

async function resume(folder: string, plan: SweepPlan, csv?: string): Promise<SweepResult> {
  const run = await resumeRun(folder, csv, plan.selection, holder(2, [1]));
  return runSweep(plan, run, run.manifest, run.kept);
}

/** Rows without what time and machine decide. */
function timeless(rows: readonly CellResult[]) {
  return rows.map(({ wallSeconds: _, addedMsMedian: __, addedMs95: ___, ...row }) => row);
}

/** A model that cannot be made for the tasks of `broken`. */
function modelsWithout(broken: readonly string[], message: string): SweepPlan['models'] {
  return (transcript: Transcript): ModelResolver => {
    if (broken.includes(transcript.task)) throw new HarnessError('model.transport', message);
    const model = stubModel('stub');
    return () => model;
  };
}

describe('a sweep', () => {
  test('writes one row a cell in order, and the same file whatever the number of jobs', async () => {
    const selection = await selectionOf(2);
    const [one, many] = [temporaryFolder(), temporaryFolder()];
    const first = await start(one, planOf(selection, { jobs: 1 }));
    const second = await start(many, planOf(selection, { jobs: 3 }));
    const rows = await readRows(first.csv);
    expect(rows).toHaveLength(4 * 2 * 2);
    expect(rows.map(({ task }) => task)).toEqual(
      ['0', '1', '2', '3'].flatMap((task) => Array(4).fill(task)),
    );
    expect(rows.slice(0, 4).map(({ config, sample }) => [config, sample])).toEqual([
      ['baseline', 0],
      ['baseline', 1],
      ['cg-summarize-small', 0],
      ['cg-summarize-small', 1],
    ]);
    expect(timeless(await readRows(second.csv))).toEqual(timeless(rows));
    expect(first.result).toMatchObject({ status: 'complete', counts: { cells: 16, failed: 0 } });
    const [row] = rows.filter(({ config }) => config !== 'baseline');
    expect(row?.fired).toBeGreaterThan(0);
  });

  test('writes what a reader needs to know into the manifest', async () => {
    const selection = await selectionOf();
    const { csv } = await start(temporaryFolder(), planOf(selection));
    const manifest = await readManifest(csv.replace(/\.csv$/, '.manifest.json'));
    expect(manifest).toMatchObject({ status: 'complete', counts: { transcripts: 4, cells: 8 } });
    expect(manifest.configs.map(({ hash }) => hash)).toEqual(
      selection.configs.map(({ hash }) => hash),
    );
    expect(manifest.configs[1]?.text).toContain('keep_last');
    expect(existsSync(`${csv}.lock`)).toBe(false);
  });

  test('goes on when a cell fails: its row says why, and --resume runs it again', async () => {
    const folder = temporaryFolder();
    const selection = await selectionOf();
    const broken = planOf(selection, { models: modelsWithout(['1'], 'refused') });
    const { csv, result } = await start(folder, broken);
    expect(result.status).toBe('failed');
    expect(result.counts).toMatchObject({ failed: 2, finished: 6 });
    const failed = (await readRows(csv)).filter((row) => !isFinished(row));
    expect(failed.map(({ task, note }) => [task, note])).toEqual([
      ['1', 'error:model.transport refused'],
      ['1', 'error:model.transport refused'],
    ]);
    const asked: string[] = [];
    const models: SweepPlan['models'] = (transcript) => {
      asked.push(transcript.task);
      return planOf(selection).models(transcript);
    };
    const again = await resume(folder, planOf(selection, { models }), csv);
    expect(asked).toEqual(['1', '1']);
    expect(again.counts).toMatchObject({ failed: 0, finished: 8, kept: 6 });
    const whole = await start(temporaryFolder(), planOf(selection));
    expect(timeless(await readRows(csv))).toEqual(timeless(await readRows(whole.csv)));
  });

  test('that is stopped keeps what is done, and goes on from there', async () => {
    const folder = temporaryFolder();
    const selection = await selectionOf();
    const controller = new AbortController();
    const run = await createRun(folder, 'test', START, holder(1));
    const manifest = startManifest(selection, { versions: { harness: '0', node: '0' } }, START);
    const plan = planOf(selection, { signal: controller.signal, jobs: 1 });
    const stopped = await runSweep(plan, run, manifest, new Map(), {
      onCell: (_, done) => {
        if (done === 3) controller.abort();
      },
    });
    expect(stopped.status).toBe('interrupted');
    expect(await readRows(run.files.csv)).toHaveLength(3);
    const again = await resume(folder, planOf(selection));
    expect(again.counts).toMatchObject({ kept: 3, finished: 8 });
    const whole = await start(temporaryFolder(), planOf(selection));
    expect(timeless(await readRows(run.files.csv))).toEqual(timeless(await readRows(whole.csv)));
  });

  test('resumes after a killed writer, wherever the file was cut', async () => {
    const selection = await selectionOf();
    const whole = await start(temporaryFolder(), planOf(selection));
    const rows = timeless(await readRows(whole.csv));
    for (const share of [0.3, 0.55, 0.9]) {
      const folder = temporaryFolder();
      const { csv } = await start(folder, planOf(selection));
      const text = readFileSync(csv, 'utf8');
      const header = text.indexOf('\n') + 1;
      writeFileSync(csv, text.slice(0, header + Math.floor((text.length - header) * share)));
      const stash = csv.replace(/\.csv$/, '.stash.jsonl');
      writeFileSync(stash, readFileSync(stash, 'utf8').slice(0, -20));
      writeFileSync(`${csv}.lock`, JSON.stringify({ pid: 1, host: 'here' }));
      const again = await resume(folder, planOf(selection));
      expect(again.counts.kept).toBeGreaterThan(0);
      expect(again.counts.kept).toBeLessThan(8);
      expect(timeless(await readRows(csv))).toEqual(rows);
      await readReferences(stash);
    }
  });

  test('cannot be resumed with another selection, or without a run', async () => {
    const folder = temporaryFolder();
    const { csv } = await start(folder, planOf(await selectionOf()));
    const other = planOf(await selectionOf(3));
    await expect(resume(folder, other, csv)).rejects.toMatchObject({ code: 'usage' });
    await expect(resume(folder, other, csv)).rejects.toThrow(/--samples: then 1, now 3/);
    await expect(resume(folder, other)).rejects.toMatchObject({ code: 'input.missing' });
    expect(existsSync(`${csv}.lock`)).toBe(false);
  });

  test('of the same second and name gets a file of its own', async () => {
    const folder = temporaryFolder();
    const selection = await selectionOf();
    const [one, other] = await Promise.all([
      start(folder, planOf(selection)),
      start(folder, planOf(selection)),
    ]);
    expect(one.csv).not.toBe(other.csv);
    for (const { csv } of [one, other]) expect(await readRows(csv)).toHaveLength(8);
    expect(await listRuns(folder)).toEqual(
      [one.csv, other.csv].toSorted((a, b) => b.length - a.length),
    );
  });

  test('that finds nothing leaves no file behind, and says so', async () => {
    const folder = temporaryFolder();
    const selection = { ...(await selectionOf()), patterns: ['none/**/*.json'] };
    const { csv, result } = await start(folder, planOf(selection));
    expect(result.problems.map(({ severity }) => severity)).toEqual(['error']);
    expect(existsSync(csv)).toBe(false);
    expect(await listRuns(folder)).toEqual([]);
  });
});
