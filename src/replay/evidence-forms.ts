import { identifiersIn } from '../text/identifiers.ts';

/** Shortest piece of a name that can be taken for it, in UTF-16 code units. */
const SHORTEST_PIECE = 4;

/** A longer name is data, such as Base64, and its pieces are not looked for. */
const LONGEST_NAME = 200;

const RUN = /[\p{L}\p{M}\p{N}_./-]+/gu;

/**
 * The words of inserted messages, to find a name that stands there only in a changed form: other case,
 * separators `_ - . /` removed or exchanged, or cut to a beginning or an end of at least half its length.
 */
export class ChangedForms<Source> {
  readonly #words = new Map<string, Source[]>();
  readonly #folded = new Map<string, Source[]>();
  readonly #known = new Set<Source>();
  /** Sources that nobody has asked about yet: mostly nothing is lost, and nobody does. */
  readonly #unread: { readonly source: Source; readonly texts: () => readonly string[] }[] = [];

  /** Takes a source once; its texts are read when a name is first looked for. */
  add(source: Source, texts: () => readonly string[]): void {
    if (this.#known.has(source)) return;
    this.#known.add(source);
    this.#unread.push({ source, texts });
  }

  #read(): void {
    for (const { source, texts } of this.#unread.splice(0)) {
      for (const word of new Set(texts().flatMap(wordsOf))) {
        append(this.#words, word, source);
        append(this.#folded, fold(word), source);
      }
    }
  }

  /** True when a source that `isShown` has a changed form of `name`; the name itself is not looked for. */
  holds(name: string, isShown: (source: Source) => boolean): boolean {
    this.#read();
    // Later sources are likelier to be shown.
    if (this.#folded.get(fold(name))?.findLast(isShown) !== undefined) return true;
    if (name.length > LONGEST_NAME) return false;
    const shortest = Math.max(SHORTEST_PIECE, Math.ceil(name.length / 2));
    for (let length = name.length - 1; length >= shortest; length--) {
      for (const piece of [name.slice(0, length), name.slice(-length)]) {
        if (this.#words.get(piece)?.findLast(isShown) !== undefined) return true;
      }
    }
    return false;
  }
}

function append<Source>(map: Map<string, Source[]>, key: string, source: Source): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [source]);
  else if (known.at(-1) !== source) known.push(source);
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
