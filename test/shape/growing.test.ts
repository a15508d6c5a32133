import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WireMessage } from '../../src/shape/rule.ts';
import { validate } from '../../src/shape/validate.ts';

/** Messages that break pairing in every way when they are put together, some in other bytes. */
const raws = [
  '{"role":"user","content":"do it"}',
  '{"role":"user","content":"do \\u0069t"}',
  '{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}',
  '{"role":"assistant","content":[{"type":"tool_use","id":"b","name":"f","input":{}},{"type":"text","text":"so"}]}',
  '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}',
  '{"role":"user","content":[{"type":"tool_result","tool_use_id":"a", "content":"x"}]}',
  '{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"y"},{"type":"text","text":"z"}]}',
  '{"role":"user","content":[{"type":"text","text":"n"},{"type":"tool_result","tool_use_id":"b","content":"y"}]}',
  '{"role":"assistant","content":"done"}',
  '{"role":"system","content":[],"output_config":{}}',
];
const messages: readonly WireMessage[] = raws.map((raw) => ({ raw }));
const step = fc.record({
  cut: fc.nat(8),
  added: fc.array(fc.constantFrom(...messages), { maxLength: 4 }),
  rewritten: fc.option(fc.tuple(fc.nat(), fc.constantFrom(...messages))),
  isPrefix: fc.boolean(),
});

describe('a list that is validated after one that begins alike', () => {
  it('has the violations that it has alone', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 15 }), (steps) => {
        let list: readonly WireMessage[] = messages.slice(0, 1);
        for (const { cut, added, rewritten, isPrefix } of steps) {
          list = [...list.slice(0, Math.max(1, list.length - cut)), ...added];
          const [place, other] = rewritten ?? [0, undefined];
          const after =
            other === undefined
              ? list
              : list.map((one, at) => (at === place % list.length ? other : one));
          const options = { mode: isPrefix ? 'prefix' : 'sendable' } as const;
          const known = validate({ dialect: 'anthropic', messages: after, before: list }, options);
          // Copies are of no list that was seen before.
          const copies = new Map(messages.map((one) => [one, { ...one }]));
          const copy = (of: readonly WireMessage[]) => of.map((one) => copies.get(one) ?? one);
          const alone = { messages: copy(after), before: copy(list) };
          expect(known).toEqual(validate({ dialect: 'anthropic', ...alone }, options));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('finds what was respelled, whatever the lists before it held', () => {
    const spelled = fc.constantFrom(...[0, 1, 4].flatMap((at) => messages[at] ?? []));
    const list = fc
      .array(spelled, { maxLength: 3 })
      .map((rest) => [...messages.slice(8, 9), ...rest]);
    const isRespelled = { rules: (id: string) => id === 'X-BYTE-1' };
    let found = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(list, list), { maxLength: 30 }), (rewrites) => {
        for (const [before, after] of rewrites) {
          const known = validate({ dialect: 'anthropic', messages: after, before }, isRespelled);
          const copies = new Map(messages.map((one) => [one, { ...one }]));
          const copy = (of: readonly WireMessage[]) => of.map((one) => copies.get(one) ?? one);
          const alone = { messages: copy(after), before: copy(before) };
          expect(known).toEqual(validate({ dialect: 'anthropic', ...alone }, isRespelled));
          found += known.length;
        }
      }),
      { numRuns: 2000, seed: 20261130 },
    );
    expect(found).toBeGreaterThan(100);
  });
});
