import fc from 'fast-check';
import { type ColumnValue, columnList } from '../../src/rows/columns.ts';
import type { CellResult } from '../../src/rows/result.ts';

/** Texts that are awkward in a CSV: separators, quotes, line ends, formulas, controls, emoji, CJK. */
export const awkwardText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.constantFrom(
        ...['=', '+', '-', '@', "'", '\t', '\r', '\n', '\\', '\\n', '"', ',', ';', ':', '\0'],
        ...['\u2028', '\ufeff', '\ud800', 'é', '漢字', '😀', '=1+1', ' ', 'True', '1e3'],
      ),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(''))
  .filter((text) => text !== '');

const name = awkwardText.map((text) => `${text}x`.replaceAll(';', ''));
const counts = fc
  .uniqueArray(fc.tuple(name, fc.nat(1000)), {
    minLength: 1,
    maxLength: 4,
    selector: ([key]) => key,
  })
  .map((pairs): ReadonlyMap<string, number> => new Map(pairs));
const figure = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
);

/** Any row that the types allow, not only those that a replay gives. */
export const anyCellResult: fc.Arbitrary<CellResult> = fc
  .tuple(...columnList.map((column) => columnValue(column.type, column.required)))
  .map((values) => {
    const cell: Partial<Record<keyof CellResult, ColumnValue>> = {};
    for (const [index, column] of columnList.entries()) {
      const value = values[index];
      if (value !== undefined) cell[column.field] = value;
    }
    return cell as unknown as CellResult;
  });

function columnValue(type: string, required: boolean): fc.Arbitrary<ColumnValue> {
  const value: fc.Arbitrary<ColumnValue> =
    type === 'number'
      ? figure
      : type === 'boolean'
        ? fc.boolean()
        : type === 'counts'
          ? counts
          : awkwardText;
  return required ? value : fc.option(value, { nil: undefined });
}
