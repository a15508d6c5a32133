import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../src/commands/program.ts';
import type { SweepOptions } from '../../src/commands/sweep-options.ts';
import { HarnessError } from '../../src/errors.ts';

function sweepOptions(...words: string[]): SweepOptions {
  const invocation = parseArguments(['sweep', ...words]);
  if (invocation.kind !== 'sweep') throw new Error(`parsed as ${invocation.kind}`);
  return invocation.options;
}

function refusal(...words: string[]): string {
  try {
    parseArguments(words);
  } catch (error) {
    if (error instanceof HarnessError && error.code === 'usage') return error.message;
    throw error;
  }
  throw new Error(`${words.join(' ')} was accepted`);
}

/** What a shell can hand over as a value: anything that does not begin with a dash. */
const value = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.constantFrom('007', '1e3', '0x10', 'true', 'false', 'a=b', 'a b', '*.json', '-'),
);
const word = value.filter((text) => text === '-' || !text.startsWith('-'));

describe('the command line', () => {
  test('takes every value as it is spelled, however it is given', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(word, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
        (groups) => {
          const separate = groups.flatMap((paths) => ['--transcripts', ...paths]);
          const joined = groups.flat().map((path) => `--transcripts=${path}`);
          for (const words of [separate, joined]) {
            expect(sweepOptions('--list', ...words).transcripts).toEqual(groups.flat());
          }
        },
      ),
    );
  });

  test('takes single values as they are spelled', () => {
    fc.assert(
      fc.property(value, word, (out, name) => {
        const options = sweepOptions(`--out=${out}`, '--name', name);
        expect([options.out, options.name]).toEqual([out, name]);
      }),
    );
  });

  test('takes several configs in any way', () => {
    const ways = [
      ['--config', 'a,b', '--config', 'c'],
      ['--config', 'a', 'b', 'c'],
      ['--config=a', '--config=b,c'],
    ];
    for (const words of ways) expect(sweepOptions(...words).configs).toEqual(['a', 'b', 'c']);
  });

  test('keeps the commas and equals signs of --set', () => {
    expect(sweepOptions('--set', 'a.b=1,3,5', '--set=c.d=x=y').sets).toEqual([
      'a.b=1,3,5',
      'c.d=x=y',
    ]);
  });

  test('has defaults that the help names', () => {
    expect(sweepOptions('--config', 'a')).toMatchObject({
      format: 'auto',
      model: 'stub',
      tokenizer: 'o200k_base',
      samples: 1,
      jobs: undefined,
      guard: true,
      resume: false,
      list: false,
      dryRun: false,
      json: false,
    });
  });

  test('resumes the newest run, or one that is named', () => {
    expect(sweepOptions('--resume', '--config', 'a').resume).toBe(true);
    expect(sweepOptions('--config', 'a', '--resume').resume).toBe(true);
    expect(sweepOptions('--resume', 'runs/1.csv').resume).toBe('runs/1.csv');
    expect(sweepOptions('--no-guard').guard).toBe(false);
  });

  test.each([
    [['swep'], /no command swep.*did you mean sweep\?/],
    [['sweep', '--confg', 'a'], /no option --confg; did you mean --config\?/],
    [['sweep', '--transcript', 'a'], /did you mean --transcripts\?/],
    [['sweep', '-x'], /no option -x/],
    [['sweep', '--no-list'], /no option --no-list/],
    [['sweep', '--list=yes'], /--list takes no value/],
    [['sweep', '--config'], /value is missing/],
    [['sweep', '--out'], /value is missing/],
    [['sweep', '--out', 'a', '--out', 'b'], /--out was given more than once/],
    [
      ['sweep', 'cg-summarize'],
      /Unused args: `cg-summarize`; did you mean --config cg-summarize\?/,
    ],
    [['sweep', '--jobs', '0'], /--jobs is '0', expected a whole number from 1/],
    [['sweep', '--samples', 'many'], /--samples is 'many'/],
    [['sweep', '--tokenizer', 'o200k'], /did you mean o200k_base\?/],
    [['sweep', '--format', 'taubench'], /did you mean tau-bench\?/],
    [['sweep', '--model', 'stub-vage'], /did you mean stub-vague\?/],
    [['sweep', '--model', 'liv'], /did you mean live\?/],
    [['sweep', '--model', 'replay'], /--model replay needs .* give --cassette FILE/],
    [['sweep', '--cassette', 'a'], /--cassette has no effect under --model stub/],
    [['sweep', '--on-miss', 'stub'], /--on-miss .* needs --model replay, not stub/],
    [['sweep', '--max-usd', '1'], /--max-usd has no effect under --model stub/],
    [['sweep', '--concurrency', '2', '--model', 'none'], /--concurrency has no effect/],
    [['sweep', '--model', 'live', '--max-usd', 'ten'], /--max-usd is 'ten', expected USD such as/],
    [['sweep', '--model', 'live', '--max-usd', '-1'], /--max-usd is '-1'/],
    [['sweep', '--model', 'live', '--concurrency', '0'], /--concurrency is '0'/],
    [['sweep', '--model', 'replay', '--cassette', 'a', '--on-miss', 'liv'], /did you mean live\?/],
    [
      ['sweep', '--model', 'replay', '--cassette', 'a', '--max-usd', '1'],
      /--max-usd has no effect under --model replay --on-miss error/,
    ],
    [['sweep', '--model', 'none', '--probes', '1'], /--probes asks a model/],
    [['sweep', '--agreement-seed', '1'], /--agreement-seed has no effect without/],
    [['show', 'a', '--config', 'b', '--model', 'live'], /expected one of stub, stub-vague, none/],
    [['expand'], /missing required args/],
    [['expand', 'a', 'b'], /Unused args: `b`/],
  ])('%j is refused with what to do', (words, message) => {
    expect(refusal(...words)).toMatch(message);
  });

  test('asks for help', () => {
    for (const words of [[], ['--help'], ['-h']])
      expect(parseArguments(words)).toMatchObject({ kind: 'help' });
    for (const words of [['sweep'], ['sweep', '--help'], ['sweep', '--config', 'a', '-h']]) {
      expect(parseArguments(words)).toMatchObject({ kind: 'help', command: 'sweep' });
    }
    expect(parseArguments(['expand', '-h'])).toMatchObject({ kind: 'help', command: 'expand' });
  });
});
