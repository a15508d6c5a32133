import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { containsIdentifier, identifiersAmong, identifiersIn } from '../../src/text/identifiers.ts';

function valuesIn(text: string): string[] {
  return identifiersIn(text).map((identifier) => identifier.value);
}

/** The same definition, written over regular expressions. */
function valuesByPattern(text: string): string[] {
  const unspaced =
    '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}';
  const character = `(?:(?![${unspaced}])[\\p{L}\\p{N}]|\\p{Nd}|(?!\\p{Variation_Selector})[\\p{Mn}\\p{Mc}]|[_./-])`;
  const values: string[] = [];
  for (const [run] of text.matchAll(new RegExp(`${character}+`, 'gu'))) {
    let token = run.replace(/[./-]+$/u, '');
    for (;;) {
      const shorter = token
        .replace(/^[-\p{M}]+/u, '')
        .replace(/^\/{2,}/u, '')
        .replace(/^(?:\.{3,}|\.{2}(?!\/|\.)|\.(?![./\p{L}_\p{Nl}\p{No}]))/u, '');
      if (shorter === token) break;
      token = shorter;
    }
    const letters = /[\p{L}\p{Nl}\p{No}]/u.test(token);
    const digits = token.match(/\p{Nd}/gu)?.length ?? 0;
    const joiners = token.match(/[_./-]/gu)?.length ?? 0;
    const capital = /^.+[\p{Lu}\p{Lt}]/su.test(token);
    if (
      letters ? digits > 0 || joiners > 0 || capital : digits >= 4 || (digits > 0 && joiners > 1)
    ) {
      values.push(token);
    }
  }
  return values;
}

const fragment = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'B', '7', '_', '-', '.', '/', 'é', 'e\u0301', '𝒳', '𐐀') }),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom(
    ' ',
    '\n',
    ', ',
    '. ',
    '"',
    '(',
    ')',
    '<',
    '@',
    ':',
    '漢',
    'か',
    '😀',
    '1️⃣',
    '\ud800',
  ),
  fc.constantFrom(
    './src/a.ts',
    '../b',
    '.gitignore',
    '...',
    '--flag',
    '//x.y/z',
    'don’t',
    'Ⅷ',
    '½',
  ),
);
const text = fc.array(fragment, { maxLength: 12 }).map((fragments) => fragments.join(''));
const boundary = fc.constantFrom(
  ' ',
  '\n',
  '"',
  "'",
  '(',
  ')',
  '[',
  '`',
  ',',
  ';',
  ':',
  '!',
  '?',
  '漢',
  '😀',
);

