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
  // What both begin with stands at the same tokens of both.
  const common = before.prompt.tokensTo(start);
  let bust = Math.max(0, Math.min(before.read, common) - Math.min(after.read, common));
  const shift = keys.length - old.length;
  for (let piece = old.length - end; piece < old.length; piece++) {
    if (before.prompt.tokensTo(piece) >= before.read) break;
    bust += lost(before, piece, after, piece + shift);
  }
  const oldEnd = old.length - end;
  const place =
    keys.length - end - start > FEW_PIECES
      ? places(old, start, oldEnd)
      : nextPlace(old, start, oldEnd);
  for (let piece = start; piece < keys.length - end; piece++) {
    const from = place(keys[piece] ?? -1);
    if (from !== undefined) bust += lost(before, from, after, piece);
  }
  return bust;
}

/** A rewrite with no more pieces of its own looks for each among the thousands that it stands for. */
const FEW_PIECES = 8;

/** Gives the places of a key from `start` to `end`, one after the other. */
type Places = (key: number) => number | undefined;

function nextPlace(keys: readonly number[], start: number, end: number): Places {
  const lookFrom = new Map<number, number>();
  return (key) => {
    const found = keys.indexOf(key, lookFrom.get(key) ?? start);
    const isInside = found >= 0 && found < end;
    lookFrom.set(key, isInside ? found + 1 : keys.length);
    return isInside ? found : undefined;
  };
}

function places(keys: readonly number[], start: number, end: number): Places {
  const found = new Map<number, number[]>();
  for (let place = start; place < end; place++) {
    const key = keys[place] ?? -1;
    const known = found.get(key);
    if (known === undefined) found.set(key, [place]);
    else known.push(place);
  }
  return (key) => found.get(key)?.shift();
}

/** Of one piece: the tokens that were read of it before, from its start, and are not read after. */
function lost(before: ReadPrompt, old: number, after: ReadPrompt, piece: number): number {
  const wasRead = before.read - before.prompt.tokensTo(old);
  if (wasRead <= 0) return 0;
  const start = after.prompt.tokensTo(piece);
  const size = after.prompt.tokensTo(piece + 1) - start;
  return Math.max(0, Math.min(wasRead, size) - Math.max(0, after.read - start));
}
