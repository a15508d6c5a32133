import { createHash } from 'node:crypto';
import type { WireName } from '../../model/model.ts';
import { countTokens } from '../../text/tokens.ts';
import type { CachePart } from './wire.ts';

/** Smallest prefix that is kept, the size of OpenAI's steps, and how far an Anthropic mark looks back. */
const LEAST_TOKENS = 1024;
const STEP_TOKENS = 128;
const LOOK_BACK = 20;

export interface CacheUse {
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/**
 * Which prefixes were sent before, by model; nothing expires, so that an answer depends on the requests
 * before it and on no clock. Anthropic: at marks only; OpenAI: at any message, in steps, nothing written.
 */
export class PromptCache {
  readonly #known = new Set<string>();

  /** @param most tokens of the whole input, which no figure may exceed */
  use(wire: WireName, model: string, parts: readonly CachePart[], most: number): CacheUse {
    const hash = createHash('sha256').update(JSON.stringify([wire, model]));
    const keys = parts.map(({ text }) =>
      hash.update(`${text.length}:${text}`).copy().digest('hex'),
    );
    const last = parts.findLastIndex(({ marked }) => marked);
    let sum = 0;
    const sizes = parts.map(({ text }) => {
      sum += countTokens(text);
      return Math.min(most, sum);
    });
    const isKept = (index: number) => (sizes[index] ?? 0) >= LEAST_TOKENS;
    const from = wire === 'anthropic' ? Math.max(0, last - LOOK_BACK) : 0;
    let read = last;
    while (read >= from && !this.#known.has(keys[read] ?? '')) read--;
    const readTokens = read >= from ? (sizes[read] ?? 0) : 0;
    for (const [index, { marked }] of parts.entries()) {
      const key = keys[index];
      if (marked && key !== undefined && isKept(index)) this.#known.add(key);
    }
    if (wire === 'anthropic') {
      const written = isKept(last) ? (sizes[last] ?? 0) - readTokens : 0;
      return { cacheReadTokens: readTokens, cacheWriteTokens: written };
    }
    const steps = Math.floor(readTokens / STEP_TOKENS) * STEP_TOKENS;
    return { cacheReadTokens: steps < LEAST_TOKENS ? 0 : steps, cacheWriteTokens: 0 };
  }
}
