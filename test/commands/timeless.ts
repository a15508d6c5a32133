import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';

const TIMES = ['wall_s', 'added_ms_p50', 'added_ms_p95'];

/** The cells of a CSV file without those that time and machine decide. */
export function timeless(file: string): string[][] {
  const [header = [], ...rows]: string[][] = parse(readFileSync(file, 'utf8'));
  for (const name of TIMES) if (!header.includes(name)) throw new Error(`no column ${name}`);
  const shown = (cells: readonly string[]) =>
    cells.filter((_, index) => !TIMES.includes(header[index] ?? ''));
  return [header, ...rows].map(shown);
}
