import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Context, Slot } from '../../../src/compaction/component.ts';
import { normalized, ResultCache } from '../../../src/compaction/extract/result-cache.ts';
import type { ToolOutput } from '../../../src/compaction/tool-outputs.ts';
import { MessageTable } from '../../../src/transcript/intern.ts';
import { anthropic } from '../../../src/wire/anthropic.ts';

const context: Pick<Context, 'memo'> = { memo: (_message, _key, compute) => compute() };
const message = anthropic.userText('a result', new MessageTable());

function outputOf(text: string): ToolOutput {
  const result = {
    kind: 'tool-result',
    id: '1',
    texts: [text],
    media: [],
    isError: false,
  } as const;
  return { message, position: 0, block: 0, result, text, counted: {} };
}

function cacheInASlot(): ResultCache {
  let held: unknown;
  const slot: Slot = {
    get: () => held,
    set: (value) => {
      held = value;
    },
  };
  return ResultCache.of(slot);
}

/** Texts of the same letters, which therefore look alike, and mostly differ in where they stand. */
const alike = fc
  .array(fc.constantFrom('', ' ', '  ', '\n', '\n  ', '\t', ' \n'), { minLength: 2, maxLength: 2 })
  .map(([first, second]) => `a${first}b${second}c`);
const program = fc.array(fc.record({ text: alike, basis: fc.constantFrom('one', 'other') }), {
  maxLength: 30,
});

test('a decision is found for the same content under the same basis, and for nothing that only looks alike', () => {
  let found = 0;
  let missed = 0;
  fc.assert(
    fc.property(program, (steps) => {
      const cache = cacheInASlot();
      const expected = new Map<string, string>();
      for (const [index, { text, basis }] of steps.entries()) {
        const key = JSON.stringify([basis, normalized(text)]);
        const known = cache.get(outputOf(text), basis, context)?.text;
        expect(known).toBe(expected.get(key));
        if (known === undefined) missed++;
        else found++;
        cache.set(outputOf(text), basis, { text: `decision ${index}` }, context);
        expected.set(key, `decision ${index}`);
      }
    }),
    { seed: 20261130, numRuns: 500 },
  );
  expect(Math.min(found, missed)).toBeGreaterThan(200);
});
