import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutToTokens } from '../../src/text/cut.ts';
import { countTokens, tokenizerNames } from '../../src/text/tokens.ts';

it.each(tokenizerNames)('gives a beginning within the limit in %s', (encoding) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.nat(60), (text, limit) => {
      const cut = cutToTokens(text, limit, encoding);
      expect(text.startsWith(cut)).toBe(true);
      expect(countTokens(cut, encoding)).toBeLessThanOrEqual(limit);
      expect(cut).toBe(cut.trimEnd());
      expect(/\p{Cs}/u.test(cut)).toBe(false);
      if (countTokens(text, encoding) <= limit) expect(cut).toBe(text.trimEnd());
    }),
  );
});

it('takes as much as fits', () => {
  fc.assert(
    fc.property(fc.nat(50), (limit) => {
      expect(countTokens(cutToTokens('one more word and '.repeat(30), limit))).toBe(limit);
    }),
  );
});
