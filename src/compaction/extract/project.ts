import { identifiersIn } from '../../text/identifiers.ts';
import {
  elements,
  members,
  rootSpan,
  type Span,
  skipSpace,
  slice,
  valueEnd,
} from '../../wire/json-spans.ts';
import type { KeepSet } from './keep-set.ts';

/** Smaller lists of records stay whole; so do smaller lists of scalars, and smaller tables. */
const SMALL_LIST = 4;
const SMALL_SCALARS = 20;
const SMALL_TABLE = 8;
/** Nesting that is looked into. */
const DEEPEST = 200;

/** An item of a list, or a member of an object with its key. */
interface Entry {
  readonly value: Span;
  readonly end: number;
  readonly key?: Span;
}

/**
 * JSON in which records that nobody asked about are thinned. An item of a list, or a record of a table
 * (an object of many records by key), stays whole when an identifier of the recent turns or of the task
 * is in one of its values (where there is none in the whole text, a word of the task). Of the others
 * only what holds identifiers stays, since a later step may name any of them; and of a list in which
 * nothing matches, the first item, to show its shape. What is left is cut from the text as it was
 * written. Undefined when nothing matches at all.
 *
 * @param sequence the text is NDJSON
 */
export function projectJson(text: string, keep: KeepSet, sequence: boolean): string | undefined {
  if (!'[{'.includes(text[skipSpace(text, 0)] ?? ' ')) return undefined;
  const found = Matches.in(text, keep);
  if (found === undefined) return undefined;
  const projection = new Projection(text, found);
  if (sequence) return projection.sequence();
  const root = rootSpan(text);
  return text.slice(0, root.start) + projection.value(root, 0) + text.slice(root.end);
}

class Projection {
  readonly #text: string;
  readonly #found: Matches;

  constructor(text: string, found: Matches) {
    this.#text = text;
    this.#found = found;
  }

  sequence(): string {
    const text = this.#text;
    const values: Entry[] = [];
    for (let at = skipSpace(text, 0); at < text.length; ) {
      const end = valueEnd(text, at);
      values.push({ value: { start: at, end }, end });
      at = skipSpace(text, end);
    }
    const texts = this.#project(values, SMALL_LIST, 0);
    // With its white space, so that each value stays on its line.
    return values
      .map(({ end }, index) => {
        const kept = texts[index];
        const next = values[index + 1]?.value.start ?? text.length;
        return kept === undefined ? '' : kept + text.slice(end, next);
      })
      .join('');
  }

