/**
 * Token counts over js-tiktoken's ranks and patterns, equal to the length of its `encode(text, [], [])`
 * (text that spells a special token is ordinary text), without its quadratic merge.
 */

import { createRequire } from 'node:module';
import { HarnessError } from '../errors.ts';
import { countMergedTokens, type TokenRanks } from './byte-pair.ts';
import { GenerationCache } from './generation-cache.ts';

export const tokenizerNames = ['o200k_base', 'cl100k_base'] as const;
export type TokenizerName = (typeof tokenizerNames)[number];

/** Distinct pieces remembered per encoding: about 10 MB in each of two generations. */
const CACHED_PIECES = 1 << 17;
/** Longer pieces are rare and seldom repeat; they are counted each time. */
const CACHED_PIECE_LENGTH = 128;
/** Even, so that a run of surrogate pairs is not cut inside one. */
const CUT_PIECE_LENGTH = 1_000_000;

interface Encoding {
  readonly table: TokenRanks;
  readonly pattern: RegExp;
  readonly counts: GenerationCache<number>;
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

/** A long text that a component makes is counted again for each list that it is tried in. */
const LONG_TEXT = 1 << 14;
const LONG_TEXTS = 8;
const LONGEST_KEPT = 1 << 22;
const longTexts: Record<TokenizerName, Map<string, number>> = {
  o200k_base: new Map(),
  cl100k_base: new Map(),
};

function countOnce(text: string, encoding: TokenizerName): number {
  if (text.length > LONGEST_KEPT) return countNow(text, encoding);
  const kept = longTexts[encoding];
  const known = kept.get(text);
  // Taken out and put back, so that the one that was not asked for longest goes first.
  kept.delete(text);
  const tokens = known ?? countNow(text, encoding);
  kept.set(text, tokens);
  if (kept.size > LONG_TEXTS) {
    const [oldest = ''] = kept.keys();
    kept.delete(oldest);
  }
  return tokens;
}

function countNow(text: string, encoding: TokenizerName): number {
  let current = loaded.get(encoding);
  if (current === undefined) {
    current = loadEncoding(encoding);
    loaded.set(encoding, current);
  }
  const { pattern, counts, table } = current;
  let tokens = 0;
  let start = 0;
  while (start < text.length) {
    const end = pieceEnd(pattern, text, start);
    const piece = text.slice(start, end);
    tokens += counts.get(piece) ?? countPiece(piece, table, counts);
    start = end;
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

function countPiece(piece: string, table: TokenRanks, counts: GenerationCache<number>): number {
  const bytes = Buffer.from(piece, 'utf8');
  const byteString = bytes.toString('latin1');
  const count = table.ranks.has(byteString) ? 1 : countMergedTokens(byteString, table);
  if (piece.length <= CACHED_PIECE_LENGTH) {
    // A slice would keep its whole parent text alive, so the cache's key is a copy. Of ASCII text the
    // byte string already is one; UTF-16 keeps a lone surrogate as it is.
    const ascii = bytes.length === piece.length;
    counts.set(ascii ? byteString : Buffer.from(piece, 'utf16le').toString('utf16le'), count);
  }
  return count;
}

const require = createRequire(import.meta.url);

function loadEncoding(encoding: TokenizerName): Encoding {
  const { pat_str, bpe_ranks } = checkedRanks(require(`js-tiktoken/ranks/${encoding}`), encoding);
  const ranks = new Map<string, number>();
  let longest = 0;
  // Each line is `! OFFSET TOKEN TOKEN …`, the tokens in base64 with consecutive ranks from OFFSET.
  for (const line of bpe_ranks.split('\n')) {
    const [, offset, ...tokens] = line.split(' ');
    let rank = Number(offset);
    for (const token of tokens) {
      const byteString = Buffer.from(token, 'base64').toString('latin1');
      ranks.set(byteString, rank++);
      if (byteString.length > longest) longest = byteString.length;
    }
  }
  return {
    table: { ranks, longest },
    pattern: new RegExp(pat_str, 'uy'),
    counts: new GenerationCache(CACHED_PIECES),
  };
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
