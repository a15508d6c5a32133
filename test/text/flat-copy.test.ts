import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { flatCopy } from '../../src/text/flat-copy.ts';

it('keeps every code unit, lone surrogates too', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff)), fc.string({ unit: 'grapheme' }), (units, text) => {
      const odd = String.fromCharCode(...units);
      expect(flatCopy(odd)).toBe(odd);
      expect(flatCopy(text)).toBe(text);
    }),
  );
});
