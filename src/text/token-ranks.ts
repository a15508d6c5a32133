/**
 * The tokens of an encoding by their bytes. One array holds the bytes of all of them, and an open hash table
 * their ranks: a merge looks up six candidates a piece, most of them no token, and a `Map` by string would
 * make a string and follow several pointers for each.
 */

const NO_RANK = -1;
/** FNV-1a. Source: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm". */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

export class TokenRanks {
  /** Bytes of the longest token: nothing longer needs to be looked up. */
  readonly longest: number;
  readonly #bytes: Uint8Array;
  /** Where the bytes of each rank begin, with one more for the end of the last. */
  readonly #starts: Int32Array;
  /** Ranks by hash; NO_RANK in a free slot. Twice as many slots as tokens at least. */
  readonly #slots: Int32Array;
  /** Ranks of the tokens of two bytes, at `256 * first + second`: every merge begins with them. */
  readonly #pairs = new Int32Array(1 << 16).fill(NO_RANK);

  /** @param runs tokens in base64 with consecutive ranks, by the rank of the first; in rising order */
  constructor(runs: readonly (readonly [first: number, tokens: readonly string[]])[]) {
    let count = 0;
    let most = 0;
    for (const [, tokens] of runs) {
      count += tokens.length;
      for (const { length } of tokens) most += length;
    }
    const last = runs.at(-1);
    this.#starts = new Int32Array((last === undefined ? 0 : last[0] + last[1].length) + 1);
    this.#slots = new Int32Array(2 << Math.ceil(Math.log2(count + 1))).fill(NO_RANK);
    const bytes = Buffer.alloc(most);
    let end = 0;
    let longest = 0;
    let rank = 0;
    for (const [first, tokens] of runs) {
      for (; rank < first; rank++) this.#starts[rank] = end;
      for (const token of tokens) {
        this.#starts[rank] = end;
        const length = bytes.write(token, end, 'base64');
        if (length > longest) longest = length;
        this.#insert(bytes, end, end + length, rank);
        end += length;
        rank++;
      }
    }
    this.#starts[rank] = end;
    this.#bytes = bytes.subarray(0, end);
    this.longest = longest;
  }

  #insert(bytes: Uint8Array, start: number, end: number, rank: number): void {
    if (end - start === 2) this.#pairs[((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0)] = rank;
    let hash = FNV_OFFSET;
    for (let index = start; index < end; index++) {
      hash = Math.imul(hash ^ (bytes[index] ?? 0), FNV_PRIME);
    }
    const mask = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    while ((this.#slots[slot] ?? NO_RANK) !== NO_RANK) slot = (slot + 1) & mask;
    this.#slots[slot] = rank;
  }

  /** Rank of the token of these two bytes, the first at `position`; −1 where there is none. */
  ofPair(text: string, position: number): number {
    const pair = (text.charCodeAt(position) << 8) | text.charCodeAt(position + 1);
    return this.#pairs[pair] ?? NO_RANK;
  }

  /** Rank of the token whose bytes are the characters (0–255) from `start` to `end`; −1 where there is none. */
  of(text: string, start: number, end: number): number {
    if (end - start > this.longest) return NO_RANK;
    let hash = FNV_OFFSET;
    for (let index = start; index < end; index++) {
      hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
    }
    const mask = this.#slots.length - 1;
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const rank = this.#slots[slot] ?? NO_RANK;
      if (rank === NO_RANK || this.#isToken(rank, text, start, end)) return rank;
    }
  }

  #isToken(rank: number, text: string, start: number, end: number): boolean {
    const from = this.#starts[rank] ?? 0;
    if ((this.#starts[rank + 1] ?? 0) - from !== end - start) return false;
    for (let index = start; index < end; index++) {
      if (this.#bytes[from + index - start] !== text.charCodeAt(index)) return false;
    }
    return true;
  }
}
