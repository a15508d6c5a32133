import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Caching } from '../../src/model/caching.ts';
import { oracle, promptOf, replayed, sessions, weightOf } from './cost-oracle.ts';

const marks: Caching = { kind: 'marks', minimum: 1024, lookBack: 5 };
const automatic: Caching = { kind: 'automatic', minimum: 1024, step: 128, lifetime: 600_000 };
const run = { numRuns: 300, seed: 41 };

describe.each([
  ['marks', marks],
  ['automatic', automatic],
] as const)('the prompt cache, %s', (_, caching) => {
  test('is what comparing every prompt with every earlier one gives', () => {
    let reads = 0;
    fc.assert(
      fc.property(sessions(), (calls) => {
        const expected = oracle(calls, caching);
        expect(replayed(calls, caching)).toEqual(expected);
        reads += expected.filter(({ cacheRead }) => cacheRead > 0).length;
      }),
      run,
    );
    expect(reads).toBeGreaterThan(200);
  });

  test('every token has one tier', () => {
    fc.assert(
      fc.property(sessions(), (calls) => {
        for (const [index, tiers] of replayed(calls, caching).entries()) {
          const { fresh, cacheRead, cacheWrite5m = 0, cacheWrite1h = 0 } = tiers;
          const call = calls[index] ?? { keys: [], marks: [] };
          const parts = [fresh, cacheRead, cacheWrite5m, cacheWrite1h];
          expect(parts.every((part) => part >= 0)).toBe(true);
          expect(parts.reduce((sum, part) => sum + part, 0)).toBe(
            promptOf(call).tokensTo(call.keys.length),
          );
        }
      }),
      run,
    );
  });

  // Marks of one lifetime: a gap may turn an entry of five minutes into one of an hour, and that can pay.
  test('an idle gap never lowers the cost', () => {
    let dearer = 0;
    fc.assert(
      fc.property(
        sessions(['5m']),
        fc.nat(11),
        fc.integer({ min: 1, max: 90 }),
        (calls, at, gap) => {
          const cost = (session: typeof calls) =>
            replayed(session, caching).reduce((sum, tiers) => sum + weightOf(tiers), 0);
          const idle = calls.map((call, index) =>
            index === at % calls.length ? { ...call, gap: call.gap + gap } : call,
          );
          const [without, withGap] = [cost(calls), cost(idle)];
          expect(withGap).toBeGreaterThanOrEqual(without - 1e-9);
          if (withGap > without) dearer++;
        },
      ),
      run,
    );
    expect(dearer).toBeGreaterThanOrEqual(20);
  });

  test('a prompt that is sent again at once is read as far as it was cached', () => {
    fc.assert(
      fc.property(sessions(), (calls) => {
        const last = calls.at(-1);
        if (last === undefined) return;
        const tiers = replayed([...calls, { ...last, gap: 0 }], caching);
        const again = tiers.at(-1);
        const before = tiers.at(-2);
        expect(again?.cacheWrite5m ?? 0).toBe(0);
        expect(again?.cacheWrite1h ?? 0).toBe(0);
        expect(again?.fresh).toBeLessThanOrEqual(before?.fresh ?? 0);
      }),
      run,
    );
  });
});

// Rules that are wrong in one point each: the comparison with the oracle has to tell.
test.each<[string, Caching, Caching]>([
  ['a look-back one block too short', marks, { ...marks, lookBack: 4 }],
  ['a look-back one block too long', marks, { ...marks, lookBack: 6 }],
  ['no minimum', marks, { ...marks, minimum: 0 }],
  ['a minimum twice as high', marks, { ...marks, minimum: 2048 }],
  ['no marks needed', marks, automatic],
  ['smaller steps', automatic, { ...automatic, step: 64 }],
  ['no steps', automatic, { ...automatic, step: 1 }],
  ['a shorter lifetime', automatic, { ...automatic, lifetime: 300_000 }],
  ['for ever', automatic, { ...automatic, lifetime: Number.MAX_SAFE_INTEGER }],
  ['no cache at all', automatic, { kind: 'none' }],
])('seeded fault: %s', (_, right, wrong) => {
  const found = fc.check(
    fc.property(sessions(), (calls) => {
      expect(replayed(calls, wrong)).toEqual(oracle(calls, right));
    }),
    run,
  );
  expect(found.failed).toBe(true);
});
