import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { placeOf } from '../../../src/sweep/executors/placing.ts';

const SMALL = { size: 1000, isDeadly: false };
const AHEAD = 2_500_000;

const load = fc.oneof(
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: AHEAD - 1 }) },
  { weight: 9, arbitrary: fc.integer({ min: AHEAD, max: 4 * AHEAD }) },
);

const occupation = fc
  .record({
    workers: fc.integer({ min: 1, max: 4 }),
    measuresHere: fc.boolean(),
    loads: fc.array(load, { maxLength: 4 }),
    here: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4 * AHEAD })),
  })
  .map((one) => ({ ...one, loads: one.loads.slice(0, one.workers) }));

const unit = fc.record({
  size: fc.integer({ min: 1, max: 16_000_000 }),
  isDeadly: fc.boolean(),
});

describe('where a unit is measured', () => {
  test('property: no more measure than may, and what is deadly or large never does in the main thread', () => {
    const places = new Map<string, number>();
    fc.assert(
      fc.property(unit, occupation, (one, state) => {
        const { workers, measuresHere, loads, here } = state;
        const place = placeOf(one, state);
        const kind = typeof place === 'number' ? 'thread' : place;
        places.set(kind, (places.get(kind) ?? 0) + 1);
        if (place === 'here') {
          expect(measuresHere && !one.isDeadly && one.size <= 8_000_000 && here === 0).toBe(true);
          expect(loads.length).toBeLessThan(workers);
        }
        if (place === 'new') expect(loads.length).toBeLessThan(workers);
        if (typeof place === 'number') expect(loads[place]).toBe(Math.min(...loads));
        if (loads.includes(0)) expect(kind).toBe('thread');
        // Somebody will ask again: there is one that has something to do.
        if (place === 'nobody') expect(loads.length + here).toBeGreaterThan(0);
      }),
      { seed: 20261201, numRuns: 3000 },
    );
    for (const kind of ['thread', 'new', 'here', 'nobody'])
      expect(places.get(kind) ?? 0).toBeGreaterThan(20);
  });

  test('the main thread takes the place of one, once the others have enough', () => {
    const two = { workers: 2, measuresHere: true, here: 0 };
    expect(placeOf(SMALL, { ...two, loads: [] })).toBe('new');
    expect(placeOf(SMALL, { ...two, loads: [AHEAD - 1] })).toBe(0);
    expect(placeOf(SMALL, { ...two, loads: [AHEAD] })).toBe('here');
    expect(placeOf(SMALL, { ...two, loads: [AHEAD], here: 7 })).toBe('nobody');
    expect(placeOf(SMALL, { ...two, loads: [AHEAD], here: 3 * AHEAD })).toBe(0);
    expect(placeOf({ ...SMALL, isDeadly: true }, { ...two, loads: [AHEAD] })).toBe('new');
    expect(placeOf(SMALL, { ...two, measuresHere: false, loads: [AHEAD] })).toBe('new');
    expect(placeOf(SMALL, { ...two, loads: [AHEAD, AHEAD] })).toBe('nobody');
  });
});
