import fc from 'fast-check';
import type { Outcome } from '../../../src/report/statistics/paired.ts';

/** Outcomes of a baseline and a config, with missing ones, part rewards and unequal numbers of trials. */
export const outcomes: fc.Arbitrary<Outcome[]> = fc.array(
  fc.record({
    task: fc.constantFrom('t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8', 't9'),
    config: fc.constantFrom('baseline', 'candidate'),
    reward: fc.constantFrom(undefined, 0, 0, 1, 1, 0.1, 0.7),
  }),
  { maxLength: 60 },
);

/** One trial of 0 or 1 a task in both arms. */
export const binaryOutcomes: fc.Arbitrary<Outcome[]> = fc
  .array(fc.tuple(fc.constantFrom(0, 1), fc.constantFrom(0, 1)), { maxLength: 30 })
  .map((pairs) =>
    pairs.flatMap(([before, after], index) => [
      { task: `t${index}`, config: 'baseline', reward: before },
      { task: `t${index}`, config: 'candidate', reward: after },
    ]),
  );

export const differences = fc.array(fc.constantFrom(-1, -0.5, 0, 0, 0, 0.3, 0.5, 1), {
  maxLength: 40,
});
