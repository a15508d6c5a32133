import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HarnessError, messageOf, systemCodeOf } from '../errors.ts';
import { RowWriter } from '../rows/csv.ts';
import { cannotWrite } from '../text/write-error.ts';
import { type LockHolder, RunLock } from './lock.ts';

/** The files of one run, side by side. */
export interface RunFiles {
  /** One row a cell. */
  readonly csv: string;
  /** What was run, and how it ended. */
  readonly manifest: string;
  /** Where each stashed span lies in the recordings, for `expand`. */
  readonly stash: string;
  /** What configs with controls left of each request; only there where a run has controls. */
  readonly budgets: string;
  /** What each cell is billed as, so that its row can be priced anew. */
  readonly charges: string;
}

export function runFiles(csv: string): RunFiles {
  const stem = csv.replace(/\.csv$/, '');
  return {
    csv,
    manifest: `${stem}.manifest.json`,
    stash: `${stem}.stash.jsonl`,
    budgets: `${stem}.budgets.jsonl`,
    charges: `${stem}.charges.jsonl`,
  };
}

/** A run that is being written; `closeRun` gives the lock back. */
export interface OpenRun {
  readonly files: RunFiles;
  readonly rows: RowWriter;
  readonly lock: RunLock;
}

const MOST_NAMESAKES = 100;

/**
 * Creates `<folder>/<date>T<time>-<name>.csv`, with `-2`, `-3`, … after it where a sweep of that second
 * and name exists. Rejects with `output.write`.
 */
export async function createRun(
  folder: string,
  name: string,
  start: Date,
  holder: LockHolder,
): Promise<OpenRun> {
  try {
    await makeFolder(folder);
  } catch (cause) {
    throw cannotMakeFolder(folder, cause, 'choose another --out');
  }
  const stamp = start.toISOString().slice(0, 19).replaceAll(':', '-');
  for (let number = 1; number <= MOST_NAMESAKES; number++) {
    const suffix = number === 1 ? '' : `-${number}`;
    const files = runFiles(join(folder, `${stamp}-${fileName(name)}${suffix}.csv`));
    const run = await tryCreate(files, holder);
    if (run !== undefined) return run;
  }
  const message = `${MOST_NAMESAKES} runs named ${stamp}-${name} exist; use another --name or --out`;
  throw new HarnessError('output.conflict', message, { at: { file: folder } });
}

/** The error of a folder that `makeFolder` could not make. */
export function cannotMakeFolder(folder: string, cause: unknown, elsewhere: string): HarnessError {
  const message = `cannot make the folder: ${messageOf(cause)}; ${elsewhere}`;
  return new HarnessError('output.write', message, { cause, at: { file: folder } });
}

/**
 * The folder and those above it. Not `recursive: true`: Node never returns from that where a folder that
 * exists takes no new entry and says so as ENOENT, as `/proc` does.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return;
    const parent = dirname(folder);
    if (code !== 'ENOENT' || parent === folder || (await exists(parent))) throw error;
    await makeFolder(parent);
    await makeFolder(folder);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function tryCreate(files: RunFiles, holder: LockHolder): Promise<OpenRun | undefined> {
  let lock: RunLock | undefined;
  try {
    lock = await RunLock.acquire(files.csv, holder);
    return { files, rows: await RowWriter.create(files.csv), lock };
  } catch (error) {
    await lock?.release();
    if (error instanceof HarnessError && error.code === 'output.conflict') return undefined;
    throw error;
  }
}

/** Ends the writing of a run: the next one may open it. */
export async function closeRun({ rows, lock }: OpenRun): Promise<void> {
  try {
    await rows.close();
  } finally {
    await lock.release();
  }
}

/** Removes a run that has no row to show. Rejects with `output.write`. */
export async function removeRun(files: RunFiles): Promise<void> {
  // What names the run goes last, so that a remover that is killed leaves no rows that look like a run.
  const { csv, manifest, ...others } = files;
  for (const file of [csv, ...Object.values(others), manifest]) {
    await rm(file, { force: true }).catch((cause: unknown) => {
      throw cannotWrite(file, cause, 'remove it by hand', 'the removal');
    });
  }
}

/** CSV files of the runs in a folder, the newest first (their names begin with date and time). */
export async function listRuns(folder: string): Promise<string[]> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d{4}-\d\d-\d\dT.*\.csv$/.test(name))
    .toSorted(byRun)
    .reverse()
    .map((name) => join(folder, name));
}

/** By name; of one second and name, `-10` after `-2`. */
function byRun(a: string, b: string): number {
  const [left, right] = [a, b].map((name) => /^(.*?)(?:-(\d{1,3}))?\.csv$/.exec(name));
  const [one, other] = [left?.[1] ?? a, right?.[1] ?? b];
  if (one !== other) return one < other ? -1 : 1;
  return Number(left?.[2] ?? 1) - Number(right?.[2] ?? 1);
}

/** A name that is one harmless part of a path. */
function fileName(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9._@=,-]+/g, '-').replace(/^[.-]+/, '');
  return (safe === '' ? 'sweep' : safe).slice(0, 80);
}
