import { countTokens, type TokenizerName } from './tokens.ts';

/**
 * The longest beginning of `text`, up to whole code points, that was found to have at most `limit`
 * tokens; without white space at its end. Empty when not even the first code point fits.
 */
export function cutToTokens(text: string, limit: number, encoding?: TokenizerName): string {
  if (limit < 1) return '';
  const fitting = (length: number): boolean =>
    countTokens(text.slice(0, length), encoding) <= limit;
  let fits = 0;
  let exceeds = limit;
  while (fitting(exceeds)) {
    if (exceeds >= text.length) return text.trimEnd();
    fits = exceeds;
    exceeds *= 2;
  }
  while (exceeds - fits > 1) {
    const middle = (fits + exceeds) >> 1;
    if (fitting(middle)) fits = middle;
    else exceeds = middle;
  }
  const last = text.charCodeAt(fits - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  const cut = text.slice(0, splitsPair ? fits - 1 : fits).trimEnd();
  // In rare cases a shorter beginning has more tokens.
  return countTokens(cut, encoding) <= limit ? cut : cutToTokens(cut.slice(0, -1), limit, encoding);
}
