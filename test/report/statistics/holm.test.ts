import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holm } from '../../../src/report/statistics/holm.ts';

test("Holm's adjustment of four p-values, by hand", () => {
  expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
});

test('keeps the order, lies between the raw value and Bonferroni, and ignores the order given', () => {
  const p = fc.double({ min: Number.MIN_VALUE, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.array(p, { maxLength: 12 }), (values) => {
      const adjusted = holm(values);
      expect(adjusted).toHaveLength(values.length);
      expect(holm(values.toReversed())).toEqual(adjusted.toReversed());
      for (const [one, raw] of values.entries()) {
        const value = adjusted[one] ?? Number.NaN;
        expect(value >= raw && value <= Math.min(1, raw * values.length)).toBe(true);
        for (const [other, otherRaw] of values.entries()) {
          if (raw <= otherRaw) expect(value).toBeLessThanOrEqual(adjusted[other] ?? Number.NaN);
        }
      }
    }),
  );
});
