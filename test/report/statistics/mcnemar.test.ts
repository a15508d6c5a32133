import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mcnemarOf, mcnemarP } from '../../../src/report/statistics/mcnemar.ts';
import { pairByTask } from '../../../src/report/statistics/paired.ts';
import { binaryOutcomes } from './arbitraries.ts';

/** The sum over the tail in whole numbers; only the last division rounds. */
function bruteForce(gained: number, lost: number): number {
  const trials = gained + lost;
  let term = 1n;
  let sum = 0n;
  for (let k = 0; k <= Math.min(gained, lost); k++) {
    sum += term;
    term = (term * BigInt(trials - k)) / BigInt(k + 1);
  }
  const scale = 10n ** 40n;
  const p = (2n * sum * scale) / 2n ** BigInt(trials);
  return Math.min(1, Number(p) / 1e40);
}

test('p is the doubled binomial tail in exact arithmetic', () => {
  fc.assert(
    fc.property(fc.nat(120), fc.nat(120), (gained, lost) => {
      const expected = bruteForce(gained, lost);
      expect(Math.abs(mcnemarP(gained, lost) - expected)).toBeLessThan(1e-10 * expected + 1e-39);
      expect(mcnemarP(lost, gained)).toBe(mcnemarP(gained, lost));
    }),
  );
});

test('p stays in (0, 1] where 2⁻ⁿ is no longer a number', () => {
  expect(mcnemarP(0, 0)).toBe(1);
  expect(mcnemarP(2000, 2000)).toBe(1);
  expect(mcnemarP(2000, 1990)).toBeGreaterThan(0.8);
  expect(mcnemarP(5000, 0)).toBeGreaterThan(0);
});

test('counts what only one arm solved, and does not apply to part rewards or several trials', () => {
  const arms = { baseline: 'baseline', config: 'candidate' };
  fc.assert(
    fc.property(binaryOutcomes, (rows) => {
      const { pairs } = pairByTask(rows, (row) => row.reward, arms);
      const solved = (config: string) =>
        new Set(
          rows.filter((row) => row.config === config && row.reward === 1).map((row) => row.task),
        );
      const [before, after] = [solved('baseline'), solved('candidate')];
      const gained = [...after].filter((task) => !before.has(task)).length;
      const lost = [...before].filter((task) => !after.has(task)).length;
      expect(mcnemarOf(pairs)).toEqual({ gained, lost, p: mcnemarP(gained, lost) });
    }),
  );
  const pair = { task: 'a', baseline: 1, config: 0, difference: -1, observed: true };
  expect(mcnemarOf([{ ...pair, baselineTrials: 2, configTrials: 2 }])).toBeUndefined();
  const part = { ...pair, config: 0.5, baselineTrials: 1, configTrials: 1 };
  expect(mcnemarOf([part])).toBeUndefined();
});
