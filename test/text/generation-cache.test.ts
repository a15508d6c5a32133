import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { GenerationCache } from '../../src/text/generation-cache.ts';

const operations = fc.array(fc.tuple(fc.boolean(), fc.constantFrom(...'abcdefghij')), {
  maxLength: 200,
});

it('never gives a value that was not set for the key', () => {
  fc.assert(
    fc.property(operations, fc.integer({ min: 1, max: 4 }), (steps, limit) => {
      const cache = new GenerationCache<number>(limit);
      const latest = new Map<string, number>();
      for (const [index, [write, key]] of steps.entries()) {
        if (write) {
          cache.set(key, index);
          latest.set(key, index);
        } else {
          expect([latest.get(key), undefined]).toContain(cache.get(key));
        }
      }
    }),
  );
});

it('keeps the latest entries, up to the weight of one generation', () => {
  const cache = new GenerationCache<number>(10, (key) => key.length);
  for (let index = 0; index < 100; index++)
    cache.set(`key${index % 10}${index}`.slice(0, 5), index);
  expect(cache.get('key99')).toBe(99);
  expect(cache.get('key00')).toBeUndefined();
});

it('keeps an entry that is asked for again and again', () => {
  const cache = new GenerationCache<string>(4);
  cache.set('kept', 'value');
  for (let index = 0; index < 100; index++) {
    cache.set(`other ${index}`, '');
    expect(cache.get('kept')).toBe('value');
  }
  expect(cache.get('other 0')).toBeUndefined();
});
