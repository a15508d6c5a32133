import { afterAll, describe, expect, it } from 'vitest';
import { SandboxPool } from '../../../src/compaction/extract/sandbox/pool.ts';
import type { Language } from '../../../src/compaction/extract/sandbox/program.ts';

const LANGUAGES: readonly Language[] = ['javascript', 'starlark'];
const pool = new SandboxPool({
  size: 1,
  limits: { steps: 1_000_000, milliseconds: 1500, megabytes: 64 },
});
afterAll(() => pool.close());

describe.each(LANGUAGES)('a session in %s', (language) => {
  const pick = (javascript: string, starlark: string): string =>
    language === 'javascript' ? javascript : starlark;

  it('keeps its variables, shows what is printed, and ends with OUTPUT', async () => {
    const session = await pool.session(language, 'one\ntwo\nthree');
    const first = await session.run(
      pick(
        'const lines = INPUT.split("\\n"); print(lines.length)',
        'lines = INPUT.split("\\n")\nprint(len(lines))',
      ),
    );
    expect(first).toEqual({ kind: 'ran', printed: '3\n', outputSet: false });
    expect(session.output()).toBeUndefined();
    const second = await session.run(
      pick(
        'const kept = lines.filter((l) => l.includes("t")); OUTPUT = kept.join("\\n"); SUMMARY = "t"',
        'def has_t(l):\n  return "t" in l\nOUTPUT = "\\n".join([l for l in lines if has_t(l)])\nSUMMARY = "t"',
      ),
    );
    expect(second).toEqual({ kind: 'ran', printed: '', outputSet: true });
    expect(session.output()).toBe('two\nthree');
    expect(session.summary()).toBe('t');
    await session.close();
    await expect(session.run('1')).rejects.toThrow('closed');
  });

  it('may declare a name again, and call a function of an earlier run', async () => {
    const session = await pool.session(language, 'x');
    const code = pick(
      'const f = () => INPUT + "!"\nlet n = 1',
      'def f():\n  return INPUT + mark\nmark = "!"',
    );
    expect(await session.run(code)).toMatchObject({ kind: 'ran' });
    expect(await session.run(code)).toMatchObject({ kind: 'ran' });
    await session.run('OUTPUT = f()');
    expect(session.output()).toBe('x!');
    await session.close();
  });

  it('asks, with an answer that takes longer than a program may run', async () => {
    const asked: string[][] = [];
    const session = await pool.session(language, 'piece', {
      ask: async (question, piece) => {
        asked.push([question, piece]);
        await new Promise((resolve) => setTimeout(resolve, 2000));
        return `${piece.length} 😀`;
      },
    });
    expect(await session.run('OUTPUT = ask("how long?", INPUT)')).toMatchObject({ kind: 'ran' });
    expect(session.output()).toBe('5 😀');
    expect(asked).toEqual([['how long?', 'piece']]);
    await session.close();
  });

  it('a failed question is an error that the program may catch', async () => {
    const session = await pool.session(language, 'x', {
      ask: () => Promise.reject(new Error('no calls left')),
    });
    expect(await session.run('OUTPUT = ask("a", "b")')).toMatchObject({
      refusal: 'runtime',
      message: expect.stringContaining('no calls left'),
    });
    const caught = pick(
      'try { ask("a", "b") } catch (e) { OUTPUT = "caught" }',
      'try:\n  ask("a", "b")\nexcept RuntimeError:\n  OUTPUT = "caught"',
    );
    expect(await session.run(caught)).toMatchObject({ kind: 'ran', outputSet: true });
    await session.close();
  });

  it('a mistake keeps the variables; a limit takes them, and says so', async () => {
    const session = await pool.session(language, 'x');
    await session.run(pick('const a = 1; OUTPUT = "first"', 'a = 1\nOUTPUT = "first"'));
    expect(await session.run('OUTPUT = (')).toMatchObject({ refusal: 'syntax' });
    expect(await session.run('nothing()')).toMatchObject({ refusal: 'runtime' });
    expect(session.output()).toBe('first');
    expect(await session.run(pick('print(a)', 'print(a)'))).toMatchObject({ printed: '1\n' });
    expect(await session.run(pick('for (;;) {}', 'while True:\n  pass'))).toMatchObject({
      refusal: 'step_limit',
      message: expect.stringContaining('are gone'),
    });
    expect(session.output()).toBeUndefined();
    expect(await session.run('print(a)')).toMatchObject({ refusal: 'runtime' });
    expect(await session.run('OUTPUT = INPUT')).toMatchObject({ kind: 'ran', outputSet: true });
    await session.close();
  });

  it('an OUTPUT that is no string is refused', async () => {
    const session = await pool.session(language, 'x');
    expect(await session.run('OUTPUT = 42')).toMatchObject({
      refusal: 'runtime',
      message: expect.stringContaining('must be a string'),
    });
    await session.close();
  });
});

describe('sessions and the pool', () => {
  it('an input over the limit is an error', async () => {
    await expect(pool.session('starlark', 'a'.repeat(2 ** 20 + 1))).rejects.toThrow('at most');
  });

  it('a session leaves nothing for the next, and takes no answers of it', async () => {
    const own = new SandboxPool({ size: 1, limits: pool.limits });
    const first = await own.session('javascript', 'one', { ask: async () => 'from the first' });
    await first.run('var left = ask("a", "b"); Array.prototype.map = null; OUTPUT = left');
    expect(first.output()).toBe('from the first');
    await first.close();
    const second = await own.session('javascript', 'two', { ask: async () => 'from the second' });
    expect(second.output()).toBeUndefined();
    expect(await second.run('OUTPUT = INPUT + typeof left + [1].map(() => ask("a", "b"))')).toEqual(
      { kind: 'ran', printed: '', outputSet: true },
    );
    expect(second.output()).toBe('twoundefinedfrom the second');
    await second.close();
    const asking = 'OUTPUT = ask("a", "b")';
    expect(await own.evaluate({ language: 'javascript', code: asking, input: '' })).toMatchObject({
      refusal: 'runtime',
      message: expect.stringContaining('not available'),
    });
    await own.close();
  });

  it('a session that is closed in the middle of a run ends it', async () => {
    const own = new SandboxPool({
      size: 1,
      limits: { ...pool.limits, milliseconds: 60_000, steps: 1e12 },
    });
    const session = await own.session('javascript', 'x');
    const running = session.run('for (;;) {}').catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await session.close();
    expect(await running).toBeInstanceOf(Error);
    const after = await own.session('javascript', 'y');
    expect(await after.run('OUTPUT = INPUT')).toMatchObject({ kind: 'ran' });
    await after.close();
    await own.close();
  });

  it('a session does not take a place of the pool', async () => {
    const session = await pool.session('starlark', 'x', { ask: () => new Promise(() => {}) });
    const hanging = session.run('ask("a", "b")').catch((error: unknown) => error);
    expect(
      await pool.evaluate({ language: 'starlark', code: 'OUTPUT = INPUT', input: 'free' }),
    ).toMatchObject({ output: 'free' });
    await session.close();
    expect(await hanging).toBeInstanceOf(Error);
  });
});
