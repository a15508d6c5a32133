import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { SandboxPool } from '../../../src/compaction/extract/sandbox/pool.ts';
import type { Language, Program } from '../../../src/compaction/extract/sandbox/program.ts';

const LANGUAGES: readonly Language[] = ['javascript', 'starlark'];
const limits = { steps: 1_000_000, milliseconds: 30_000, megabytes: 64 };
const pool = new SandboxPool({ size: 2, limits });
afterAll(() => pool.close());

const PROGRAMS: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  done: {
    javascript: 'OUTPUT = INPUT.split("").reverse().join("")',
    starlark: 'OUTPUT = INPUT[::-1]',
  },
  syntax: { javascript: 'OUTPUT = (', starlark: 'OUTPUT = (' },
  runtime: { javascript: 'OUTPUT = null.x', starlark: 'OUTPUT = [][0]' },
  step_limit: { javascript: 'for (;;) {}', starlark: 'while True:\n  pass' },
  memory_limit: { javascript: 'OUTPUT = "a".repeat(2 ** 29)', starlark: 'OUTPUT = "a" * 10 ** 9' },
};

describe('a pool of machines', () => {
  it('answers right after any sequence of faults, at any size, in any order', async () => {
    const kind = fc.constantFrom(...Object.keys(PROGRAMS));
    const step = fc.record({
      kind,
      language: fc.constantFrom(...LANGUAGES),
      input: fc.stringMatching(/^[a-z]{0,9}$/),
    });
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 8 }),
      fc.integer({ min: 1, max: 3 }),
      async (steps, size) => {
        const own = new SandboxPool({ size, limits });
        try {
          const results = await Promise.all(
            steps.map(({ kind: name, language, input }) =>
              own.evaluate({ language, code: PROGRAMS[name]?.[language] ?? '', input }),
            ),
          );
          results.forEach((result, index) => {
            const { kind: name, input = '' } = steps[index] ?? {};
            if (name === 'done') {
              expect(result).toMatchObject({ kind: 'done', output: [...input].reverse().join('') });
            } else {
              expect(result).toMatchObject({ kind: 'refused', refusal: name });
            }
          });
        } finally {
          await own.close();
        }
      },
    );
    await fc.assert(property, { numRuns: 6 });
  });

  it('leaves nothing of one program for the next', async () => {
    const own = new SandboxPool({ size: 1 });
    const run = (program: Omit<Program, 'input'>) => own.evaluate({ ...program, input: 'x' });
    await run({
      language: 'javascript',
      code: 'globalThis.left = 1; INPUT = "y"; Array.prototype.map = null; OUTPUT = "a"; SUMMARY = "s"',
    });
    expect(
      await run({
        language: 'javascript',
        code: 'OUTPUT = INPUT + typeof left + [1].map((n) => n + 1)',
      }),
    ).toMatchObject({ kind: 'done', output: 'xundefined2' });
    expect(await run({ language: 'javascript', code: '1' })).toMatchObject({ refusal: 'runtime' });
    await run({
      language: 'starlark',
      code: 'left = 1\nlen = None\nINPUT = "y"\njson = 1\nOUTPUT = "a"',
    });
    expect(
      await run({ language: 'starlark', code: 'OUTPUT = INPUT + str(len([1])) + json.encode([])' }),
    ).toMatchObject({ kind: 'done', output: 'x1[]' });
    expect(await run({ language: 'starlark', code: 'OUTPUT = str(left)' })).toMatchObject({
      refusal: 'runtime',
    });
    await own.close();
  });

  it('gives each program a machine as no program has seen it, whatever ran before', async () => {
    /** What a program can tell of its machine. */
    const looks: Readonly<Record<Language, string>> = {
      javascript: `const own = (of) => Reflect.ownKeys(of).map(String).join();
        const shapes = [globalThis, Array.prototype, Object.prototype, Map.prototype, JSON].map(own);
        OUTPUT = [INPUT, ...shapes, typeof left, Object.isFrozen(Map.prototype), [3, 1].sort(),
          String(Array.prototype.map), JSON.stringify([/a/.exec('ba').index])].join('|');`,
      starlark:
        'OUTPUT = "|".join([INPUT, str(len([1])), json.encode({"a": 1}), str(sorted([2, 1])), str(re_findall("b", "b"))])',
    };
    const mild = ['done', 'syntax', 'runtime'].flatMap((name) => PROGRAMS[name] ?? []);
    const traces: readonly Omit<Program, 'input'>[] = [
      ...mild.flatMap((program) =>
        LANGUAGES.map((language) => ({ language, code: program[language] })),
      ),
      ...[
        'globalThis.left = 1; Array.prototype.sort = null; Object.freeze(Map.prototype); OUTPUT = ""',
        'Object.prototype.left = Symbol.for("left"); delete globalThis.JSON; OUTPUT = ""',
        'const f = () => f(); try { f() } catch {} OUTPUT = "deep"',
        'globalThis.held = new Uint8Array(9e6).fill(7); OUTPUT = "large"',
        'Promise.resolve().then(function later() { globalThis.left = 1; return later; }); OUTPUT = ""',
        'try { re_findall("(", INPUT) } catch {} OUTPUT = re_sub("a", "b", INPUT)',
      ].map((code) => ({ language: 'javascript', code }) as const),
      { language: 'starlark', code: 'left = 1\nlen = None\nsorted = 2\njson = {}\nOUTPUT = ""' },
    ];
    const evaluate = (at: SandboxPool, language: Language, code: string) =>
      at.evaluate({ language, code, input: 'aé😀' });
    const fresh = new Map<Language, Awaited<ReturnType<typeof evaluate>>>();
    for (const language of LANGUAGES) {
      const own = new SandboxPool({ size: 1, limits });
      const first = await evaluate(own, language, looks[language]);
      expect(first.kind, JSON.stringify(first)).toBe('done');
      fresh.set(language, first);
      await own.close();
    }
    const used = new SandboxPool({ size: 1, limits });
    const property = fc.asyncProperty(
      fc.array(fc.constantFrom(...traces), { maxLength: 5 }),
      fc.constantFrom(...LANGUAGES),
      async (before, language) => {
        for (const trace of before) await evaluate(used, trace.language, trace.code);
        expect(await evaluate(used, language, looks[language])).toEqual(fresh.get(language));
      },
    );
    await fc.assert(property, { numRuns: 25, seed: 20261130 });
    await used.close();
  });

  it.each(LANGUAGES)(
    '%s: the same program takes the same steps to the same result',
    async (language) => {
      const code = {
        javascript:
          'const seen = {}; for (let i = 0; i < 60000; i++) seen["k" + (i * 7919 % 1013)] = i; OUTPUT = JSON.stringify(seen)',
        starlark:
          'seen = {}\nfor i in range(5000):\n  seen["k" + str(i * 7919 % 1013)] = i\nOUTPUT = json.encode(seen)',
      }[language];
      const runs = await Promise.all(
        Array.from({ length: 4 }, () => pool.evaluate({ language, code, input: '' })),
      );
      const [first] = runs;
      if (first?.kind !== 'done') throw new Error(JSON.stringify(first));
      expect(first.steps).toBeGreaterThan(0);
      for (const run of runs) expect(run).toEqual(first);
    },
  );

  it.each(LANGUAGES)('%s: the step limit stops a program at the same place', async (language) => {
    const code = {
      javascript: 'OUTPUT = ""; for (let i = 0; ; i++) if (i % 1000 === 0) print(i)',
      starlark: 'i = 0\nwhile True:\n  i += 1\n  if i % 1000 == 0:\n    print(i)',
    }[language];
    const print = async (): Promise<string> => {
      const result = await pool.evaluate({ language, code, input: '' });
      return JSON.stringify(result);
    };
    expect(await print()).toContain('step_limit');
    expect(await print()).toBe(await print());
  });

  it('takes one line of SUMMARY, and nothing that is no string', async () => {
    const summary = async (code: string) => {
      const result = await pool.evaluate({
        language: 'javascript',
        code: `OUTPUT = ""; ${code}`,
        input: '',
      });
      return result.kind === 'done' ? result.summary : result;
    };
    expect(await summary('SUMMARY = "  one\\ntwo"')).toBe('one');
    expect(await summary('SUMMARY = " \\n "')).toBeUndefined();
    expect(await summary('SUMMARY = 42')).toBeUndefined();
    expect(await summary('')).toBeUndefined();
  });

  it('refuses an input over its limit, and takes one at it', async () => {
    const size = pool.limits.inputBytes;
    const run = (input: string) =>
      pool.evaluate({ language: 'starlark', code: 'OUTPUT = str(len(INPUT))', input });
    expect(await run('a'.repeat(size))).toMatchObject({ kind: 'done', output: String(size) });
    expect(await run('a'.repeat(size + 1))).toMatchObject({ refusal: 'memory_limit' });
    expect(await run('é'.repeat(size / 2 + 1))).toMatchObject({ refusal: 'memory_limit' });
  });

  it.each(LANGUAGES)('%s: any text goes in and comes out unchanged', async (language) => {
    const property = fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      expect(
        await pool.evaluate({ language, code: 'OUTPUT = INPUT', input: `\r\n\0${text}` }),
      ).toMatchObject({ output: `\r\n\0${text}` });
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it('an abort ends the program at once, and the pool goes on', async () => {
    const own = new SandboxPool({
      size: 1,
      limits: { steps: Number.MAX_SAFE_INTEGER, milliseconds: 60_000 },
    });
    const controller = new AbortController();
    const running = own.evaluate(
      { language: 'javascript', code: 'for (;;) {}', input: '' },
      controller.signal,
    );
    setTimeout(() => controller.abort(new Error('enough')), 300);
    await expect(running).rejects.toThrow('enough');
    await expect(
      own.evaluate({ language: 'javascript', code: 'OUTPUT = ""', input: '' }, controller.signal),
    ).rejects.toThrow('enough');
    expect(
      await own.evaluate({ language: 'javascript', code: 'OUTPUT = "on"', input: '' }),
    ).toMatchObject({ output: 'on' });
    await own.close();
  });

  it('a closed pool refuses work, also what waits', async () => {
    const own = new SandboxPool({ size: 1 });
    const program: Program = { language: 'javascript', code: 'for (;;) {}', input: '' };
    const settled = Promise.allSettled([own.evaluate(program), own.evaluate(program)]);
    await own.close();
    for (const { status } of await settled) expect(status).toBe('rejected');
    await expect(own.evaluate(program)).rejects.toThrow('closed');
  });

  it('JavaScript has linear-time expressions, JSON helpers and console too', async () => {
    const code = `console.log("quiet");
      OUTPUT = [re_findall("(\\\\w)=(\\\\w)", "a=b c=d").join(), re_match("b(x)?", "abc")[0], re_match("z", "abc"),
        re_sub("(\\\\w)=", "\\\\1:", "a=b"), re_split(",\\\\s*", "a, b").length, json.encode(json.decode("[1]")),
        re_findall(/(a+)+$/, "a".repeat(5000) + "!").length].join("|")`;
    expect(await pool.evaluate({ language: 'javascript', code, input: '' })).toMatchObject({
      output: 'a,b,c,d|b||a:b|2|[1]|0',
    });
  });

  it('an evaluation costs a few milliseconds', async () => {
    for (const language of LANGUAGES) {
      const times: number[] = [];
      for (let round = 0; round < 15; round++) {
        const from = performance.now();
        await pool.evaluate({ language, code: 'OUTPUT = INPUT', input: 'x' });
        times.push(performance.now() - from);
      }
      // Wide of the 2 ms of an idle machine: only a thread started for each program would fail this.
      expect(Math.min(...times)).toBeLessThan(40);
    }
  });
});
