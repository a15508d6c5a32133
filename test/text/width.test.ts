import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitWidth, textWidth, wrapWidth } from '../../src/text/width.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'é', '夜', '한', '🌃', '\u0301', '…') });

describe('width', () => {
  test('is never less than the length', () => {
    expect(['ab', '夜', '🌃', '한a'].map(textWidth)).toEqual([2, 2, 2, 3]);
    fc.assert(fc.property(text, (value) => textWidth(value) >= value.length));
  });

  test('fitWidth keeps what fits, else a beginning and an ellipsis', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 30 }), (value, width) => {
        const fitted = fitWidth(value, width);
        expect(textWidth(fitted)).toBeLessThanOrEqual(width);
        if (textWidth(value) <= width) expect(fitted).toBe(value);
        else if (width > 0) {
          expect(fitted.endsWith('…')).toBe(true);
          expect(value.startsWith(fitted.slice(0, -1))).toBe(true);
          expect(textWidth(fitted)).toBeGreaterThanOrEqual(width - 2);
        }
        expect(fitted.isWellFormed()).toBe(true);
      }),
    );
  });

  test('wrapWidth loses nothing', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), (value, width) => {
        const pieces = wrapWidth(value, width);
        expect(pieces.join('')).toBe(value);
        for (const piece of pieces) expect(textWidth(piece)).toBeLessThanOrEqual(width);
      }),
    );
  });
});
