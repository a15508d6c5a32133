import { describe, expect, test } from 'vitest';
import { rules } from '../../src/shape/validate.ts';
import { checkCase } from '../support/contract/check-case.ts';
import { contractSuite } from '../support/contract/suite.ts';
import { anthropicFaults } from './anthropic-faults.ts';
import type { Fault } from './fault.ts';
import { openaiFaults } from './openai-faults.ts';
import { otherFaults } from './other-faults.ts';

const faults: readonly Fault[] = [...anthropicFaults, ...openaiFaults, ...otherFaults];

/** As many as the contract suite has a component and dialect in CI. */
const RUNS = 200;
const onlyValid = (name: string) => name === 'valid';

describe.each(faults)('$dialect, $rule: $name', (fault) => {
  test('is caught by the rule, with a small counterexample, and by nothing when the rule is off', async () => {
    const { subject, dialect, rule = '' } = fault;
    const { failure } = await contractSuite(subject, {
      dialect,
      runs: RUNS,
      seed: 1,
      properties: onlyValid,
      // Only the oracle is asked, and only about the fault's own rule.
      rules: (id) => id === rule,
      translate: false,
      damaged: false,
      leastFired: 0,
      shrinkTries: 400,
    });
    expect(failure?.rules).toEqual([rule]);
    expect(failure?.counterexample).toContain(dialect);
    const { shrunk } = failure ?? {};
    if (shrunk === undefined) throw new Error('no counterexample');
    expect(shrunk.plan.script.steps.length).toBeLessThanOrEqual(4);
    const check = (off: string) =>
      checkCase(subject, shrunk, {
        properties: onlyValid,
        rules: (id) => id !== off,
        translate: false,
      });
    await expect(check('')).rejects.toMatchObject({ rules: expect.arrayContaining([rule]) });
    const seen = await check(rule).then(
      () => [],
      (error: { rules?: readonly string[] }) => error.rules ?? ['none'],
    );
    expect(seen).toEqual([]);
  });
});

test('there is a fault for each rule that a rewrite can break', () => {
  const breakable = rules.filter(({ rewriteCanBreak }) => rewriteCanBreak).map(({ id }) => id);
  const covered = new Set(faults.map(({ rule }) => rule));
  expect(breakable.filter((id) => !covered.has(id))).toEqual([]);
});
