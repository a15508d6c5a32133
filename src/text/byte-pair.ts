/**
 * Byte-pair merging of one piece of text: how many tokens its bytes become. Equal to repeatedly joining
 * the leftmost pair of the lowest rank, but with a heap over a linked list, so O(n log n) for any piece.
 */

/** Ranks by token, a token being a string with one character (0–255) a byte. */
export interface TokenRanks {
  readonly ranks: ReadonlyMap<string, number>;
  /** Bytes of the longest token: no longer pair needs to be looked up. */
  readonly longest: number;
}

/** A heap entry is `rank * POSITIONS + position`: ordered by rank, then leftmost, exact in a double. */
const POSITIONS = 2 ** 32;
const NO_PAIR = -1;
/** Scratch arrays for pieces up to this many bytes are kept between calls. */
const KEPT_BYTES = 4096;

interface Scratch {
  /** Start of the part after the one that starts here. */
  readonly next: Int32Array;
  /** Start of the part before the one that starts here. */
  readonly previous: Int32Array;
  /** Rank of the part that starts here joined with the next, or NO_PAIR. */
  readonly pairRank: Int32Array;
  readonly heap: Float64Array;
}

function newScratch(bytes: number): Scratch {
  return {
    next: new Int32Array(bytes + 1),
    previous: new Int32Array(bytes + 1),
    pairRank: new Int32Array(bytes + 1),
    // Each byte enters at most one pair, and each of the n - 1 joins adds at most two.
    heap: new Float64Array(3 * bytes + 3),
  };
}

const kept = newScratch(KEPT_BYTES);

/** Number of tokens that the bytes of `piece` (one character a byte) become. */
export function countMergedTokens(piece: string, table: TokenRanks): number {
  const length = piece.length;
  if (length < 2) return length;
  const { ranks, longest } = table;
  const { next, previous, pairRank, heap } = length <= KEPT_BYTES ? kept : newScratch(length);
  let heapSize = 0;
  for (let position = 0; position < length; position++) {
    next[position] = position + 1;
    previous[position] = position - 1;
    const rank = position + 2 > length ? undefined : ranks.get(piece.slice(position, position + 2));
    pairRank[position] = rank ?? NO_PAIR;
    if (rank !== undefined) heap[heapSize++] = rank * POSITIONS + position;
  }
  for (let index = (heapSize >> 1) - 1; index >= 0; index--) sink(heap, index, heapSize);

  const rejoin = (start: number): void => {
    const middle = at(next, start);
    const end = middle < length ? at(next, middle) : length + 1;
    const rank =
      end > length || end - start > longest ? undefined : ranks.get(piece.slice(start, end));
    pairRank[start] = rank ?? NO_PAIR;
    if (rank !== undefined) heapSize = push(heap, heapSize, rank * POSITIONS + start);
  };

  let tokens = length;
  while (heapSize > 0) {
    const top = heap[0] ?? 0;
    heapSize--;
    heap[0] = heap[heapSize] ?? 0;
    sink(heap, 0, heapSize);
    const rank = Math.floor(top / POSITIONS);
    const start = top - rank * POSITIONS;
    // A pair whose parts have changed has another rank by now: the entry is stale.
    if (pairRank[start] !== rank) continue;
    const middle = at(next, start);
    const end = at(next, middle);
    next[start] = end;
    if (end < length) previous[end] = start;
    pairRank[middle] = NO_PAIR;
    tokens--;
    rejoin(start);
    const before = at(previous, start);
    if (before >= 0) rejoin(before);
  }
  return tokens;
}

function at(array: Int32Array, index: number): number {
  return array[index] ?? 0;
}

function push(heap: Float64Array, size: number, entry: number): number {
  let index = size;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent] ?? 0;
    if (above <= entry) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = entry;
  return size + 1;
}

function sink(heap: Float64Array, from: number, size: number): void {
  const entry = heap[from] ?? 0;
  let index = from;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= size) break;
    let below = heap[child] ?? 0;
    const right = child + 1 < size ? (heap[child + 1] ?? 0) : Number.POSITIVE_INFINITY;
    if (right < below) {
      child++;
      below = right;
    }
    if (below >= entry) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = entry;
}
