import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptOf, quote } from '../../src/shape/excerpt.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 })
    .map((codes) => String.fromCharCode(...codes)),
);

describe('an excerpt', () => {
  it('is short, and shows no control character, format character or half a character', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 8, max: 80 }), (text, limit) => {
        const shown = excerptOf(text, limit);
        expect(shown.length).toBeLessThanOrEqual(limit);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Surrogate}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it('is the text itself where that is short and plain, and says where it was cut', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ' ', 'é', '"'), maxLength: 120 }),
        (text) => {
          expect(excerptOf(text)).toBe(text.length <= 80 ? text : `${text.slice(0, 79)}…`);
        },
      ),
    );
  });

  it('cuts before a character that would be halved', () => {
    for (let pairs = 0; pairs < 12; pairs++) {
      const shown = excerptOf(`${'a'.repeat(pairs % 2)}${'𐀀'.repeat(pairs)} and more`, 12);
      expect(shown).not.toMatch(/\p{Surrogate}/u);
      expect(shown.length).toBeLessThanOrEqual(12);
    }
  });

  it('escapes what would steer a terminal', () => {
    expect(excerptOf('a\u001b[31mb\n\u202e\ud83c')).toBe('a\\u001b[31mb\\n\\u202e\\ud83c');
    expect(quote('x\u0000')).toBe('"x\\u0000"');
  });
});
