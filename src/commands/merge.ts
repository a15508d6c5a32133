import { appendFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { HarnessError, messageOf } from '../errors.ts';
import { thousands } from '../report/numbers.ts';
import { isFinished } from '../rows/result.ts';
import { writeManifest } from '../sweep/manifest.ts';
import { type MergedRun, mergedLines, mergeShards } from '../sweep/merge.ts';
import { createRun, type OpenRun, removeRun } from '../sweep/run-files.ts';
import { readShardSet, type ShardPart } from '../sweep/shard-set.ts';
import { RUNS_FOLDER } from './defaults.ts';
import type { Environment, ExitCode } from './environment.ts';
import type { MergeOptions } from './merge/options.ts';
import { projectPath } from './project.ts';
import { sweepName } from './sweep-name.ts';

/** Characters that are gathered before they are written. */
const CHUNK = 1_000_000;

/**
 * `merge`: writes the shards of a sweep as the run that it would have been without `--shard`: rows in the same
 * order, manifest, and what `expand`, `--resume` and repricing need. Writes nothing where they are not one whole.
 *
 * Rejects with `input.shard` that names what does not fit.
 */
export async function merge(options: MergeOptions, environment: Environment): Promise<ExitCode> {
  const { cwd, now, stdout } = environment;
  const { shards, allowFailed, json } = options;
  const csvs = shards.map((shard) => resolve(cwd, shard));
  const parts = await readShardSet(csvs, { allowFailed });
  const merged = await mergeShards(parts);
  const folder = resolve(cwd, options.out ?? projectPath(cwd, RUNS_FOLDER));
  const name = options.name ?? sweepName(merged.manifest.configs);
  const run = await createRun(folder, name, new Date(now()), environment);
  await write(run, parts, merged);
  const failed = merged.rows.filter((row) => !isFinished(row)).length;
  const csv = relative(cwd, run.files.csv);
  const manifest = relative(cwd, run.files.manifest);
  if (json) {
    const summary = {
      status: merged.manifest.status,
      csv,
      manifest,
      shards: parts.length,
      ...merged.manifest.counts,
    };
    stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
    return 0;
  }
  const failures = failed === 0 ? '' : `, ${thousands(failed)} of them failed`;
  stdout.write(
    `${thousands(merged.rows.length)} rows of ${parts.length} shards${failures}: ${csv}\n`,
  );
  stdout.write(`what was run: ${manifest}\n`);
  return 0;
}

/** In the order in which a sweep writes, so that a merge that is killed is seen as unfinished. */
async function write(
  run: OpenRun,
  parts: readonly ShardPart[],
  { manifest, rows }: MergedRun,
): Promise<void> {
  const { files } = run;
  try {
    await writeManifest(files.manifest, { ...manifest, status: 'running' });
    for (const name of ['budgets', 'charges', 'stash'] as const) {
      // The index is there even where nothing was stashed.
      if (name === 'stash') await append(files.stash, '');
      let text = '';
      for await (const line of mergedLines(parts, name, rows)) {
        text += line;
        if (text.length < CHUNK) continue;
        await append(files[name], text);
        text = '';
      }
      if (text !== '') await append(files[name], text);
    }
    for (const row of rows) await run.rows.append(row);
    await writeManifest(files.manifest, manifest);
  } catch (error) {
    await removeRun(files);
    throw error;
  } finally {
    await run.rows.close();
    await run.lock.release();
  }
}

async function append(file: string, text: string): Promise<void> {
  try {
    await appendFile(file, text);
  } catch (cause) {
    const message = `cannot write: ${messageOf(cause)}; free space, or choose another --out`;
    throw new HarnessError('output.write', message, { cause, at: { file } });
  }
}
