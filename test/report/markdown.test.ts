import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fenced, markdownName, markdownTable, markdownText } from '../../src/report/markdown.ts';
import { awkwardText } from '../support/cell-results.ts';

const hostile = fc.oneof(
  awkwardText,
  fc.constantFrom(
    'a|b',
    '<img src=x onerror=alert(1)>',
    '[click](http://evil.example)',
    '`code`',
    '@everyone',
    'a\nb | c |',
    '\u202egnp.exe',
    'www.evil.example',
    '&lt;script&gt;',
    '# heading',
  ),
);

describe('text from outside', () => {
  test('is one line of a table, with no markup that a reader would run', () => {
    fc.assert(
      fc.property(hostile, hostile, (task, config) => {
        const lines = markdownTable(
          [
            { header: 'task', cell: (row: readonly string[]) => markdownText(row[0] ?? '') },
            { header: 'config', cell: (row) => markdownName(row[1] ?? '') },
          ],
          [[task, config]],
        );
        expect(lines).toHaveLength(3);
        const row = lines[2] ?? '';
        expect(row).not.toMatch(/[\n\r\u2028\u2029\u202e]/);
        const unescaped = row.replace(/\\[!-/:-@[-`{-~]/g, '').replace(/`[\w.:@=,/+-]+`/g, '');
        expect(unescaped.match(/\|/g)).toHaveLength(3);
        expect(unescaped).not.toMatch(/[<>[\]`@*_]|:\/\/|www\./);
      }),
    );
  });

  test('comes out as it was for a reader of the page', () => {
    expect(markdownText('a <b> & c')).toBe('a &#60;b&#62; &#38; c');
    expect(markdownText('keep_last: 3')).toBe('keep\\_last: 3');
    expect(markdownName('cg-summarize:keep_last=1')).toBe('`cg-summarize:keep_last=1`');
    expect(markdownName('a|`b`')).toBe('a\\|\\`b\\`');
  });

  test('cannot end a fenced block', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('`', '```', '````', '\n', 'a'), { maxLength: 20 }),
        (parts) => {
          const lines = fenced(parts.join(''));
          const fence = lines[0] ?? '';
          expect(lines.slice(1, -1).some((line) => line.trim().startsWith(fence))).toBe(false);
          expect(lines.at(-1)).toBe(fence);
        },
      ),
    );
  });
});
