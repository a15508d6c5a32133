/** What a folder of runs may hold after a crash. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HarnessError } from '../../../src/errors.ts';
import { readRows } from '../../../src/rows/csv.ts';
import type { CellResult } from '../../../src/rows/result.ts';
import { readManifest } from '../../../src/sweep/manifest.ts';
import { runFiles } from '../../../src/sweep/run-files.ts';
import { readReferences } from '../../../src/sweep/stash-index.ts';

/** A row without what differs from run to run: times, and the id, which names the cassette. */
export function lasting(row: CellResult): Partial<CellResult> {
  const { wallSeconds: _, addedMsMedian: __, addedMs95: ___, cellId: ____, ...rest } = row;
  return rest;
}

function keyOf({ task, trial, lineage, config, sample }: CellResult): string {
  return JSON.stringify([task, trial, lineage, config, sample]);
}

export async function lastingRows(csv: string): Promise<readonly Partial<CellResult>[]> {
  return (await readRows(csv)).map(lasting);
}

/** The rows of a file that a reader takes or refuses by a named error; undefined then. */
async function rowsOrRefusal(csv: string): Promise<readonly CellResult[] | undefined> {
  try {
    return await readRows(csv);
  } catch (error) {
    if (error instanceof HarnessError && error.at?.file === csv) return undefined;
    throw error;
  }
}

export function csvsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.csv'));
  return names.toSorted().map((name) => join(folder, name));
}

/**
 * Throws where something half-written looks whole: a row that no undivided run has, a manifest or an index that
 * cannot be read, or a run that is called complete and is not.
 */
export async function checkRunFolder(
  folder: string,
  expected: readonly CellResult[],
): Promise<void> {
  const known = new Map(expected.map((row) => [keyOf(row), JSON.stringify(lasting(row))]));
  for (const csv of csvsIn(folder)) {
    const files = runFiles(csv);
    const rows = await rowsOrRefusal(csv);
    for (const row of rows ?? []) {
      if (known.get(keyOf(row)) !== JSON.stringify(lasting(row))) {
        throw new Error(`a row that no whole run has: ${keyOf(row)}`);
      }
    }
    if (existsSync(files.stash)) await readReferences(files.stash);
    if (!existsSync(files.manifest)) continue;
    const { status } = await readManifest(files.manifest);
    if (status === 'complete' && rows?.length !== expected.length) {
      throw new Error(`called complete with ${rows?.length} of ${expected.length} rows`);
    }
  }
}

/** Throws where the files beside the rows lack a cell, or hold what is no line of theirs. */
export function checkCompanions(csv: string, rows: readonly CellResult[]): void {
  const { charges, budgets } = runFiles(csv);
  const cells = (file: string): ReadonlySet<unknown> =>
    new Set(
      existsSync(file)
        ? readFileSync(file, 'utf8')
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line).cell)
        : [],
    );
  const charged = cells(charges);
  const lacking = rows.filter(({ cellId }) => !charged.has(cellId));
  if (lacking.length > 0) throw new Error(`${lacking.length} rows have no charges`);
  const controls = rows.filter(({ config }) => config.startsWith('control-'));
  if (controls.length > 0 && cells(budgets).size === 0) throw new Error('no budget was kept');
  if (existsSync(`${csv}.lock`)) throw new Error('the lock is still there');
}
