import * as fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import cl100kRanks from 'js-tiktoken/ranks/cl100k_base';
import o200kRanks from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, it } from 'vitest';
import { countTokens, type TokenizerName, tokenizerNames } from '../../src/text/tokens.ts';

const oracles: Record<TokenizerName, Tiktoken> = {
  o200k_base: new Tiktoken(o200kRanks),
  cl100k_base: new Tiktoken(cl100kRanks),
};

function oracleCount(text: string, encoding: TokenizerName): number {
  return oracles[encoding].encode(text, [], []).length;
}

const fragment: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'grapheme-ascii' }),
  // Code units without regard to pairs: lone surrogates in every position.
  fc
    .array(fc.oneof(fc.integer({ min: 0xd7fe, max: 0xe001 }), fc.integer({ max: 0xffff, min: 0 })))
    .map((units) => String.fromCharCode(...units)),
  fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r', '\r\n', '\u00a0', '\u2028', '\u3000') }),
  fc.string({ unit: fc.constantFrom('漢', '字', 'か', 'ナ', '한', 'ไ', 'ม', '์', '、', '。') }),
  fc.string({ unit: fc.constantFrom('😀', '👩‍💻', '🇩🇪', '❤️', '\u200d', '\ufe0f', '1️⃣') }),
  fc.string({
    unit: fc.constantFrom('e\u0301', '\u0301', '\u0327', 'ʰ', 'ǅ', 'ß', 'İ', 'Ⅷ', '½', '٣'),
  }),
  fc.string({ unit: fc.constantFrom('a', 'B', "'s", "'LL", "'Re", '_', '7', ' ', 'é', 'É') }),
  fc.constantFrom(
    '<|endoftext|>',
    '<|endofprompt|>',
    '<|fim_prefix|>',
    '<|endoftext',
    'const x = (a ?? 1) !== null && b[0] >= 2e3; // why\n',
    '    if self.items[i].value_or(None) is not None:\n\t\treturn\r\n',
    '#include <vector>\n/*** end ***/\n///\n//\n',
    'https://example.org/a/b?c=%20&d#e',
    'eyJhbGciOiJIUzI1NiJ9.e30.ZRrHA1JJJW8opsbCGfG_HACGpVUMN_a9IV7pAx_Zmeo',
  ),
  fc.json(),
  fc
    .tuple(fc.constantFrom('a', ' ', '\n', '=', '-', '漢', '0', 'ab', '\u0301'), fc.nat(300))
    .map(([unit, times]) => unit.repeat(times)),
);

const text = fc.array(fragment, { maxLength: 8 }).map((fragments) => fragments.join(''));

describe.each(tokenizerNames)('countTokens in %s', (encoding) => {
  it('equals js-tiktoken on random text', () => {
    fc.assert(
      fc.property(text, (sample) => {
        expect(countTokens(sample, encoding)).toBe(oracleCount(sample, encoding));
      }),
      { numRuns: 1000 },
    );
  });

  it('equals js-tiktoken on runs as long as it can do', () => {
    for (const unit of ['a', 'Z', ' ', '\n', 'xyz', '=', 'é', '\ud800', 'aaab']) {
      const run = unit.repeat(800 / unit.length);
      expect(countTokens(run, encoding)).toBe(oracleCount(run, encoding));
    }
  });

  it('keeps pieces apart from those that spell their bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('ê', 'õ', 'ú', '漢', 'a') }), (sample) => {
        const misread = Buffer.from(sample, 'utf8').toString('latin1');
        countTokens(sample, encoding);
        expect(countTokens(misread, encoding)).toBe(oracleCount(misread, encoding));
        expect(countTokens(sample, encoding)).toBe(oracleCount(sample, encoding));
      }),
      { numRuns: 300 },
    );
  });

  it('adds up over cuts before a line that begins with neither white space nor a slash', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const whole = `${before}\n[${after}`;
        expect(countTokens(`${before}\n`, encoding) + countTokens(`[${after}`, encoding)).toBe(
          countTokens(whole, encoding),
        );
      }),
      { numRuns: 500 },
    );
  });

  it.each(['a', ' ', '\n', '漢', '\u0301', '😀', '/', '0', '\ud800', 'ʰA'])(
    'counts a million of %j in under 2 s of CPU time',
    (unit) => {
      const run = unit.repeat(1_000_000 / unit.length);
      const start = process.cpuUsage();
      const tokens = countTokens(run, encoding);
      expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000);
      expect(tokens).toBeGreaterThan(1000);
    },
  );
});

it('counts with o200k_base unless told otherwise', () => {
  const sample = '漢字 and naïve words';
  expect(countTokens(sample)).toBe(oracleCount(sample, 'o200k_base'));
  expect(countTokens(sample)).not.toBe(oracleCount(sample, 'cl100k_base'));
});

it('counts a piece on which the pattern overflows', () => {
  expect(countTokens(`a${'😀'.repeat(4_000_000)}b`)).toBe(4_000_002);
});
