import { exchangePlace } from '../transcript/exchanges.ts';
import type { Message } from '../transcript/message.ts';
import { differing, InPlace, ReplacedSpan } from './ledger-rewrites.ts';
import type { Savings } from './result.ts';

/**
 * Adds up what a rewrite saved over the requests of one transcript, by the design's definitions.
 *
 * Gross counts a saving again at every request that repeats it. Unique is what was really taken away:
 * Σ over distinct messages of the largest reduction each had in one request, minus each distinct
 * inserted message once; so it is never more than the transcript holds.
 */
export class SavingsLedger {
  readonly #reductions = new Map<string, number>();
  readonly #insertions = new Map<string, number>();
  readonly #inPlace = new InPlace();
  readonly #span = new ReplacedSpan();
  #gross = 0;
  #peakBefore = 0;
  #peakAfter = 0;

  /**
   * @param countMessage tokens of one message at this request, in the model's own counting
   * @param loop what these counts depend on beside the message: where the tool loop of `before` begins
   */
  add(
    before: readonly Message[],
    after: readonly Message[],
    { tokensBefore, tokensAfter }: { readonly tokensBefore: number; readonly tokensAfter: number },
    countMessage: (message: Message) => number,
    loop = 0,
  ): void {
    this.#gross += tokensBefore - tokensAfter;
    this.#peakBefore = Math.max(this.#peakBefore, tokensBefore);
    this.#peakAfter = Math.max(this.#peakAfter, tokensAfter);
    if (before === after) return;
    const lists = { before, after, loop };
    const found =
      before.length === after.length
        ? this.#inPlace.compare(lists, countMessage)
        : this.#span.compare(lists, countMessage);
    if (found === undefined) this.#compare(before, after, countMessage);
    for (const [hash, reduction] of found?.reductions ?? []) this.#reduce(hash, reduction);
    for (const message of found?.inserted ?? []) this.#insert(message, countMessage);
  }

  savings(): Savings {
    let unique = 0;
    for (const tokens of this.#reductions.values()) unique += tokens;
    for (const tokens of this.#insertions.values()) unique -= tokens;
    const [peakBefore, peakAfter] = [this.#peakBefore, this.#peakAfter];
    return { gross: this.#gross, unique, peakBefore, peakAfter };
  }

  #reduce(hash: string, reduction: number): void {
    const largest = this.#reductions.get(hash) ?? reduction;
    this.#reductions.set(hash, Math.max(largest, reduction));
  }

  #insert(message: Message, countMessage: (message: Message) => number): void {
    this.#insertions.set(message.identity.hash, countMessage(message));
  }

  /**
   * Messages are compared as multisets by identity: position does not matter, number does. A message
   * that was rewritten in its place is one with a reduction, not one removed and one inserted.
   */
  #compare(
    before: readonly Message[],
    after: readonly Message[],
    countMessage: (message: Message) => number,
  ): void {
    const [start, endBefore, endAfter] = differing(before, after);
    const changedBefore = before.slice(start, endBefore);
    const changedAfter = after.slice(start, endAfter);
    const removed = surplus(changedBefore, changedAfter);
    const inserted = new Set<Inserted>(surplus(changedAfter, changedBefore).entries());
    const places = byPlace(inserted);
    const reductions = new Map<string, number>();
    for (const message of removed) {
      const place = exchangePlace(message);
      const rewritten = place === undefined ? undefined : places.get(place)?.shift();
      const left = rewritten === undefined ? 0 : countMessage(rewritten[1]);
      if (rewritten !== undefined) inserted.delete(rewritten);
      const { hash } = message.identity;
      reductions.set(hash, (reductions.get(hash) ?? 0) + countMessage(message) - left);
    }
    for (const [hash, reduction] of reductions) this.#reduce(hash, reduction);
    for (const [, message] of inserted) this.#insert(message, countMessage);
  }
}

/** A message with its number among those that were inserted. */
type Inserted = readonly [number, Message];

function byPlace(inserted: Iterable<Inserted>): Map<string, Inserted[]> {
  const places = new Map<string, Inserted[]>();
  for (const entry of inserted) {
    const place = exchangePlace(entry[1]);
    if (place === undefined) continue;
    const known = places.get(place);
    if (known === undefined) places.set(place, [entry]);
    else known.push(entry);
  }
  return places;
}

/** The messages of `list` that `other` does not have, each as often as it lacks it. */
function surplus(list: readonly Message[], other: readonly Message[]): Message[] {
  const spare = new Map<string, number>();
  for (const { identity } of other) spare.set(identity.hash, (spare.get(identity.hash) ?? 0) + 1);
  return list.filter(({ identity }) => {
    const count = spare.get(identity.hash) ?? 0;
    if (count > 0) spare.set(identity.hash, count - 1);
    return count === 0;
  });
}
