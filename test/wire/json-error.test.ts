import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstError, syntaxError } from '../../src/wire/json-error.ts';
import { jsonText } from '../support/json-text.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('firstError', () => {
  test('valid JSON has its first error at its end', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(firstError(text)).toBe(text.length);
      }),
      { numRuns: 500 },
    );
  });

  test('of JSON that was cut the error is the end', () => {
    fc.assert(
      fc.property(jsonText, fc.nat(), (text, at) => {
        const cut = text.slice(0, at % Math.max(1, text.length));
        fc.pre(!isJson(cut));
        // A literal that is cut (`tru`, `1e`) is wrong from its start; all else up to the end is right.
        const word = /(?:[-+.\w]+|\\u?[0-9a-fA-F]{0,3})$/.exec(cut)?.[0] ?? '';
        const offset = firstError(cut);
        expect(offset).toBeGreaterThanOrEqual(cut.length - word.length);
        expect(offset).toBeLessThanOrEqual(cut.length);
      }),
      { numRuns: 500 },
    );
  });

  test('what follows the value is found where it begins', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const broken = `${text}§`;
        expect(firstError(broken)).toBe(text.length);
      }),
    );
  });

  test('any text gives an offset inside it, and never hangs', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const offset = firstError(text);
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(offset).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 1000 },
    );
  });

  test('a deletion inside JSON is not reported before it', () => {
    fc.assert(
      fc.property(jsonText, fc.nat(), (text, at) => {
        const place = at % text.length;
        const broken = text.slice(0, place) + text.slice(place + 1);
        fc.pre(!isJson(broken));
        // What stands before the deletion was the start of JSON; only the token cut by it may be wrong.
        const token = /(?:[-+.\w]+|\\u?[0-9a-fA-F]{0,4})$/.exec(text.slice(0, place))?.[0] ?? '';
        expect(firstError(broken)).toBeGreaterThanOrEqual(place - token.length);
      }),
      { numRuns: 500 },
    );
  });

  test('a nesting of 100,000 does not overflow', () => {
    const text = '['.repeat(100_000);
    expect(firstError(text)).toBe(text.length);
    expect(firstError(`${'{"a":'.repeat(100_000)}x`)).toBe(500_000);
  });
});

describe('syntaxError', () => {
  const errorOf = (text: string) => syntaxError(text, undefined);

  test('names line and column, from 1', () => {
    const error = errorOf('{\n  "a": 1,\n  "b" 2\n}');
    expect(error.code).toBe('input.syntax');
    expect(error.at).toEqual({ line: 3, column: 7 });
    expect(error.message).toContain('found "2\\n}"');
  });

  test('says that a truncated text is truncated', () => {
    const error = errorOf('[{"role": "user", "content": "hel');
    expect(error.message).toContain('truncated');
    expect(error.at?.line).toBe(1);
  });
});
