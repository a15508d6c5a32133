import { describe, expect, test } from 'vitest';
import { adjustedInterval } from '../../../src/report/statistics/interval.ts';
import { type Random, seededRandom } from '../../../src/report/statistics/random.ts';

/**
 * How often the interval of the verdict holds the true effect. "Discordant" is the expected number of whole
 * pairs lost or gained, Σ difference²: for one trial a task simply the discordant pairs. Averaged trials make
 * smaller differences, beside which the pseudo-tasks of ±1 weigh more, so the interval errs to the wide side.
 */

interface Coverage {
  readonly covered: number;
  readonly discordant: number;
}

/** Exact, where each task is lost with one probability and never gained: a sum over the binomial. */
function lossesOnly(
  tasks: number,
  rate: number,
  intervals: readonly { low: number; high: number }[],
) {
  let logTerm = tasks * Math.log1p(-rate);
  let covered = 0;
  for (const [lost, { low, high }] of intervals.entries()) {
    if (lost > 0) logTerm += Math.log((((tasks - lost + 1) / lost) * rate) / (1 - rate));
    if (low <= -rate && -rate <= high) covered += Math.exp(logTerm);
  }
  return covered;
}

describe('coverage of the interval that decides', () => {
  test('with losses only, rare ones included, is at least 93 %, and at most 97.5 % from 25 discordant pairs', () => {
    for (const tasks of [9, 20, 50, 100, 200, 400]) {
      const intervals = Array.from({ length: tasks + 1 }, (_, lost) =>
        adjustedInterval(Array.from({ length: tasks }, (_, task) => (task < lost ? -1 : 0))),
      );
      for (let rate = 0.002; rate <= 0.5; rate += 0.004) {
        const covered = lossesOnly(tasks, rate, intervals);
        expect(covered, `${tasks} tasks, ${rate}`).toBeGreaterThanOrEqual(0.93);
        if (tasks * rate < 25) continue;
        expect(covered, `${tasks} tasks, ${rate}`).toBeLessThanOrEqual(0.975);
      }
    }
  });

  const REPETITIONS = 2000;

  /** One run of `tasks` differences, `effect` the mean of the population that `draw` draws from. */
  function simulate(tasks: number, effect: number, draw: (random: Random) => number): Coverage {
    const random = seededRandom(17);
    let covered = 0;
    let squares = 0;
    for (let repetition = 0; repetition < REPETITIONS; repetition++) {
      const differences = Array.from({ length: tasks }, () => draw(random));
      for (const difference of differences) squares += difference ** 2;
      const { low, high } = adjustedInterval(differences);
      if (low <= effect && effect <= high) covered++;
    }
    return { covered: covered / REPETITIONS, discordant: squares / REPETITIONS };
  }

  function check({ covered, discordant }: Coverage) {
    expect(covered).toBeGreaterThanOrEqual(0.93);
    if (discordant >= 25) expect(covered).toBeLessThanOrEqual(0.975);
  }

  test.each([
    { tasks: 100, lost: 0.15, gained: 0.1 },
    { tasks: 200, lost: 0.1, gained: 0.05 },
    { tasks: 500, lost: 0.04, gained: 0.02 },
    { tasks: 50, lost: 0.02, gained: 0.01 },
  ])('with $lost lost and $gained gained of $tasks tasks', ({ tasks, lost, gained }) => {
    const coverage = simulate(tasks, gained - lost, (random) => {
      const draw = random.unit();
      return draw < lost ? -1 : draw < lost + gained ? 1 : 0;
    });
    check(coverage);
    expect(coverage.discordant).toBeCloseTo(tasks * (lost + gained), 0);
  });

  /** A task is hopeless, easy or in between, as in real suites; its trials share that chance: clusters. */
  const chance = (random: Random) => {
    const kind = random.unit();
    return kind < 0.35 ? 0.05 : kind < 0.6 ? 0.95 : random.unit();
  };
  const MEAN_CHANCE = 0.35 * 0.05 + 0.25 * 0.95 + 0.4 * 0.5;

  test.each([
    { tasks: 150, trials: 1, broken: 0, enough: true },
    { tasks: 150, trials: 1, broken: 0.02, enough: true },
    { tasks: 50, trials: 4, broken: 0.02, enough: false },
    { tasks: 300, trials: 2, broken: 0.1, enough: true },
    { tasks: 400, trials: 4, broken: 0.15, enough: true },
  ])('of $tasks clustered tasks, $trials trials each, where $broken of them break', (row) => {
    const { tasks, trials, broken, enough } = row;
    const coverage = simulate(tasks, -broken * MEAN_CHANCE, (random) => {
      const before = chance(random);
      const after = random.unit() < broken ? 0 : before;
      let difference = 0;
      for (let trial = 0; trial < trials; trial++) {
        difference += Number(random.unit() < after) - Number(random.unit() < before);
      }
      return difference / trials;
    });
    check(coverage);
    expect(coverage.discordant >= 25).toBe(enough);
  });

  test('would be noticed to fail: without the pseudo-tasks rare losses are covered far too seldom', () => {
    const intervals = Array.from({ length: 51 }, (_, lost) => {
      const rate = lost / 50;
      const reach = 2.01 * Math.sqrt((rate * (1 - rate)) / 49);
      return { low: -rate - reach, high: -rate + reach };
    });
    expect(lossesOnly(50, 0.02, intervals)).toBeLessThan(0.7);
  });
});
