import { HarnessError } from '../errors.ts';
import { RowWriter, readRows, replaceRows } from '../rows/csv.ts';
import { type CellResult, isFinished } from '../rows/result.ts';
import { repairLines } from '../text/append-lines.ts';
import { expandMode } from './cells.ts';
import { type LockHolder, RunLock } from './lock.ts';
import { type Manifest, readManifest, type Selection, selectionHash } from './manifest.ts';
import { listRuns, type OpenRun, runFiles } from './run-files.ts';
import type { Shard } from './shard.ts';

/** A run to go on with. */
export interface ResumedRun extends OpenRun {
  readonly manifest: Manifest;
  /** Rows of finished cells by `cell_id`; they are not run again. */
  readonly kept: ReadonlyMap<string, CellResult>;
}

/**
 * Opens the run of `csv`, or the newest in `folder` with the same selection. Failed rows and a last line
 * that was cut off are dropped from the file.
 *
 * Rejects with `input.missing` where there is no such run, `usage` where the given run selected
 * something else or is another shard, `output.conflict` while another sweep writes it.
 */
export async function resumeRun(
  folder: string,
  csv: string | undefined,
  selection: Selection,
  holder: LockHolder,
  shard?: Shard,
): Promise<ResumedRun> {
  const found =
    csv === undefined
      ? await newestRun(folder, selection, shard)
      : await givenRun(csv, selection, shard);
  const files = runFiles(found.csv);
  const lock = await RunLock.acquire(files.csv, holder);
  try {
    const rows = await readRows(files.csv);
    const finished = rows.filter(isFinished);
    for (const file of [files.stash, files.budgets, files.charges]) await repairLines(file);
    await replaceRows(files.csv, finished);
    const kept = new Map(finished.map((row) => [row.cellId, row]));
    return { files, lock, rows: await RowWriter.append(files.csv), manifest: found.manifest, kept };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

interface FoundRun {
  readonly csv: string;
  readonly manifest: Manifest;
}

async function newestRun(
  folder: string,
  selection: Selection,
  shard: Shard | undefined,
): Promise<FoundRun> {
  const wanted = selectionHash(selection);
  for (const csv of await listRuns(folder)) {
    const manifest = await readManifest(runFiles(csv).manifest).catch(() => undefined);
    if (manifest?.selection === wanted && partOf(manifest.shard) === partOf(shard)) {
      return { csv, manifest };
    }
  }
  const message =
    'no run with these configs, transcripts and options to go on with; leave --resume out to start one';
  throw new HarnessError('input.missing', message, { at: { file: folder } });
}

/** The option, as a message shows it. */
function partOf(shard: Shard | undefined): string {
  return shard === undefined ? 'none' : `${shard.index}/${shard.count}`;
}

async function givenRun(
  csv: string,
  selection: Selection,
  shard: Shard | undefined,
): Promise<FoundRun> {
  const manifest = await readManifest(runFiles(csv).manifest);
  if (partOf(manifest.shard) !== partOf(shard)) {
    const message = `this run has --shard ${partOf(manifest.shard)}, and this command ${partOf(shard)}; give the same, or leave --resume out`;
    throw new HarnessError('usage', message, { at: { file: csv } });
  }
  if (manifest.selection === selectionHash(selection)) return { csv, manifest };
  const message = `this run selected something else (${differences(manifest, selection)}); give the same configs, transcripts and options, or leave --resume out`;
  throw new HarnessError('usage', message, { at: { file: csv } });
}

/** What differs, in the words of the command line. */
function differences(manifest: Manifest, selection: Selection): string {
  const { configs, patterns, format, settings } = selection;
  const { options, transcripts } = manifest;
  const found: string[] = [];
  const compare = (name: string, then: unknown, now: unknown) => {
    if (JSON.stringify(then) !== JSON.stringify(now)) {
      found.push(`${name}: then ${JSON.stringify(then)}, now ${JSON.stringify(now)}`);
    }
  };
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
  compare('--config', names(manifest.configs), names(configs));
  compare('--transcripts', transcripts.patterns, patterns);
  compare('--format', transcripts.format, format);
  compare('--tokenizer', options.tokenizer, settings.tokenizer);
  compare('--model', options.model, settings.model);
  const { asking } = settings;
  compare('--cassette', options.cassette_id, settings.cassette);
  compare('--agreement', options.agreement, asking?.agreement);
  compare('--probes', options.probes, asking?.probes);
  compare('--agreement-seed', options.agreement_seed, asking?.seed);
  compare('--assume-model', options.assume_model, settings.assumeModel);
  compare('--samples', options.samples, settings.samples);
  compare('guard', options.guard, settings.guard);
  compare('--expand', options.expand, expandMode(settings));
  return found.length === 0 ? 'a config or a component has changed since' : found.join('; ');
}