describe('identifiersIn', () => {
  it('finds what the definition by regular expressions finds', () => {
    fc.assert(
      fc.property(text, (sample) => {
        expect(valuesIn(sample)).toEqual(valuesByPattern(sample));
      }),
      { numRuns: 3000 },
    );
  });

  it('counts a digit outside of the basic plane once', () => {
    // Three digits name nothing, of whatever script they are; four do.
    const digits = fc.constantFrom('\u{11da0}', '\u{116c0}', '\u{11bf0}', '7');
    fc.assert(
      fc.property(fc.array(digits, { minLength: 1, maxLength: 6 }), (own) => {
        expect(valuesIn(own.join(''))).toEqual(valuesByPattern(own.join('')));
        expect(valuesIn(own.join(''))).toHaveLength(own.length < 4 ? 0 : 1);
      }),
    );
  });

  it('finds of those that are wanted the same', () => {
    let found = 0;
    fc.assert(
      fc.property(text, text, fc.array(fc.string()), (sample, other, names) => {
        const present = new Set(valuesIn(sample));
        const wanted = new Set([...valuesIn(other), ...names, ...[...present].slice(1)]);
        const among = identifiersAmong(sample, wanted);
        found += among.size;
        expect([...among].sort()).toEqual([...wanted].filter((one) => present.has(one)).sort());
      }),
      { seed: 20261130, numRuns: 1000 },
    );
    expect(found).toBeGreaterThan(200);
  });

  it('gives offsets of the values, in order and apart', () => {
    fc.assert(
      fc.property(text, (sample) => {
        let before = 0;
        for (const { value, start, end } of identifiersIn(sample)) {
          expect(sample.slice(start, end)).toBe(value);
          expect(start).toBeGreaterThanOrEqual(before);
          expect(end).toBeGreaterThan(start);
          before = end;
        }
      }),
    );
  });

  it('finds each value in itself, whole', () => {
    fc.assert(
      fc.property(text, (sample) => {
        for (const value of valuesIn(sample)) expect(valuesIn(value)).toEqual([value]);
      }),
    );
  });

  it('is not changed by boundary characters, nor by a full stop at the end', () => {
    fc.assert(
      fc.property(text, boundary, boundary, (sample, left, right) => {
        expect(valuesIn(left + sample + right)).toEqual(valuesIn(sample));
        expect(valuesIn(`${sample}.${right}`)).toEqual(valuesIn(sample));
        expect(valuesIn(sample + right + sample)).toEqual([
          ...valuesIn(sample),
          ...valuesIn(sample),
        ]);
      }),
    );
  });

  it.each([
    ['Open src/text/tokens.ts, then ./a.ts.', ['src/text/tokens.ts', './a.ts']],
    ['cat ../x/.gitignore | grep -n --max-count 3', ['../x/.gitignore', 'max-count']],
    [
      'Flight HAT136 from JFK, reservation 4WQ150 (user mia_li_3668)',
      ['HAT136', 'JFK', '4WQ150', 'mia_li_3668'],
    ],
    ['at 2024-05-15, total 1286, 12 of 999, 3.14, 1/2', ['2024-05-15', '1286']],
    ['version 1.2.3 and v2', ['1.2.3', 'v2']],
    ['{"userId":"sara_doe_496","n":5}', ['userId', 'sara_doe_496']],
    ['文件src/app.ts在这里', ['src/app.ts']],
    ['plain words only, "quoted" ones too... and Capitals', []],
    ['naïve_größe = Ünïts2', ['naïve_größe', 'Ünïts2']],
    ['https://example.org/a?b=c_d', ['example.org/a', 'c_d']],
  ])('of %j', (sample, expected) => {
    expect(valuesIn(sample)).toEqual(expected);
  });
});

describe('containsIdentifier', () => {
  it('holds for exactly the identifiers that are found', () => {
    fc.assert(
      fc.property(text, text, (sample, other) => {
        const found = valuesIn(sample);
        for (const value of found) expect(containsIdentifier(sample, value)).toBe(true);
        for (const value of valuesIn(other)) {
          expect(containsIdentifier(sample, value)).toBe(found.includes(value));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('does not hold inside a longer token', () => {
    const extension = fc.constantFrom('a', 'Z', '5', '_', 'é', '\u0301', '-x', '.y', '/z');
    fc.assert(
      fc.property(text, extension, (sample, more) => {
        for (const value of valuesIn(sample)) {
          expect(containsIdentifier(` ${value}${more} `, value)).toBe(false);
          expect(containsIdentifier(`(${value}).`, value)).toBe(true);
          expect(containsIdentifier(` 5${value} `, value)).toBe(false);
        }
      }),
    );
  });

  it('reads the sentence around it', () => {
    expect(containsIdentifier('user u123 left', 'u12')).toBe(false);
    expect(containsIdentifier('user u12.', 'u12')).toBe(true);
    expect(containsIdentifier('u123 or "u12"', 'u12')).toBe(true);
    expect(containsIdentifier('anything', '')).toBe(false);
    expect(containsIdentifier('a (b1', '(b1')).toBe(false);
  });
});

it.each([
  'a',
  'a1',
  'a.',
  '.',
  '/',
  './',
  '-',
  'a1 ',
  'é',
  '𝒳1',
  '\u0301',
  '1.',
  '漢',
  '\ud800',
  '.a-',
])('reads a megabyte of %j in under a second of CPU time', (unit) => {
  const hostile = unit.repeat(1_000_000 / unit.length);
  identifiersIn(unit);
  const start = process.cpuUsage();
  identifiersIn(hostile);
  for (const identifier of [unit, `${unit}1`, 'a1', './a', `${unit.repeat(50)}b`]) {
    containsIdentifier(hostile, identifier);
  }
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(1000);
});
