import { stat } from 'node:fs/promises';
import { basename, relative, resolve } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { readRows } from '../../rows/csv.ts';
import type { CellResult } from '../../rows/result.ts';
import { type Manifest, readManifest } from '../../sweep/manifest.ts';
import { listRuns, runFiles } from '../../sweep/run-files.ts';
import { RUNS_FOLDER } from '../defaults.ts';
import type { Environment } from '../environment.ts';
import { projectPath } from '../project.ts';

/** A run that is reported on. */
export interface LoadedRun {
  readonly csv: string;
  /** Path as the user would write it. */
  readonly file: string;
  readonly rows: readonly CellResult[];
  /** Undefined where none stands beside the rows. */
  readonly manifest: Manifest | undefined;
}

/** A row of one of the runs under the name that its config has in the report. */
export interface RunRow {
  readonly run: LoadedRun;
  /** As the run has it. */
  readonly row: CellResult;
  readonly config: string;
}

/** The runs that are named, or the newest. Rejects with `input.missing`, `input.schema`, or `usage` without rows. */
export async function loadRuns(
  names: readonly string[],
  { cwd }: Pick<Environment, 'cwd'>,
): Promise<readonly LoadedRun[]> {
  const files =
    names.length > 0
      ? await Promise.all(names.map((name) => csvOf(name, cwd)))
      : [await newest(resolve(cwd, projectPath(cwd, RUNS_FOLDER)), cwd)];
  const runs: LoadedRun[] = [];
  for (const csv of new Set(files)) {
    const file = relative(cwd, csv) || csv;
    const rows = await readRows(csv);
    if (rows.length === 0) {
      throw new HarnessError('usage', 'the run has no rows: nothing to report', { at: { file } });
    }
    runs.push({ csv, file, rows, manifest: await manifestOf(csv) });
  }
  return runs;
}

/** The rows of what was named: a CSV, another file of its run, or a folder, of which the newest run counts. */
async function csvOf(name: string, cwd: string): Promise<string> {
  const path = resolve(cwd, name);
  if (await isFolder(path)) return newest(path, cwd);
  return path.replace(/\.(?:manifest\.json|html|(?:stash|budgets|charges)\.jsonl)$/, '.csv');
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

async function newest(folder: string, cwd: string): Promise<string> {
  const [found] = await listRuns(folder);
  if (found !== undefined) return found;
  const message = 'no run is here; run a sweep first (npm run sweep), or name the CSV of one';
  throw new HarnessError('input.missing', message, { at: { file: relative(cwd, folder) } });
}

/** Rows alone are enough for all but what takes a replay. */
async function manifestOf(csv: string): Promise<Manifest | undefined> {
  try {
    return await readManifest(runFiles(csv).manifest);
  } catch (error) {
    if (error instanceof HarnessError && error.code === 'input.missing') return undefined;
    throw error;
  }
}

/** Whom the components of a run asked; each recording's own model where that is what a config says. */
export function modelOfRun({ rows }: Pick<LoadedRun, 'rows'>): string {
  const models = [...new Set(rows.map(({ model }) => model))];
  const [first = ''] = models;
  if (models.length <= 1) return first;
  const mode = /^recorded:/.test(first) ? 'recorded:' : '';
  return `${mode}${models.length} models`;
}

/** What beside its document decides what a config does in a run. */
function settingsOf(run: LoadedRun): string {
  const { expand, guard, tokenizer, cassette_id: cassette } = run.manifest?.options ?? {};
  return JSON.stringify([modelOfRun(run), expand, guard, tokenizer, cassette]);
}

/**
 * The rows of all runs. A config that several runs have with other settings, or asking another model, is told
 * apart by its run; a row of the baseline that an earlier run has too stands once.
 */
export function mergeRuns(runs: readonly LoadedRun[], baseline: string): RunRow[] {
  const owners = new Map<string, Set<string>>();
  const models = runs.map(modelOfRun);
  for (const run of runs) {
    const settings = settingsOf(run);
    for (const { config, configHash } of run.rows) {
      owners.set(config, (owners.get(config) ?? new Set()).add(`${configHash} ${settings}`));
    }
  }
  const byModel = new Set(models).size === runs.length;
  const seen = new Set<string>();
  const merged: RunRow[] = [];
  for (const [index, run] of runs.entries()) {
    const label = byModel ? models[index] : basename(run.csv, '.csv');
    for (const row of run.rows) {
      const isShared = row.config !== baseline && (owners.get(row.config)?.size ?? 0) > 1;
      const config = isShared ? `${row.config} (${label})` : row.config;
      const { task, trial, lineage, sample, transcriptHash } = row;
      const key = JSON.stringify([config, task, trial, lineage, sample, transcriptHash, index]);
      const shared = JSON.stringify([config, task, trial, lineage, sample, transcriptHash]);
      // Within a run a recording may stand twice, and both are rows.
      if (runs.length > 1 && seen.has(shared) && !seen.has(key)) continue;
      seen.add(key);
      seen.add(shared);
      merged.push({ run, row, config });
    }
  }
  return merged;
}
