import { identifiersIn } from '../text/identifiers.ts';

/** Shortest piece of a name that can be taken for it, in UTF-16 code units. */
const SHORTEST_PIECE = 4;

/** A longer name is data, such as Base64, and its pieces are not looked for. */
const LONGEST_NAME = 200;

const RUN = /[\p{L}\p{M}\p{N}_./-]+/gu;

/**
 * The words of the inserted messages that are shown, to find a name that stands there only in a changed form:
 * other case, separators `_ - . /` removed or exchanged, or cut to a beginning or an end of at least half its
 * length. What is shown no more is forgotten: a session inserts many times what it shows at once.
 */
export class ChangedForms<Source> {
  readonly #words = new Map<string, number>();
  readonly #folded = new Map<string, number>();
  readonly #read = new Map<Source, ReadonlySet<string>>();
  /** Sources that nobody has asked about yet: mostly nothing is lost, and nobody does. */
  readonly #unread = new Map<Source, () => readonly string[]>();

  /** Shows a source, once; its texts are read when a name is first looked for. */
  add(source: Source, texts: () => readonly string[]): void {
    if (!this.#read.has(source)) this.#unread.set(source, texts);
  }

  /** Shows a source no more. */
  remove(source: Source): void {
    this.#unread.delete(source);
    for (const word of this.#read.get(source) ?? []) this.#count(word, -1);
    this.#read.delete(source);
  }

  /** True when a source that is shown has a changed form of `name`; the name itself is not looked for. */
  holds(name: string): boolean {
    this.#readAll();
    if (this.#folded.has(fold(name))) return true;
    if (name.length > LONGEST_NAME) return false;
    const shortest = Math.max(SHORTEST_PIECE, Math.ceil(name.length / 2));
    for (let length = name.length - 1; length >= shortest; length--) {
      if (this.#words.has(name.slice(0, length)) || this.#words.has(name.slice(-length)))
        return true;
    }
    return false;
  }

  #readAll(): void {
    for (const [source, texts] of this.#unread) {
      const words = new Set(texts().flatMap(wordsOf));
      for (const word of words) this.#count(word, 1);
      this.#read.set(source, words);
    }
    this.#unread.clear();
  }

  #count(word: string, step: number): void {
    change(this.#words, word, step);
    change(this.#folded, fold(word), step);
  }
}

function change(counts: Map<string, number>, key: string, step: number): void {
  const count = (counts.get(key) ?? 0) + step;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/** Words, and the names within a run of a script that sets no spaces. */
function wordsOf(text: string): string[] {
  const words = (text.match(RUN) ?? []).map(withoutPunctuation);
  return [...words, ...identifiersIn(text).map(({ value }) => value)].filter((word) => word !== '');
}

function withoutPunctuation(run: string): string {
  let start = 0;
  while ('-.'.includes(run[start] ?? ' ')) start++;
  let end = run.length;
  while (end > start && '-./'.includes(run[end - 1] ?? ' ')) end--;
  return run.slice(start, end);
}

function fold(name: string): string {
  return name.replace(/[_./-]/g, '').toLowerCase();
}
