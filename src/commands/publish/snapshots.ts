import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import { type Published, publishedBlock } from '../../report/results/published.ts';
import { cannotMakeFolder, makeFolder } from '../../sweep/run-files.ts';
import { cannotWrite } from '../../text/write-error.ts';
import { createWhole } from '../../text/write-whole.ts';

/** What was published before, in the order of publication, and manifests that cannot be read. */
export interface EarlierSnapshots {
  readonly snapshots: readonly Published[];
  readonly unreadable: readonly string[];
  /** Rows without a manifest: their publication was stopped in the middle. */
  readonly unfinished: readonly string[];
}

/** The page that lists the snapshots of its folder. */
export const PAGE = 'README.md';

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
  return {
    snapshots: snapshots.toSorted((a, b) => a.order - b.order),
    unreadable,
    unfinished: unfinishedIn(names),
  };
}

function unfinishedIn(names: readonly string[]): readonly string[] {
  const there = new Set(names);
  return names
    .filter((name) => /^\d{4}-\d\d-\d\d-.*\.csv$/.test(name))
    .filter((name) => !there.has(name.replace(/(?:\.rewards)?\.csv$/, ENDING)))
    .toSorted();
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

/** Rejects with `output.write`. */
export async function makeSnapshotFolder(folder: string): Promise<void> {
  await makeFolder(folder).catch((cause: unknown) => {
    throw cannotMakeFolder(folder, cause, 'choose another --out');
  });
}

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
    const taken = new Set(await readdir(folder));
    for (let number = 1; number <= MOST_NAMESAKES; number++) {
      const stem = `${date}-${name}${number === 1 ? '' : `-${number}`}`;
      if (taken.has(`${stem}${ENDING}`) || taken.has(`${stem}.csv`)) continue;
      if (await createWhole(join(folder, `${stem}.csv`), csv)) return stem;
    }
  } catch (cause) {
    throw cannotWrite(folder, cause, 'choose another --out');
  }
  const message = `${MOST_NAMESAKES} snapshots named ${date}-${name} exist; use another --name`;
  throw new HarnessError('output.conflict', message, { at: { file: folder } });
}

/** A name that is one harmless part of a path. */
export function snapshotName(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9._@=,-]+/g, '-').replace(/^[.-]+|-+$/g, '');
  return (safe === '' ? 'results' : safe).slice(0, 80);
}
