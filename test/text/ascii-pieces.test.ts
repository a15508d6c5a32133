import { createRequire } from 'node:module';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { asciiPieceEnd, pieceRules } from '../../src/text/ascii-pieces.ts';
import { tokenizerNames } from '../../src/text/tokens.ts';

const require = createRequire(import.meta.url);

const unit = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(' ', '\t', '\n', '\r', '\v', "'", '/', '@', '_', '\0') },
  { weight: 4, arbitrary: fc.constantFrom('a', 's', 'l', 'B', 'E', 'V', 'T', '0', '7') },
  { weight: 2, arbitrary: fc.constantFrom("'ll", "'S", 'fooBar', 'HTTPServer', '1234', '  ') },
  { weight: 1, arbitrary: fc.constantFrom('é', '\u00a0', '\u2028', '漢', '😀', '\u0301', 'ſ') },
);
const text = fc.array(unit, { minLength: 1, maxLength: 24 }).map((units) => units.join(''));

it.each(tokenizerNames)('cuts as the pattern of %s does, or leaves it to the pattern', (name) => {
  const pattern = new RegExp(require(`js-tiktoken/ranks/${name}`).pat_str, 'uy');
  let cut = 0;
  let left = 0;
  fc.assert(
    fc.property(text, (sample) => {
      for (let start = 0; start < sample.length; ) {
        pattern.lastIndex = start;
        expect(pattern.test(sample)).toBe(true);
        const end = asciiPieceEnd(sample, start, pieceRules[name]);
        if (end < 0) left++;
        else {
          cut++;
          expect([start, end, sample]).toEqual([start, pattern.lastIndex, sample]);
        }
        start = pattern.lastIndex;
      }
    }),
    { numRuns: 5000, seed: 20261130 },
  );
  expect(cut).toBeGreaterThan(15_000);
  expect(left).toBeGreaterThan(1000);
});

it('never asks the pattern about ASCII text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii', minLength: 1 }), (sample) => {
      for (let start = 0; start < sample.length; ) {
        const end = asciiPieceEnd(sample, start, pieceRules.o200k_base);
        expect(end).toBeGreaterThan(start);
        start = end;
      }
    }),
  );
});
