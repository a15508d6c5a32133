import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formats } from '../../src/recordings/formats/catalog.ts';
import { fuzzerNamed, fuzzers } from './catalog.ts';
import { faultNames } from './faults.ts';
import { inputOf } from './inputs.ts';
import { fuzz } from './session.ts';
import { supervised } from './supervise.ts';

const SEED = 20261130;
/** Of each fuzzer; `npm run fuzz` runs as many as there is time for. */
const RUNS = 30;
/** CPU time of a run, ms: a test may share its process with others. */
const LIMIT = 4000;

const short = { seed: SEED, runs: RUNS, milliseconds: Number.POSITIVE_INFINITY, limit: LIMIT };

describe('every reader of a file', () => {
  test('has a fuzzer', () => {
    const names = fuzzers().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(formats.map(({ name }) => name)));
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(fuzzers().map(({ name }) => name))('%s holds against mutations', async (name) => {
    const { found, runs, read, rejected } = await fuzz(fuzzerNamed(name), short);
    expect([found?.what, found?.seedName, found?.steps]).toEqual([undefined, undefined, undefined]);
    expect(read + rejected).toBe(runs);
    // Mutations reach behind the first look at a file, and break some.
    expect(read).toBeGreaterThan(0);
    expect(rejected).toBeGreaterThan(0);
  });
});

describe('a fuzzer', () => {
  test('makes the same inputs of the same seed', async () => {
    const { seeds, hasSpellings } = fuzzerNamed('codex-rollout');
    const all = await seeds();
    const inputs = (start: number) =>
      Array.from({ length: 50 }, (_, run) => {
        const { seed, mutations, spelling, choice } = inputOf(all, hasSpellings, start, run);
        return [seed.name, mutations, spelling, choice];
      });
    expect(inputs(1)).toEqual(inputs(1));
    expect(inputs(1)).not.toEqual(inputs(2));
  });

  test('names the fuzzers there are', () => {
    expect(() => fuzzerNamed('codex-rolout')).toThrow(/did you mean "codex-rollout"/);
  });
});

/** What a broken reader is found by. */
const FOUND: { readonly [fault: string]: RegExp } = {
  'loses-lines': /lines are not blank|silent loss|another spelling/,
  'loses-requests': /silent loss/,
  respells: /a normalized copy|encoded|another spelling/,
  'throws-type-errors': /it threw TypeError: x is not a function/,
  loops: /it hangs: \d+ ms of CPU time/,
  waits: /it hangs: it (?:has waited|waits)/,
  'rejects-unhandled': /a rejection that nobody handles: Error: nobody waits/,
  pollutes: /a prototype has changed/,
  'hides-problems': /neither read nor told of|no problem names it|silent loss/,
};

describe('a seeded fault', () => {
  test('of each kind is looked for', () => {
    expect(Object.keys(FOUND).toSorted()).toEqual(faultNames.toSorted());
  });

  test.each(faultNames)('%s is found', async (fault) => {
    // Those that never come back need a thread that can be ended.
    const options = { ...short, runs: 1000, limit: fault === 'loops' ? 500 : LIMIT };
    const isStuck = fault === 'loops' || fault === 'waits';
    const { found } = isStuck
      ? await supervised('llm-request-log', options, fault)
      : await fuzz(fuzzerNamed('llm-request-log', fault), options);
    expect(found?.what).toMatch(FOUND[fault] ?? /^$/);
    expect(found?.steps.length).toBeGreaterThan(0);
    expect(found?.files.every(({ bytes }) => bytes.length >= 0)).toBe(true);
    Reflect.deleteProperty(Object.prototype, 'polluted');
  });

  test('is found on a path that is there', () => {
    expect(existsSync(new URL('worker.mjs', import.meta.url))).toBe(true);
  });
});
