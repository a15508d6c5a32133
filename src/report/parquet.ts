import type { ColumnSource } from 'hyparquet-writer';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { writeCell } from '../rows/cell-text.ts';
import { type Column, type ColumnValue, columnList } from '../rows/columns.ts';
import type { CellResult } from '../rows/result.ts';

/** Types of a Parquet column of ours; every one may be null: not measured. */
export type ParquetType = 'STRING' | 'DOUBLE' | 'INT32' | 'BOOLEAN';

export interface ParquetColumn {
  readonly name: string;
  readonly type: ParquetType;
  readonly values: readonly (string | number | boolean | undefined)[];
}

/** A Parquet file of these columns, all of one length; compressed by Snappy. */
export function parquetFile(columns: readonly ParquetColumn[]): Uint8Array {
  const columnData = columns.map(
    ({ name, type, values }): ColumnSource => ({
      name,
      type,
      nullable: true,
      data: values.map((value) => value ?? null),
    }),
  );
  return new Uint8Array(parquetWriteBuffer({ columnData, createdBy: 'compaction-harness' }));
}

/**
 * The rows as a Parquet file: the columns of the CSV, in its order. Numbers are doubles and truth values
 * booleans; texts and counts are spelled as in the CSV, so that both files join.
 */
export function rowsParquet(rows: readonly CellResult[]): Uint8Array {
  return parquetFile(
    columnList.map((column) => ({
      name: column.header,
      type: TYPES[column.type],
      values: rows.map((row) => plain(column.value(row))),
    })),
  );
}

const TYPES: Readonly<Record<Column['type'], ParquetType>> = {
  text: 'STRING',
  counts: 'STRING',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
};

function plain(value: ColumnValue): string | number | boolean | undefined {
  if (value === undefined || typeof value === 'number' || typeof value === 'boolean') return value;
  return writeCell(value);
}
