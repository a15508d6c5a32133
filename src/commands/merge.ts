import { relative, resolve } from 'node:path';
import { thousands } from '../report/numbers.ts';
import { isFinished } from '../rows/result.ts';
import { writeManifest } from '../sweep/manifest.ts';
import { type MergedRun, mergedLines, mergeShards } from '../sweep/merge.ts';
import { closeRun, createRun, type OpenRun, removeRun } from '../sweep/run-files.ts';
import { checkSeals, readShardSet, type ShardPart } from '../sweep/shard-set.ts';
import { appendLines } from '../text/append-lines.ts';
import { RUNS_FOLDER } from './defaults.ts';
import type { Environment, ExitCode } from './environment.ts';
import { jsonOutput } from './json-output.ts';
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
    stdout.write(`${jsonOutput(summary)}\n`);
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
      if (name === 'stash') await appendLines(files.stash, '');
      let text = '';
      for await (const line of mergedLines(parts, name, rows)) {
        text += line;
        if (text.length < CHUNK) continue;
        await appendLines(files[name], text);
        text = '';
      }
      if (text !== '') await appendLines(files[name], text);
    }
    for (const row of rows) await run.rows.append(row);
    // They were read after they had been checked.
    await checkSeals(parts);
    await writeManifest(files.manifest, manifest);
  } catch (error) {
    // Of two errors, the first is the one to tell of.
    await removeRun(files).catch(() => {});
    throw error;
  } finally {
    await closeRun(run);
  }
}
