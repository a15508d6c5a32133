import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { HarnessError, messageOf } from '../../errors.ts';
import { type Published, publishedBlock } from '../../report/results/published.ts';

/** What was published before, in the order of publication, and manifests that cannot be read. */
export interface EarlierSnapshots {
  readonly snapshots: readonly Published[];
  readonly unreadable: readonly string[];
}

const ENDING = '.manifest.json';

/** Snapshots of a folder; a folder that is not there holds none. */
export async function readSnapshots(folder: string): Promise<EarlierSnapshots> {
  const names = await readdir(folder).catch((): string[] => []);
  const snapshots: Published[] = [];
  const unreadable: string[] = [];
  for (const name of names.filter((file) => file.endsWith(ENDING)).toSorted()) {
    const published = await blockOf(join(folder, name));
    if (published === undefined) unreadable.push(name);
    else snapshots.push(published);
  }
  return { snapshots: snapshots.toSorted((a, b) => a.order - b.order), unreadable };
}

const holder = z.object({ published: publishedBlock });

async function blockOf(file: string): Promise<Published | undefined> {
  try {
    return holder.parse(JSON.parse(await readFile(file, 'utf8'))).published;
  } catch {
    return undefined;
  }
}

const MOST_NAMESAKES = 100;

/**
 * Creates `<date>-<name>.csv`, or with `-2`, `-3`, … after it where a snapshot of that date and name is
 * there: nothing is ever overwritten. Rejects with `output.write` or `output.conflict`.
 */
export async function claimSnapshot(
  folder: string,
  date: string,
  name: string,
  csv: string,
): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
    const taken = new Set(await readdir(folder));
    for (let number = 1; number <= MOST_NAMESAKES; number++) {
      const stem = `${date}-${name}${number === 1 ? '' : `-${number}`}`;
      if (taken.has(`${stem}${ENDING}`) || taken.has(`${stem}.csv`)) continue;
      if (await createFile(join(folder, `${stem}.csv`), csv)) return stem;
    }
  } catch (cause) {
    throw notWritten(folder, cause);
  }
  const message = `${MOST_NAMESAKES} snapshots named ${date}-${name} exist; use another --name`;
  throw new HarnessError('output.conflict', message, { at: { file: folder } });
}

/** False where the file exists. */
async function createFile(file: string, text: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx');
    await handle.writeFile(text).finally(() => handle.close());
    return true;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return false;
    throw cause;
  }
}

/** Writes in one step: a reader sees the old text or the new one. Rejects with `output.write`. */
export async function writeWhole(file: string, text: string): Promise<void> {
  try {
    await writeFile(`${file}.tmp`, text);
    await rename(`${file}.tmp`, file);
  } catch (cause) {
    await rm(`${file}.tmp`, { force: true });
    throw notWritten(file, cause);
  }
}

function notWritten(file: string, cause: unknown): HarnessError {
  const message = `cannot write: ${messageOf(cause)}; free space, or choose another --out`;
  return new HarnessError('output.write', message, { cause, at: { file } });
}

/** A name that is one harmless part of a path. */
export function snapshotName(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9._@=,-]+/g, '-').replace(/^[.-]+|-+$/g, '');
  return (safe === '' ? 'results' : safe).slice(0, 80);
}
