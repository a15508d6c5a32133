import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validate } from '../../src/shape/validate.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import { absentFeatures, features } from '../support/arbitraries/features.ts';
import {
  damagedPlans,
  dialectNames,
  type Session,
  sessionOf,
  validPlans,
} from '../support/arbitraries/sessions.ts';

function errorsOf({ dialect, lists, context }: Session): readonly string[] {
  return lists.flatMap((messages) =>
    validate({ dialect, messages, context })
      .filter(({ severity }) => severity === 'error')
      .map(({ rule }) => rule),
  );
}

describe.each(dialectNames)('sessions in %s', (dialect) => {
  test('are sendable at every request, and are written back as they were', () => {
    fc.assert(
      fc.property(validPlans(dialect), (plan) => {
        const session = sessionOf(plan);
        expect(errorsOf(session)).toEqual([]);
        for (const list of session.lists) {
          expect(list.length).toBeGreaterThan(0);
          const wire = dialectOf(dialect);
          const text = `[${list.map(({ raw }) => raw).join(',')}]`;
          const again = wire.parseList(text, session.table).map(({ raw }) => raw);
          expect(again.join(',')).toBe(list.map(({ raw }) => raw).join(','));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('have each feature in a share of the runs that a property can count on', () => {
    const counts = new Map<string, number>();
    const plans = fc.sample(validPlans(dialect), { numRuns: 400, seed: 7 });
    for (const plan of plans) {
      const session = sessionOf(plan);
      for (const [name, has] of Object.entries(features)) {
        if (has(session)) counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    }
    const share = (name: string) => (counts.get(name) ?? 0) / plans.length;
    const absent = new Set(absentFeatures[dialect]);
    const rare = Object.keys(features).filter((name) => !absent.has(name) && share(name) < 0.01);
    expect(rare).toEqual([]);
    expect([...absent].filter((name) => counts.has(name))).toEqual([]);
    // The ones that components live on.
    for (const name of ['large outputs', 'parallel calls', 'requests that grow']) {
      expect(share(name), name).toBeGreaterThan(0.5);
    }
  });

  test('shrink to a handful of messages', () => {
    const hasLarge = (session: Session) =>
      session.lists.some((list) =>
        list.some(({ raw, blocks }) => raw.length > 500 && blocks[0]?.kind === 'tool-result'),
      );
    const { counterexample, failed } = fc.check(
      fc.property(validPlans(dialect), (plan) => !hasLarge(sessionOf(plan))),
      { seed: 3, numRuns: 100 },
    );
    expect(failed).toBe(true);
    const [plan] = counterexample ?? [];
    if (plan === undefined) throw new Error('no counterexample');
    expect(sessionOf(plan).lists.at(-1)?.length).toBeLessThanOrEqual(4);
    expect(plan.script).toMatchObject({ rounds: 1, spelling: 0, marks: 'none', prefill: false });
  });

  test('that were damaged are mostly refused, and some for half an emoji', () => {
    const plans = fc.sample(damagedPlans(dialect), { numRuns: 200, seed: 5 });
    const found = plans.map((plan) => new Set(errorsOf(sessionOf(plan))));
    const refused = found.filter((rules) => rules.size > 0).length;
    expect(refused).toBeGreaterThan(plans.length / 3);
    expect(found.some((rules) => rules.has('X-UNI-1'))).toBe(true);
    expect(new Set(found.flatMap((rules) => [...rules])).size).toBeGreaterThanOrEqual(3);
  });

  test('are the same for the same seed', () => {
    const [a, b] = [1, 1].map((seed) =>
      fc
        .sample(validPlans(dialect), { numRuns: 20, seed })
        .map((plan) => sessionOf(plan).lists.map((list) => list.map(({ raw }) => raw))),
    );
    expect(a).toEqual(b);
  });
});
