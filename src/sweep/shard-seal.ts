import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { HarnessError, messageOf, systemCodeOf } from '../errors.ts';
import type { RunFiles } from './run-files.ts';
import type { ShardRecord } from './shard.ts';

/** The files of a shard that `merge` puts together. */
export const sealedFiles = ['csv', 'stash', 'budgets', 'charges'] as const;
export type SealedFile = (typeof sealedFiles)[number];

/** SHA-256 of each file; null of one that is not there. */
export type Seals = Readonly<Record<SealedFile, string | null>>;

/** The record with what tells its files from changed ones. */
export async function sealShard(
  record: ShardRecord,
  files: RunFiles,
): Promise<ShardRecord & { readonly own: number[]; readonly files: Seals }> {
  return { ...record, own: [...record.own], files: await sealsOf(files) };
}

/** Rejects with `input.missing` of a file that cannot be read. */
export async function sealsOf(files: RunFiles): Promise<Seals> {
  const [csv, stash, budgets, charges] = await Promise.all(
    sealedFiles.map((name) => digestOf(files[name])),
  );
  return {
    csv: csv ?? null,
    stash: stash ?? null,
    budgets: budgets ?? null,
    charges: charges ?? null,
  };
}

async function digestOf(file: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(file)) hash.update(chunk);
  } catch (cause) {
    if (systemCodeOf(cause) === 'ENOENT') return null;
    const message = `cannot read: ${messageOf(cause)}`;
    throw new HarnessError('input.missing', message, { cause, at: { file } });
  }
  return hash.digest('hex');
}
