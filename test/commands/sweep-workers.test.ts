import { describe, expect, test } from 'vitest';
import { sweepOptions } from '../../src/commands/sweep-options.ts';

describe('--workers', () => {
  test('is a whole number from 1', () => {
    expect(sweepOptions({ workers: '3' }).workers).toBe(3);
    expect(sweepOptions({}).workers).toBeUndefined();
    for (const workers of ['0', '1.5', 'x']) {
      expect(() => sweepOptions({ workers })).toThrow('--workers');
    }
  });

  test.each([
    [{ model: 'live' }],
    [{ model: 'record', cassette: 'c.jsonl' }],
    [{ model: 'replay', cassette: 'c.jsonl', onMiss: 'live' }],
  ])('is refused where providers are asked: %o', (given) => {
    expect(() => sweepOptions({ ...given, workers: '2' })).toThrow(
      /--workers 2 is for what a processor does/,
    );
    expect(sweepOptions({ ...given, workers: '1' }).workers).toBe(1);
  });

  test('is for threads, and not for the workers of a Redis', () => {
    expect(() => sweepOptions({ executor: 'bullmq', workers: '2' })).toThrow(
      /has no effect with --executor bullmq/,
    );
  });
});
