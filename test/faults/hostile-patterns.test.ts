import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identifiersIn } from '../../src/text/identifiers.ts';
import { redactSecrets, withoutSecrets } from '../../src/text/redact.ts';
import { KeyedRedaction } from '../../src/text/redact-keyed.ts';
import { KnownTexts } from '../../src/text/redact-known.ts';
import { countTokens } from '../../src/text/tokens.ts';
import { visible } from '../../src/text/visible.ts';

const key = new Uint8Array(32).fill(7);

function redactKeyed(text: string): unknown {
  const redaction = new KeyedRedaction(key, { home: true });
  redaction.learn(text);
  return redaction.redact(text);
}

const passes: Readonly<Record<string, (text: string) => unknown>> = {
  redactSecrets,
  withoutSecrets,
  redactKeyed,
  identifiersIn,
  visible,
  countTokens,
};

/** Texts that make patterns try again: repeated beginnings, ends that never come, nested marks. */
const pieces = [
  ...[
    'a',
    'A',
    '0',
    '-',
    '_',
    '.',
    '/',
    '=',
    '"',
    '\\',
    '@',
    ':',
    '%41',
    ' ',
    '\n',
    '\ud800',
    '😀',
  ],
  ...[
    'a.',
    'a-',
    'a_',
    'a/',
    '../',
    'aA',
    'a1',
    '="',
    '\\"',
    '\\u0041',
    '&#x41;',
    "'a'+",
    '://a:',
    'a:b@',
  ],
  ...[
    'AKIA',
    'sk-',
    'sk-ant-',
    'ghp_',
    'xoxb-',
    'AIza',
    'Bearer ',
    'eyJa.',
    '/home/',
    'C:\\Users\\',
  ],
  ...[
    'password=',
    'api_key":"',
    'authorization: basic ',
    '-----BEGIN PRIVATE KEY-----\n',
    '{"a":',
    '[',
  ],
];

/** Processor milliseconds. */
function cost(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Four times the text may cost four times as much; sixteen times would be quadratic. Small costs are noise. */
function expectLinear(pass: (text: string) => unknown, textOf: (length: number) => string): void {
  pass(textOf(1000));
  const [small, large] = [textOf(25_000), textOf(100_000)];
  const once = cost(() => pass(small));
  const more = cost(() => pass(large));
  expect(more).toBeLessThan(9 * Math.max(once, 40));
}

describe.each(Object.entries(passes))('%s takes time that is linear', (_, pass) => {
  test.each(pieces)('in %j again and again', (piece) => {
    expectLinear(pass, (length) => piece.repeat(Math.ceil(length / piece.length)));
  });
});

describe('thousands of secrets', () => {
  const secretOf = (index: number) =>
    `sk-proj-${createHash('sha256').update(`${index}`).digest('hex').slice(0, 32)}`;

  test('that begin alike are found in time that is linear in the text', () => {
    const known = (count: number) => {
      const texts = new KnownTexts<number>();
      const secrets = Array.from({ length: count }, (_, index) => secretOf(index));
      for (const [index, secret] of secrets.entries()) texts.add(secret, index, false);
      const text = secrets.join(' ');
      return () =>
        expect([...texts.find(text)].map(({ value }) => value)).toEqual([...secrets.keys()]);
    };
    const [few, many] = [known(5_000), known(20_000)];
    expect(cost(many)).toBeLessThan(9 * Math.max(cost(few), 40));
  });

  test('property: the longest known text is found at each place, left to right', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 3, maxLength: 6 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 30, maxLength: 60 });
    let found = 0;
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(word, fc.boolean()), { selector: ([one]) => one, maxLength: 20 }),
        text,
        (words, haystack) => {
          const known = new KnownTexts<string>();
          for (const [one, bounded] of words) known.add(one, one, bounded);
          const expected: [number, string][] = [];
          for (let from = 0; from < haystack.length; ) {
            const isWordPart = (at: number) => /[ab]/.test(haystack[at] ?? '');
            const [best] = words
              .filter(([one]) => haystack.startsWith(one, from))
              .filter(
                ([one, bounded]) =>
                  !bounded || (!isWordPart(from - 1) && !isWordPart(from + one.length)),
              )
              .map(([one]) => one)
              .sort((one, other) => other.length - one.length);
            if (best !== undefined) expected.push([from, best]);
            from += best?.length ?? 1;
          }
          found += expected.length;
          expect([...known.find(haystack)].map(({ from, value }) => [from, value])).toEqual(
            expected,
          );
        },
      ),
      { seed: 7, numRuns: 500 },
    );
    expect(found).toBeGreaterThan(200);
  });
});
