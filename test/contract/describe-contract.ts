import { describe, expect, test } from 'vitest';
import type { DialectName } from '../../src/transcript/message.ts';
import { catalogSubjects } from '../support/contract/subjects.ts';
import { contractSuite } from '../support/contract/suite.ts';

/** Runs of a component in one dialect; five dialects make a thousand. */
const RUNS = 200;
/** Fixed, so that the suite fails for what was changed and not by chance; the gate also takes a fresh one. */
const SEED = 20_250_311;

/** The contract of every component of the catalog in one dialect; a file a dialect, so that they run side by side. */
export function describeContract(dialect: DialectName): void {
  describe(`the contract in ${dialect}`, () => {
    test.each(catalogSubjects())(
      '$name',
      async (subject) => {
        const { failure, runs } = await contractSuite(subject, { dialect, runs: RUNS, seed: SEED });
        const found =
          failure === undefined
            ? ''
            : `${failure.message}\n${failure.counterexample}\nagain: npx tsx test/support/contract/run.ts --runs ${RUNS * 5} --seed ${SEED} --component ${subject.name} --dialect ${dialect} --path ${failure.path}`;
        expect(found).toBe('');
        expect(runs).toBe(RUNS);
      },
      180_000,
    );
  });
}
