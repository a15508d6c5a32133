/**
 * Token counts over js-tiktoken's ranks and patterns, equal to the length of its `encode(text, [], [])`
 * (text that spells a special token is ordinary text), without its quadratic merge.
 */

import { createRequire } from 'node:module';
import { HarnessError } from '../errors.ts';
import { asciiPieceEnd, type PieceRules, pieceRules } from './ascii-pieces.ts';
import { countMergedTokens } from './byte-pair.ts';
import { beginsGroup } from './line-groups.ts';
import { PieceCounts } from './piece-counts.ts';
import { TokenRanks } from './token-ranks.ts';

export const tokenizerNames = ['o200k_base', 'cl100k_base'] as const;
export type TokenizerName = (typeof tokenizerNames)[number];

/** Distinct pieces remembered per encoding, and their code units: about 10 MB. */
const CACHED_PIECES = 1 << 18;
const CACHED_UNITS = 1 << 21;
/** Longer pieces are rare and seldom repeat; they are counted each time. */
const CACHED_PIECE_LENGTH = 128;
/** Even, so that a run of surrogate pairs is not cut inside one. */
const CUT_PIECE_LENGTH = 1_000_000;

interface Encoding {
  readonly ranks: TokenRanks;
  readonly pattern: RegExp;
  readonly rules: PieceRules;
  readonly counts: PieceCounts;
}

const loaded = new Map<TokenizerName, Encoding>();

/**
 * Number of tokens of `text` in `encoding`. Linear but for the merge of one unbroken piece, which is
 * O(n log n). A lone surrogate counts as U+FFFD. Of a piece so long that the pattern overflows (several
 * million characters, where js-tiktoken throws) each million is counted apart. The ranks are read at the first call (about 0.2 s).
 */
export function countTokens(text: string, encoding: TokenizerName = 'o200k_base'): number {
  if (text === '') return 0;
  return text.length < LONG_TEXT ? countNow(text, encoding) : countOnce(text, encoding);
}

/** A text that a component makes is counted again in the message that it is put into, and in each list. */
const LONG_TEXT = 1 << 9;
const LONG_TEXTS = 8;
const LONGEST_KEPT = 1 << 22;
const longTexts: Record<TokenizerName, Map<string, number>> = {
  o200k_base: new Map(),
  cl100k_base: new Map(),
};

/**
 * Tells the counter what a text counts, for a caller who knows it otherwise and will have it counted again
 * soon. The number must be right: it is taken as it is.
 */
export function noteTokens(text: string, tokens: number, encoding: TokenizerName): void {
  if (text.length < LONG_TEXT || text.length > LONGEST_KEPT) return;
  keep(text, tokens, longTexts[encoding]);
}

function countOnce(text: string, encoding: TokenizerName): number {
  if (text.length > LONGEST_KEPT) return countNow(text, encoding);
  const kept = longTexts[encoding];
  const tokens = kept.get(text) ?? countNow(text, encoding);
  keep(text, tokens, kept);
  return tokens;
}

function keep(text: string, tokens: number, kept: Map<string, number>): void {
  // Taken out and put back, so that the one that was not asked for longest goes first.
  kept.delete(text);
  kept.set(text, tokens);
  if (kept.size <= LONG_TEXTS) return;
  const [oldest = ''] = kept.keys();
  kept.delete(oldest);
}

/** Tokens of a text, and of each of its groups of lines (see `line-groups.ts`), where those are worth keeping. */
export interface GroupCounts {
  readonly tokens: number;
  /** Absent for short texts, for those that were counted otherwise, and where a group counts too much. */
  readonly groups?: Uint16Array;
}

/** The same count, with that of the text's groups of lines. */
export function countGroups(text: string, encoding: TokenizerName): GroupCounts {
  if (text.length < LONG_TEXT || text.length > LONGEST_KEPT) {
    return { tokens: countTokens(text, encoding) };
  }
  const known = longTexts[encoding].get(text);
  if (known !== undefined) return { tokens: countOnce(text, encoding) };
  const sums: number[] = [];
  const tokens = countNow(text, encoding, sums);
  keep(text, tokens, longTexts[encoding]);
  sums.push(tokens);
  const groups = new Uint16Array(sums.length);
  let before = 0;
  for (const [index, sum] of sums.entries()) {
    if (sum - before > MOST_IN_GROUP) return { tokens };
    groups[index] = sum - before;
    before = sum;
  }
  return { tokens, groups };
}

