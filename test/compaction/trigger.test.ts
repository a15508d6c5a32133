import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestGate, trigger } from '../../src/compaction/trigger.ts';

const request = (facts: { tokens?: number; messages?: number; contextWindow?: number } = {}) => ({
  tokens: facts.tokens ?? 1000,
  messages: facts.messages ?? 10,
  contextWindow: facts.contextWindow,
});
const gate = (settings: object, facts: Parameters<typeof request>[0] = {}) =>
  requestGate(trigger.parse(settings), request(facts));

describe('trigger', () => {
  test('without settings nothing is constrained', () => {
    expect(trigger.parse(undefined)).toEqual({
      min_request_tokens: 0,
      min_messages: 0,
      min_request_frac: 0,
      min_output_tokens: 0,
      min_output_frac: 0,
      huge_output_frac: 0,
    });
    expect(gate({}, { tokens: 0, messages: 0 })).toBeUndefined();
    expect(gate({}, { tokens: 0, messages: 0, contextWindow: 1_000_000 })).toBeUndefined();
  });

  test.each([
    ['min_request_tokens', 'trigger:min_request_tokens', { tokens: 999 }, { tokens: 1000 }],
    ['min_messages', 'trigger:min_messages', { messages: 999 }, { messages: 1000 }],
  ] as const)('%s opens at its very figure', (key, name, below, at) => {
    expect(gate({ [key]: 1000 }, below)).toBe(name);
    expect(gate({ [key]: 1000 }, at)).toBeUndefined();
  });

  test('a fraction of the window raises the figure, and never lowers it', () => {
    const half = { min_request_frac: 0.5 };
    expect(gate(half, { tokens: 999, contextWindow: 2000 })).toBe('trigger:min_request_frac');
    expect(gate(half, { tokens: 1000, contextWindow: 2000 })).toBeUndefined();
    expect(gate(half, { tokens: 0 })).toBeUndefined();
    const both = { ...half, min_request_tokens: 1500 };
    expect(gate(both, { tokens: 1200, contextWindow: 2000 })).toBe('trigger:min_request_tokens');
    expect(gate(both, { tokens: 1600, contextWindow: 4000 })).toBe('trigger:min_request_frac');
  });

  test('the fields of single outputs have no say over a request', () => {
    const outputs = { min_output_tokens: 1e9, min_output_frac: 1, huge_output_frac: 1 };
    expect(gate(outputs, { tokens: 0, messages: 0, contextWindow: 10 })).toBeUndefined();
  });

  test('opens exactly when every figure is reached', () => {
    const figures = fc.record({
      min_request_tokens: fc.nat(40),
      min_messages: fc.nat(40),
      min_request_frac: fc.constantFrom(0, 0.25, 0.5, 1),
    });
    const facts = fc.record({
      tokens: fc.nat(40),
      messages: fc.nat(40),
      contextWindow: fc.option(fc.nat(60), { nil: undefined }),
    });
    fc.assert(
      fc.property(figures, facts, (settings, given) => {
        const needed = Math.max(
          settings.min_request_tokens,
          settings.min_request_frac * (given.contextWindow ?? 0),
        );
        const opens = given.tokens >= needed && given.messages >= settings.min_messages;
        expect(requestGate(trigger.parse(settings), given) === undefined).toBe(opens);
      }),
    );
  });

  test.each([
    ['min_request_tokens', -1],
    ['min_request_tokens', 0.5],
    ['min_request_tokens', '6000'],
    ['min_messages', null],
    ['min_request_frac', 1.01],
    ['min_request_frac', -0.1],
    ['min_output_frac', Number.NaN],
    ['min_request_token', 1],
  ])('refuses %s: %s', (key, value) => {
    expect(trigger.safeParse({ [key]: value }).success).toBe(false);
  });
});
