import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { adjustedInterval, meanInterval } from '../../../src/report/statistics/interval.ts';
import { verdictOf } from '../../../src/report/statistics/verdict.ts';
import { differences } from './arbitraries.ts';

const repeat = (count: number, value: number) => Array.from({ length: count }, () => value);

describe('the interval that decides', () => {
  test('is about ±30 points for nine tasks without a discordant pair', () => {
    const { low, high } = adjustedInterval(repeat(9, 0));
    // s² = 2 ÷ 10 over 11 values, t₀.₉₇₅ with 10 degrees is 2.228139.
    expect(high).toBeCloseTo(2.228138852 * Math.sqrt(0.2 / 11), 8);
    expect(low).toBe(-high);
    expect(high).toBeCloseTo(0.3, 2);
  });

  test('is that of the differences with +1 and −1 added, within −1 to 1', () => {
    fc.assert(
      fc.property(differences, (values) => {
        const plain = meanInterval([...values, 1, -1]);
        const { low, high } = adjustedInterval(values);
        expect(low).toBe(Math.max(-1, plain?.low ?? Number.NaN));
        expect(high).toBe(Math.min(1, plain?.high ?? Number.NaN));
      }),
    );
  });

  test('mirrors when the arms change places', () => {
    fc.assert(
      fc.property(differences, (values) => {
        const one = adjustedInterval(values);
        const other = adjustedInterval(values.map((value) => -value));
        expect(other.low).toBeCloseTo(-one.high, 12);
        expect(other.high).toBeCloseTo(-one.low, 12);
      }),
    );
  });

  test('refuses a difference that no rewards of 0 to 1 have', () => {
    expect(() => adjustedInterval([0, 1.5])).toThrow(RangeError);
    expect(() => adjustedInterval([Number.NaN])).toThrow(RangeError);
  });
});

describe('the verdict', () => {
  test.each([
    ['improved', [...repeat(60, 1), ...repeat(40, 0)]],
    ['non-inferior', repeat(1000, 0)],
    ['non-inferior', [...repeat(4, -1), ...repeat(1996, 0)]],
    ['regressed', [...repeat(30, -1), ...repeat(70, 0)]],
    ['inconclusive', repeat(9, 0)],
    ['inconclusive', []],
  ])('is %s', (word, values) => {
    expect(verdictOf(values).word).toBe(word);
  });

  test('follows its interval and margin, and is untested below 20 solved cells that fired', () => {
    fc.assert(
      fc.property(
        differences,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(40),
        (values, margin, solvedFired) => {
          const { word, interval } = verdictOf(values, { margin });
          expect(word === 'improved').toBe(interval.low > 0);
          expect(word === 'improved' || word === 'non-inferior').toBe(
            interval.low > 0 || interval.low >= -margin,
          );
          if (word === 'regressed') expect(interval.high).toBeLessThan(0);
          const grounded = verdictOf(values, { margin, solvedFired });
          expect(grounded.word).toBe(solvedFired < 20 ? 'untested' : word);
          expect(grounded.interval).toEqual(interval);
        },
      ),
    );
  });

  test('never gets worse when a task gets better', () => {
    const rank = ['regressed', 'inconclusive', 'non-inferior', 'improved'];
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 400 }),
        (lost, ties) => {
          const before = verdictOf([...repeat(lost + 1, -1), ...repeat(ties, 0)]).word;
          const after = verdictOf([...repeat(lost, -1), ...repeat(ties + 1, 0)]).word;
          expect(rank.indexOf(after)).toBeGreaterThanOrEqual(rank.indexOf(before));
        },
      ),
    );
  });

  test('refuses a margin in points instead of a share', () => {
    expect(() => verdictOf([0], { margin: 2 })).toThrow(/expected 0 to 1/);
  });
});