  value(span: Span, depth: number): string {
    const entries = this.#entriesOf(span);
    if (entries === undefined || depth > DEEPEST) return slice(this.#text, span);
    let small = Number.POSITIVE_INFINITY;
    if (this.#text[span.start] === '{') {
      if (this.#isTable(entries)) small = SMALL_TABLE;
    } else small = entries.every((one) => this.#isScalar(one)) ? SMALL_SCALARS : SMALL_LIST;
    return this.#written(span, entries, this.#project(entries, small, depth + 1));
  }

  /** What stays of each entry. */
  #project(entries: readonly Entry[], small: number, depth: number): (string | undefined)[] {
    if (entries.length < small) return entries.map(({ value }) => this.value(value, depth));
    const matching = entries.map((entry) => this.#found.inEntry(entry));
    if (!matching.includes(true)) matching[0] = true;
    return entries.map((entry, index) =>
      matching[index] === true ? this.value(entry.value, depth) : this.#thinned(entry, depth),
    );
  }

  /** What of an entry holds identifiers; undefined when nothing does. */
  #thinned({ key, value }: Entry, depth: number): string | undefined {
    const named = this.#found.named(value);
    if (!named) {
      // The key of a record in a table is its name.
      if (key === undefined || !this.#found.namedKey(key)) return undefined;
      return this.#text[value.start] === '[' ? '[]' : '{}';
    }
    const entries = this.#entriesOf(value);
    if (entries === undefined || depth > DEEPEST) return slice(this.#text, value);
    const isTable = this.#text[value.start] === '{' && this.#isTable(entries);
    const texts = entries.map((entry) => {
      const bare = { value: entry.value, end: entry.end };
      return this.#thinned(isTable ? entry : bare, depth + 1);
    });
    return this.#written(value, entries, texts);
  }

  /** Undefined of a scalar. */
  #entriesOf(span: Span): readonly Entry[] | undefined {
    const first = this.#text[span.start];
    if (first === '[') {
      return elements(this.#text, span).map((value) => ({ value, end: value.end }));
    }
    if (first !== '{') return undefined;
    return members(this.#text, span).map(({ keySpan, value }) => ({
      value,
      end: value.end,
      key: keySpan,
    }));
  }

  #isScalar({ value }: Entry): boolean {
    return !'[{'.includes(this.#text[value.start] ?? ' ');
  }

  #isTable(entries: readonly Entry[]): boolean {
    return entries.length >= SMALL_TABLE && !entries.some((entry) => this.#isScalar(entry));
  }

  /** The container with the entries that stay, each with the key and the white space before it. */
  #written(span: Span, entries: readonly Entry[], texts: readonly (string | undefined)[]): string {
    const text = this.#text;
    const last = entries.at(-1);
    if (last === undefined) return slice(text, span);
    const parts: string[] = [];
    for (const [index, { value }] of entries.entries()) {
      const kept = texts[index];
      if (kept === undefined) continue;
      const before = entries[index - 1]?.end;
      const gap = before === undefined ? span.start + 1 : skipComma(text, skipSpace(text, before));
      parts.push(text.slice(gap, value.start) + kept);
    }
    return (text[span.start] ?? '') + parts.join(',') + text.slice(last.end, span.end);
  }
}

function skipComma(text: string, at: number): number {
  return text[at] === ',' ? at + 1 : at;
}

/** Where the text holds what is to be kept, and what has a name; as sorted offsets. */
class Matches {
  /** What matches, in values and in keys. */
  readonly #values: number[] = [];
  readonly #keys: number[] = [];
  /** The first place of each identifier that must survive, be it in a key. */
  readonly #first: number[] = [];
  /** All identifiers, in values and in keys. */
  readonly #named: number[] = [];
  readonly #namedKeys: number[] = [];

  private constructor() {}

  static in(text: string, keep: KeepSet): Matches | undefined {
    const found = new Matches();
    const wanted = new Set([...keep.identifiers, ...keep.task]);
    const missing = new Set(keep.identifiers);
    for (const { start, end, isKey } of pieces(text)) {
      for (const identifier of identifiersIn(text.slice(start, end))) {
        const at = start + identifier.start;
        // A fraction outside of a string is an amount, and names nothing.
        const isAmount = text[start] !== '"' && identifier.value.includes('.');
        if (!isAmount) (isKey ? found.#namedKeys : found.#named).push(at);
        if (!wanted.has(identifier.value)) continue;
        (isKey ? found.#keys : found.#values).push(at);
        if (missing.delete(identifier.value)) found.#first.push(at);
      }
    }
    // Keys that every record has tell no records apart, so they alone do not decide.
    if (found.#values.length > 0) return found;
    const words = new Set(keep.words);
    for (const { start, end, isKey } of pieces(text)) {
      if (isKey) continue;
      for (const match of text.slice(start, end).matchAll(/\p{L}{5,}/gu)) {
        if (words.has(match[0].toLowerCase())) found.#values.push(start + match.index);
      }
    }
    return found.#values.length === 0 ? undefined : found;
  }

  inEntry({ key, value }: Entry): boolean {
    const whole = { start: (key ?? value).start, end: value.end };
    if (hasOffset(this.#values, whole) || hasOffset(this.#first, whole)) return true;
    return key !== undefined && hasOffset(this.#keys, key);
  }

  named(span: Span): boolean {
    return hasOffset(this.#named, span);
  }

  namedKey(span: Span): boolean {
    return hasOffset(this.#namedKeys, span);
  }
}

/** The strings of a JSON text and what stands between them, in order. */
function* pieces(text: string): Generator<Span & { readonly isKey: boolean }> {
  let from = 0;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) break;
    if (quote > from) yield { start: from, end: quote, isKey: false };
    const end = valueEnd(text, quote);
    yield { start: quote, end, isKey: text[skipSpace(text, end)] === ':' };
    from = end;
  }
  if (from < text.length) yield { start: from, end: text.length, isKey: false };
}

function hasOffset(offsets: readonly number[], span: Span): boolean {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) < span.start) low = middle + 1;
    else high = middle;
  }
  return (offsets[low] ?? Number.POSITIVE_INFINITY) < span.end;
}
