import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { catalog } from '../../src/compaction/catalog.ts';
import { settableKeys } from '../../src/compaction/settable.ts';
import { summarizeConfig } from '../../src/compaction/summarize-config.ts';
import { trigger } from '../../src/compaction/trigger.ts';
import { HarnessError } from '../../src/errors.ts';
import { failure, load, only } from './preset-support.ts';

const SECRET = 'hidden-7f3a9c';

const count = fc.nat(100_000);
const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const settings = fc.record(
  {
    summary_level: fc.constantFrom('concise', 'regular', 'highly_detailed'),
    keep_last: count,
    min_tokens: count,
    include_tool_calls: fc.boolean(),
    resummarize_tokens: count,
    start_from_message: count,
    marker_mode: fc.constantFrom('full', 'summary', 'off'),
    trigger: fc.record(
      { min_request_tokens: count, min_messages: count, min_request_frac: fraction },
      { requiredKeys: [] },
    ),
    model: fc.record(
      {
        source: fc.constantFrom('incoming', 'config'),
        model: fc.string({ minLength: 1, unit: 'grapheme' }),
        provider: fc.constantFrom('anthropic', 'openai'),
        base_url: fc.webUrl({ withQueryParameters: true }),
        api_key: fc.constant(SECRET),
        auth: fc.constantFrom('x-api-key', 'bearer'),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const document = fc.record({
  name: fc
    .string({ minLength: 1, unit: 'grapheme' })
    .filter((name) => name.trim() !== '' && !/\p{Cc}/u.test(name)),
  about: fc.string({ unit: 'grapheme' }),
  pipeline: fc.constant(['summarize']),
  components: fc.record({ summarize: settings }),
});

it('reads its own text back to the same config, without the key', async () => {
  await fc.assert(
    fc.asyncProperty(document, async (written) => {
      const config = await only(stringify(written));
      const again = await only(config.text);
      expect(config.text).not.toContain(SECRET);
      expect({ ...again, steps: [] }).toEqual({ ...config, steps: [] });
    }),
  );
});

it('gives every setting of a document to the component, and the defaults of all others', async () => {
  await fc.assert(
    fc.asyncProperty(document, async (written) => {
      const config = await only(stringify(written));
      expect(config.steps[0]?.settings).toEqual(
        summarizeConfig.parse(written.components.summarize),
      );
    }),
  );
});

const axis = <T>(key: string, value: fc.Arbitrary<T>) =>
  fc.uniqueArray(value, { minLength: 1, maxLength: 3 }).map((values) => [key, values] as const);

it('gives distinct assignments distinct names and hashes', async () => {
  const axes = fc
    .tuple(
      axis('keep_last', fc.nat(9)),
      axis('trigger.min_messages', fc.nat(9)),
      axis('model.model', fc.stringMatching(/^[a-z0-9 :=",-]*[a-z]$/)),
      axis('summary_level', fc.constantFrom('concise', 'regular')),
    )
    .chain((all) => fc.subarray(all, { minLength: 1 }));
  await fc.assert(
    fc.asyncProperty(axes, async (lists) => {
      const full = lists.map(([key, values]) => [`components.summarize.${key}`, values] as const);
      const size = lists.reduce((product, [, values]) => product * values.length, 1);
      const sets = full.map(
        ([key, values]) => `${key}=${values.map((value) => JSON.stringify(value)).join(',')}`,
      );
      const inline = stringify({ pipeline: ['summarize'], matrix: Object.fromEntries(full) });
      const byMatrix = (await load({ inline })).configs;
      const bySet = (await load({ inline: 'pipeline: [summarize]', sets })).configs;
      expect(new Set(byMatrix.map(({ name }) => name)).size).toBe(size);
      expect(new Set(byMatrix.map(({ hash }) => hash)).size).toBe(size);
      expect(bySet.map(({ name, hash }) => [name, hash])).toEqual(
        byMatrix.map(({ name, hash }) => [name, hash]),
      );
    }),
    { numRuns: 40 },
  );
});

/** Settings without a default. */
const budget = { match: 'baseline' };
const NEEDED = {
  external: { command: 'cat' },
  recency: { budget },
  random_drop: { budget },
  noop: { budget },
};

/** Valid keys by the mapping that they stand in: siblings compete for a suggestion. */
const mappings: Record<string, { keys: string[]; write(key: string): unknown }> = {
  document: {
    keys: ['name', 'about', 'preset', 'pipeline', 'components', 'model', 'matrix', 'expand'],
    write: (key) => ({ [key]: 'x' }),
  },
  summarize: {
    keys: Object.keys(summarizeConfig.unwrap().shape),
    write: (key) => ({ pipeline: ['summarize'], components: { summarize: { [key]: 1 } } }),
  },
  trigger: {
    keys: Object.keys(trigger.unwrap().shape),
    write: (key) => ({
      pipeline: ['summarize'],
      components: { summarize: { trigger: { [key]: 1 } } },
    }),
  },
  matrix: {
    keys: settableKeys(catalog.keys()),
    write: (key) => ({
      pipeline: [...catalog.keys()],
      components: NEEDED,
      matrix: { [key]: [1] },
    }),
  },
};
const HOST_KEYS = ['store', 'mode', 'observe', 'cache', 'include', 'exclude'];

const typo = fc.constantFrom(...Object.keys(mappings)).chain((mapping) =>
  fc
    .record({
      key: fc.constantFrom(...(mappings[mapping]?.keys ?? [])),
      at: fc.nat(),
      letter: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz_'),
      kind: fc.constantFrom('drop', 'insert', 'replace', 'swap'),
    })
    .map(({ key, at, letter, kind }) => {
      const index = at % key.length;
      const [before, here, after] = [key.slice(0, index), key.charAt(index), key.slice(index + 1)];
      if (kind === 'drop') return { mapping, key, wrong: before + after };
      if (kind === 'insert') return { mapping, key, wrong: before + letter + here + after };
      if (kind === 'replace') return { mapping, key, wrong: before + letter + after };
      return { mapping, key, wrong: before + after.charAt(0) + here + after.slice(1) };
    }),
);

it('names the key that was meant by one wrong character', async () => {
  await fc.assert(
    fc.asyncProperty(typo, async ({ mapping, key, wrong }) => {
      const { keys, write } = mappings[mapping] ?? { keys: [], write: () => ({}) };
      fc.pre(![...keys, ...HOST_KEYS].includes(wrong));
      const error = await failure({ inline: stringify(write(wrong)) });
      expect(error.code).toBe('config.key');
      // "mode" and "model" are one letter apart: a typo between two keys may mean either.
      const isAmbiguous = [...keys, ...HOST_KEYS].some(
        (other) => other !== key && Math.abs(other.length - key.length) <= 2 && near(other, wrong),
      );
      if (!isAmbiguous) expect(error.message).toContain(`did you mean "${key}"?`);
      else expect(error.message).toMatch(/did you mean "[\w.]+"\?/);
    }),
    { numRuns: 500 },
  );
});

/** Equal but for one stretch of at most two characters: as near as a typo of one character. */
function near(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let end = 0;
  while (
    end < Math.min(one.length, other.length) - start &&
    one.at(-1 - end) === other.at(-1 - end)
  ) {
    end++;
  }
  return Math.max(one.length, other.length) - start - end <= 2;
}

it('reads any text to configs or to one error, and shows no key of it', async () => {
  const words = [
    ...['pipeline', 'components', 'summarize', 'model', 'matrix', 'preset', 'keep_last', 'name'],
    ...[': ', ':', '\n', '\n  ', '\n    ', '- ', '[', ']', '{', '}', ', ', '"', "'", '|', '>', '#'],
    ...['&a ', '*a', '!!', '? ', '---', '\t', '%', '<<', '__proto__', 'null', '1', '-1', 'é', '💥'],
    ...['base', 'baseline', 'cg-summarize', `api_key: ${SECRET}`, `api_key:${SECRET}`],
  ];
  const text = fc.array(fc.constantFrom(...words), { maxLength: 25 }).map((all) => all.join(''));
  await fc.assert(
    fc.asyncProperty(text, async (inline) => {
      const outcome = await load({ inline }).catch((error: unknown) => error);
      if (outcome instanceof HarnessError) {
        expect(outcome.describe()).not.toContain(SECRET);
        expect(outcome.at?.file).toBeDefined();
      } else {
        expect(outcome).toMatchObject({ configs: expect.any(Array) });
      }
    }),
    { numRuns: 1_000 },
  );
});
