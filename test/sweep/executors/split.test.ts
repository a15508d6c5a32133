import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Config } from '../../../src/compaction/config.ts';
import type { Cell } from '../../../src/sweep/cells.ts';
import { splitWork } from '../../../src/sweep/executors/split.ts';
import type { Transcript } from '../../../src/transcript/transcript.ts';

const transcript: Transcript = {
  task: 'task',
  trial: '0',
  lineage: 'main',
  source: { file: 'x.jsonl', format: 'normalized', session: 's' },
  dialect: 'anthropic',
  requests: [],
  retries: 0,
  hash: '',
};

function config(name: string, matches: string | undefined): Config {
  const about = { name, about: '', steps: [], text: '', hash: name, source: name };
  return matches === undefined ? about : { ...about, matches: { name: matches, hash: matches } };
}

/** Configs of which some match an earlier one, each with the same number of samples. */
const cells = fc
  .record({
    matches: fc.array(fc.option(fc.nat(7), { nil: undefined, freq: 3 }), { maxLength: 8 }),
    samples: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ matches, samples }) =>
    matches.flatMap((reach, index): Cell[] => {
      const matched = reach === undefined || index === 0 ? undefined : `c${reach % index}`;
      const own = config(`c${index}`, matched);
      return Array.from({ length: samples }, (_, sample) => ({
        transcript,
        config: own,
        sample,
        id: `${own.name}-${sample}`,
      }));
    }),
  );

test('works of some cells each: all in order, configs whole, controls with what they match', () => {
  const finished = fc.func(fc.boolean());
  fc.assert(
    fc.property(cells, finished, fc.integer({ min: 1, max: 6 }), (all, isFinished, parts) => {
      const budgetOf = (id: string) => [id.length];
      const works = splitWork({ cells: all, isFinished, budgetOf }, parts);
      expect(works.flatMap((work) => work.cells)).toEqual(all);
      expect(works.length).toBeLessThanOrEqual(parts);
      for (const work of works) {
        expect(work.cells).not.toEqual([]);
        const names = new Set(work.cells.map((cell) => cell.config.name));
        const others = all.filter((cell) => !work.cells.includes(cell));
        for (const cell of others) expect(names).not.toContain(cell.config.name);
        for (const { config: own, id } of work.cells) {
          if (own.matches !== undefined) expect(names).toContain(own.matches.name);
          expect(work.isFinished(id)).toBe(isFinished(id));
          expect(work.budgetOf(id)).toEqual([id.length]);
        }
      }
    }),
    { numRuns: 1000 },
  );
});

test('about as many unfinished cells in each', () => {
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => {
    return { transcript, config: config(name, undefined), sample: 0, id: name };
  });
  const sizes = (isFinished: (id: string) => boolean, parts: number) =>
    splitWork({ cells: all, isFinished, budgetOf: () => undefined }, parts).map(
      (work) => work.cells.length,
    );
  expect(sizes(() => false, 2)).toEqual([3, 3]);
  expect(sizes(() => false, 3)).toEqual([2, 2, 2]);
  expect(sizes(() => false, 9)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(sizes((id) => id < 'd', 3)).toEqual([4, 1, 1]);
});
