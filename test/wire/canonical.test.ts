import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/wire/canonical.ts';

const numbers = fc.constantFrom('1', '-2.5', '1e3', '1.0', '12345678901234567890', '0.10', '-0');

/** JSON text of nested values with numbers in every spelling, and the odd ones that the model would read. */
const nested: fc.Arbitrary<{ readonly text: string; readonly odd: readonly string[] }> = fc.letrec<{
  value: { readonly text: string; readonly odd: readonly string[] };
}>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    numbers.map((text) => ({ text, odd: String(Number(text)) === text ? [] : [text] })),
    fc.constantFrom('"1e3"', '"a \\"1.0\\" b"', 'true', 'null', '{}', '[]').map((text) => ({
      text,
      odd: [],
    })),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => ({
      text: `[ ${items.map(({ text }) => text).join(' , ')}]`,
      odd: items.flatMap(({ odd }) => odd),
    })),
    fc
      .array(
        fc.tuple(fc.constantFrom('a', 'b', 'cache_control', 'cache\\u005fcontrol'), tie('value')),
        {
          maxLength: 3,
        },
      )
      .map((entries) => ({
        text: `{${entries.map(([key, { text }]) => `"${key}" : ${text}`).join(',')}}`,
        odd: entries.flatMap(([key, { odd }]) => (/^[ab]$/.test(key) ? odd : [])),
      })),
  ),
})).value;

test('property: numbers that JavaScript would respell stay as written, those of cache marks aside', () => {
  let seen = 0;
  fc.assert(
    fc.property(nested, ({ text, odd }) => {
      // A long number makes that the others are looked for.
      const [, lossy] = canonicalJson(`[${text},1e9]`, JSON.parse(`[${text},1e9]`)).split('\0');
      expect(lossy).toBe([...odd, '1e9'].join(' '));
      seen += odd.length;
    }),
    { seed: 3, numRuns: 300 },
  );
  expect(seen).toBeGreaterThan(100);
});

/** Least CPU time of a few tries, ms. */
function cost(raw: string): number {
  const value: unknown = JSON.parse(raw);
  const tries = [0, 1, 2].map(() => {
    const before = process.cpuUsage();
    canonicalJson(raw, value);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...tries);
}

test('a long text costs the same however deep it stands', () => {
  const depth = 1500;
  const text = `{"n":1e3,"text":"${'a\\"'.repeat(100_000)}"}`;
  const deep = `${'{"a":'.repeat(depth)}${text}${'}'.repeat(depth)}`;
  // Looked through once for each level, it would be a thousand times as much.
  expect(cost(deep)).toBeLessThan(100 * Math.max(1, cost(text)));
});
