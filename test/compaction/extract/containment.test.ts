import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contains, type Granularity, kindOf } from '../../../src/compaction/extract/containment.ts';
import { splitLines } from '../../../src/compaction/extract/lines.ts';
import { isValidJson } from '../../../src/compaction/extract/valid-json.ts';
import { jsonText, type Spelled, spelled, textOf } from '../../support/json-text.ts';

/** Runs of each property; CG_CONTAINMENT_RUNS=100000 is the long form. */
const numRuns = Number(process.env.CG_CONTAINMENT_RUNS ?? 1000);
const check = (property: fc.IProperty<never>) => fc.assert(property as never, { numRuns });
const holds = (original: string, candidate: string, granularity: Granularity = 'line') =>
  contains(original, candidate, granularity).contained;

/** Which entries stay: an endless, shrinkable stream of choices. */
const choices = fc.infiniteStream(fc.boolean());

function taker(stream: Iterator<boolean>): () => boolean {
  return () => stream.next().value === true;
}

/** A value with entries dropped at any depth. */
function subset(value: Spelled, stays: () => boolean): Spelled {
  if (value.kind === 'atom') return value;
  if (value.kind === 'array') {
    return { ...value, items: value.items.filter(stays).map((item) => subset(item, stays)) };
  }
  const members = value.members
    .filter(stays)
    .map(([key, inner]): readonly [string, Spelled] => [key, subset(inner, stays)]);
  return { ...value, members };
}

/** A container at the root, as `kindOf` asks of JSON. */
const container = spelled.filter((value) => value.kind !== 'atom');

/** The definition, without any care for time: every choice of counterparts is tried. */
function isIn(original: Spelled, candidate: Spelled): boolean {
  if (original.kind !== candidate.kind) return false;
  if (candidate.kind === 'atom' || original.kind === 'atom') {
    return candidate.kind === 'atom' && original.kind === 'atom' && sameAtom(original, candidate);
  }
  if (candidate.kind === 'array') {
    return original.kind === 'array' && inOrder(original.items, candidate.items, isIn);
  }
  return (
    original.kind === 'object' &&
    inOrder(
      original.members,
      candidate.members,
      (from, one) => JSON.parse(from[0]) === JSON.parse(one[0]) && isIn(from[1], one[1]),
    )
  );
}

function sameAtom(a: Spelled & { kind: 'atom' }, b: Spelled & { kind: 'atom' }): boolean {
  if (!a.text.startsWith('"') || !b.text.startsWith('"')) return a.text === b.text;
  return JSON.parse(a.text) === JSON.parse(b.text);
}

function inOrder<T>(
  from: readonly T[],
  ones: readonly T[],
  fits: (a: T, b: T) => boolean,
): boolean {
  const [first, ...rest] = ones;
  if (first === undefined) return true;
  return from.some((one, at) => fits(one, first) && inOrder(from.slice(at + 1), rest, fits));
}

