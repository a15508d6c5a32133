import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sweepModels } from '../../../src/commands/sweep-models.ts';
import { sweepOptions } from '../../../src/commands/sweep-options.ts';
import { selectSweep } from '../../../src/commands/sweep-select.ts';
import type { ThreadInit } from '../../../src/commands/sweep-thread.ts';
import { offlinePrices } from '../../../src/model/prices.ts';
import { type ThreadsOptions, threadsExecutor } from '../../../src/sweep/executors/threads.ts';
import { startManifest } from '../../../src/sweep/manifest.ts';
import { resumeRun } from '../../../src/sweep/resume.ts';
import { runSweep, type SweepObserver, type SweepPlan } from '../../../src/sweep/run.ts';
import { createRun } from '../../../src/sweep/run-files.ts';
import { timeless } from '../../commands/timeless.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { holder, writeRecordings } from '../../support/sweeps.ts';

const root = resolve(import.meta.dirname, '../../..');
const recordings = temporaryFolder();
writeRecordings(recordings, 6);
const START = new Date('2026-01-02T03:04:05Z');

interface Given {
  readonly configs: readonly string[];
  readonly from?: string;
  readonly threads?: Partial<ThreadsOptions> | undefined;
  readonly signal?: AbortSignal;
}

/** The plan of a sweep, in threads where they are given. */
async function planOf({ configs, from = recordings, threads, signal }: Given): Promise<SweepPlan> {
  const options = sweepOptions({ config: [...configs], transcripts: from });
  const { selection } = await selectSweep(options, { cwd: root, variables: {} });
  const now = () => 0;
  const { models } = sweepModels(options, offlinePrices, [], { cwd: root, variables: {}, now });
  const importsOwn = configs.some((name) => name.endsWith('.yaml'));
  const init: ThreadInit = { options, cwd: root, variables: {}, importsOwn };
  const script = join(root, 'src/commands/sweep-thread.mjs');
  const executor = threadsExecutor({
    workers: 2,
    script,
    init,
    jobs: 1,
    always: true,
    measuresHere: false,
    ...threads,
  });
  return {
    selection,
    reading: { cwd: root },
    jobs: 1,
    models,
    redact: (text) => text,
    now,
    signal: signal ?? new AbortController().signal,
    ...(threads === undefined ? {} : { executor }),
  };
}

async function swept(given: Given, observer: SweepObserver = {}, folder = temporaryFolder()) {
  const plan = await planOf(given);
  const run = await createRun(folder, 'test', START, holder(1));
  const manifest = startManifest(plan.selection, { versions: { harness: '0', node: '0' } }, START);
  const result = await runSweep(plan, run, manifest, new Map(), observer);
  return { result, files: run.files, folder };
}

/** Everything that a run wrote, times aside. */
function written({
  csv,
  stash,
  budgets,
  charges,
  manifest,
}: Awaited<ReturnType<typeof swept>>['files']) {
  const text = (file: string) => readFileSync(file, 'utf8');
  const { finished: _, ...rest } = JSON.parse(text(manifest));
  return [timeless(csv), text(stash), text(budgets), text(charges), rest];
}

