import { exchangePlace } from '../transcript/exchanges.ts';
import { sharedStart } from '../transcript/growing-lists.ts';
import type { Message } from '../transcript/message.ts';

/*
 * The two plain kinds of rewrite, compared from where the rewrite before them ended: messages rewritten in
 * their places, and one span that a few messages stand for. What a list of thousands repeats of the
 * request before it was found then, and the largest reduction of a message does not change by repeating.
 */

export interface Lists {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  /** What counts depend on beside the message. */
  readonly loop: number;
}

/** What is new in a rewrite. */
interface Found {
  /** Tokens by the message's hash. */
  readonly reductions: readonly (readonly [hash: string, reduction: number])[];
  readonly inserted: readonly Message[];
}

const EMPTY: Lists = { before: [], after: [], loop: -1 };

/** A message rewritten in its place. */
interface Rewritten {
  readonly index: number;
  readonly place: string;
  readonly hash: string;
  readonly writtenHash: string;
}

/** Lists of one length that differ in messages which keep their place in their exchange. */
export class InPlace {
  #lists = EMPTY;
  readonly #rewritten: Rewritten[] = [];
  readonly #places = new Set<string>();
  readonly #hashes = new Set<string>();

  /** @returns undefined where messages cannot be told apart by their places */
  compare(lists: Lists, countMessage: (message: Message) => number): Found | undefined {
    const { before, after } = lists;
    const from = this.#goBack(lists);
    const reductions: [string, number][] = [];
    for (let index = from; index < before.length; index++) {
      const message = before[index];
      const written = after[index];
      if (message === undefined || written === undefined || message === written) continue;
      const { hash } = message.identity;
      const writtenHash = written.identity.hash;
      if (hash === writtenHash) continue;
      const place = exchangePlace(message);
      if (
        place === undefined ||
        exchangePlace(written) !== place ||
        this.#isKnown(place, hash, writtenHash)
      ) {
        this.#lists = EMPTY;
        return undefined;
      }
      this.#places.add(place);
      this.#hashes.add(hash).add(writtenHash);
      this.#rewritten.push({ index, place, hash, writtenHash });
      reductions.push([hash, countMessage(message) - countMessage(written)]);
    }
    this.#lists = lists;
    return { reductions, inserted: [] };
  }

  #isKnown(place: string, ...hashes: readonly string[]): boolean {
    return this.#places.has(place) || hashes.some((hash) => this.#hashes.has(hash));
  }

  /** Forgets what these lists do not share. @returns from where on they are to be compared */
  #goBack({ before, after, loop }: Lists): number {
    const known = this.#lists;
    const shared = Math.min(sharedStart(known.before, before), sharedStart(known.after, after));
    const from = known.loop === loop && shared >= loop ? shared : 0;
    for (let last = this.#rewritten.at(-1); last !== undefined && last.index >= from; ) {
      this.#places.delete(last.place);
      this.#hashes.delete(last.hash);
      this.#hashes.delete(last.writtenHash);
      this.#rewritten.pop();
      last = this.#rewritten.at(-1);
    }
    return from;
  }
}

/** A span of messages in whose stand others stand that belong to no exchange, such as one summary. */
export class ReplacedSpan {
  #lists = EMPTY;
  #start = 0;
  #end = 0;
  readonly #removed = new Map<string, number>();

  /** @returns undefined where a message of an exchange, or one of the span, is among the new ones */
  compare(lists: Lists, countMessage: (message: Message) => number): Found | undefined {
    const { before, after, loop } = lists;
    const [start, end, endAfter] = differing(before, after);
    const inserted = after.slice(start, endAfter);
    if (inserted.some((message) => exchangePlace(message) !== undefined)) return undefined;
    const goesOn =
      this.#lists.loop === loop &&
      this.#start === start &&
      this.#end <= end &&
      sharedStart(this.#lists.before, before) >= Math.max(this.#end, loop);
    if (!goesOn) {
      this.#removed.clear();
      this.#end = start;
    }
    const hashes = new Set<string>();
    for (let index = this.#end; index < end; index++) {
      const message = before[index];
      if (message === undefined) continue;
      const { hash } = message.identity;
      hashes.add(hash);
      this.#removed.set(hash, (this.#removed.get(hash) ?? 0) + countMessage(message));
    }
    this.#lists = lists;
    this.#start = start;
    this.#end = end;
    if (inserted.some(({ identity }) => this.#removed.has(identity.hash))) {
      this.#lists = EMPTY;
      return undefined;
    }
    return {
      reductions: [...hashes].map((hash) => [hash, this.#removed.get(hash) ?? 0]),
      inserted,
    };
  }
}

/** The range that is left when the common start and end of both lists are set aside. */
export function differing(
  before: readonly Message[],
  after: readonly Message[],
): readonly [start: number, endBefore: number, endAfter: number] {
  const shared = Math.min(before.length, after.length);
  const start = sharedStart(before, after);
  let trailing = 0;
  while (
    trailing < shared - start &&
    before[before.length - 1 - trailing] === after[after.length - 1 - trailing]
  ) {
    trailing++;
  }
  return [start, before.length - trailing, after.length - trailing];
}
