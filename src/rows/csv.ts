import { type FileHandle, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { HarnessError, messageOf, nearestName, systemCodeOf } from '../errors.ts';
import { readCell, writeCell } from './cell-text.ts';
import { type Column, type ColumnValue, columnList, columns } from './columns.ts';
import type { CellResult } from './result.ts';

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
  #last: Promise<unknown> = Promise.resolve();

  private constructor(file: string, handle: FileHandle) {
    this.file = file;
    this.#handle = handle;
  }

  /** A new file with its header. Rejects with `output.conflict` where the file exists. */
  static async create(file: string): Promise<RowWriter> {
    const writer = new RowWriter(file, await openFile(file, 'wx'));
    await writer.#write(HEADER);
    return writer;
  }

  /** Goes on with a file that holds whole lines. */
  static async append(file: string): Promise<RowWriter> {
    return new RowWriter(file, await openFile(file, 'a'));
  }

  /** Writes after all rows given before; rejects with `output.write`. */
  append(cell: CellResult): Promise<void> {
    return this.#write(rowLine(cell));
  }

  async close(): Promise<void> {
    await this.#last.catch(() => {});
    await this.#handle.close();
  }

  #write(text: string): Promise<void> {
    const write = this.#last.then(() => this.#handle.appendFile(text)).catch(fail(this.file));
    this.#last = write.catch(() => {});
    return write;
  }
}

async function openFile(file: string, flags: 'wx' | 'a'): Promise<FileHandle> {
  try {
    return await open(file, flags);
  } catch (cause) {
    if (systemCodeOf(cause) === 'EEXIST') {
      const message =
        'the file exists: another sweep writes it, or has; use another --name or --out';
      throw new HarnessError('output.conflict', message, { cause, at: { file } });
    }
    return fail(file)(cause);
  }
}

function fail(file: string): (cause: unknown) => never {
  return (cause) => {
    const message = `cannot write: ${messageOf(cause)}; free space, or choose another --out`;
    throw new HarnessError('output.write', message, { cause, at: { file } });
  };
}

/** Replaces the file by these rows in one step: a reader sees the old rows or the new ones. */
export async function replaceRows(file: string, cells: readonly CellResult[]): Promise<void> {
  const temporary = `${file}.tmp`;
  try {
    await writeFile(temporary, formatRows(cells));
    await rename(temporary, file);
  } catch (cause) {
    await rm(temporary, { force: true });
    fail(file)(cause);
  }
}

/**
 * Reads rows back. A last line without a line end was cut off by a killed writer and is left out. A file of
 * an earlier version lacks columns: what it did not measure is undefined.
 * Rejects with `input.missing`, or `input.schema` for a file that is not ours.
 */
export async function readRows(file: string): Promise<CellResult[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    const message = `cannot read the rows: ${messageOf(cause)}`;
    throw new HarnessError('input.missing', message, { cause, at: { file } });
  }
  return parseRows(text, file);
}

/** As `readRows`, of a text. */
export function parseRows(text: string, file: string): CellResult[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  let records: string[][];
  try {
    records = parse(whole, { relax_column_count: true });
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
