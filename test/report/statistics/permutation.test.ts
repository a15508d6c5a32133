import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mcnemarP } from '../../../src/report/statistics/mcnemar.ts';
import { signFlipTest } from '../../../src/report/statistics/permutation.ts';
import { differences } from './arbitraries.ts';

/** Every sign pattern by recursion. */
function bruteForce(values: readonly number[]): number {
  const observed = Math.abs(values.reduce((sum, value) => sum + value, 0));
  const count = (index: number, sum: number): number => {
    const value = values[index];
    if (value === undefined) return Math.abs(sum) >= observed - 1e-9 ? 1 : 0;
    return count(index + 1, sum + value) + count(index + 1, sum - value);
  };
  return count(0, 0) / 2 ** values.length;
}

test('p of few tasks is that of all sign patterns', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.integer({ min: -8, max: 8 }).map((eighths) => eighths / 8),
        { maxLength: 9 },
      ),
      (values) => {
        expect(signFlipTest(values, 1)).toMatchObject({ method: 'exact', p: bruteForce(values) });
      },
    ),
  );
});

test('p is in (0, 1], the same for both directions, any order and the same seed', () => {
  fc.assert(
    fc.property(differences, fc.nat(), (values, seed) => {
      const { p } = signFlipTest(values, seed);
      expect(p > 0 && p <= 1).toBe(true);
      expect(
        signFlipTest(
          values.map((value) => -value),
          seed,
        ).p,
      ).toBe(p);
      expect(signFlipTest(values.toReversed(), seed).p).toBe(p);
      expect(signFlipTest(values, seed).p).toBe(p);
    }),
    { numRuns: 40 },
  );
});

test('of whole wins and losses it is the exact McNemar test, sampled within its error', () => {
  for (const [gained, lost] of [
    [6, 2],
    [0, 12],
    [10, 10],
    [37, 57],
    [45, 36],
  ] as const) {
    const values = [...Array(gained).fill(1), ...Array(lost).fill(-1)];
    const { p, method } = signFlipTest(values, 5);
    const expected = mcnemarP(gained, lost);
    expect(method).toBe(gained + lost > 20 ? 'sampled' : 'exact');
    const error = method === 'exact' ? 1e-12 : 4 * Math.sqrt((expected * (1 - expected)) / 10_000);
    expect(Math.abs(p - expected)).toBeLessThan(error);
  }
});

test('sampled p is never 0: the observed pattern is one of those counted', () => {
  expect(signFlipTest(Array(40).fill(-1), 1)).toEqual({
    p: 1 / 10_001,
    method: 'sampled',
    patterns: 10_000,
  });
});
