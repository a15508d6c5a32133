import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeFlipRate, flipRate } from '../../../src/report/statistics/flip-rate.ts';
import { normalQuantile } from '../../../src/report/statistics/quantiles.ts';
import { wilsonInterval } from '../../../src/report/statistics/wilson.ts';

const counts = fc
  .tuple(fc.nat(300), fc.nat(300))
  .map(([some, rest]) => ({ some, all: some + rest }))
  .filter(({ all }) => all > 0);

describe("Wilson's interval", () => {
  // Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %i in %i is the published one', (successes, trials, low, high) => {
    const interval = wilsonInterval(successes, trials);
    expect(interval?.low).toBeCloseTo(low, 4);
    expect(interval?.high).toBeCloseTo(high, 4);
  });

  test('ends where the score statistic is z, within 0 to 1, and mirrors', () => {
    const z = normalQuantile(0.975);
    fc.assert(
      fc.property(counts, ({ some, all }) => {
        const { low, high } = wilsonInterval(some, all) ?? { low: -1, high: -1 };
        expect(low >= 0 && low <= some / all && some / all <= high && high <= 1).toBe(true);
        for (const [bound, atEdge] of [
          [low, some === 0],
          [high, some === all],
        ] as const) {
          const score = Math.abs(some / all - bound) / Math.sqrt((bound * (1 - bound)) / all);
          if (!atEdge) expect(score).toBeCloseTo(z, 6);
        }
        const mirrored = wilsonInterval(all - some, all);
        expect(mirrored?.low).toBeCloseTo(1 - high, 12);
        expect(mirrored?.high).toBeCloseTo(1 - low, 12);
      }),
    );
  });

  test('needs a trial, and no more successes than trials', () => {
    expect(wilsonInterval(0, 0)).toBeUndefined();
    expect(() => wilsonInterval(3, 2)).toThrow(RangeError);
  });
});

describe('the bound of the flip rate', () => {
  test('of nine pairs without a flip is 1 − 0.05^(1⁄9), about 28 %', () => {
    const rate = flipRate(0, 9);
    expect(rate.upper).toBeCloseTo(1 - 0.05 ** (1 / 9), 10);
    expect(describeFlipRate(rate)).toBe(
      '0 of 9 pairs differ: a flip rate above 28.3 % is excluded (one-sided 95 %)',
    );
    expect(describeFlipRate(flipRate(1, 1))).toBe('1 of 1 pair differs: no flip rate is excluded');
  });

  test('is the rate at which so few flips have a probability of 5 %', () => {
    fc.assert(
      fc.property(counts, ({ some, all }) => {
        const { upper } = flipRate(some, all);
        if (some === all) {
          expect(upper).toBe(1);
          return;
        }
        // The tail by the recurrence over trials instead of the formula of each term.
        let row = [1];
        for (let trial = 0; trial < all; trial++) {
          row = Array.from(
            { length: Math.min(some, row.length) + 1 },
            (_, k) => (row[k] ?? 0) * (1 - upper) + (row[k - 1] ?? 0) * upper,
          );
        }
        expect(row.slice(0, some + 1).reduce((sum, term) => sum + term, 0)).toBeCloseTo(0.05, 6);
      }),
      { numRuns: 30 },
    );
  });
});
