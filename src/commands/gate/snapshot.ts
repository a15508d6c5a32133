import { dirname } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { HarnessError, systemCodeOf } from '../../errors.ts';
import type { GateCell, SnapshotCell } from '../../report/gate.ts';
import { cannotMakeFolder, makeFolder } from '../../sweep/run-files.ts';
import { wholeText } from '../../text/whole-file.ts';
import { writeWhole } from '../../text/write-whole.ts';

/** Bytes of a row. */
const LONGEST_RECORD = 2 ** 20;

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

const number = z
  .string()
  .refine((text) => text.trim() !== '' && Number.isFinite(Number(text)), 'a number')
  .transform(Number);
/** Empty where it was not measured. */
const figure = z.union([z.literal('').transform(() => undefined), number]);

const row = z.object({
  task: z.string(),
  dialect: z.string(),
  config: z.string(),
  before: number,
  after: number,
  evidence_kept: figure,
  evidence_total: figure,
  reward: figure,
});

/** The committed snapshot; undefined where there is none. Rejects with `input.schema`, `input.missing` or `input.size`. */
export async function readSnapshot(file: string): Promise<readonly SnapshotCell[] | undefined> {
  let text: string;
  try {
    text = await wholeText(file, { what: 'the snapshot' });
  } catch (error) {
    // A snapshot that is there and cannot be read is not as good as none.
    if (error instanceof HarnessError && systemCodeOf(error.cause) === 'ENOENT') return undefined;
    throw error;
  }
  const rows = z.array(row).safeParse(recordsOf(text));
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

/** Undefined for a text that is no CSV. */
function recordsOf(text: string): unknown {
  try {
    return parse(text, { columns: true, max_record_size: LONGEST_RECORD });
  } catch {
    return undefined;
  }
}

/** Writes the figures of these cells as the snapshot, all or nothing. Rejects with `output.write`. */
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
  const folder = dirname(file);
  const elsewhere = 'choose another --snapshot';
  await makeFolder(folder).catch((cause: unknown) => {
    throw cannotMakeFolder(folder, cause, elsewhere);
  });
  await writeWhole(file, stringify([[...COLUMNS], ...lines]), { elsewhere });
}
