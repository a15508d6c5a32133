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
  readonly #byLead = new Map<string, Known<T>[]>();
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
    if (same === undefined) this.#byLead.set(lead, [known]);
    else {
      same.push(known);
      // The longest first, since a part must not be replaced inside of the whole.
      same.sort((one, other) => other.text.length - one.text.length);
    }
  }

  /** Where known texts stand in `text`, in order; none overlaps another. */
  *find(
    text: string,
  ): Generator<{ readonly from: number; readonly to: number; readonly value: T }> {
    if (this.#known.size === 0) return;
    const last = text.length - LEAD;
    for (let from = 0; from <= last; from++) {
      if (this.#begins[slot(text, from)] === 0) continue;
      const candidates = this.#byLead.get(text.slice(from, from + LEAD));
      const known = candidates?.find((one) => stands(one, text, from));
      if (known === undefined) continue;
      const to = from + known.text.length;
      yield { from, to, value: known.value };
      from = to - 1;
    }
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
