import { flatCopy } from './flat-copy.ts';

/** A stretch of a text and what is written in its place. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Known<T> {
  readonly text: string;
  readonly value: T;
  /** Only where no letter or digit stands beside it. */
  readonly bounded: boolean;
}

/** Units that lead to the texts which begin with them. */
const LEAD = 3;

/** Texts that are known to be secrets, to find each wherever it stands. Linear in the text, whatever their number. */
export class KnownTexts<T> {
  readonly #known = new Map<string, Known<T>>();
  readonly #byLead = new Map<string, SameLead<T>>();
  /** By a hash of two units: whether some text begins with them. */
  readonly #begins = new Uint8Array(0x10000);

  /** What goes with `text`, where it is known. */
  get(text: string): T | undefined {
    return this.#known.get(text)?.value;
  }

  /** The first value of a text stays; one that is shorter than three units is not looked for. */
  add(text: string, value: T, bounded: boolean): void {
    if (text.length < LEAD || this.#known.has(text)) return;
    // A slice would keep the text that it was found in.
    const known = { text: flatCopy(text), value, bounded };
    this.#known.set(known.text, known);
    this.#begins[slot(text, 0)] = 1;
    const lead = flatCopy(text.slice(0, LEAD));
    const same = this.#byLead.get(lead);
    if (same === undefined) this.#byLead.set(lead, new SameLead(known));
    else same.add(known);
  }

  /** Where known texts stand in `text`, in order; none overlaps another. */
  *find(
    text: string,
  ): Generator<{ readonly from: number; readonly to: number; readonly value: T }> {
    if (this.#known.size === 0) return;
    const last = text.length - LEAD;
    for (let from = 0; from <= last; from++) {
      if (this.#begins[slot(text, from)] === 0) continue;
      const known = this.#byLead.get(text.slice(from, from + LEAD))?.at(text, from);
      if (known === undefined) continue;
      const to = from + known.text.length;
      yield { from, to, value: known.value };
      from = to - 1;
    }
  }
}

/**
 * Known texts that begin alike: the longest that stands at a place is found by halving, since a recording can hold
 * thousands of keys of one form.
 */
class SameLead<T> {
  #texts: Known<T>[];
  /** In the order of the texts, the longest other one that each begins with; -1: none. Undefined: to be made. */
  #within: number[] | undefined;
  #longest = 0;

  constructor(first: Known<T>) {
    this.#texts = [first];
  }

  add(known: Known<T>): void {
    this.#texts.push(known);
    this.#within = undefined;
  }

  /** The longest first, since a part must not be replaced inside of the whole. */
  at(text: string, index: number): Known<T> | undefined {
    const within = this.#ordered();
    const here = text.slice(index, index + this.#longest);
    let low = 0;
    for (let high = this.#texts.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((this.#texts[middle]?.text ?? '') <= here) low = middle + 1;
      else high = middle;
    }
    // Whatever `here` begins with, the last text before it begins with too.
    for (let at = low - 1; at >= 0; at = within[at] ?? -1) {
      const known = this.#texts[at];
      if (known !== undefined && stands(known, text, index)) return known;
    }
    return undefined;
  }

  #ordered(): readonly number[] {
    if (this.#within !== undefined) return this.#within;
    this.#texts = this.#texts.toSorted((one, other) => (one.text < other.text ? -1 : 1));
    this.#longest = this.#texts.reduce((most, { text }) => Math.max(most, text.length), 0);
    const open: number[] = [];
    this.#within = this.#texts.map(({ text }, at) => {
      while (open.length > 0 && !text.startsWith(this.#texts[open.at(-1) ?? 0]?.text ?? '')) {
        open.pop();
      }
      const holder = open.at(-1) ?? -1;
      open.push(at);
      return holder;
    });
    return this.#within;
  }
}

function slot(text: string, index: number): number {
  return (text.charCodeAt(index) * 31 + text.charCodeAt(index + 1)) & 0xffff;
}

function stands({ text: known, bounded }: Known<unknown>, text: string, index: number): boolean {
  if (!text.startsWith(known, index)) return false;
  if (!bounded) return true;
  return !isWordPart(text[index - 1]) && !isWordPart(text[index + known.length]);
}

function isWordPart(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}

/** `text` with the replacements in place, the first of those that overlap. */
export function replaced(text: string, replacements: readonly Replacement[]): string {
  if (replacements.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text: written } of inOrder(replacements)) {
    parts.push(text.slice(at, start), written);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

/** Sorted by place; of those that overlap, the one that begins first, or the longest. */
export function inOrder(replacements: readonly Replacement[]): readonly Replacement[] {
  let end = 0;
  return replacements
    .toSorted((one, other) => one.start - other.start || other.end - one.end)
    .filter((one) => {
      if (one.start < end) return false;
      end = one.end;
      return true;
    });
}
