import type { Message } from '../transcript/message.ts';
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
  #gross = 0;
  #peakBefore = 0;
  #peakAfter = 0;

  /** @param countMessage tokens of one message at this request, in the model's own counting */
  add(
    before: readonly Message[],
    after: readonly Message[],
    { tokensBefore, tokensAfter }: { readonly tokensBefore: number; readonly tokensAfter: number },
    countMessage: (message: Message) => number,
  ): void {
    this.#gross += tokensBefore - tokensAfter;
    this.#peakBefore = Math.max(this.#peakBefore, tokensBefore);
    this.#peakAfter = Math.max(this.#peakAfter, tokensAfter);
    if (before !== after) this.#compare(before, after, countMessage);
  }

  savings(): Savings {
    let unique = 0;
    for (const tokens of this.#reductions.values()) unique += tokens;
    for (const tokens of this.#insertions.values()) unique -= tokens;
    const [peakBefore, peakAfter] = [this.#peakBefore, this.#peakAfter];
    return { gross: this.#gross, unique, peakBefore, peakAfter };
  }

  /** Messages are compared as multisets by identity: position does not matter, number does. */
  #compare(
    before: readonly Message[],
    after: readonly Message[],
    countMessage: (message: Message) => number,
  ): void {
    const [start, endBefore, endAfter] = differing(before, after);
    const surplus = new Map<string, { message: Message; count: number }>();
    const note = (message: Message | undefined, step: 1 | -1) => {
      if (message === undefined) return;
      const { hash } = message.identity;
      const entry = surplus.get(hash);
      if (entry === undefined) surplus.set(hash, { message, count: step });
      else entry.count += step;
    };
    for (let index = start; index < endBefore; index++) note(before[index], 1);
    for (let index = start; index < endAfter; index++) note(after[index], -1);
    for (const [hash, { message, count }] of surplus) {
      if (count > 0) {
        const reduction = count * countMessage(message);
        this.#reductions.set(hash, Math.max(this.#reductions.get(hash) ?? 0, reduction));
      } else if (count < 0) this.#insertions.set(hash, countMessage(message));
    }
  }
}

/** The range that is left when the common start and end of both lists are set aside. */
function differing(
  before: readonly Message[],
  after: readonly Message[],
): readonly [start: number, endBefore: number, endAfter: number] {
  const shared = Math.min(before.length, after.length);
  let start = 0;
  while (start < shared && before[start] === after[start]) start++;
  let trailing = 0;
  while (
    trailing < shared - start &&
    before[before.length - 1 - trailing] === after[after.length - 1 - trailing]
  ) {
    trailing++;
  }
  return [start, before.length - trailing, after.length - trailing];
}
