import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DiffLine, diffLines, foldSame } from '../../src/text/line-diff.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', ''), { maxLength: 20 });
const some = fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.boolean()), { maxLength: 40 });

function side(diff: readonly DiffLine[], without: DiffLine['kind']): string[] {
  return diff.filter(({ kind }) => kind !== without).map(({ text }) => text);
}

/** Length of the longest common subsequence, by its definition. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const left of a) {
    const next = [0];
    for (const [index, right] of b.entries()) {
      const longer = Math.max(row[index + 1] ?? 0, next[index] ?? 0);
      next.push(left === right ? (row[index] ?? 0) + 1 : longer);
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

describe('diffLines', () => {
  test('holds both sides, in order', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffLines(before, after);
        expect(side(diff, 'added')).toEqual(before);
        expect(side(diff, 'removed')).toEqual(after);
      }),
    );
  });

  test('removes exactly what was left out', () => {
    fc.assert(
      fc.property(some, (marked) => {
        const before = marked.map(([text]) => text);
        const after = marked.filter(([, kept]) => kept).map(([text]) => text);
        const diff = diffLines(before, after);
        expect(diff.filter(({ kind }) => kind === 'added')).toEqual([]);
        expect(diff.length).toBe(before.length);
      }),
    );
  });

  test('finds the longest common subsequence', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const same = diffLines(before, after).filter(({ kind }) => kind === 'same');
        expect(same.length).toBe(longestCommon(before, after));
      }),
    );
  });

  test.each([
    ['of their own', (index: number) => `line ${index}`],
    ['that repeat', (index: number) => `line ${index % 3}`],
  ])('finds what was left out of very many lines %s', (_, lineOf) => {
    const before = Array.from({ length: 20_000 }, (_, index) => lineOf(index));
    const after = before.filter((_, index) => index % 100 < 60);
    const diff = diffLines(before, after);
    expect(side(diff, 'added')).toEqual(before);
    expect(side(diff, 'removed')).toEqual(after);
    expect(diff.filter(({ kind }) => kind === 'added')).toEqual([]);
  });

  test('ends soon on long lists that have nothing unique', () => {
    const before = Array.from({ length: 60_000 }, (_, index) => String(index % 7));
    const after = Array.from({ length: 60_000 }, (_, index) => String(index % 5));
    expect(side(diffLines(before, after), 'added').length).toBe(before.length);
  });
});

describe('foldSame', () => {
  test('leaves out only unchanged lines, two or more, that are far from a change', () => {
    fc.assert(
      fc.property(lines, lines, fc.nat(3), (before, after, context) => {
        const diff = diffLines(before, after);
        let at = 0;
        for (const part of foldSame(diff, context)) {
          if (part.kind !== 'folded') {
            expect(part).toEqual(diff[at++]);
            continue;
          }
          expect(part.lines).toBeGreaterThan(1);
          const near = diff.slice(Math.max(0, at - context), at + part.lines + context);
          expect(near.every(({ kind }) => kind === 'same')).toBe(true);
          at += part.lines;
        }
        expect(at).toBe(diff.length);
      }),
    );
  });
});
