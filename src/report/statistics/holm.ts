/**
 * Holm's step-down adjustment of p-values for several comparisons (Scandinavian Journal of Statistics 6, 1979):
 * the k-th smallest of m times m − k + 1, never below a smaller one's, at most 1. In the order given.
 */
export function holm(values: readonly number[]): number[] {
  const order = [...values.entries()].toSorted(([, a], [, b]) => a - b);
  const adjusted = values.map(() => 1);
  let largest = 0;
  for (const [rank, [index, p]] of order.entries()) {
    largest = Math.max(largest, Math.min(1, p * (values.length - rank)));
    adjusted[index] = largest;
  }
  return adjusted;
}
