/**
 * Appends items to a list. `list.push(...items)` puts each item on the stack, which a list as long as a hostile
 * recording can make it overflows.
 */
export function pushAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}

/**
 * The list without the room that pushing leaves behind its items, which is that of 16 for a single one: for lists
 * that are kept by tens of thousands.
 */
export function fitted<T>(list: readonly T[]): readonly T[] {
  return list.slice();
}

/** The largest of the numbers, at least `least`; as `Math.max(least, ...values)`, without the stack. */
export function largestOf(values: Iterable<number>, least = Number.NEGATIVE_INFINITY): number {
  let largest = least;
  for (const value of values) largest = Math.max(largest, value);
  return largest;
}

/** The smallest of the numbers, at most `most`. */
export function smallestOf(values: Iterable<number>, most = Number.POSITIVE_INFINITY): number {
  let smallest = most;
  for (const value of values) smallest = Math.min(smallest, value);
  return smallest;
}
