import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  normalQuantile,
  sampleQuantile,
  studentQuantile,
} from '../../../src/report/statistics/quantiles.ts';

const probability = fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true });

describe("Student's quantile", () => {
  test.each([
    [0.975, 1, 12.7062047362],
    [0.975, 2, 4.3026527297],
    [0.975, 3, 3.1824463053],
    [0.975, 4, 2.7764451052],
    [0.975, 5, 2.5705818366],
    [0.975, 10, 2.228138852],
    [0.975, 30, 2.0422724563],
    [0.975, 100, 1.9839715185],
    [0.95, 9, 1.8331129327],
    [0.995, 5, 4.0321429836],
    [0.9995, 1, 636.6192487688],
    [0.8, 10, 0.8790578286],
  ])('of %f with %i degrees is that of the tables', (p, degrees, expected) => {
    expect(Math.abs(studentQuantile(p, degrees) - expected)).toBeLessThan(1e-6);
  });

  test('has its closed forms for one and two degrees', () => {
    fc.assert(
      fc.property(probability, (p) => {
        const one = Math.tan(Math.PI * (p - 0.5));
        const two = (2 * p - 1) / Math.sqrt(2 * p * (1 - p));
        expect(Math.abs(studentQuantile(p, 1) / one - 1) < 1e-7 || Math.abs(one) < 1e-6).toBe(true);
        expect(Math.abs(studentQuantile(p, 2) - two)).toBeLessThan(1e-6 * (1 + Math.abs(two)));
      }),
    );
  });

  test('is odd about one half, rises with p, and nears the normal quantile', () => {
    fc.assert(
      fc.property(probability, fc.integer({ min: 1, max: 400 }), (p, degrees) => {
        const t = studentQuantile(p, degrees);
        expect(studentQuantile(1 - p, degrees) + t).toBeCloseTo(0, 5);
        expect(studentQuantile(p + (1 - p) / 2, degrees)).toBeGreaterThan(t);
        const z = normalQuantile(p);
        // The first term of the Cornish–Fisher expansion; the next is of order 1 ÷ degrees².
        const expansion = z + (z ** 3 + z) / (4 * 5000);
        expect(Math.abs(studentQuantile(p, 5000) - expansion)).toBeLessThan(1e-4);
      }),
      { numRuns: 30 },
    );
  });

  test('refuses what is no probability or no number of degrees', () => {
    expect(() => studentQuantile(1.2, 5)).toThrow(RangeError);
    expect(() => studentQuantile(Number.NaN, 5)).toThrow(RangeError);
    expect(() => studentQuantile(0.5, 0)).toThrow(RangeError);
    expect(() => studentQuantile(0.5, 2.5)).toThrow(RangeError);
  });
});

test.each([
  [0.975, 1.9599639845],
  [0.995, 2.5758293035],
  [0.8, 0.8416212336],
  [0.5, 0],
  [0.0001, -3.7190164855],
  [0, -Infinity],
  [1, Infinity],
])('the normal quantile of %f is that of the tables', (p, expected) => {
  const z = normalQuantile(p);
  expect(z === expected || Math.abs(z - expected) < 1e-9).toBe(true);
});

test('a sample quantile lies between the values beside it', () => {
  expect(sampleQuantile([], 0.5)).toBeUndefined();
  expect(sampleQuantile([7], 0.3)).toBe(7);
  expect(sampleQuantile([1, 2, 4], 0.5)).toBe(2);
  expect(sampleQuantile([1, 2, 4, 8], 0.5)).toBe(3);
  expect(sampleQuantile([1, 2, 4, 8], 1)).toBe(8);
});
