import { z } from 'zod';
import { HarnessError } from '../errors.ts';
import { readCell, writeCell } from '../rows/cell-text.ts';
import { type ColumnValue, columnList } from '../rows/columns.ts';
import type { CellResult } from '../rows/result.ts';
import type { CellOutcome } from './cell-outcome.ts';
import { chargesLine, fromChargesLine, toChargesLine } from './charges.ts';
import { stashReference } from './stash-index.ts';

/** An outcome as another process sends it; the row as the CSV has it, so that it is written as it was measured. */
export const outcomeText = z.object({
  row: z.record(z.string(), z.string()),
  references: z.array(stashReference),
  charges: chargesLine.optional(),
  budget: z.array(z.int().min(0)).optional(),
});

export type OutcomeText = z.output<typeof outcomeText>;

export function toOutcomeText({ row, references, charges, budget }: CellOutcome): OutcomeText {
  return {
    row: Object.fromEntries(
      columnList.flatMap((column) => {
        const text = writeCell(column.value(row));
        return text === '' ? [] : [[column.header, text]];
      }),
    ),
    references: [...references],
    ...(charges === undefined ? {} : { charges: toChargesLine(row.cellId, charges) }),
    ...(budget === undefined ? {} : { budget: [...budget] }),
  };
}

/** Throws HarnessError `input.schema` for a row that this version would not write. */
export function fromOutcomeText({ row, references, charges, budget }: OutcomeText): CellOutcome {
  return {
    row: rowOf(row),
    references,
    ...(charges === undefined ? {} : { charges: fromChargesLine(charges) }),
    ...(budget === undefined ? {} : { budget }),
  };
}

function rowOf(texts: Readonly<Record<string, string>>): CellResult {
  const cell: Partial<Record<keyof CellResult, ColumnValue>> = {};
  for (const column of columnList) {
    const text = texts[column.header] ?? '';
    const read = readCell(text, column.type);
    if (!read.ok || (column.required && read.value === undefined)) {
      const message = `a worker sent '${text}' as ${column.header}, expected a ${column.type}: is it of this version?`;
      throw new HarnessError('input.schema', message);
    }
    if (read.value !== undefined) cell[column.field] = read.value;
  }
  // Each field was read as the type of its column, which `columns` binds to the type of the field.
  return cell as unknown as CellResult;
}
