import { afterAll, describe, expect, test } from 'vitest';
import { evaluateOnce } from '../../../src/compaction/extract/evaluations.ts';
import { SandboxPool } from '../../../src/compaction/extract/sandbox/pool.ts';
import type { Evaluation, Program } from '../../../src/compaction/extract/sandbox/program.ts';

/** A pool that counts the programs that it runs. */
class CountingPool extends SandboxPool {
  runs = 0;

  override async evaluate(program: Program, signal?: AbortSignal): Promise<Evaluation> {
    this.runs++;
    return super.evaluate(program, signal);
  }
}

const pool = new CountingPool({ size: 1, limits: { milliseconds: 200, steps: 1e12 } });
afterAll(() => pool.close());
const { signal } = new AbortController();

async function runsOf(...programs: readonly Program[]): Promise<readonly Evaluation[]> {
  pool.runs = 0;
  const found: Evaluation[] = [];
  for (const program of programs) found.push(await evaluateOnce(pool, program, signal));
  return found;
}

const echo: Program = { language: 'javascript', code: 'OUTPUT = INPUT', input: 'a' };

describe('a program on an input', () => {
  test('is run once, whatever it comes to', async () => {
    const fault: Program = { ...echo, code: 'OUTPUT = null.x' };
    const [done, refused, again, refusedAgain] = await runsOf(echo, fault, { ...echo }, fault);
    expect(pool.runs).toBe(2);
    expect(again).toEqual(done);
    expect(refusedAgain).toEqual(refused);
    expect(done).toMatchObject({ kind: 'done', output: 'a' });
    expect(refused).toMatchObject({ refusal: 'runtime' });
  });

  test('is another on another input, in another language, or with the border moved', async () => {
    const found = await runsOf(
      { ...echo, input: 'b' },
      { ...echo, language: 'starlark', input: 'b' },
      { ...echo, code: 'OUTPUT = INPUT ', input: 'b' },
      { ...echo, code: 'OUTPUT = INPUT', input: ' b' },
    );
    expect(pool.runs).toBe(4);
    expect(found.map((one) => (one.kind === 'done' ? one.output : one))).toEqual([
      'b',
      'b',
      'b',
      ' b',
    ]);
  });

  test('is run again where the clock ended it, or where the output is long', async () => {
    const endless: Program = { ...echo, code: 'for (;;) {}' };
    const long: Program = { ...echo, input: 'x'.repeat(20_000) };
    const [ended] = await runsOf(endless, endless, long, long);
    expect(pool.runs).toBe(4);
    expect(ended).toMatchObject({ refusal: 'time_limit' });
  });

  test('is run again in another pool, which may have other limits', async () => {
    await runsOf(echo);
    const own = new CountingPool({ size: 1, limits: { outputBytes: 0 } });
    expect(await evaluateOnce(own, echo, signal)).toMatchObject({ refusal: 'memory_limit' });
    expect(own.runs).toBe(1);
    await own.close();
  });
});
