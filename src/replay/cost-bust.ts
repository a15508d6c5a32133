import type { Prompt } from './cost-cache.ts';

/** A prompt and how many of its tokens were read from the cache: its first ones. */
interface ReadPrompt {
  readonly prompt: Prompt;
  readonly read: number;
}

/**
 * Tokens that a rewrite made the provider process anew: those of pieces that both prompts have, that the
 * original would have read from the cache and that the rewritten one did not. Each piece of the one stands for one
 * equal piece of the other, the common start and end first.
 */
export function bustTokens(before: ReadPrompt, after: ReadPrompt): number {
  const { keys: old } = before.prompt;
  const { keys } = after.prompt;
  const shared = Math.min(old.length, keys.length);
  let start = 0;
  while (start < shared && old[start] === keys[start]) start++;
  if (start === keys.length && start === old.length && after.read >= before.read) return 0;
  let end = 0;
  while (end < shared - start && old[old.length - 1 - end] === keys[keys.length - 1 - end]) {
    end++;
  }
  let bust = 0;
  for (let piece = 0; piece < start; piece++) bust += lost(before, piece, after, piece);
  const shift = keys.length - old.length;
  for (let piece = old.length - end; piece < old.length; piece++) {
    bust += lost(before, piece, after, piece + shift);
  }
  const moved = new Map<number, number[]>();
  for (let piece = start; piece < old.length - end; piece++) {
    const key = old[piece] ?? -1;
    const places = moved.get(key);
    if (places === undefined) moved.set(key, [piece]);
    else places.push(piece);
  }
  if (moved.size === 0) return bust;
  for (let piece = start; piece < keys.length - end; piece++) {
    const from = moved.get(keys[piece] ?? -1)?.shift();
    if (from !== undefined) bust += lost(before, from, after, piece);
  }
  return bust;
}

/** Of one piece: the tokens that were read of it before, from its start, and are not read after. */
function lost(before: ReadPrompt, old: number, after: ReadPrompt, piece: number): number {
  const wasRead = before.read - before.prompt.tokensTo(old);
  if (wasRead <= 0) return 0;
  const start = after.prompt.tokensTo(piece);
  const size = after.prompt.tokensTo(piece + 1) - start;
  return Math.max(0, Math.min(wasRead, size) - Math.max(0, after.read - start));
}
