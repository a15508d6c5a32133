import type { Stash } from '../compaction/stash.ts';
import type { Message } from '../transcript/message.ts';
import { FactCounts, type Facts, VisibleList } from './evidence-visible.ts';

/** Stash markers at one request; those that the stash knows nothing of are left out. */
export interface MarkerCounts {
  /** In front of the model. */
  readonly visible: number;
  /** Only inside of what other markers stand for. */
  readonly nested: number;
  /** Restores needed, one after another, to see the deepest content; 0 without markers. */
  readonly depth: number;
}

export const NO_MARKERS: MarkerCounts = { visible: 0, nested: 0, depth: 0 };

/** A message of a stashed span, or the key of a stashed text. */
type Item = Message | string;

/**
 * What can be got back by following markers, those inside of what they stand for included.
 *
 * A key stands for its content, so the keys in front of the model are followed as they come and go. Spans
 * are shown as one list, since a span that grows mostly repeats the one before. Nested markers are few,
 * and each level of them is gone through anew.
 */
export class StashReach {
  readonly #stash: Stash;
  readonly #factsOf: (item: Item) => Facts;
  readonly #texts = new FactCounts();
  readonly #spans: VisibleList<Item>;
  readonly #nested: VisibleList<Item>[] = [];
  /** Visible keys that the stash has, in the order in which they came. */
  readonly #followed = new Map<string, 'messages' | 'text'>();
  /** Visible keys that the stash does not have. */
  readonly #unknown = new Set<string>();
  #counts = NO_MARKERS;

  constructor(
    stash: Stash,
    factsOf: {
      readonly message: (message: Message) => Facts;
      readonly text: (text: string) => Facts;
    },
  ) {
    this.#stash = stash;
    const texts = new Map<string, Facts>();
    this.#factsOf = (item) => {
      if (typeof item !== 'string') return factsOf.message(item);
      const known = texts.get(item);
      if (known !== undefined) return known;
      const entry = stash.entry(item);
      const facts = factsOf.text(entry?.kind === 'text' ? entry.text : '');
      texts.set(item, facts);
      return facts;
    };
    this.#spans = new VisibleList(this.#factsOf);
  }

  /** Follows the markers of the list that would be sent. */
  follow(visible: FactCounts): MarkerCounts {
    const changed = new Set([...visible.takeChangedMarkers(), ...this.#unknown]);
    const kinds = new Set<'messages' | 'text'>();
    for (const key of changed) {
      const kind = visible.hasMarker(key) ? this.#add(key) : this.#remove(key);
      if (kind !== undefined) kinds.add(kind);
    }
    if (kinds.size === 0) return this.#counts;
    if (kinds.has('messages')) {
      const spans = [...this.#followed].filter(([, kind]) => kind === 'messages');
      this.#spans.show(spans.flatMap(([key]) => this.#itemsOf(key)));
    }
    this.#counts = this.#followNested();
    return this.#counts;
  }

  hasName(name: number): boolean {
    return this.#levels.some((level) => level.hasName(name));
  }

  get steps(): number {
    return this.#levels.reduce((steps, level) => steps + level.steps, 0);
  }

  get #levels(): readonly FactCounts[] {
    return [this.#texts, this.#spans, ...this.#nested];
  }

  #add(key: string): 'messages' | 'text' | undefined {
    if (this.#followed.has(key)) return undefined;
    const kind = this.#stash.entry(key)?.kind;
    if (kind === undefined) {
      this.#unknown.add(key);
      return undefined;
    }
    this.#unknown.delete(key);
    this.#followed.set(key, kind);
    if (kind === 'text') this.#texts.change(this.#factsOf(key), 1);
    return kind;
  }

  #remove(key: string): 'messages' | 'text' | undefined {
    const kind = this.#followed.get(key);
    this.#unknown.delete(key);
    this.#followed.delete(key);
    if (kind === 'text') this.#texts.change(this.#factsOf(key), -1);
    return kind;
  }

  /** Each key once, however the contents refer to one another. */
  #followNested(): MarkerCounts {
    const reached = new Set<string>();
    let depth = this.#followed.size === 0 ? 0 : 1;
    let level = this.#unreached([...this.#texts.markers(), ...this.#spans.markers()], reached);
    let used = 0;
    for (; level.length > 0; used++) {
      for (const key of level) reached.add(key);
      const shown = this.#nested[used] ?? new VisibleList(this.#factsOf);
      this.#nested[used] = shown;
      shown.show(level.flatMap((key) => this.#itemsOf(key)));
      level = this.#unreached(shown.markers(), reached);
      depth++;
    }
    for (const unused of this.#nested.slice(used)) unused.show([]);
    return { visible: this.#followed.size, nested: reached.size, depth };
  }

  #unreached(markers: Iterable<string>, reached: ReadonlySet<string>): string[] {
    const found = new Set<string>();
    for (const key of markers) {
      if (this.#followed.has(key) || reached.has(key)) continue;
      if (this.#stash.entry(key) !== undefined) found.add(key);
    }
    return [...found];
  }

  #itemsOf(key: string): readonly Item[] {
    const entry = this.#stash.entry(key);
    return entry?.kind === 'messages' ? entry.list.slice(entry.from, entry.to) : [key];
  }
}