describe('JSON', () => {
  test('any subset is accepted', () => {
    check(
      fc.property(container, choices, (value, stream) => {
        const candidate = textOf(subset(value, taker(stream)));
        expect(contains(textOf(value), candidate)).toEqual({ contained: true, kind: 'json' });
      }) as never,
    );
  });

  test('it says what the definition says, of any two values', () => {
    let contained = 0;
    check(
      fc.property(
        container,
        fc.oneof(
          container.map((other) => () => other),
          fc.tuple(choices, container).map(([stream, other]) => (value: Spelled) => {
            const stays = taker(stream[Symbol.iterator]());
            return mixed(subset(value, stays), other, stays);
          }),
        ),
        (value, candidateOf) => {
          const candidate = candidateOf(value);
          const expected = isIn(value, candidate);
          if (expected) contained++;
          expect(holds(textOf(value), textOf(candidate))).toBe(expected);
        },
      ) as never,
    );
    expect(contained).toBeGreaterThan(numRuns / 20);
  });

  /** The value with a part of another one put in somewhere. */
  function mixed(value: Spelled, other: Spelled, stays: () => boolean): Spelled {
    if (value.kind === 'atom' || !stays()) return stays() ? value : other;
    if (value.kind === 'array') {
      const [first, ...rest] = value.items;
      if (first === undefined) return stays() ? value : { ...value, items: [other] };
      return { ...value, items: [mixed(first, other, stays), ...rest] };
    }
    const [first, ...rest] = value.members;
    if (first === undefined) return value;
    return { ...value, members: [[first[0], mixed(first[1], other, stays)], ...rest] };
  }

  test('every insertion, swap, reorder and edit of records is refused', () => {
    const record = fc.record({ id: fc.nat(50), name: fc.stringMatching(/^[a-z]{1,6}$/) });
    const records = fc.uniqueArray(record, {
      minLength: 2,
      maxLength: 8,
      selector: ({ id }) => id,
    });
    check(
      fc.property(records, fc.nat(), fc.nat(3), (list, seed, damage) => {
        const at = seed % (list.length - 1);
        const [one, two] = [list[at], list[at + 1]] as [object, object];
        const rest = (...middle: object[]) => [
          ...list.slice(0, at),
          ...middle,
          ...list.slice(at + 2),
        ];
        const damaged = [
          rest(two, one),
          rest(one, { id: 51, name: 'new' }, two),
          rest({ ...one, name: 'EDITED' }, two),
          rest({ ...one, added: 1 }, two),
        ][damage];
        const result = contains(JSON.stringify(list), JSON.stringify(damaged));
        expect(result).toMatchObject({ contained: false, at: expect.stringMatching(/^\$\[\d+\]/) });
      }) as never,
    );
  });

  test.each([
    ['{"n":1.0}', '{"n":1}'],
    ['{"n":1e3}', '{"n":1000}'],
    ['{"n":12345678901234567890}', '{"n":12345678901234567000}'],
    ['{"n":12}', '{"n":1}'],
    ['{"a":"1"}', '{"a":1}'],
    ['{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['{"a":1,"a":2}', '{"a":2,"a":1}'],
    ['{"a":1}', '{"a":1,"a":1}'],
    ['{"a":{"b":1}}', '{"b":1}'],
    ['[[1],[2]]', '[[1,2]]'],
    ['[1,2]', '[2,1]'],
    ['[true]', '[false]'],
    ['[1]', '1'],
    ['[1]', ''],
    ['{"a":1}\n{"a":2}', '{"a":2}\n{"a":1}'],
    ['{"a":1}\n{"a":2}', '[{"a":1}]'],
  ])('%s does not contain %s', (original, candidate) => {
    expect(holds(original, candidate)).toBe(false);
  });

  test.each([
    ['{"n":12345678901234567890,"m":1e3}', '{"n":12345678901234567890}'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"a":1,"a":2}', '{"a":1,"a":2}'],
    ['{"é":"x"}', '{"\\u00e9":"\\u0078"}'],
    ['[{"a":1,"b":2},{"a":1}]', '[ { "a" : 1 } , {} ]'],
    ['{"a":1}\n{"a":2}', '{"a":2}'],
    ['{"a":1}\n\n{"a":2}\n', '{}\n{"a":2}'],
    ['[1,[2,[3]]]', '[[[]]]'],
  ])('%s contains %s', (original, candidate) => {
    expect(holds(original, candidate)).toBe(true);
  });

  test('at its ends stands nothing but the white space of JSON', () => {
    const blank = fc.constantFrom('\u00a0', '\ufeff', '\u2028', '\u3000', '\v', '\f');
    check(
      fc.property(container, blank, fc.boolean(), fc.boolean(), (value, added, isFirst, isList) => {
        const one = textOf(value).replace(/[\r\n]/g, ' ');
        const original = isList ? `${one}\n${one}` : one;
        const candidate = isFirst ? `${added}${original}` : `${original}${added}`;
        expect(holds(original, ` ${original}\n`)).toBe(true);
        expect(holds(original, candidate)).toBe(false);
      }) as never,
    );
  });

  test('NDJSON: any choice of values, each with entries dropped', () => {
    check(
      fc.property(
        fc.array(container, { minLength: 2, maxLength: 6 }),
        choices,
        (values, stream) => {
          // Each on a line of its own.
          const line = (value: Spelled) => textOf(value).replace(/[\r\n]/g, ' ');
          const original = values.map(line).join('\n');
          if (kindOf(original) !== 'ndjson') return;
          const stays = taker(stream);
          const kept = values.filter(stays).map((value) => subset(value, stays));
          expect(holds(original, kept.map(line).join('\n'))).toBe(true);
        },
      ) as never,
    );
  });

  test('the scan accepts what JSON.parse accepts', () => {
    const damaged = fc
      .tuple(
        jsonText,
        fc.nat(),
        fc.constantFrom('', '"', '{', ']', ',', ':', '\\', '0', 'e', '\n', ' '),
      )
      .map(([text, seed, put]) => {
        const at = seed % (text.length + 1);
        return text.slice(0, at) + put + text.slice(at + (seed % 2));
      });
    check(
      fc.property(fc.oneof(jsonText, damaged), (text) => {
        let parses = true;
        try {
          JSON.parse(text);
        } catch {
          parses = false;
        }
        expect(isValidJson(text)).toBe(parses);
      }) as never,
    );
  });
});

describe('text', () => {
  const line = fc.oneof(
    fc.constantFrom('a', 'b', 'ab', 'ba', '', ' a', 'a\r', '🎉', '🎉a', '{"a":1}'),
    fc.string({ unit: 'grapheme', maxLength: 4 }).map((text) => text.replaceAll('\n', '')),
  );
  const text = fc
    .tuple(fc.array(line, { maxLength: 7 }), fc.constantFrom('', '\n', '\r\n'))
    .map(([lines, end]) => lines.join('\n') + end)
    .filter((one) => kindOf(one) === 'text');

  test('any choice of lines is accepted', () => {
    check(
      fc.property(text, choices, (original, stream) => {
        const stays = taker(stream);
        const kept = splitLines(original).filter(stays);
        expect(holds(original, kept.map(({ text: one, end }) => one + end).join(''))).toBe(true);
      }) as never,
    );
  });

  test.each<Granularity>(['line', 'char'])(
    'it says what the definition says (%s)',
    (granularity) => {
      const fits = (from: string, one: string) =>
        granularity === 'line' ? from === one : isDeletion([...from], [...one]);
      let contained = 0;
      check(
        fc.property(text, text, choices, (original, other, stream) => {
          const stays = taker(stream);
          const lines = splitLines(stays() && stays() ? other : original)
            .filter(stays)
            .map(({ text: one, end }) => ({
              text: granularity === 'char' ? [...one].filter(stays).join('') : one,
              end,
            }));
          const candidate = lines.map(({ text: one, end }) => one + end).join('');
          const expected = inOrder(
            splitLines(original),
            splitLines(candidate),
            (from, one) => fits(from.text, one.text) && (one.end === from.end || one.end === ''),
          );
          if (expected) contained++;
          expect(holds(original, candidate, granularity)).toBe(expected);
        }) as never,
      );
      expect(contained).toBeGreaterThan(numRuns / 10);
    },
  );

  function isDeletion(from: readonly string[], one: readonly string[]): boolean {
    return inOrder(from, one, (a, b) => a === b);
  }

  test('every insertion, swap and edit of distinct lines is refused, with its place', () => {
    const lines = fc.uniqueArray(fc.stringMatching(/^[a-z]{2,8}$/), { minLength: 2, maxLength: 9 });
    check(
      fc.property(lines, fc.nat(), fc.nat(2), (list, seed, damage) => {
        const at = seed % (list.length - 1);
        const [one, two] = [list[at], list[at + 1]] as [string, string];
        const rest = (...middle: string[]) => [
          ...list.slice(0, at),
          ...middle,
          ...list.slice(at + 2),
        ];
        const damaged = [rest(two, one), rest(one, 'N', two), rest(`${one}N`, two)][damage] ?? [];
        // Of a swap the second line comes too late; before it, nothing is wrong.
        const place = `line ${at + ([2, 2, 1][damage] ?? 0)}`;
        const closed = (all: readonly string[]) => all.map((line) => `${line}\n`).join('');
        expect(contains(closed(list), closed(damaged))).toMatchObject({
          contained: false,
          at: place,
          message: expect.stringContaining(place),
        });
      }) as never,
    );
  });

  test.each([
    ['12\t{', 'text'],
    ['     1\t[\n     2\t]', 'text'],
    ['[1, 2', 'text'],
    ['12', 'text'],
    ['"a"', 'text'],
    ['1\n2\n3', 'text'],
    ['{"a":1}', 'json'],
    [' [ ] ', 'json'],
    ['{"a":1}\n{"a":2}', 'ndjson'],
    ['{"a":1}\nok\n{"a":2}', 'text'],
  ])('%j is %s', (one, kind) => {
    expect(kindOf(one)).toBe(kind);
  });
});

/** Wall time on a loaded machine says little, so the bounds are wide; the closing note has quiet figures. */
describe('is near-linear', () => {
  const timed = (original: string, candidate: string, granularity?: Granularity) => {
    const start = performance.now();
    const result = contains(original, candidate, granularity);
    return { result, ms: performance.now() - start };
  };

  test('a 20 MB JSON', () => {
    const records = Array.from({ length: 200_000 }, (_, n) => ({
      id: `rec-${n}`,
      name: `name of ${n} "quoted"`,
      tags: ['a', 'b', n % 7],
      inner: { value: n / 3, deep: [{ n }] },
    }));
    const original = JSON.stringify(records);
    const candidate = JSON.stringify(records.filter((_, n) => n % 3 !== 0));
    expect(original.length).toBeGreaterThan(19e6);
    const { result, ms } = timed(original, candidate);
    expect(result.contained).toBe(true);
    expect(ms).toBeLessThan(8000);
  });

  test('a 1 MB text, and the texts that make a careless walk quadratic', () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, n) => `line ${n} of the log, with words in it…`,
    );
    const original = lines.join('\n');
    const same = `${'a'.repeat(1000)}b\n`.repeat(1000);
    const long = '1'.repeat(500_000);
    // What differs stands at the end of what is deepest, and is told by its path.
    const nested = (last: string) =>
      `${'[0,'.repeat(450)}${'0,'.repeat(300_000)}${last}${']'.repeat(450)}`;
    for (const [from, candidate, granularity] of [
      [original, lines.filter((_, n) => n % 2 === 0).join('\n'), 'line'],
      [original, lines.map((one) => one.slice(5)).join('\n'), 'char'],
      [same, `${'a'.repeat(1000)}\n`.repeat(1000), 'char'],
      [same, `${'a'.repeat(1000)}c\n`.repeat(1000), 'char'],
      [`[${'1,'.repeat(100_000)}${long}]`, `[${long}]`, 'line'],
      [`["${'a","'.repeat(100_000)}${long}"]`, `["${long}"]`, 'line'],
      [`["${'\\n","'.repeat(100_000)}${long}"]`, `["${long}\\n"]`, 'line'],
      [`{"${'a":1,"'.repeat(100_000)}${long}":1}`, `{"${long}":1}`, 'line'],
      [nested('1'), nested('2'), 'line'],
      [`[${'['.repeat(400)}${']'.repeat(400)}${',[[]]'.repeat(100_000)}]`, '[[[[1]]]]', 'line'],
    ] as const) {
      expect(timed(from, candidate, granularity).ms).toBeLessThan(5000);
    }
  });
});
