import { z } from 'zod';
import { HarnessError } from '../errors.ts';
import { readRows } from '../rows/csv.ts';
import type { CellResult } from '../rows/result.ts';
import { linesOf } from '../text/append-lines.ts';
import type { Manifest } from './manifest.ts';
import type { RunFiles } from './run-files.ts';
import type { SealedFile } from './shard-seal.ts';
import type { ShardPart } from './shard-set.ts';

/** The whole that shards are parts of. */
export interface MergedRun {
  readonly manifest: Manifest;
  /** In the order in which an undivided run writes them. */
  readonly rows: readonly CellResult[];
}

/**
 * Puts the rows of checked shards into their places. Rejects with `input.shard` where a shard has not just
 * the cells that its manifest says.
 */
export async function mergeShards(parts: readonly ShardPart[]): Promise<MergedRun> {
  const places = new Map<number, readonly CellResult[]>();
  const seen = new Map<string, string>();
  for (const part of parts) {
    const rows = await readRows(part.files.csv);
    const size = checkedSize(part, rows);
    for (const { cellId } of rows) {
      const other = seen.get(cellId);
      if (other !== undefined) {
        throw wrong(part, `cell ${cellId} is also in ${other}`);
      }
      seen.set(cellId, part.files.csv);
    }
    for (const [index, place] of part.shard.own.entries()) {
      places.set(place, rows.slice(index * size, (index + 1) * size));
    }
  }
  const inOrder = [...places].toSorted(([a], [b]) => a - b);
  return { manifest: mergedManifest(parts), rows: inOrder.flatMap(([, rows]) => rows) };
}

/** Rows of each transcript: its configs in their order, within each the samples. */
function checkedSize(part: ShardPart, rows: readonly CellResult[]): number {
  const { configs, options } = part.manifest;
  const size = configs.length * options.samples;
  const expected = part.shard.own.length * size;
  if (rows.length !== expected) {
    throw wrong(part, `${rows.length} rows, and its manifest says ${expected} cells`);
  }
  for (const [index, row] of rows.entries()) {
    const at = index % size;
    const config = configs[Math.floor(at / options.samples)];
    const isPlace =
      row.config === config?.name &&
      row.configHash === config.hash &&
      row.sample === at % options.samples;
    if (!isPlace) {
      const message = `row ${index + 1} is ${row.config} (${row.configHash}), sample ${row.sample}, expected ${config?.name} (${config?.hash}), sample ${at % options.samples}`;
      throw wrong(part, message);
    }
  }
  return size;
}

function wrong({ files, name }: ShardPart, found: string): HarnessError {
  const message = `${name} is not as its sweep wrote it: ${found}; take the files of the run again, or run this shard again`;
  return new HarnessError('input.shard', message, { at: { file: files.csv } });
}

function mergedManifest(parts: readonly ShardPart[]): Manifest {
  const manifests = parts.map(({ manifest }) => manifest);
  const [first] = manifests;
  if (first === undefined) throw new HarnessError('harness.internal', 'no shard to merge');
  const { selection, configs, transcripts, options, versions, revision } = first;
  const ends = manifests.flatMap(({ finished }) => finished ?? []).toSorted();
  const calls = manifests.flatMap(({ spend }) => spend ?? []);
  const dollars = calls.map(({ usd }) => usd);
  const known = dollars.filter((usd) => usd !== undefined);
  const total = known.length === dollars.length ? { usd: sum(known) } : {};
  // The keys stand as in the manifest of an undivided run.
  return {
    status: manifests.some(({ status }) => status === 'failed') ? 'failed' : 'complete',
    started: manifests.map(({ started }) => started).toSorted()[0] ?? first.started,
    selection,
    configs,
    transcripts,
    options,
    versions,
    ...(revision === undefined ? {} : { revision }),
    // Every shard has read every recording, and found the same problems.
    problems: distinct(manifests.flatMap(({ problems }) => problems)),
    ...(ends.length === 0 ? {} : { finished: ends.at(-1) }),
    counts: mergedCounts(manifests),
    ...(calls.length === 0
      ? {}
      : { spend: { ...total, calls: sum(calls.map((spend) => spend.calls)) } }),
  };
}

function mergedCounts(manifests: readonly Manifest[]): NonNullable<Manifest['counts']> {
  const total = (name: keyof NonNullable<Manifest['counts']>) =>
    sum(manifests.map(({ counts }) => counts?.[name] ?? 0));
  return {
    transcripts: total('transcripts'),
    requests: total('requests'),
    cells: total('cells'),
    finished: total('finished'),
    failed: total('failed'),
    kept: total('kept'),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

const lineOfCell = z.object({ cell: z.string() });

/**
 * The lines that the shards keep of their cells in one of their files, in the order of the rows, each with its
 * line end. A line that a killed writer left unfinished is left out, as readers of the file do.
 */
export async function* mergedLines(
  parts: readonly { readonly files: RunFiles }[],
  name: SealedFile,
  rows: readonly Pick<CellResult, 'cellId'>[],
): AsyncGenerator<string> {
  const byCell = new Map<string, string[]>();
  for (const { files } of parts) {
    for await (const line of linesOf(files[name])) {
      const cell = cellOf(line);
      if (cell === undefined) continue;
      const known = byCell.get(cell);
      if (known === undefined) byCell.set(cell, [`${line}\n`]);
      else known.push(`${line}\n`);
    }
  }
  for (const { cellId } of rows) yield* byCell.get(cellId) ?? [];
}

function cellOf(line: string): string | undefined {
  try {
    return lineOfCell.parse(JSON.parse(line)).cell;
  } catch {
    return undefined;
  }
}
