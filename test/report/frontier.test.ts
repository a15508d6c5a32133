import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Choice, frontierOf } from '../../src/report/frontier.ts';

const choices = fc
  .array(fc.tuple(fc.integer({ min: -3, max: 3 }), fc.tuple(fc.nat(3), fc.nat(3))), {
    minLength: 1,
    maxLength: 8,
  })
  .map((list) =>
    list.map(([saved, costs], index): Choice => ({ name: `c${index}`, saved, costs })),
  );

function beats(one: Choice, other: Choice): boolean {
  const differences = [
    one.saved - other.saved,
    ...one.costs.map((cost, index) => (other.costs[index] ?? 0) - (cost ?? 0)),
  ];
  return differences.every((value) => value >= 0) && differences.some((value) => value > 0);
}

describe('the frontier', () => {
  test('holds exactly the choices that nobody beats', () => {
    fc.assert(
      fc.property(choices, (list) => {
        const best = frontierOf(list);
        for (const choice of list) {
          expect(best.has(choice.name)).toBe(!list.some((other) => beats(other, choice)));
        }
      }),
    );
  });

  test('always holds the one that saves most, and never depends on the order', () => {
    fc.assert(
      fc.property(choices, (list) => {
        const best = frontierOf(list);
        const most = Math.max(...list.map(({ saved }) => saved));
        expect(list.some(({ name, saved }) => saved === most && best.has(name))).toBe(true);
        expect(new Set(frontierOf(list.toReversed()))).toEqual(new Set(best));
      }),
    );
  });

  test('leaves a measure out that one of two does not have', () => {
    const cheap = { name: 'cheap', saved: 1, costs: [1, undefined] };
    const dear = { name: 'dear', saved: 1, costs: [2, 0] };
    expect([...frontierOf([cheap, dear])]).toEqual(['cheap']);
  });
});
