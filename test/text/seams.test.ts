import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendedTokens, isSeam, replacedTokens } from '../../src/text/seams.ts';
import { countTokens, noteTokens, tokenizerNames } from '../../src/text/tokens.ts';

const fragment: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme-ascii' }),
  fc.string({
    unit: fc.constantFrom('a', 'B', "'s", "'LL", '_', '7', ' ', 'é', '/', '(', '\u0301', '\ud83d'),
  }),
  fc.string({
    unit: fc.constantFrom(' ', '\t', '\n', '\r\n', '\u00a0', '.', '/', 'x', '😀', '漢'),
  }),
  fc.json(),
);
const text = fc.array(fragment, { maxLength: 6 }).map((fragments) => fragments.join(''));
const runs = { seed: 20261130, numRuns: 300 };

describe.each(tokenizerNames)('seams in %s', (encoding) => {
  const count = (part: string) => countTokens(part, encoding);

  it('the counts on both sides of each add up', () => {
    let seams = 0;
    fc.assert(
      fc.property(text, (sample) => {
        for (let at = 0; at <= sample.length; at++) {
          if (!isSeam(sample, at)) continue;
          seams++;
          const sum = count(sample.slice(0, at)) + count(sample.slice(at));
          expect(sum).toBe(count(sample));
        }
      }),
      runs,
    );
    expect(seams).toBeGreaterThan(1000);
  });

  it('not so between a letter and what contracts it, nor in white space', () => {
    expect(isSeam("it's", 2)).toBe(false);
    expect(isSeam('a  b', 2)).toBe(false);
    expect(isSeam('a\n', 1)).toBe(false);
  });

  it('a text of which a part is replaced counts as if it had been counted anew', () => {
    fc.assert(
      fc.property(text, text, text, text, (head, gone, tail, by) => {
        const whole = head + gone + tail;
        const place = { start: head.length, end: head.length + gone.length, by };
        const tokens = replacedTokens(whole, count(whole), place, encoding);
        expect(tokens).toBe(count(head + by + tail));
        expect(appendedTokens(head, count(head), by, encoding)).toBe(count(head + by));
      }),
      runs,
    );
  });

  it('a text of which the count was told is not counted again soon', () => {
    const told = `${encoding} was told `.repeat(100);
    noteTokens(told, 7, encoding);
    expect(count(told)).toBe(7);
    for (let other = 0; other < 20; other++) count(`${other} is another text. `.repeat(50));
    expect(count(told)).toBeGreaterThan(100);
  });
});
