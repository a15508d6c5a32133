import type { CellResult, Counts } from '../../rows/result.ts';

/** The row with every text fit to be shown; its figures as they are. */
export function shownRow(row: CellResult, spell: (text: string) => string): CellResult {
  const counts = (of: Counts | undefined) =>
    of === undefined ? undefined : new Map([...of].map(([name, count]) => [spell(name), count]));
  return Object.fromEntries(
    Object.entries(row).map(([field, value]) => [
      field,
      typeof value === 'string' ? spell(value) : value instanceof Map ? counts(value) : value,
    ]),
  ) as unknown as CellResult;
}
