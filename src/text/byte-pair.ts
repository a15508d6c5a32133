/**
 * Byte-pair merging of one piece of text: how many tokens its bytes become. Equal to repeatedly joining
 * the leftmost pair of the lowest rank, but with a heap over a linked list, so O(n log n) for any piece.
 */

import type { TokenRanks } from './token-ranks.ts';

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

/** Pieces up to this many bytes, which are nearly all, are merged by looking through their pairs. */
const SHORT_BYTES = 48;
const UNRANKED = 0x7fffffff;
/** Of the parts of a short piece: where each begins, and the rank of each joined with the next. */
const starts = new Int32Array(SHORT_BYTES + 2);
const joined = new Int32Array(SHORT_BYTES + 2);

function countShort(piece: string, ranks: TokenRanks): number {
  let parts = piece.length;
  for (let index = 0; index <= parts; index++) {
    starts[index] = index;
    const rank = index + 2 > parts ? NO_PAIR : ranks.ofPair(piece, index);
    joined[index] = rank === NO_PAIR ? UNRANKED : rank;
  }
  for (;;) {
    let lowest = UNRANKED;
    let where = -1;
    for (let index = 0; index < parts - 1; index++) {
      const rank = at(joined, index);
      if (rank < lowest) {
        lowest = rank;
        where = index;
      }
    }
    if (where < 0) return parts;
    for (let index = where + 1; index < parts; index++) {
      starts[index] = at(starts, index + 1);
      joined[index] = at(joined, index + 1);
    }
    parts--;
    rejoinShort(piece, ranks, where, parts);
    if (where > 0) rejoinShort(piece, ranks, where - 1, parts);
  }
}

function rejoinShort(piece: string, ranks: TokenRanks, index: number, parts: number): void {
  const isLast = index + 2 > parts;
  const rank = isLast ? NO_PAIR : ranks.of(piece, at(starts, index), at(starts, index + 2));
  joined[index] = rank === NO_PAIR ? UNRANKED : rank;
}

/** Number of tokens that the bytes of `piece` (one character a byte) become. */
export function countMergedTokens(piece: string, ranks: TokenRanks): number {
  const { length } = piece;
  if (length < 2) return length;
  if (length <= SHORT_BYTES) return countShort(piece, ranks);
  const { next, previous, pairRank, heap } = length <= KEPT_BYTES ? kept : newScratch(length);
  let heapSize = 0;
  for (let position = 0; position < length; position++) {
    next[position] = position + 1;
    previous[position] = position - 1;
    const rank = position + 2 > length ? NO_PAIR : ranks.ofPair(piece, position);
    pairRank[position] = rank;
    if (rank !== NO_PAIR) heap[heapSize++] = rank * POSITIONS + position;
  }
  for (let index = (heapSize >> 1) - 1; index >= 0; index--) sink(heap, index, heapSize);

  const rejoin = (start: number): void => {
    const middle = at(next, start);
    const rank = middle < length ? ranks.of(piece, start, at(next, middle)) : NO_PAIR;
    pairRank[start] = rank;
    if (rank !== NO_PAIR) heapSize = push(heap, heapSize, rank * POSITIONS + start);
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
