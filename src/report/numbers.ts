/** What stands where a figure was not measured. */
export const UNMEASURED = '–';

/** `1234567` → `1,234,567`. */
export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** As `thousands`, with the sign of a minus, for pages. */
export function typesetThousands(value: number): string {
  return thousands(value).replace('-', '−');
}

/** One decimal, e.g. `14.6`. */
export function oneDecimal(value: number | undefined): string {
  return value === undefined ? UNMEASURED : value.toFixed(1);
}

/**
 * A column of token counts in one unit for all, so that they can be compared: tokens while the largest
 * has up to seven digits, else thousands (`k`) or millions (`M`). The unit belongs in the header.
 */
export function tokenColumn(values: readonly number[]): {
  readonly unit: 'tokens' | 'k tokens' | 'M tokens';
  readonly cells: readonly string[];
} {
  const largest = Math.max(0, ...values.map(Math.abs));
  if (largest < 1e7) return { unit: 'tokens', cells: values.map(thousands) };
  const [unit, scale] =
    largest < 1e10 ? (['k tokens', 1e3] as const) : (['M tokens', 1e6] as const);
  return { unit, cells: values.map((value) => thousands(value / scale)) };
}
