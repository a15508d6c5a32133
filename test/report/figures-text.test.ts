import fc from 'fast-check';
import { expect, test } from 'vitest';
import { points, pValue, signed, visible, wrapped } from '../../src/report/figures-text.ts';

test('a figure has its sign, and zero has none', () => {
  expect([0.021, -0.6, 0, -0.0001].map(points)).toEqual(['+2.1', '−60.0', '0.0', '0.0']);
  expect(signed(undefined, 1)).toBe('–');
  expect([1, 0.9999, 0.0494, 0.0002].map(pValue)).toEqual(['1', '1', '.049', '<.001']);
});

test('wrapped text keeps every character in lines that are short enough', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '−'), minLength: 1, maxLength: 30 })),
      fc.integer({ min: 8, max: 40 }),
      (words, width) => {
        const lines = wrapped(words.join(' '), width, '  ');
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(words.join(''));
      },
    ),
  );
});

test('nothing that a terminal would obey is left', () => {
  expect(visible('a\u001b[31mb\u202ec\nd')).toBe('a\ufffd[31mb\ufffdc\ufffdd');
});
