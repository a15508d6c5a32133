import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lostIdentifier, summaryLine } from '../../../src/compaction/extract/acceptance.ts';
import { sampleOf } from '../../../src/compaction/extract/outline.ts';
import { programIn } from '../../../src/compaction/extract/program-text.ts';
import { fingerprint, normalized } from '../../../src/compaction/extract/result-cache.ts';
import { markersIn } from '../../../src/compaction/stash.ts';

describe('the content that a result is kept by', () => {
  const line = fc.constantFrom('one two', '  indented', 'three', 'x\ty', '{"a": 1}');
  const end = fc.constantFrom(
    '\n',
    '\r\n',
    ' \n',
    '\n\n',
    '\t\n \n',
    '\n<<cg:0123456789abcdef>>\n',
  );

  test('is the same whatever markers, line ends and white space stand around it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(line, end, end)), (lines) => {
        const [one, two] = [1, 2].map((at) => lines.map((parts) => parts[0] + parts[at]).join(''));
        expect(normalized(one ?? '')).toBe(normalized(two ?? ''));
        expect(fingerprint(one ?? '')).toBe(fingerprint(two ?? ''));
      }),
    );
  });

  test('looks the same wherever it is the same, and else mostly not', () => {
    let different = 0;
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, two) => {
        expect(fingerprint(normalized(one))).toBe(fingerprint(one));
        if (fingerprint(one) !== fingerprint(two)) {
          different++;
          expect(normalized(one)).not.toBe(normalized(two));
        }
      }),
      { seed: 20261130, numRuns: 500 },
    );
    expect(different).toBeGreaterThan(300);
    const spaces = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
    const all = spaces.filter((character) => /\s/.test(character)).join('');
    expect(fingerprint(`a${all}b`)).toBe(fingerprint('ab'));
  });

  test('of JSON, however it is set', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const wrapped = { value, text: 'two  spaces  stay' };
        const text = JSON.stringify(wrapped);
        expect(normalized(JSON.stringify(wrapped, null, 3))).toBe(text);
        expect(fingerprint(JSON.stringify(wrapped, null, 3))).toBe(fingerprint(text));
      }),
    );
  });

  test('differs with every other character, indentation included', () => {
    const texts = ['a b', 'ab', '  a b', 'a\nb', 'a b.', '{"a":"x  y"}', '{"a":"x y"}', '{"a": 1}'];
    expect(new Set(texts.map(normalized)).size).toBe(texts.length);
  });
});

describe('the program in a reply', () => {
  test.each([
    ['bare', 'OUTPUT = INPUT', 'OUTPUT = INPUT'],
    ['fenced', 'Here:\n```js\nOUTPUT = 1\n```\nDone.', 'OUTPUT = 1'],
    ['fenced with CRLF', '```js\r\nA\r\nOUTPUT = 1\r\n```', 'A\nOUTPUT = 1'],
    ['cut off', '```python\nOUTPUT = 1\nx = ', 'OUTPUT = 1\nx = '],
    ['the one that sets OUTPUT', '```\nls\n```\n```js\nOUTPUT = 2\n```', 'OUTPUT = 2'],
    ['with a fence in it', '````js\nOUTPUT = `\n```\n`\n````', 'OUTPUT = `\n```\n`'],
    ['empty', '```js\n\n```', ''],
    ['blank', ' \n ', ''],
  ])('%s', (_name, reply, program) => {
    expect(programIn(reply)).toBe(program);
  });
});

describe('a summary', () => {
  test('is one short line in which nothing reads as a marker', () => {
    const parts = fc.constantFrom(
      '<',
      '<<',
      '<<cg:',
      '>>',
      '0123456789abcdef',
      '\n',
      '\u0000',
      'x',
      '\ud800',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(parts, fc.string()), { maxLength: 60 }), (texts) => {
        const line = summaryLine(texts.join(''));
        if (line === undefined) return;
        expect(line).not.toMatch(/[\r\n\p{Cc}]|^\s*$/u);
        expect(line.length).toBeLessThanOrEqual(200);
        expect(line.isWellFormed()).toBe(true);
        expect(markersIn(line)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});

test('an identifier is lost when the original holds it as a whole and the result does not', () => {
  const original = 'user-12 and src/a.ts';
  expect(lostIdentifier(original, 'src/a.ts', ['user-12'])).toBe('user-12');
  expect(lostIdentifier(original, 'user-123 src/a.ts', ['user-12'])).toBe('user-12');
  expect(lostIdentifier(original, 'user-12', ['user-12', 'user-1'])).toBeUndefined();
});

test('a sample is the whole of a short text, and both ends of a long one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      const sample = sampleOf(text, 40, 20);
      if (text.length <= 60) expect(sample).toBe(text);
      else {
        const [head = '', tail = ''] = sample.split(/\n\[… \d+ characters are not shown …\]\n/);
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
        expect(head.length + tail.length).toBeLessThanOrEqual(60);
        expect(sample.isWellFormed()).toBe(text.isWellFormed());
      }
    }),
  );
});
