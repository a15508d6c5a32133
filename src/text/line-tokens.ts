/**
 * Token counts of the lines of a text, kept from when it was counted: a selection of its lines is then counted
 * without reading it again.
 */

import { beginsGroup, beginsGroupBehind } from './line-groups.ts';
import { countTokens, type TokenizerName } from './tokens.ts';

const LINE_FEED = 10;

/** Where the group that begins at `start` ends. */
function groupEnd(text: string, start: number): number {
  for (let at = text.indexOf('\n', start); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (beginsGroup(text, at + 1)) return at + 1;
  }
  return text.length;
}

/** Where the line that begins at `start` ends, behind its line end. */
function lineEnd(text: string, start: number): number {
  const feed = text.indexOf('\n', start);
  return feed < 0 ? text.length : feed + 1;
}

/** Whether `line`, with its line end or without, stands at `at` as a whole line. */
function isLine(text: string, at: number, line: string): boolean {
  if (!text.startsWith(line, at)) return false;
  const end = at + line.length;
  if (text.charCodeAt(end - 1) === LINE_FEED || end === text.length) return true;
  return text.startsWith('\n', end) || text.startsWith('\r\n', end);
}

export class LineTokens {
  readonly #text: string;
  readonly #counts: Uint16Array;
  readonly #encoding: TokenizerName;
  /** Where the groups begin, with one more for the end of the last; found when first asked for. */
  #starts: readonly number[] | undefined;

  /** @param counts tokens of each group of `text`, as `countGroups` gives them */
  constructor(text: string, counts: Uint16Array, encoding: TokenizerName) {
    this.#text = text;
    this.#counts = counts;
    this.#encoding = encoding;
  }

  /**
   * Tokens of `kept`; undefined where it is not made of whole lines of the text in their order. Of a group that
   * lost some of its lines the rest is counted.
   */
  of(kept: string): number | undefined {
    const text = this.#text;
    const starts = this.#groupStarts();
    let group = 0;
    let tokens = 0;
    for (let start = 0, at = 0; start < kept.length; ) {
      const line = kept.slice(start, lineEnd(kept, start));
      while (at < text.length && !isLine(text, at, line)) at = lineEnd(text, at);
      if (at === text.length) return undefined;
      while ((starts[group + 1] ?? text.length) <= at) group++;
      const own = kept.slice(start, groupEnd(kept, start));
      const end = starts[group + 1] ?? text.length;
      const isWhole = starts[group] === at && end - at === own.length && text.startsWith(own, at);
      tokens += isWhole ? (this.#counts[group] ?? 0) : countTokens(own, this.#encoding);
      at = isWhole ? end : lineEnd(text, at);
      start += own.length;
    }
    return tokens;
  }

  /** Tokens of the text once what stands from `start` to `end` is replaced. */
  replaced(place: { readonly start: number; readonly end: number; readonly by: string }): number {
    const text = this.#text;
    const starts = this.#groupStarts();
    let first = 0;
    while (first + 1 < this.#counts.length && (starts[first + 1] ?? 0) <= place.start) first++;
    let last = first;
    while (last < this.#counts.length && (starts[last] ?? 0) < place.end) last++;
    // What is put in may join the line before it, or the line behind it.
    const begin = () => text.slice(starts[first], place.start) + place.by;
    while (first > 0 && !beginsGroup(begin(), 0)) first--;
    const fresh = () => begin() + text.slice(place.end, starts[last]);
    while (last < this.#counts.length && !beginsGroupBehind(fresh(), text, starts[last] ?? 0))
      last++;
    return this.#sum(0, first) + countTokens(fresh(), this.#encoding) + this.#sum(last);
  }

  #sum(from: number, to = this.#counts.length): number {
    let tokens = 0;
    for (let group = from; group < to; group++) tokens += this.#counts[group] ?? 0;
    return tokens;
  }

  #groupStarts(): readonly number[] {
    if (this.#starts !== undefined) return this.#starts;
    const starts = [0];
    for (let at = 0; at < this.#text.length; starts.push(at)) at = groupEnd(this.#text, at);
    this.#starts = starts;
    return starts;
  }
}
