import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visible, visibleLines } from '../../src/text/visible.ts';

test('what a terminal would obey is spelled out', () => {
  expect(visible('e\u001b[31m\nx')).toBe('e\\u001b[31m\\nx');
  expect(visible('a\u202etxt.exe\u2066\u2028')).toBe('a\\u202etxt.exe\\u2066\\u2028');
});

test('what nobody sees is spelled out', () => {
  expect(visible('pay\u200bpal \u00ad\u2060\ufeff\u3164')).toBe(
    'pay\\u200bpal \\u00ad\\u2060\\ufeff\\u3164',
  );
  expect(visible('hidden\u{e0041}\u{e0100}')).toBe('hidden\\udb40\\udc41\\udb40\\udd00');
  expect(visible('half \ud800 and \udc00')).toBe('half \\ud800 and \\udc00');
});

test('other text stays as it is', () => {
  expect(visible('naïve 日本語 😀 ❤️ 1️⃣ "q" \\n')).toBe('naïve 日本語 😀 ❤️ 1️⃣ "q" \\n');
});

test('a selector that selects nothing is spelled out', () => {
  expect(visible('a\ufe0f')).toBe('a\\ufe0f');
});

test('nothing is left that moves the cursor, colours, turns the line or is not seen', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visible(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
    }),
  );
});

test('a text of lines keeps its lines', () => {
  expect(visibleLines('a\tb\n\u001b[1mc\r\n')).toBe('a\tb\n\\u001b[1mc\\r\n');
});
