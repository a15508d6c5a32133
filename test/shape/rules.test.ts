import { describe, expect, it } from 'vitest';
import { rules } from '../../src/shape/validate.ts';
import { anthropicExamples } from './examples/anthropic.ts';
import { brokenRules, type Example, violationsOf } from './examples/example.ts';
import { openaiExamples } from './examples/openai.ts';
import { otherExamples } from './examples/others.ts';

const examples: readonly Example[] = [...anthropicExamples, ...openaiExamples, ...otherExamples];

/** The ids of ../shared/shape-rules.md, so that a rule that is lost is missed. */
const IDS = [
  ...['A-SYS-1', 'A-SYS-2', 'A-SYS-3', 'A-PAIR-1', 'A-PAIR-2', 'A-PAIR-3', 'A-PAIR-4', 'A-ROLE-1'],
  ...['A-SRV-1', 'A-SRV-2', 'A-THINK-1', 'A-THINK-2', 'A-THINK-3', 'A-THINK-4', 'A-THINK-5'],
  ...['A-EMPTY-1', 'A-EMPTY-2', 'A-EMPTY-3', 'A-EMPTY-4', 'A-EMPTY-5', 'A-ERR-TEXT'],
  ...['A-END-1', 'A-END-2', 'A-FIRST-1', 'A-MIN-1', 'A-CACHE-1', 'A-CACHE-2', 'A-CACHE-3'],
  ...['A-ID-1', 'A-NAME-1', 'A-INPUT-1', 'A-EXTRA-1', 'A-IMG-1', 'X-UNI-1', 'X-BYTE-1'],
  ...['OC-PAIR-1', 'OC-PAIR-2', 'OC-EMPTY-1', 'OC-NULL-1', 'OC-ARGS-1'],
  ...['OR-PAIR-1', 'OR-PAIR-2', 'OR-PAIR-3', 'OR-RSN-1', 'OR-RSN-2', 'OR-DUP-1', 'OR-ID-1'],
  ...['OR-ID-2', 'OR-TRIG-1', 'G-ORDER-1', 'G-ORDER-2', 'G-COUNT', 'G-EMPTY', 'G-SIG-1', 'G-SIG-2'],
  ...['G-END', 'B-ALT', 'B-FIRST', 'B-PAIR-1', 'B-PAIR-2', 'B-BLANK', 'B-CFG', 'B-MIX', 'B-INPUT'],
];

describe('the rules', () => {
  it('are all there, each once', () => {
    expect(rules.map((rule) => rule.id).sort()).toEqual([...IDS].sort());
  });

  it.each(rules)('$id says what it means, whence, and what to do', (rule) => {
    for (const text of [rule.explanation, rule.source, rule.providerError, rule.fix]) {
      expect(text.length).toBeGreaterThan(10);
    }
    expect(rule.explanation).toMatch(/\.$/);
  });

  it('warn where the public evidence conflicts, and are errors elsewhere', () => {
    const warnings = rules.filter((rule) => rule.severity === 'warning').map((rule) => rule.id);
    expect(warnings.sort()).toEqual(['A-FIRST-1', 'B-MIX', 'G-END', 'OR-RSN-1']);
  });
});

describe.each(IDS)('%s', (id) => {
  const own = examples.filter((example) => example.rule === id);

  it.each(own)('$title', (example) => {
    expect(brokenRules(violationsOf(example))).toEqual([...example.broken].sort());
  });

  it('is shown by a list that breaks it and one that does not', () => {
    expect(own.some((example) => example.broken.includes(id))).toBe(true);
    expect(own.some((example) => example.broken.length === 0)).toBe(true);
  });

  it('is missed when it is switched off', () => {
    for (const example of own.filter((one) => one.broken.includes(id))) {
      const reported = brokenRules(violationsOf(example, (rule) => rule !== id));
      expect(reported).toEqual(example.broken.filter((rule) => rule !== id).sort());
    }
  });

  it('names a message of the list and an excerpt of at most 80 characters', () => {
    for (const example of own) {
      for (const violation of violationsOf(example)) {
        expect(violation.message).toBeLessThan(Math.max(1, example.messages.length));
        expect(violation.excerpt.length).toBeLessThanOrEqual(80);
        expect(violation.excerpt === '').toBe(example.messages.length === 0);
      }
    }
  });
});