describe('threads', { timeout: 120_000 }, () => {
  const configs = ['cg-summarize-small', 'cg-mask', 'cg-extract-code', 'control-recency'];

  test('write the same files as one, in the same order', async () => {
    const one = await swept({ configs });
    const many = await swept({ configs, threads: { workers: 3 } });
    expect(many.result.status).toBe('complete');
    expect(written(many.files)).toEqual(written(one.files));
  });

  test('and this one beside them write the same files too', async () => {
    const one = await swept({ configs });
    const threads = { workers: 2, measuresHere: true, ahead: 1 };
    const many = await swept({ configs, threads });
    expect(many.result.status).toBe('complete');
    expect(written(many.files)).toEqual(written(one.files));
  });

  test('are not started for little', async () => {
    const threads = { always: false, script: 'no such file' };
    const { result } = await swept({ configs: ['cg-mask'], threads });
    expect(result).toMatchObject({ status: 'complete', counts: { cells: 12 } });
  });

  test('that cannot begin fail the cells by name', async () => {
    const { result } = await swept({ configs: ['cg-mask'], threads: { script: 'no such file' } });
    expect(result.counts).toMatchObject({ failed: 12 });
    expect(result.rows[0]?.note).toMatch(
      /^error:worker\.failed the thread .* died: .*no such file/,
    );
  });

  test('that cannot begin leave the others to this one', async () => {
    const threads = { script: 'no such file', measuresHere: true, ahead: 1 };
    const { result } = await swept({ configs: ['cg-mask'], threads });
    const { failed, finished } = result.counts;
    expect(failed).toBeGreaterThan(0);
    expect(finished).toBeGreaterThan(0);
    expect(failed + finished).toBe(12);
    // All of a transcript, or nothing: what a thread died of is tried in no other place.
    expect(failed % 2).toBe(0);
  });

  test('take what may not fit into the memory of this one', async () => {
    const large = temporaryFolder();
    const content = 'word '.repeat(2_000_000);
    const messages = [
      { role: 'user', content },
      { role: 'assistant', content: 'Done.' },
    ];
    for (const name of ['one', 'other']) {
      writeFileSync(join(large, `${name}.json`), JSON.stringify(messages));
    }
    // The first is with a thread when the second comes.
    const threads = { script: 'no such file', measuresHere: true, ahead: 1 };
    const { result } = await swept({ configs: ['cg-mask'], from: large, threads });
    expect(result.counts).toMatchObject({ cells: 4, failed: 4 });
  });

  test.each([false, true])(
    'that are stopped keep what is done, and --resume makes the same files (this one too: %s)',
    async (measuresHere) => {
      const controller = new AbortController();
      const stopped = await swept(
        // One thread, so that no other is ahead of the rows that are told of.
        {
          configs,
          threads: { workers: measuresHere ? 2 : 1, measuresHere },
          signal: controller.signal,
        },
        { onCell: (_, done) => done >= 3 && controller.abort() },
      );
      expect(stopped.result.status).toBe('interrupted');
      const { finished } = stopped.result.counts;
      expect(finished).toBeGreaterThanOrEqual(3);
      expect(finished).toBeLessThan(30);
      const plan = await planOf({ configs, threads: {} });
      const run = await resumeRun(
        stopped.folder,
        stopped.files.csv,
        plan.selection,
        holder(2, [1]),
      );
      await runSweep(plan, run, run.manifest, run.kept);
      const whole = await swept({ configs });
      expect(timeless(stopped.files.csv)).toEqual(timeless(whole.files.csv));
    },
  );
});

describe('a thread that dies', { timeout: 120_000 }, () => {
  const config = join(temporaryFolder(), 'kills.yaml');
  const component = join(root, 'test/support/components/kills-thread.ts');
  let result: Awaited<ReturnType<typeof swept>>['result'];

  beforeAll(async () => {
    writeFileSync(config, `pipeline: [mine]\ncomponents: {mine: {use: ${component}}}\n`);
    const given = { configs: [config, 'cg-mask'], threads: { heapMegabytes: 120 } };
    result = (await swept(given)).result;
  }, 120_000);

  const noteOf = (task: string) =>
    result.rows.filter((row) => row.task === task).map(({ config: name, note }) => [name, note]);

  test.each([
    ['1', /died: it ended itself/],
    ['2', /died: thrown where nobody catches it/],
    ['3', /died: it ran out of memory/],
  ])(
    'at a cell of task %s fails that cell by name, and the others of its transcript go on',
    (task, why) => {
      const notes = noteOf(task);
      expect(notes.map(([name]) => name)).toEqual(['baseline', 'kills', 'cg-mask']);
      expect(notes[1]?.[1]).toMatch(/^error:worker\.failed the thread that measured the cell/);
      expect(notes[1]?.[1]).toMatch(why);
      expect(String(notes[2]?.[1])).not.toContain('error');
    },
  );

  test('takes no other transcript with it', () => {
    expect(result.counts).toMatchObject({ cells: 18, failed: 3, finished: 15 });
  });
});
