import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bootstrapInterval } from '../../../src/report/statistics/bootstrap.ts';
import { seededRandom } from '../../../src/report/statistics/random.ts';
import { differences } from './arbitraries.ts';

test('the interval is a function of values and seed, not of the order of the rows', () => {
  fc.assert(
    fc.property(differences, fc.nat(), (values, seed) => {
      const interval = bootstrapInterval(values, seed, 500);
      expect(bootstrapInterval(values, seed, 500)).toEqual(interval);
      expect(bootstrapInterval(values.toReversed(), seed, 500)).toEqual(interval);
      expect(interval === undefined).toBe(values.length === 0);
      if (interval === undefined) return;
      expect(interval.low).toBeLessThanOrEqual(interval.high);
      expect(interval.low).toBeGreaterThanOrEqual(Math.min(...values) - 1e-12);
      expect(interval.high).toBeLessThanOrEqual(Math.max(...values) + 1e-12);
    }),
    { numRuns: 50 },
  );
});

test('another seed draws other samples', () => {
  const random = seededRandom(9);
  const values = Array.from({ length: 50 }, () => random.unit());
  expect(bootstrapInterval(values, 1)).not.toEqual(bootstrapInterval(values, 2));
});

test('nears the normal interval for many tasks', () => {
  const values = [...Array(100).fill(1), ...Array(60).fill(-1), ...Array(240).fill(0)];
  const error = Math.sqrt((160 / 400 - 0.1 ** 2) / 400);
  const interval = bootstrapInterval(values, 1);
  expect(interval?.low).toBeCloseTo(0.1 - 1.96 * error, 2);
  expect(interval?.high).toBeCloseTo(0.1 + 1.96 * error, 2);
});

test('collapses to a point without a discordant pair, which is why it never decides', () => {
  expect(bootstrapInterval(Array(9).fill(0), 1)).toEqual({ low: 0, high: 0 });
});