const MOST_IN_GROUP = 0xffff;
const LINE_FEED = 10;

/** @param sums takes the tokens before each group of lines but the first */
function countNow(text: string, encoding: TokenizerName, sums?: number[]): number {
  let current = loaded.get(encoding);
  if (current === undefined) {
    current = loadEncoding(encoding);
    loaded.set(encoding, current);
  }
  const { pattern, rules, ranks } = current;
  let tokens = 0;
  let start = 0;
  while (start < text.length) {
    const ascii = asciiPieceEnd(text, start, rules);
    const end = ascii < 0 ? pieceEnd(pattern, text, start) : ascii;
    tokens +=
      end - start > CACHED_PIECE_LENGTH
        ? countPiece(text.slice(start, end), ranks)
        : countCached(text, start, end, current);
    start = end;
    if (sums !== undefined && text.charCodeAt(end - 1) === LINE_FEED && beginsGroup(text, end)) {
      sums.push(tokens);
    }
  }
  return tokens;
}

/** Where the piece that begins at `start` ends. */
function pieceEnd(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  try {
    // The patterns match at every position, so a sticky `test` finds the piece without a match array.
    if (pattern.test(text)) return pattern.lastIndex;
  } catch (error) {
    if (!(error instanceof RangeError) || text.length - start <= CUT_PIECE_LENGTH) throw error;
    // Several million characters without a break overflow the stack of V8's matcher.
    return start + pieceEnd(pattern, text.slice(start, start + CUT_PIECE_LENGTH), 0);
  }
  throw new HarnessError('harness.internal', `the token pattern does not match at offset ${start}`);
}

function countCached(text: string, start: number, end: number, encoding: Encoding): number {
  const { counts, ranks } = encoding;
  const known = counts.get(text, start, end);
  if (known >= 0) return known;
  const count = countPiece(text.slice(start, end), ranks);
  counts.add(text, start, end, count);
  return count;
}

function countPiece(piece: string, ranks: TokenRanks): number {
  // Most pieces are ASCII, and so are their own bytes.
  const bytes = isAscii(piece) ? piece : Buffer.from(piece, 'utf8').toString('latin1');
  return ranks.of(bytes, 0, bytes.length) >= 0 ? 1 : countMergedTokens(bytes, ranks);
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}

const require = createRequire(import.meta.url);

function loadEncoding(encoding: TokenizerName): Encoding {
  const source = `js-tiktoken/ranks/${encoding}`;
  const { pat_str, bpe_ranks } = checkedRanks(require(source), encoding);
  // Read once, and a few megabytes.
  delete require.cache[require.resolve(source)];
  return {
    ranks: new TokenRanks(rankedTokens(bpe_ranks)),
    pattern: new RegExp(pat_str, 'uy'),
    rules: pieceRules[encoding],
    counts: new PieceCounts(CACHED_PIECES, CACHED_UNITS),
  };
}

/** Each line is `! OFFSET TOKEN TOKEN …`, the tokens in base64 with consecutive ranks from OFFSET. */
function rankedTokens(lines: string): (readonly [first: number, tokens: readonly string[]])[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, offset, ...tokens] = line.split(' ');
      return [Number(offset), tokens];
    });
}

function checkedRanks(ranks: unknown, encoding: string): { pat_str: string; bpe_ranks: string } {
  if (
    typeof ranks === 'object' &&
    ranks !== null &&
    'pat_str' in ranks &&
    typeof ranks.pat_str === 'string' &&
    'bpe_ranks' in ranks &&
    typeof ranks.bpe_ranks === 'string'
  ) {
    return { pat_str: ranks.pat_str, bpe_ranks: ranks.bpe_ranks };
  }
  throw new HarnessError(
    'harness.internal',
    `js-tiktoken/ranks/${encoding} has no pat_str and bpe_ranks; expected js-tiktoken 1.0: run npm ci`,
  );
}
