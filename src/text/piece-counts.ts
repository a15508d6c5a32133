/** FNV-1a. Source: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm". */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const FREE = -1;

/**
 * Token counts of pieces of text, looked up where they stand: no string is made of a piece to find it. The
 * code units of the pieces lie in one array, so no text is kept alive. When it is full it begins anew.
 */
export class PieceCounts {
  readonly #most: number;
  /** Entries by hash; FREE in a free slot. Twice as many slots as entries at least. */
  readonly #slots: Int32Array;
  /** Where the code units of each entry begin, with one more for the end of the last. */
  readonly #starts: Int32Array;
  readonly #counts: Int32Array;
  readonly #units: Uint16Array;
  #entries = 0;
  /** Where the piece of the last `get` belongs. */
  #slot = 0;

  /**
   * @param most pieces that are held
   * @param units UTF-16 code units that are held
   */
  constructor(most: number, units: number) {
    this.#most = most;
    this.#slots = new Int32Array(2 << Math.ceil(Math.log2(most + 1))).fill(FREE);
    this.#starts = new Int32Array(most + 1);
    this.#counts = new Int32Array(most);
    this.#units = new Uint16Array(units);
  }

  /** Tokens of the piece from `start` to `end` of `text`; −1 where it is not known. */
  get(text: string, start: number, end: number): number {
    let hash = FNV_OFFSET;
    for (let index = start; index < end; index++) {
      hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
    }
    const mask = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot] ?? FREE;
      if (entry === FREE) break;
      if (this.#isEntry(entry, text, start, end)) return this.#counts[entry] ?? 0;
    }
    this.#slot = slot;
    return -1;
  }

  /** Keeps the count of the piece that `get` was last asked for and did not know. */
  add(text: string, start: number, end: number, count: number): void {
    const from = this.#starts[this.#entries] ?? 0;
    if (this.#entries === this.#most || from + end - start > this.#units.length) {
      this.#slots.fill(FREE);
      this.#entries = 0;
      return;
    }
    for (let index = start; index < end; index++) {
      this.#units[from + index - start] = text.charCodeAt(index);
    }
    this.#slots[this.#slot] = this.#entries;
    this.#counts[this.#entries] = count;
    this.#entries++;
    this.#starts[this.#entries] = from + end - start;
  }

  #isEntry(entry: number, text: string, start: number, end: number): boolean {
    const from = this.#starts[entry] ?? 0;
    if ((this.#starts[entry + 1] ?? 0) - from !== end - start) return false;
    for (let index = start; index < end; index++) {
      if (this.#units[from + index - start] !== text.charCodeAt(index)) return false;
    }
    return true;
  }
}
