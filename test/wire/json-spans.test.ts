import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  elements,
  member,
  members,
  path,
  replaceSpans,
  rootSpan,
  type Span,
  slice,
  valueEnd,
} from '../../src/wire/json-spans.ts';
import { jsonText, spelled, textOf } from '../support/json-text.ts';

/** Reads a value through spans alone, down to its atoms. */
function readThroughSpans(text: string, span: Span): unknown {
  if (text[span.start] === '[') {
    return elements(text, span).map((item) => readThroughSpans(text, item));
  }
  if (text[span.start] === '{') {
    const entries = members(text, span);
    return Object.fromEntries(
      entries.map(({ key, value }) => [key, readThroughSpans(text, value)] as const),
    );
  }
  return JSON.parse(slice(text, span));
}

describe('json-spans', () => {
  test('a value read through spans is the value that JSON.parse reads', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(readThroughSpans(text, rootSpan(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  test('the root span is the text without the white space around it', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(slice(text, rootSpan(text))).toBe(text.trim());
      }),
    );
  });

  test('element spans are the elements, exactly as spelled', () => {
    fc.assert(
      fc.property(
        fc.array(spelled, { maxLength: 5 }),
        fc.constantFrom(',', ' ,\n '),
        (items, gap) => {
          const texts = items.map(textOf);
          const list = `[${texts.join(gap)}]`;
          const spans = elements(list, rootSpan(list));
          expect(spans.map((span) => slice(list, span))).toEqual(texts);
        },
      ),
    );
  });

  test('of duplicate keys the last one counts, and all are members', () => {
    const text = '{"a": 1, "\\u0061": 2, "b": 3}';
    expect(members(text, rootSpan(text)).map(({ key }) => key)).toEqual(['a', 'a', 'b']);
    const span = member(text, rootSpan(text), 'a');
    expect(span && slice(text, span)).toBe('2');
  });

  test('a path follows keys and indexes, and ends where there is nothing', () => {
    const text = '{"list": [{"x": [10, 20.0]}]}';
    const found = path(text, ['list', 0, 'x', 1]);
    expect(found && slice(text, found)).toBe('20.0');
    expect(path(text, ['list', 1, 'x'])).toBeUndefined();
    expect(path(text, ['list', 'x'])).toBeUndefined();
  });

  test('replacing spans changes nothing else', () => {
    const text = '[ "one" , "two" ]';
    const [first, second] = elements(text, rootSpan(text));
    if (first === undefined || second === undefined) throw new Error('two elements');
    const replaced = replaceSpans(text, [
      { span: second, text: '2' },
      { span: first, text: '1' },
    ]);
    expect(replaced).toBe('[ 1 , 2 ]');
  });

  test('a nesting of 100,000 does not overflow', () => {
    const depth = 100_000;
    const text = '['.repeat(depth) + ']'.repeat(depth);
    expect(valueEnd(text, 0)).toBe(text.length);
    const objects = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(valueEnd(objects, 0)).toBe(objects.length);
  });

  test('a byte order mark does not belong to the value', () => {
    expect(slice('\ufeff {"a":1}', rootSpan('\ufeff {"a":1}'))).toBe('{"a":1}');
  });
});
