import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Growing, GrowingLists, sharedStart } from '../../src/transcript/growing-lists.ts';

interface Item {
  readonly value: number;
}

/** The values of a list; one that `forgets` can only start over. */
class Values implements Growing<Item> {
  values: number[] = [];
  appended = 0;
  readonly #forgets: boolean;

  constructor(forgets: boolean) {
    this.#forgets = forgets;
  }

  get length(): number {
    return this.values.length;
  }

  append({ value }: Item): void {
    this.appended++;
    this.values.push(value);
  }

  cut(length: number): void {
    this.values.length = this.#forgets ? 0 : length;
  }
}

const items: readonly Item[] = Array.from({ length: 12 }, (_, value) => ({ value }));
const lists = fc.array(
  fc
    .array(fc.nat(items.length - 1), { maxLength: 20 })
    .map((places) => places.flatMap((place) => items[place] ?? [])),
  { maxLength: 40 },
);

describe('GrowingLists', () => {
  test.each([false, true])('gives what the list alone would give (forgets: %s)', (forgets) => {
    fc.assert(
      fc.property(lists, (given) => {
        const growing = new GrowingLists<Item, Values>(() => new Values(forgets));
        for (const list of given) {
          expect(growing.of(list).values).toEqual(list.map(({ value }) => value));
        }
      }),
    );
  });

  test('a list that grows costs what it grows by, beside others that begin alike', () => {
    const growing = new GrowingLists<Item, Values>(() => new Values(false));
    const [first, second, ...rest] = items;
    if (first === undefined || second === undefined) throw new Error('there are items');
    const states = new Set<Values>();
    for (let length = 1; length <= rest.length; length++) {
      states.add(growing.of([first, ...rest.slice(0, length)]));
      states.add(growing.of([first, second, ...rest.slice(0, length)]));
    }
    const appended = [...states].reduce((sum, state) => sum + state.appended, 0);
    expect(appended).toBeLessThanOrEqual(2 * items.length + 2);
  });

  test('of the lists that a session began anew, the latest are remembered', () => {
    const growing = new GrowingLists<Item, Values>(() => new Values(false));
    const begun = Array.from({ length: 40 }, (_, value) => [{ value }, { value: -value }]);
    const states = begun.map((list) => growing.of(list));
    const isRemembered = begun.map((list, index) => [list, states[index]] as const);
    const known = isRemembered.reverse().map(([list, state]) => growing.of(list) === state);
    expect(known.slice(0, 16)).toEqual(Array.from({ length: 16 }, () => true));
    expect(known.slice(16)).toEqual(Array.from({ length: 24 }, () => false));
  });

  test('what fails half way is taken back', () => {
    const poison = { value: -1 };
    class Fragile extends Values {
      override append(item: Item): void {
        if (item === poison) throw new Error('refused');
        super.append(item);
      }
    }
    const growing = new GrowingLists<Item, Fragile>(() => new Fragile(false));
    const start = items.slice(0, 3);
    growing.of(start);
    expect(() => growing.of([...start, items[5] ?? poison, poison])).toThrow('refused');
    expect(growing.of([...start, items[6] ?? poison]).values).toEqual([0, 1, 2, 6]);
  });
});

test('sharedStart counts the leading items that are the same objects', () => {
  const [a, b] = items;
  expect(sharedStart([a, b], [a, b, a])).toBe(2);
  expect(sharedStart([a, { ...a }], [a, a])).toBe(1);
  expect(sharedStart([], items)).toBe(0);
});

test('sharedStart of long lists is what a walk finds, whatever was compared before', () => {
  const start = Array.from({ length: 64 }, (_, value) => ({ value }));
  const ends = fc.array(fc.nat(2), { maxLength: 6 });
  const compared = fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(fc.array(ends, { minLength: 5, maxLength: 5 }), compared, (tails, pairs) => {
      const lists = tails.map((tail) => [...start, ...tail.map((place) => items[place])]);
      for (const [one, other] of pairs) {
        const [a = [], b = []] = [lists[one], lists[other]];
        const walked = a.findIndex((item, index) => index >= b.length || item !== b[index]);
        expect(sharedStart(a, b)).toBe(walked < 0 ? Math.min(a.length, b.length) : walked);
      }
    }),
  );
});
