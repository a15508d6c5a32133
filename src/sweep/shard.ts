import { createHash } from 'node:crypto';
import { HarnessError } from '../errors.ts';
import type { Message } from '../transcript/message.ts';
import type { Transcript } from '../transcript/transcript.ts';
import type { Cell } from './cells.ts';
import { MOST_SHARDS, type Selection, selectionHash } from './manifest.ts';

/** One of `count` parts of a sweep; `index` counts from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** What a shard's manifest says of the whole that it is a part of. */
export interface ShardRecord extends Shard {
  /** Hash of the selection and of every transcript of the whole, in order: equal in all its shards. */
  readonly plan: string;
  /** Transcripts of the whole. */
  readonly transcripts: number;
  /** Places of this shard's transcripts among them, from 0, ascending. */
  readonly own: readonly number[];
}

/** Reads `--shard i/n`. Throws HarnessError `usage`. */
export function parseShard(text: string): Shard {
  const [, first, second] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  const [index, count] = [Number(first), Number(second)];
  if (index >= 1 && count >= 1 && index <= count && count <= MOST_SHARDS) return { index, count };
  const zero = first === '0' ? '; to an index that counts from 0, add 1' : '';
  const message = `--shard is '${text}', expected i/n with i from 1 to n, such as 2/4${zero}`;
  throw new HarnessError('usage', message);
}

/** `shard 2/4`, as messages name it. */
export function shardName({ index, count }: Shard): string {
  return `shard ${index}/${count}`;
}

/**
 * Cuts a sweep into shards. Every shard reads all recordings in the same order and gives each transcript to
 * the shard that has the least work so far, so that all come to the same partition without speaking to
 * each other, and no two differ by more than the largest transcript. A transcript is never divided: its
 * cells share what is computed of its messages, and a control needs the cell that it matches.
 */
export class ShardCut {
  readonly #shard: Shard;
  readonly #loads: LeastFirst;
  readonly #plan = createHash('sha256');
  readonly #own: number[] = [];
  #transcripts = 0;

  constructor(shard: Shard, selection: Selection) {
    this.#shard = shard;
    this.#loads = new LeastFirst(shard.count);
    this.#plan.update(selectionHash(selection));
  }

  /** Is told of every transcript of the whole, in order; true for those of this shard. */
  takes(transcript: Transcript, [cell]: readonly Pick<Cell, 'id'>[]): boolean {
    // The id holds everything that a cell depends on; the other cells differ by the selection only.
    this.#plan.update(`\n${cell?.id ?? transcript.hash}`);
    const place = this.#transcripts++;
    const isOwn = this.#loads.add(workOf(transcript)) === this.#shard.index - 1;
    if (isOwn) this.#own.push(place);
    return isOwn;
  }

  /** What to keep once every transcript has been told. */
  record(): ShardRecord {
    const plan = this.#plan.copy().digest('hex').slice(0, 16);
    return { ...this.#shard, plan, transcripts: this.#transcripts, own: [...this.#own] };
  }
}

/** Work that a request makes beside its new text, in characters of text that take as long. */
const REQUEST_WORK = 200;

/** How long a transcript takes, in characters: its distinct text is counted once, each request looked at. */
export function workOf({ requests }: Pick<Transcript, 'requests'>): number {
  let work = 1;
  const seen = new Set<Message>();
  let before: readonly Message[] = [];
  for (const { messages } of requests) {
    let kept = 0;
    while (kept < messages.length && messages[kept] === before[kept]) kept++;
    for (const message of messages.slice(kept)) {
      if (!seen.has(message)) work += message.raw.length;
      seen.add(message);
    }
    before = messages;
    work += REQUEST_WORK;
  }
  return work;
}

/** Loads in a heap: the least is on top, and of equal ones the first. */
class LeastFirst {
  readonly #heap: { readonly index: number; load: number }[];

  constructor(count: number) {
    this.#heap = Array.from({ length: count }, (_, index) => ({ index, load: 0 }));
  }

  /** Adds to the least load; returns whose it is. */
  add(work: number): number {
    const [top] = this.#heap;
    if (top === undefined) return 0;
    top.load += work;
    this.#sink();
    return top.index;
  }

  #sink(): void {
    const heap = this.#heap;
    for (let at = 0; ; ) {
      const child = this.#before(2 * at + 2, 2 * at + 1) ? 2 * at + 2 : 2 * at + 1;
      const [one, other] = [heap[at], heap[child]];
      if (one === undefined || other === undefined || !this.#before(child, at)) return;
      heap[at] = other;
      heap[child] = one;
      at = child;
    }
  }

  #before(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return false;
    return one.load < other.load || (one.load === other.load && one.index < other.index);
  }
}
