import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasGlob, splitGlob, toMatcher } from '../../src/recordings/glob.ts';
import { byNaturalOrder } from '../../src/recordings/paths.ts';

describe('toMatcher', () => {
  test.each([
    ['*.json', 'a.json', true],
    ['*.json', 'a/b.json', false],
    ['**/*.json', 'b.json', true],
    ['**/*.json', 'a/b/c.json', true],
    ['a/**', 'a/b/c', true],
    ['a/**/c', 'a/c', true],
    ['?.json', 'ab.json', false],
    ['[ab].json', 'b.json', true],
    ['[!ab].json', 'b.json', false],
    ['*.{json,jsonl}', 'a.jsonl', true],
    ['{a,b{1,2}}.x', 'b2.x', true],
    ['a+(b).json', 'a+(b).json', true],
    ['*.json', 'ajson', false],
  ])('%s and %s: %s', (glob, path, expected) => {
    expect(toMatcher(glob)(path)).toBe(expected);
  });

  test('a path without wildcards matches itself alone', () => {
    const part = fc.stringMatching(/^[\w.+$^() -]{1,8}$/);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), part, (parts, other) => {
        const path = parts.join('/');
        expect(toMatcher(path)(path)).toBe(true);
        expect(toMatcher(path)(`${path}/${other}`)).toBe(false);
      }),
    );
  });

  test('any pattern is a pattern', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (glob, path) => {
        expect(typeof toMatcher(glob)(path)).toBe('boolean');
      }),
    );
    const unit = fc.constantFrom(
      '[',
      ']',
      '!',
      '-',
      '&',
      '~',
      '^',
      '\\',
      'a',
      'z',
      '{',
      '}',
      ',',
      '*',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), fc.string({ unit }), (glob, path) => {
        expect(typeof toMatcher(glob)(path)).toBe('boolean');
      }),
      { numRuns: 2000, seed: 20261130 },
    );
  });
});

test('a set takes each of its characters as it is, and a range in its order', () => {
  for (const character of '&~^|\\-.$') expect(toMatcher(`[${character}a]`)(character)).toBe(true);
  expect(toMatcher('[c-e]')('d')).toBe(true);
  expect(toMatcher('[e-c]')('d')).toBe(false);
  expect(toMatcher('[!e-c]')('d')).toBe(true);
});

test('the base is what stands before the first wildcard', () => {
  expect(splitGlob('../shared/x/**/*.json')).toEqual({ base: '../shared/x', glob: '**/*.json' });
  expect(splitGlob('*.json')).toEqual({ base: '.', glob: '*.json' });
  expect(splitGlob('/*.json')).toEqual({ base: '/', glob: '*.json' });
  expect(hasGlob('a/b.json')).toBe(false);
});

describe('byNaturalOrder', () => {
  test('numbers are ordered by value', () => {
    const names = ['log-10', 'log-9', 'log-100.5', 'a', 'log'];
    expect(names.sort(byNaturalOrder)).toEqual(['a', 'log', 'log-9', 'log-10', 'log-100.5']);
  });

  test('is an order', () => {
    const name = fc.stringMatching(/^[a-c0-9/]{0,6}$/);
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        expect(Math.sign(byNaturalOrder(a, b))).toBe(-Math.sign(byNaturalOrder(b, a)) || 0);
        if (byNaturalOrder(a, b) <= 0 && byNaturalOrder(b, c) <= 0) {
          expect(byNaturalOrder(a, c)).toBeLessThanOrEqual(0);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
