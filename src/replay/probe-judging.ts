/** What a model says that does not find the answer. */
export const UNKNOWN = 'UNKNOWN';

export type Judgement = 'right' | 'wrong' | 'unanswered';

/** An answer is right if it contains the gold answer; one that says it does not know is not asked to guess. */
export function judge(answer: string, gold: string): Judgement {
  if (containsGold(answer, gold)) return 'right';
  return /^\W*unknown\b/i.test(answer) ? 'unanswered' : 'wrong';
}

/**
 * Whether a text contains the gold answer as whole words: letter case, white space, typographic forms
 * and quotation marks do not matter, and `12` is not in `2012`, `12a` or `12.5`.
 */
export function containsGold(text: string, gold: string): boolean {
  const wanted = normalized(gold);
  if (wanted === '') return false;
  const read = normalized(text);
  for (let at = read.indexOf(wanted); at >= 0; at = read.indexOf(wanted, at + 1)) {
    if (!goesOn(wanted, read.slice(at + wanted.length)) && !begunBefore(read.slice(0, at), wanted))
      return true;
  }
  return false;
}

const WORD_START = /^[\p{L}\p{M}\p{N}]/u;
const WORD_END = /[\p{L}\p{M}\p{N}]$/u;

function goesOn(wanted: string, after: string): boolean {
  if (!WORD_END.test(wanted)) return false;
  return WORD_START.test(after) || (/\d$/.test(wanted) && /^[.,]\d/.test(after));
}

function begunBefore(before: string, wanted: string): boolean {
  if (!WORD_START.test(wanted)) return false;
  return WORD_END.test(before) || (/^\d/.test(wanted) && /\d[.,]$/.test(before));
}

/** The text as answers are compared. */
export function normalized(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/["'`‘’“”«»]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
