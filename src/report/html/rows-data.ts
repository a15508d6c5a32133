import { writeCell } from '../../rows/cell-text.ts';
import { type Column, columnList } from '../../rows/columns.ts';
import type { CellResult } from '../../rows/result.ts';
import type { DetailBlock } from './report-input.ts';

/** Of rows that a page has no use for: they tell nothing to a reader, and are in the CSV. */
const LEFT_OUT: ReadonlySet<string> = new Set(['config_hash', 'transcript_hash', 'cell_id']);

/** Most that the rows take of a report, in bytes. */
const ROOM = 3_000_000;

/** The rows as data for the page: columns that have a value somewhere, and of each row their values. */
export interface RowsData {
  readonly json: string;
  /** Rows that are in it, from the first. */
  readonly count: number;
}

/**
 * @param details blocks of data by their place; each row says in which one its before and after are
 */
export function rowsData(rows: readonly CellResult[], details: readonly DetailBlock[]): RowsData {
  const columns = columnList.filter(
    (column) => !LEFT_OUT.has(column.header) && rows.some((row) => column.value(row) !== undefined),
  );
  const blockOf = new Map(
    details.flatMap(({ rows: own }, block) => own.map((row) => [row, block] as const)),
  );
  const values: unknown[] = [];
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    const value = [blockOf.get(index) ?? -1, ...columns.map((column) => shown(column, row))];
    bytes += JSON.stringify(value).length + 1;
    if (bytes > ROOM) break;
    values.push(value);
  }
  const json = JSON.stringify({
    columns: columns.map(({ header, type, unit, group, description }) => ({
      name: header,
      type,
      unit,
      group,
      about: description,
    })),
    rows: values,
  });
  return { json, count: values.length };
}

/** Numbers to six digits behind the point, counts as in the CSV, what was not measured as null. */
function shown(column: Column, row: CellResult): string | number | null {
  const value = column.value(row);
  if (value === undefined) return null;
  if (typeof value === 'number') return Math.round(value * 1e6) / 1e6;
  if (typeof value === 'string') return value;
  return writeCell(value);
}
