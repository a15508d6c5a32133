import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RunLock } from '../../src/sweep/lock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { holder } from '../support/sweeps.ts';

const folder = temporaryFolder();

describe('the lock of a run', () => {
  test('is held by one sweep at a time', async () => {
    const csv = join(folder, 'one.csv');
    const lock = await RunLock.acquire(csv, holder(1));
    await expect(RunLock.acquire(csv, holder(2))).rejects.toMatchObject({
      code: 'output.conflict',
    });
    await lock.release();
    await (await RunLock.acquire(csv, holder(2))).release();
    expect(existsSync(`${csv}.lock`)).toBe(false);
  });

  test('is taken over from a killed process, never from one of another machine', async () => {
    const csv = join(folder, 'two.csv');
    await RunLock.acquire(csv, holder(1));
    const elsewhere = { ...holder(2, [1]), host: 'there' };
    await expect(RunLock.acquire(csv, elsewhere)).rejects.toMatchObject({
      code: 'output.conflict',
    });
    await (await RunLock.acquire(csv, holder(2, [1]))).release();
  });

  test('that cannot be read is left alone', async () => {
    const csv = join(folder, 'three.csv');
    writeFileSync(`${csv}.lock`, 'what');
    await expect(RunLock.acquire(csv, holder(1))).rejects.toThrow(/delete .*three\.csv\.lock/);
  });
});
