import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import type { GateCell, SnapshotCell } from '../../report/gate.ts';

const COLUMNS = [
  'task',
  'dialect',
  'config',
  'before',
  'after',
  'evidence_kept',
  'evidence_total',
  'reward',
] as const;

const figure = z.string().transform((text) => (text === '' ? undefined : Number(text)));

const row = z.object({
  task: z.string(),
  dialect: z.string(),
  config: z.string(),
  before: z.coerce.number(),
  after: z.coerce.number(),
  evidence_kept: figure,
  evidence_total: figure,
  reward: figure,
});

/** The committed snapshot; undefined where there is none. Throws HarnessError `input.schema`. */
export async function readSnapshot(file: string): Promise<readonly SnapshotCell[] | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
  const rows = z.array(row).safeParse(parse(text, { columns: true }));
  if (!rows.success) {
    const message = `not a snapshot of the gate: write it anew with npm run gate -- --update`;
    throw new HarnessError('input.schema', message, { at: { file } });
  }
  return rows.data.map(({ evidence_kept, evidence_total, ...rest }) => ({
    ...rest,
    evidenceKept: evidence_kept,
    evidenceTotal: evidence_total,
  }));
}

/** Writes the figures of these cells as the snapshot, all or nothing. */
export async function writeSnapshot(file: string, cells: readonly GateCell[]): Promise<void> {
  const lines = cells.map((cell) => [
    cell.task,
    cell.dialect,
    cell.config,
    cell.before,
    cell.after,
    cell.evidenceKept,
    cell.evidenceTotal,
    cell.reward,
  ]);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, stringify([[...COLUMNS], ...lines]));
  await rename(`${file}.new`, file);
}
