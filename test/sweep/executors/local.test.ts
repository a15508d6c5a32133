import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runLocally } from '../../../src/sweep/executors/local.ts';

async function* numbers(count: number, seen: number[] = []): AsyncGenerator<number> {
  for (let number = 0; number < count; number++) {
    seen.push(number);
    yield number;
  }
}

const pause = (ticks: number) =>
  new Promise<void>((done) => {
    const step = (left: number) => (left <= 0 ? done() : setImmediate(() => step(left - 1)));
    step(ticks);
  });

describe('the local executor', () => {
  test('works on each item once, at most `jobs` at once, and reads no more than one ahead', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.nat(3), { maxLength: 12 }),
        async (jobs, durations) => {
          const read: number[] = [];
          const done: number[] = [];
          let running = 0;
          await runLocally(numbers(durations.length, read), jobs, async (item) => {
            running++;
            expect(running).toBeLessThanOrEqual(jobs);
            expect(read.length - done.length).toBeLessThanOrEqual(jobs + 1);
            await pause(durations[item] ?? 0);
            running--;
            done.push(item);
          });
          expect(done.toSorted((a, b) => a - b)).toEqual(durations.map((_, index) => index));
        },
      ),
      { numRuns: 50 },
    );
  });

  test('rejects with the first error once everything that runs has ended', async () => {
    const ended: number[] = [];
    const work = async (item: number) => {
      if (item === 1) throw new Error('no space');
      await pause(3);
      ended.push(item);
    };
    await expect(runLocally(numbers(20), 2, work)).rejects.toThrow('no space');
    const after = ended.length;
    await pause(10);
    expect(ended).toHaveLength(after);
    expect(after).toBeLessThan(5);
  });

  test('asks for no more items once the signal aborts', async () => {
    const controller = new AbortController();
    const done: number[] = [];
    await runLocally(
      numbers(50),
      1,
      async (item) => {
        done.push(item);
        if (item === 2) controller.abort();
      },
      controller.signal,
    );
    expect(done).toEqual([0, 1, 2]);
  });
});
