import { type Caching, MARK_LIFETIMES, type MarkLifetime } from '../model/caching.ts';
import { lastUpTo, type PrefixNode, PrefixTree } from './cost-tree.ts';

/** A prompt as its provider's cache sees it. */
export interface Prompt {
  /** A number for each piece; equal pieces have equal numbers. */
  readonly keys: readonly number[];
  /** Cache marks, each by the number of pieces before it; in the order of the prompt. */
  readonly marks: readonly PromptMark[];
  /** Tokens of the first `pieces` pieces, as the provider counts them; rising. */
  tokensTo(pieces: number): number;
}

export interface PromptMark {
  readonly end: number;
  readonly lifetime: MarkLifetime;
}

/** The tier of every input token of one call. The tiers add up to the prompt. */
export interface InputTiers {
  readonly fresh: number;
  readonly cacheRead: number;
  /** Absent where writing has no price of its own. */
  readonly cacheWrite5m?: number;
  readonly cacheWrite1h?: number;
}

/**
 * The prompt cache of one model over the requests of one lineage. A call reads the longest prefix of any
 * earlier request that is still alive and that the provider's rules let it find.
 */
export class PromptCache {
  readonly #caching: Caching;
  readonly #tree = new PrefixTree();

  constructor(caching: Caching) {
    this.#caching = caching;
  }

  /** @param time start of the call in milliseconds; never before that of the call before it */
  call(prompt: Prompt, time: number): InputTiers {
    const { keys } = prompt;
    const total = prompt.tokensTo(keys.length);
    switch (this.#caching.kind) {
      case 'none':
        return { fresh: total, cacheRead: 0 };
      case 'automatic':
        return this.#automatic(prompt, total, time, this.#caching);
      case 'marks':
        return this.#atMarks(prompt, total, time, this.#caching);
    }
  }

  #automatic(
    prompt: Prompt,
    total: number,
    time: number,
    caching: { readonly minimum: number; readonly step: number; readonly lifetime: number },
  ): InputTiers {
    const { minimum, step, lifetime } = caching;
    const { keys } = prompt;
    const { path, length, edge } = this.#tree.walk(keys);
    const isDead = ({ used }: PrefixNode) => time - used > lifetime;
    // Whoever has a prefix has all shorter ones, so what is dead is the end of the way.
    const dead = path.findIndex(isDead);
    const whole = dead < 0 && (edge === undefined || !isDead(edge));
    const last = dead < 0 ? path.at(-1) : path[dead - 1];
    const shared = prompt.tokensTo(whole ? length : (last?.end ?? 0));
    const steps = Math.floor((shared - minimum) / step);
    const cacheRead = shared < minimum ? 0 : minimum + steps * step;
    this.#tree.nodeAt(keys.length, time);
    for (const node of path) node.used = time;
    return { fresh: total - cacheRead, cacheRead };
  }

  /**
   * Source: Anthropic, "Prompt caching". A mark is compared with what earlier marks wrote, at its own place and
   * at the blocks before it; the longest find is read. From there to the last mark of an hour is
   * written for an hour, from there to the last mark for five minutes, and what follows is fresh.
   */
  #atMarks(
    prompt: Prompt,
    total: number,
    time: number,
    { minimum, lookBack }: { readonly minimum: number; readonly lookBack: number },
  ): InputTiers {
    const marks = prompt.marks.filter(({ end }) => prompt.tokensTo(end) >= minimum);
    const { path } = this.#tree.walk(prompt.keys);
    let found: PrefixNode | undefined;
    for (const { end } of marks) {
      for (let index = lastUpTo(path, end); index >= 0; index--) {
        const node = path[index];
        if (node === undefined || end - node.end >= lookBack) break;
        if (!isAlive(node, time)) continue;
        if (found === undefined || node.end > found.end) found = node;
        break;
      }
    }
    const read = found?.end ?? 0;
    const from = found?.entry?.lifetime;
    // A prefix of what is read is read with it.
    for (const node of path) {
      if (node.end > read) break;
      if (node.entry !== undefined && isAlive(node, time)) node.entry.used = time;
    }
    const long = lastEnd(marks, '1h', read);
    const last = Math.max(long, lastEnd(marks, '5m', read));
    this.#write(marks, { read, from }, time);
    const to = (pieces: number) => prompt.tokensTo(pieces);
    return {
      fresh: total - to(last),
      cacheRead: to(read),
      cacheWrite5m: to(last) - to(long),
      cacheWrite1h: to(long) - to(read),
    };
  }

  #write(
    marks: readonly PromptMark[],
    { read, from }: { readonly read: number; readonly from: MarkLifetime | undefined },
    time: number,
  ): void {
    for (const { end } of marks) {
      const node = this.#tree.nodeAt(end, time);
      if (end <= read && isAlive(node, time)) continue;
      const asked = marks.some((mark) => mark.end === end && mark.lifetime === '1h') ? '1h' : '5m';
      // Inside what was read nothing is paid for, so it does not live longer than that.
      const lifetime = end <= read && from === '5m' ? '5m' : asked;
      node.entry = { lifetime, used: time };
    }
  }
}

function isAlive({ entry }: PrefixNode, time: number): boolean {
  return entry !== undefined && time - entry.used <= MARK_LIFETIMES[entry.lifetime];
}

function lastEnd(marks: readonly PromptMark[], lifetime: MarkLifetime, atLeast: number): number {
  let last = atLeast;
  for (const mark of marks) if (mark.lifetime === lifetime) last = Math.max(last, mark.end);
  return last;
}
