import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HarnessError } from '../../src/errors.ts';
import type { WireMessage } from '../../src/shape/rule.ts';
import { addedViolations, rules, type Violation, validate } from '../../src/shape/validate.ts';
import { anthropicExamples } from './examples/anthropic.ts';
import { brokenRules, violationsOf, wire } from './examples/example.ts';
import { openaiExamples } from './examples/openai.ts';
import { otherExamples } from './examples/others.ts';

const examples = [...anthropicExamples, ...openaiExamples, ...otherExamples];
const aViolation = fc.constantFrom(...examples.flatMap((example) => violationsOf(example)));
const someViolations = fc.array(aViolation, { maxLength: 12 });

function counts(violations: readonly Violation[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { rule } of violations) found.set(rule, (found.get(rule) ?? 0) + 1);
  return found;
}

describe('validate', () => {
  it('gives the same answer for the same list, whatever was validated between', () => {
    fc.assert(
      fc.property(fc.constantFrom(...examples), fc.constantFrom(...examples), (one, other) => {
        const messages = wire(one.messages);
        const request = { dialect: one.dialect, messages, context: one.context ?? {} };
        const first = validate(request);
        violationsOf(other);
        expect(validate(request)).toEqual(first);
        expect(validate({ ...request, messages: wire(one.messages) })).toEqual(first);
      }),
    );
  });

  it('says so where a message is nested too deep to be compared', () => {
    const nested = (space: string) =>
      `{"role":"user","content":[{"type":"text","text":"a","x":${'['.repeat(20_000)}${space}${']'.repeat(20_000)}}]}`;
    const [before, messages] = [[{ raw: nested('') }], [{ raw: nested(' ') }]];
    const judged = () => validate({ dialect: 'anthropic', messages, before });
    expect(judged).toThrow(HarnessError);
    expect(judged).toThrow('nested too deep');
  });

  it('keeps apart what one message means in two dialects', () => {
    const messages = wire([{ role: 'user', content: '' }]);
    expect(brokenRules(validate({ dialect: 'openai-chat', messages }))).toEqual([]);
    expect(brokenRules(validate({ dialect: 'anthropic', messages }))).toEqual(['A-EMPTY-3']);
    expect(brokenRules(validate({ dialect: 'bedrock', messages }))).toEqual(['B-BLANK']);
  });

  it('takes an output whose call lies with the provider, not one whose call a rewrite dropped', () => {
    const dialect = 'openai-responses';
    const user = { role: 'user', content: 'go on' };
    const kinds = [
      ['function_call', 'OR-PAIR-2'],
      ['custom_tool_call', 'OR-PAIR-3'],
    ] as const;
    for (const [type, rule] of kinds) {
      const call = { type, call_id: 'c1', name: 'f', arguments: '{}' };
      const output = { type: `${type}_output`, call_id: 'c1', output: 'x' };
      const before = wire([user, call, output]);
      const messages = wire([user, output]);
      const reference = { type: 'item_reference', id: 'fc_1' };
      const judged = (items: readonly object[], context = {}, recorded?: typeof before) => {
        const pair = recorded === undefined ? {} : { before: recorded };
        return brokenRules(validate({ dialect, messages: wire(items), context, ...pair }));
      };
      expect(judged([user, output])).toEqual([rule]);
      for (const context of [
        { previous_response_id: 'resp_1' },
        { conversation: { id: 'conv' } },
      ]) {
        expect(judged([user, output], context)).toEqual([]);
        expect(judged([user, output], context, messages)).toEqual([]);
        expect(judged([user, output], context, before)).toEqual([rule]);
      }
      expect(judged([user, output], { previous_response_id: null })).toEqual([rule]);
      expect(judged([reference, output])).toEqual([]);
      expect(judged([reference, output], {}, wire([reference, call, output]))).toEqual([rule]);
    }
  });

  it('changes no message and no list', () => {
    for (const example of examples) {
      const messages = Object.freeze(
        wire(example.messages).map((message) => Object.freeze(message)),
      );
      const before = JSON.stringify(messages);
      validate({ dialect: example.dialect, messages, before: messages });
      expect(JSON.stringify(messages)).toBe(before);
    }
  });

  it('finds no rule of a rewrite broken where nothing was rewritten', () => {
    for (const example of examples) {
      const messages = wire(example.messages);
      const request = { dialect: example.dialect, messages, context: example.context ?? {} };
      expect(validate({ ...request, before: messages })).toEqual(validate(request));
      expect(validate({ ...request, before: wire(example.messages) })).toEqual(validate(request));
    }
  });

  it('asks nothing more of a prefix than of a list that is sent', () => {
    for (const example of examples) {
      const sent = brokenRules(violationsOf({ ...example, mode: 'sendable' }));
      const cut = brokenRules(violationsOf({ ...example, mode: 'prefix' }));
      expect(sent).toEqual(expect.arrayContaining([...cut]));
    }
  });

  it('reads an unknown message once, however often it is validated', () => {
    let reads = 0;
    const messages = wire([{ role: 'user', content: 'x' }]).map(
      ({ raw }): WireMessage => ({
        get raw() {
          reads++;
          return raw;
        },
      }),
    );
    validate({ dialect: 'anthropic', messages });
    const first = reads;
    for (let turn = 0; turn < 5; turn++) validate({ dialect: 'anthropic', messages });
    expect(first).toBeGreaterThan(0);
    expect(reads).toBe(first);
  });

  it('refuses text that is not JSON', () => {
    expect(() => validate({ dialect: 'gemini', messages: [{ raw: '{"role"' }] })).toThrow(
      HarnessError,
    );
  });

  it('takes any JSON for a message without failing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          ...(['anthropic', 'openai-chat', 'openai-responses', 'gemini', 'bedrock'] as const),
        ),
        fc.array(fc.jsonValue(), { maxLength: 4 }),
        fc.array(fc.jsonValue(), { maxLength: 4 }),
        (dialect, messages, before) => {
          const found = validate({
            dialect,
            messages: wire(messages.map((one) => JSON.stringify(one))),
            before: wire(before.map((one) => JSON.stringify(one))),
          });
          for (const { rule } of found) expect(rules.some(({ id }) => id === rule)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('addedViolations', () => {
  it('is nothing for a list that only loses or keeps violations', () => {
    fc.assert(
      fc.property(someViolations, someViolations, (kept, lost) => {
        expect(addedViolations([...lost, ...kept], kept)).toEqual([]);
      }),
    );
  });

  it('counts by rule, wherever the places are', () => {
    fc.assert(
      fc.property(someViolations, someViolations, fc.nat(9), (before, after, offset) => {
        const moved = after.map((one) => ({ ...one, message: one.message + offset }));
        const added = counts(addedViolations(before, moved));
        const had = counts(before);
        for (const [rule, count] of counts(after)) {
          expect(added.get(rule) ?? 0).toBe(Math.max(0, count - (had.get(rule) ?? 0)));
        }
      }),
    );
  });

  it('names the violation that was not there before', () => {
    const orphan = (id: string) => ({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id }],
    });
    const found = (...ids: string[]) =>
      validate({ dialect: 'anthropic', messages: wire(ids.map(orphan)) });
    const [added, ...others] = addedViolations(found('t1', 't2'), found('t1', 't0', 't2'));
    expect(others).toEqual([]);
    expect(added).toMatchObject({ rule: 'A-PAIR-2', message: 1 });
  });
});
