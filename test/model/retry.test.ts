import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HarnessError } from '../../src/errors.ts';
import type { AttemptFailure } from '../../src/model/live-errors.ts';
import { delayBefore, retryPolicy, withRetries } from '../../src/model/retry.ts';
import { retryAfterOf } from '../../src/model/retry-after.ts';

const QUICK = retryPolicy({ firstDelay: 1, longestDelay: 4 });
const ERROR = new HarnessError('model.transport', 'down');

function counted(failures: readonly AttemptFailure[]) {
  let attempts = 0;
  const run = (signal = new AbortController().signal, policy = QUICK) =>
    withRetries(
      async () => {
        if (attempts++ < failures.length) throw attempts - 1;
        return 'reply';
      },
      {
        policy,
        signal,
        phase: 0,
        judge: (error) => failures[Number(error)] ?? { error: ERROR, retry: false },
      },
    );
  return { run, attempts: () => attempts };
}

describe('attempts', () => {
  const again = { error: ERROR, retry: true };

  test('go on until one succeeds', async () => {
    const { run, attempts } = counted([again, again]);
    expect(await run()).toBe('reply');
    expect(attempts()).toBe(3);
  });

  test('are bounded, and the error says how many there were', async () => {
    const { run, attempts } = counted(Array.from({ length: 99 }, () => again));
    await expect(run()).rejects.toThrow('down (5 attempts)');
    expect(attempts()).toBe(5);
  });

  test('end with what cannot get better', async () => {
    const { run, attempts } = counted([{ error: ERROR, retry: false }]);
    await expect(run()).rejects.toBe(ERROR);
    expect(attempts()).toBe(1);
  });

  test('wait for what the server asks, even when that is nothing', async () => {
    const { run } = counted([{ ...again, retryAfter: 60 }]);
    const start = performance.now();
    await run();
    expect(performance.now() - start).toBeGreaterThan(55);
    const at = retryPolicy({ firstDelay: 1e6, longestDelay: 1e6 });
    expect(await counted([{ ...again, retryAfter: 0 }]).run(undefined, at)).toBe('reply');
  });

  test('do not wait for a server that asks for hours', async () => {
    const { run, attempts } = counted([{ ...again, retryAfter: 3_600_000 }]);
    await expect(run()).rejects.toThrow('asks to wait 3600 s');
    expect(attempts()).toBe(1);
  });

  test('a pause ends with the signal, and with its reason', async () => {
    const controller = new AbortController();
    const { run, attempts } = counted([{ ...again, retryAfter: 100_000 }]);
    const running = run(controller.signal);
    controller.abort(new Error('stop'));
    await expect(running).rejects.toThrow('stop');
    expect(attempts()).toBe(1);
  });
});

test('delays double up to the longest, spread over their last quarter by the call', () => {
  const policy = retryPolicy();
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(1e6), (number, phase) => {
      const longest = Math.min(500 * 2 ** (number - 1), 8000);
      const delay = delayBefore(number, phase, policy);
      expect(delay).toBeLessThanOrEqual(longest);
      expect(delay).toBeGreaterThan(longest * 0.75);
      expect(delayBefore(number, phase, policy)).toBe(delay);
    }),
    { seed: 5 },
  );
  const eight = Array.from({ length: 8 }, (_, phase) => Math.round(delayBefore(1, phase, policy)));
  expect(new Set(eight).size).toBe(8);
});

describe('retry-after', () => {
  const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);
  const read = (headers: Record<string, string>) => retryAfterOf(new Headers(headers), () => NOW);

  test('in milliseconds, seconds and as a date in each of its forms', () => {
    expect(read({ 'retry-after-ms': '1500', 'retry-after': '9' })).toBe(1500);
    expect(read({ 'retry-after': '2' })).toBe(2000);
    expect(read({ 'retry-after': '0.25' })).toBe(250);
    expect(read({ 'retry-after': 'Mon, 30 Nov 2026 12:00:07 GMT' })).toBe(7000);
    expect(read({ 'retry-after': 'Monday, 30-Nov-26 12:00:07 GMT' })).toBe(7000);
    expect(read({ 'retry-after': 'Mon Nov 30 12:00:07 2026' })).toBe(7000);
  });

  test('a date counts from the server’s clock', () => {
    const date = 'Mon, 30 Nov 2026 13:00:00 GMT';
    expect(read({ date, 'retry-after': 'Mon, 30 Nov 2026 13:00:04 GMT' })).toBe(4000);
    expect(read({ date, 'retry-after': 'Mon, 30 Nov 2026 11:00:00 GMT' })).toBe(0);
  });

  test('what cannot be read is no wish', () => {
    for (const text of ['', 'soon', '-5', '1e9x', 'NaN']) {
      expect(read({ 'retry-after': text })).toBeUndefined();
    }
    expect(read({})).toBeUndefined();
  });
});
