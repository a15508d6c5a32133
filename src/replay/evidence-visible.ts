import { sharedStart } from '../transcript/growing-lists.ts';

/** What is known of a message, or of what a stash key holds. */
export interface Facts {
  /** Numbers of the used names in it, each once. */
  readonly names: readonly number[];
  /** Keys of the stash markers in it. */
  readonly markers: readonly string[];
}

/** Which names and markers stand in a collection of facts that changes from request to request. */
export class FactCounts {
  readonly #places = new Map<Facts, number>();
  readonly #names: number[] = [];
  readonly #markers = new Map<string, number>();
  readonly #readsFacts: boolean;
  #changedMarkers = new Set<string>();
  #steps = 0;

  /** @param readsFacts false where only `has` is asked */
  constructor(readsFacts = true) {
    this.#readsFacts = readsFacts;
  }

  has(facts: Facts): boolean {
    return this.#places.has(facts);
  }

  hasName(name: number): boolean {
    return (this.#names[name] ?? 0) > 0;
  }

  hasMarker(key: string): boolean {
    return this.#markers.has(key);
  }

  markers(): Iterable<string> {
    return this.#markers.keys();
  }

  /** Markers that may have come in or gone out since this was last asked. */
  takeChangedMarkers(): ReadonlySet<string> {
    const changed = this.#changedMarkers;
    if (changed.size > 0) this.#changedMarkers = new Set();
    return changed;
  }

  /** Names and markers that were looked at so far: the work that was done. */
  get steps(): number {
    return this.#steps;
  }

  /**
   * Adds the facts `step` times, or takes them away; they may stand at several places.
   *
   * @returns true when they came in or went out
   */
  change(facts: Facts, step: number): boolean {
    const places = this.#places.get(facts) ?? 0;
    const now = places + step;
    if (now === 0) this.#places.delete(facts);
    else this.#places.set(facts, now);
    if (places > 0 === now > 0) return false;
    if (!this.#readsFacts) {
      this.#steps++;
      return true;
    }
    const sign = now > 0 ? 1 : -1;
    this.#steps += 1 + facts.names.length + facts.markers.length;
    for (const name of facts.names) this.#names[name] = (this.#names[name] ?? 0) + sign;
    for (const key of facts.markers) {
      const count = (this.#markers.get(key) ?? 0) + sign;
      if (count === 0) this.#markers.delete(key);
      else this.#markers.set(key, count);
      this.#changedMarkers.add(key);
    }
    return true;
  }
}

/**
 * The same of a list. Only the part that differs from the list before is looked at, so a list that grows
 * costs what it grows by.
 */
export class VisibleList<T> extends FactCounts {
  readonly #factsOf: (item: T) => Facts;
  #list: readonly T[] = [];

  /** @param factsOf gives equal items the same object */
  constructor(factsOf: (item: T) => Facts, readsFacts = true) {
    super(readsFacts);
    this.#factsOf = factsOf;
  }

  /**
   * Shows `list` in place of the one before.
   *
   * @returns what came in or went out by it
   */
  show(list: readonly T[]): Facts[] {
    const before = this.#list;
    this.#list = list;
    const start = sharedStart(before, list);
    const most = Math.min(before.length, list.length) - start;
    let end = 0;
    while (end < most && before[before.length - 1 - end] === list[list.length - 1 - end]) end++;
    const steps = new Map<Facts, number>();
    const note = (items: readonly T[], step: number) => {
      for (const item of items) {
        const facts = this.#factsOf(item);
        steps.set(facts, (steps.get(facts) ?? 0) + step);
      }
    };
    note(list.slice(start, list.length - end), 1);
    note(before.slice(start, before.length - end), -1);
    return [...steps].filter(([facts, step]) => this.change(facts, step)).map(([facts]) => facts);
  }
}
