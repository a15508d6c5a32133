import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visible } from '../../src/text/visible.ts';

test('what a terminal would obey is spelled out', () => {
  expect(visible('e\u001b[31m\nx')).toBe('e\\u001b[31m\\nx');
  expect(visible('a\u202etxt.exe\u2066\u2028')).toBe('a\\u202etxt.exe\\u2066\\u2028');
});

test('other text stays as it is', () => {
  expect(visible('naïve 日本語 😀 "q" \\n')).toBe('naïve 日本語 😀 "q" \\n');
});

test('nothing is left that moves the cursor, colours or turns the line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visible(text)).not.toMatch(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u);
    }),
  );
});
