import fc from 'fast-check';
import { expect, test } from 'vitest';
import { randomFrom, seededRandom } from '../../../src/report/statistics/random.ts';

test('the generator is xoshiro128** 1.1: the first words of its reference from the state 1, 2, 3, 4', () => {
  const random = randomFrom([1, 2, 3, 4]);
  expect(Array.from({ length: 4 }, () => random.bits())).toEqual([11520, 0, 5927040, 70819200]);
});

test('the same seed gives the same numbers, another seed others', () => {
  const first = (seed: number) => {
    const random = seededRandom(seed);
    return Array.from({ length: 20 }, () => random.bits());
  };
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (one, other) => {
      expect(first(one)).toEqual(first(one));
      if (one !== other) expect(first(one)).not.toEqual(first(other));
    }),
  );
});

test('numbers stay in their range and fill it evenly', () => {
  const random = seededRandom(3);
  const counts = Array.from({ length: 10 }, () => 0);
  for (let draw = 0; draw < 20_000; draw++) {
    const unit = random.unit();
    expect(unit >= 0 && unit < 1).toBe(true);
    const index = random.below(10);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  // χ² with 9 degrees of freedom: 27.9 is exceeded once in a thousand seeds.
  const chiSquared = counts.reduce((sum, count) => sum + (count - 2000) ** 2 / 2000, 0);
  expect(chiSquared).toBeLessThan(27.9);
  expect(counts).toHaveLength(10);
});
