/**
 * Seams: places where a text can be cut so that the tokens of its parts add up to its own, in both encodings.
 * No piece of their patterns reaches over one, and none looks back. So what stands around a text can change
 * without counting the text again.
 */

import { countTokens, noteTokens, type TokenizerName } from './tokens.ts';

const SPACE = 32;
const APOSTROPHE = 39;
const LAST_ASCII = 126;

/**
 * Whether `at` is a seam: a space after a visible character ends its piece, since pieces hold white space
 * only in front; so does punctuation after a letter or digit, but for the apostrophe of `it's`.
 */
export function isSeam(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  if (!(before > SPACE && before <= LAST_ASCII)) return false;
  if (after === SPACE) return true;
  const isMark = after > SPACE && after <= LAST_ASCII && after !== APOSTROPHE;
  return isMark && !isAlphanumeric(after) && isAlphanumeric(before);
}

function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** The first seam behind `start`, or the end of the text. */
function firstSeam(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) if (isSeam(text, at)) return at;
  return text.length;
}

/** The last seam before `end`, or the beginning of the text. */
function lastSeam(text: string, end: number): number {
  for (let at = end - 1; at > 0; at--) if (isSeam(text, at)) return at;
  return 0;
}

/** Tokens of a text of `tokens` tokens, once what stands from `start` to `end` is replaced. */
export function replacedTokens(
  text: string,
  tokens: number,
  { start, end, by }: { readonly start: number; readonly end: number; readonly by: string },
  encoding: TokenizerName,
): number {
  const from = lastSeam(text, start);
  const to = firstSeam(text, end);
  const fresh = text.slice(from, start) + by + text.slice(end, to);
  return tokens - countTokens(text.slice(from, to), encoding) + countTokens(fresh, encoding);
}

/** Tokens of `text` with `after` behind it, which the counter then knows. */
export function appendedTokens(
  text: string,
  tokens: number,
  after: string,
  encoding: TokenizerName,
): number {
  const place = { start: text.length, end: text.length, by: after };
  const sum = replacedTokens(text, tokens, place, encoding);
  noteTokens(text + after, sum, encoding);
  return sum;
}
