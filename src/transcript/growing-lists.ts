import { sharedOfViews } from './list-views.ts';

/**
 * What was computed over a list, kept so that the next list costs only what it has more or other than an
 * earlier one: the requests of a lineage mostly begin alike, by thousands of messages.
 */
export interface Growing<Item> {
  /** How many items were taken in. */
  readonly length: number;
  append(item: Item): void;
  /** Goes back to the first `length` items, or to fewer where it cannot tell what it knew then. */
  cut(length: number): void;
}

/** Lists that are remembered for one first item: those before and behind each step of a pipeline. */
const MOST_LISTS = 8;
/** First items whose lists are remembered: those of the sessions at once, and not all that a session began anew with. */
const MOST_FIRSTS = 16;

interface Kept<Item, State> {
  list: readonly Item[];
  readonly state: State;
}

/**
 * One computation over many lists. Lists are compared by the identity of their items, and are held no
 * longer than their first item lives.
 */
export class GrowingLists<Item extends object, State extends Growing<Item>> {
  readonly #make: () => State;
  readonly #kept = new WeakMap<Item, Kept<Item, State>[]>();
  readonly #firsts: WeakRef<Item>[] = [];

  constructor(make: () => State) {
    this.#make = make;
  }

  /** The computation over `list`; good until the next call. */
  of(list: readonly Item[]): State {
    const first = list[0];
    if (first === undefined) return this.#make();
    let kept = this.#kept.get(first);
    if (kept === undefined) {
      kept = [];
      this.#remember(first, kept);
    }
    const { entry, shared } = this.#closest(kept, list);
    const { state } = entry;
    if (state.length > shared) state.cut(shared);
    for (let index = state.length; index < list.length; index++) {
      const item = list[index];
      if (item !== undefined) state.append(item);
    }
    entry.list = list;
    return state;
  }

  #remember(first: Item, kept: Kept<Item, State>[]): void {
    this.#kept.set(first, kept);
    this.#firsts.push(new WeakRef(first));
    if (this.#firsts.length <= MOST_FIRSTS) return;
    const oldest = this.#firsts.shift()?.deref();
    if (oldest !== undefined) this.#kept.delete(oldest);
  }

  /** The list that begins most alike, now the latest; a new one where none has half of itself in common. */
  #closest(
    kept: Kept<Item, State>[],
    list: readonly Item[],
  ): { readonly entry: Kept<Item, State>; readonly shared: number } {
    let found = -1;
    let most = 0;
    for (let index = kept.length - 1; index >= 0; index--) {
      const other = kept[index]?.list ?? [];
      // One that begins more alike than the best so far is like it at least there.
      if (most > 0 && other[most] !== list[most]) continue;
      const shared = sharedStart(other, list);
      if (shared <= most) continue;
      most = shared;
      found = index;
      if (shared === list.length) break;
    }
    let entry = kept[found];
    if (entry === undefined || (most < list.length && most * 2 < entry.list.length)) {
      entry = { list: [], state: this.#make() };
      most = 0;
      if (kept.length === MOST_LISTS) kept.shift();
      kept.push(entry);
    } else if (found < kept.length - 1) {
      kept.splice(found, 1);
      kept.push(entry);
    }
    return { entry, shared: most };
  }
}

/** Shorter lists are compared faster than they are looked up. */
const LONG_LIST = 64;

interface Comparison {
  readonly a: readonly unknown[];
  readonly b: readonly unknown[];
  readonly shared: number;
}

/**
 * What long lists were last found to share, the latest in place of the oldest: several figures compare the
 * same two, one after the other. A list that kept the one before it would keep all of a session alive.
 */
const comparisons: Comparison[] = [];
const MOST_COMPARISONS = 8;
let oldest = 0;

function compare(a: readonly unknown[], b: readonly unknown[], limit: number): number {
  for (const known of comparisons) if (known.b === b && known.a === a) return known.shared;
  const shared = sharedStartNow(a, b, limit);
  comparisons[oldest] = { a, b, shared };
  oldest = (oldest + 1) % MOST_COMPARISONS;
  return shared;
}

/** Number of leading items that are the same objects in both lists, which must not change afterwards. */
export function sharedStart<Item>(a: readonly Item[], b: readonly Item[]): number {
  const limit = Math.min(a.length, b.length);
  if (a === b || limit === 0) return limit;
  if (limit < LONG_LIST || a[LONG_LIST - 1] !== b[LONG_LIST - 1])
    return sharedStartNow(a, b, limit);
  return sharedOfViews(a, b) ?? compare(a, b, limit);
}

/** The same of lists that may still change. */
export function sharedStartNow<Item>(
  a: readonly Item[],
  b: readonly Item[],
  limit = Math.min(a.length, b.length),
): number {
  let index = 0;
  while (index < limit && a[index] === b[index]) index++;
  return index;
}
