import { describe, expect, test } from 'vitest';
import { propertyNames } from '../support/contract/breach.ts';
import { contractSuite } from '../support/contract/suite.ts';
import { propertyFaults } from './property-faults.ts';

/** As many as the contract suite has a component and dialect in CI. */
const RUNS = 200;

describe.each(propertyFaults)('$property: $name', ({ subject, dialect, property, pipeline }) => {
  const options = {
    dialect,
    runs: RUNS,
    seed: 1,
    translate: false,
    shrinkTries: 400,
    ...(pipeline === undefined ? {} : { pipeline }),
  };

  test('is caught by that property alone, with a counterexample', async () => {
    const { failure } = await contractSuite(subject, {
      ...options,
      properties: (name) => name === property,
    });
    expect(failure?.property).toBe(property);
    if (property !== 'fired') expect(failure?.counterexample).toContain(dialect);
  });

  test('is caught by the whole suite', async () => {
    const { failure } = await contractSuite(subject, options);
    expect(propertyNames).toContain(failure?.property);
  });
});

test('there is a fault for each property but the one of translation', () => {
  const covered = new Set(propertyFaults.map(({ property }) => property));
  // `valid` has its faults by rule, and translation is no component's.
  const missing = propertyNames.filter((name) => !covered.has(name));
  expect(missing).toEqual(['translation', 'valid']);
});
