/**
 * Sums run over the values in ascending order, so that a figure does not depend on the order of the rows,
 * not even in its last bit.
 */
function orderedSum(values: readonly number[]): number {
  let sum = 0;
  for (const value of values.toSorted((a, b) => a - b)) sum += value;
  return sum;
}

/** Arithmetic mean; undefined of nothing. */
export function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : orderedSum(values) / values.length;
}

/** Mean, and the standard error of it from the sample variance; undefined of fewer than two values. */
export function meanAndError(
  values: readonly number[],
): { readonly mean: number; readonly standardError: number } | undefined {
  const count = values.length;
  if (count < 2) return undefined;
  const center = orderedSum(values) / count;
  const squares = orderedSum(values.map((value) => (value - center) ** 2));
  return { mean: center, standardError: Math.sqrt(squares / (count - 1) / count) };
}
