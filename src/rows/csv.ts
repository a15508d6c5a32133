import { type FileHandle, open } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { HarnessError, messageOf, nearestName } from '../errors.ts';
import { wholeText } from '../text/whole-file.ts';
import { cannotWrite } from '../text/write-error.ts';
import { createWhole, writeWhole } from '../text/write-whole.ts';
import { readCell, writeCell } from './cell-text.ts';
import { type Column, type ColumnValue, columnList, columns } from './columns.ts';
import type { CellResult } from './result.ts';

/** Bytes of a row, far above any that a sweep writes. */
const LONGEST_RECORD = 2 ** 22;

const HEADER = stringify([columnList.map((column) => column.header)]);

/** One row as one line of CSV, its line end included. */
function rowLine(cell: CellResult): string {
  return stringify([columnList.map((column) => writeCell(column.value(cell)))]);
}

/** Rows as the text of a whole file. */
function formatRows(cells: readonly CellResult[]): string {
  return HEADER + cells.map(rowLine).join('');
}

/**
 * Appends rows to a file. Each row is one write of one whole line, so a file whose writer was killed is
 * readable but for, at worst, its last line.
 */
export class RowWriter {
  readonly file: string;
  readonly #handle: FileHandle;
  /** Bytes of the whole lines. */
  #size: number;
  #failure: unknown;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(file: string, handle: FileHandle, size: number) {
    this.file = file;
    this.#handle = handle;
    this.#size = size;
  }

  /** A new file with its header. Rejects with `output.conflict` where the file exists. */
  static async create(file: string): Promise<RowWriter> {
    // With its header in it from the start, so that nobody ever reads it without.
    if (await createWhole(file, HEADER).catch(fail(file))) return RowWriter.append(file);
    const message = 'the file exists: another sweep writes it, or has; use another --name or --out';
    throw new HarnessError('output.conflict', message, { at: { file } });
  }

  /** Goes on with a file that holds whole lines. Rejects with `output.write`. */
  static async append(file: string): Promise<RowWriter> {
    const handle = await open(file, 'a').catch(fail(file));
    try {
      return new RowWriter(file, handle, (await handle.stat()).size);
    } catch (cause) {
      await handle.close().catch(() => {});
      return fail(file)(cause);
    }
  }

  /** Writes after all rows given before; rejects with `output.write`, and so do all after that. */
  append(cell: CellResult): Promise<void> {
    return this.#write(rowLine(cell));
  }

  async close(): Promise<void> {
    await this.#last.catch(() => {});
    await this.#handle.close();
  }

  #write(text: string): Promise<void> {
    const write = this.#last.then(() => this.#writeNow(text)).catch(fail(this.file));
    this.#last = write.catch(() => {});
    return write;
  }

  async #writeNow(text: string): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      await this.#handle.appendFile(text);
      this.#size += Buffer.byteLength(text);
    } catch (cause) {
      this.#failure = cause;
      // No other row may be joined to the half of this one.
      await this.#handle.truncate(this.#size).catch(() => {});
      throw cause;
    }
  }
}

function fail(file: string): (cause: unknown) => never {
  return (cause) => {
    throw cannotWrite(file, cause, 'choose another --out');
  };
}

/** Replaces the file by these rows in one step: a reader sees the old rows or the new ones. */
export async function replaceRows(file: string, cells: readonly CellResult[]): Promise<void> {
  await writeWhole(file, formatRows(cells), {
    draft: `${file}.tmp`,
    elsewhere: 'choose another --out',
  });
}

/**
 * Reads rows back. A last line without a line end was cut off by a killed writer and is left out. A file of
 * an earlier version lacks columns: what it did not measure is undefined.
 * Rejects with `input.missing`, `input.size`, or `input.schema` for a file that is not ours.
 */
export async function readRows(file: string): Promise<CellResult[]> {
  return parseRows(await wholeText(file, { what: 'the rows' }), file);
}

/** As `readRows`, of a text. */
export function parseRows(text: string, file: string): CellResult[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole === '') {
    const message = 'no row and no header: its sweep was stopped before it wrote any; delete it';
    throw new HarnessError('input.schema', message, { at: { file } });
  }
  let records: string[][];
  try {
    records = parse(whole, { relax_column_count: true, max_record_size: LONGEST_RECORD });
  } catch (cause) {
    const message = `not a CSV file: ${messageOf(cause)}`;
    throw new HarnessError('input.schema', message, { cause, at: { file } });
  }
  const [header = [], ...rows] = records;
  const present = columnsOf(header, file);
  return rows.map((record, index) => readRow(record, present, { file, line: index + 2 }));
}

/** The columns that a file has, in its order. */
function columnsOf(header: readonly string[], file: string): readonly Column[] {
  const at = { file, line: 1 };
  const present = header.map((name, index) => {
    const column = columnList.find((known) => known.header === name);
    if (column !== undefined) return column;
    const nearest = nearestName(name, Object.keys(columns));
    const hint = nearest === undefined ? '' : `; did you mean '${nearest}'?`;
    const message = `column ${index + 1} is '${name}', which no sweep of this version writes${hint}`;
    throw new HarnessError('input.schema', message, { at });
  });
  const missing = columnList.find((column) => column.required && !present.includes(column));
  if (missing !== undefined) {
    const message = `no column '${missing.header}', expected the CSV of a sweep`;
    throw new HarnessError('input.schema', message, { at });
  }
  return present;
}

function readRow(
  record: readonly string[],
  present: readonly Column[],
  at: { readonly file: string; readonly line: number },
): CellResult {
  const cell: Partial<Record<keyof CellResult, ColumnValue>> = {};
  for (const [index, column] of present.entries()) {
    const text = record[index];
    const read = text === undefined ? undefined : readCell(text, column.type);
    if (read?.ok !== true || (column.required && read.value === undefined)) {
      const message = `${column.header} is '${text ?? ''}', expected ${column.required ? 'a' : 'an empty cell or a'} ${column.type}`;
      throw new HarnessError('input.schema', message, { at: { ...at, key: column.header } });
    }
    if (read.value !== undefined) cell[column.field] = read.value;
  }
  // Each field was read as the type of its column, which `columns` binds to the type of the field.
  return cell as unknown as CellResult;
}
