import type { MarkLifetime } from '../model/caching.ts';

/** What a mark wrote. */
interface CacheEntry {
  readonly lifetime: MarkLifetime;
  /** Start of the request that last wrote or read it, in milliseconds. */
  used: number;
}

/** A prefix that some request had. */
export interface PrefixNode {
  /** Its length in pieces. */
  readonly end: number;
  /** Start of the last request that had all of it, in milliseconds. */
  used: number;
  /** Present where a mark stood. */
  entry: CacheEntry | undefined;
}

interface TreeNode extends PrefixNode {
  /** Pieces on the way to it from the node before. */
  label: Int32Array;
  readonly children: Map<number, TreeNode>;
}

/**
 * The prefixes of all requests so far, as a radix tree: a request adds at most a leaf and a split for each of
 * its marks, so the tree grows with what is new in each request and not with their lengths. The way of the
 * last request is kept, since the next one mostly has the most of it.
 */
export class PrefixTree {
  readonly #root = newNode(new Int32Array(), 0, 0);
  /** Nodes on the way of the last keys, the root left out. */
  readonly #path: TreeNode[] = [];
  #last: Int32Array = new Int32Array();
  #lastLength = 0;

  /**
   * Nodes on the way of a prompt, the shortest first: a list that `nodeAt` goes on with, until the next walk.
   *
   * @returns also how many of its pieces the tree knows, and the node that lies behind the last of them
   * where that is in between two nodes
   */
  walk(keys: readonly number[]): {
    readonly path: readonly PrefixNode[];
    readonly length: number;
    readonly edge?: PrefixNode;
  } {
    const shared = this.#remember(keys);
    while ((this.#path.at(-1)?.end ?? 0) > shared) this.#path.pop();
    let node = this.#path.at(-1) ?? this.#root;
    while (node.end < keys.length) {
      const next = node.children.get(keys[node.end] ?? -1);
      if (next === undefined) break;
      const matched = sharedLength(next.label, keys, node.end);
      if (matched < next.label.length) {
        return { path: this.#path, length: node.end + matched, edge: next };
      }
      this.#path.push(next);
      node = next;
    }
    return { path: this.#path, length: node.end };
  }

  /**
   * The node of the first `end` pieces of the keys that were last walked; made where there is none.
   *
   * @param time what a new node was used at
   */
  nodeAt(end: number, time: number): PrefixNode {
    let index = lastUpTo(this.#path, end);
    let node = this.#path[index] ?? this.#root;
    while (node.end < end) {
      node = this.#child(node, end, time);
      this.#path.splice(++index, 0, node);
    }
    return node;
  }

  /** The next node on the way to `end`: split off a known one, or new. */
  #child(parent: TreeNode, end: number, time: number): TreeNode {
    const keys = this.#last;
    const first = keys[parent.end] ?? -1;
    const known = parent.children.get(first);
    if (known === undefined) {
      const leaf = newNode(keys.slice(parent.end, end), end, time);
      parent.children.set(first, leaf);
      return leaf;
    }
    const most = Math.min(end, this.#lastLength) - parent.end;
    const matched = Math.min(most, sharedLength(known.label, keys, parent.end));
    const upper = newNode(known.label.slice(0, matched), parent.end + matched, known.used);
    known.label = known.label.slice(matched);
    upper.children.set(known.label[0] ?? -1, known);
    parent.children.set(first, upper);
    return upper;
  }

  /** Keeps a copy of the keys. @returns how many of them are those of the last call */
  #remember(keys: readonly number[]): number {
    const limit = Math.min(keys.length, this.#lastLength);
    let shared = 0;
    while (shared < limit && this.#last[shared] === keys[shared]) shared++;
    if (keys.length > this.#last.length) {
      const larger = new Int32Array(keys.length * 2);
      larger.set(this.#last.subarray(0, shared));
      this.#last = larger;
    }
    for (let index = shared; index < keys.length; index++) this.#last[index] = keys[index] ?? -1;
    this.#lastLength = keys.length;
    return shared;
  }
}

/** Index of the last node that is no longer than `end`; −1 where there is none. */
export function lastUpTo(path: readonly PrefixNode[], end: number): number {
  let low = 0;
  let high = path.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((path[middle]?.end ?? 0) <= end) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function newNode(label: Int32Array, end: number, used: number): TreeNode {
  return { label, end, children: new Map(), used, entry: undefined };
}

function sharedLength(label: Int32Array, keys: ArrayLike<number>, at: number): number {
  const limit = Math.min(label.length, keys.length - at);
  let shared = 0;
  while (shared < limit && label[shared] === keys[at + shared]) shared++;
  return shared;
}
