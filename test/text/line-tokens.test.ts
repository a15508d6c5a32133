import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginsGroup } from '../../src/text/line-groups.ts';
import { LineTokens } from '../../src/text/line-tokens.ts';
import { countGroups, countTokens, tokenizerNames } from '../../src/text/tokens.ts';

const line: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      'a',
      "'s",
      'Word',
      '7',
      ' ',
      '\t',
      '/',
      '(',
      ')',
      '\r',
      '\u00a0',
      '\u0301',
    ),
  }),
  fc.constantFrom(
    '',
    '  ',
    '// said',
    '\t/ x',
    '    return it;',
    '});',
    'é',
    '漢字。',
    '\ufeff',
    '...',
  ),
);
const few = fc.constantFrom('word', '});', '// said', '', '\t/ x', 'end ', '/');
const lines = fc.oneof(
  fc.array(line, { minLength: 30, maxLength: 60 }),
  fc.array(few, { minLength: 100, maxLength: 120 }),
);
const runs = { seed: 20261130, numRuns: 200 };

/** Long enough that the counts of its groups are kept, and never counted before. */
function textOf(parts: readonly string[], end: string): string {
  return `${parts.join('\n')}${end}`.padEnd(600, 'and so on, ');
}

describe.each(tokenizerNames)('groups of lines in %s', (encoding) => {
  const count = (text: string) => countTokens(text, encoding);

  function lineTokens(text: string): LineTokens {
    const { tokens, groups } = countGroups(text, encoding);
    expect(tokens).toBe(count(text));
    if (groups === undefined) throw new Error('the groups were not counted');
    expect(groups.reduce((sum, one) => sum + one, 0)).toBe(tokens);
    return new LineTokens(text, groups, encoding);
  }

  it('the counts before and behind the beginning of each add up', () => {
    let seen = 0;
    fc.assert(
      fc.property(lines, (parts) => {
        const text = parts.join('\n');
        for (let at = text.indexOf('\n') + 1; at > 0; at = text.indexOf('\n', at) + 1) {
          if (!beginsGroup(text, at)) continue;
          seen++;
          expect(count(text.slice(0, at)) + count(text.slice(at))).toBe(count(text));
        }
      }),
      runs,
    );
    expect(seen).toBeGreaterThan(1000);
  });

  it('not so before a blank line, nor before a slash behind punctuation', () => {
    const before = [');', '}\r', '', 'é', '\u0301'].map(
      (end) => [`${end}\n/x`, end.length + 1] as const,
    );
    const blank = ['\n', '  ', '\u00a0x', ''].map((text) => [text, 0] as const);
    for (const [text, at] of [...before, ...blank]) expect(beginsGroup(text, at)).toBe(false);
    expect(count(');\n') + count('//x')).toBe(
      count(');\n//x') + (encoding === 'o200k_base' ? 1 : 0),
    );
  });

  it('any lines of a text in their order count as if they were counted', () => {
    let known = 0;
    fc.assert(
      fc.property(lines, fc.infiniteStream(fc.boolean()), fc.boolean(), (parts, keeps, isOpen) => {
        const text = textOf(parts, '\nend');
        const all = text.split('\n');
        const some = all.filter(() => keeps.next().value).join('\n');
        const kept = isOpen ? some : `${some}\n`;
        const tokens = lineTokens(text).of(kept);
        if (tokens !== undefined) expect(tokens).toBe(count(kept));
        if (tokens !== undefined && kept !== '') known++;
      }),
      runs,
    );
    expect(known).toBeGreaterThan(100);
  });

  it('whatever else is asked is counted right or not at all', () => {
    fc.assert(
      fc.property(lines, lines, (parts, other) => {
        const text = textOf(parts, '\nend');
        const asked = other.map((own, at) => (at % 3 === 0 ? own : parts[at])).join('\n');
        const tokens = lineTokens(text).of(asked);
        if (tokens !== undefined) expect(tokens).toBe(count(asked));
      }),
      runs,
    );
  });

  it('a text of which a part is replaced counts as if it had been counted anew', () => {
    const by = fc.tuple(line, fc.constantFrom('', '\n', ';\n', ' \n', 'x\n', '\n]\n'));
    fc.assert(
      fc.property(lines, fc.nat(700), fc.nat(700), by, fc.boolean(), (parts, a, b, said, cuts) => {
        const text = textOf(parts, '\nend');
        const placeAt = (at: number) => (cuts ? text.lastIndexOf('\n', at) + 1 : at);
        const place = {
          start: placeAt(Math.min(a, b, text.length)),
          end: placeAt(Math.min(Math.max(a, b), text.length)),
          by: said.join(''),
        };
        const replaced = text.slice(0, place.start) + place.by + text.slice(place.end);
        expect(lineTokens(text).replaced(place)).toBe(count(replaced));
      }),
      { ...runs, numRuns: 1000 },
    );
  });
});
