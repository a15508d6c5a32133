import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { catalogEntry } from '../../src/compaction/catalog.ts';
import { mask } from '../../src/compaction/mask.ts';
import { catalogSubjects, subjectOf } from '../support/contract/subjects.ts';
import { contractSuite } from '../support/contract/suite.ts';
import { componentOf } from '../support/faulty.ts';

test('a component that the suite does not know is an error', () => {
  const unknown = { ...catalogEntry(mask), name: 'brand_new' };
  expect(() => subjectOf(unknown)).toThrow('no settings for "brand_new"');
});

test.each(catalogSubjects())('all settings that the suite makes for $name are valid', (subject) => {
  fc.assert(
    fc.property(subject.settings, (settings) => {
      expect(subject.bind(settings).name).toBe(subject.name);
    }),
    { numRuns: 50 },
  );
});

test('a property that never meets its subject fails', async () => {
  const idle = {
    name: 'idle',
    settings: fc.constant({}),
    bind: () => componentOf(() => ({ kind: 'skipped', gate: 'idle' })),
    reuse: () => {},
  };
  const { failure } = await contractSuite(idle, { dialect: 'anthropic', runs: 20, seed: 1 });
  expect(failure?.property).toBe('fired');
});
