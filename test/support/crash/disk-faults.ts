/** A disk that fails at one change after the other, and what a command may then do. */
import { basename } from 'node:path';
import { expect } from 'vitest';
import type { Finished } from '../../commands/cli.ts';
import { type Crashing, operationsOf } from './crashes.ts';
import { type Fault, Injector, type Operation } from './injector.ts';

/** What fails from the operation on; `once`: this alone, so that what follows must bear it. */
interface Disk {
  readonly code: string;
  readonly half?: boolean;
  fails(operation: Operation, isFirst: boolean): boolean;
}

const needsSpace = ({ name, writes }: Operation): boolean =>
  writes || /open|mkdir|mkdtemp|link|cp/.test(name);
const once = (_: Operation, isFirst: boolean): boolean => isFirst;

const DISKS: readonly Disk[] = [
  { code: 'ENOSPC', half: true, fails: (operation) => needsSpace(operation) },
  { code: 'EROFS', fails: () => true },
  { code: 'EIO', fails: once },
  { code: 'EDQUOT', fails: (operation) => needsSpace(operation) },
  { code: 'EACCES', fails: once },
  { code: 'EMFILE', fails: once },
  { code: 'ENOSPC', half: true, fails: once },
];

export interface Failing<S> extends Crashing<S> {
  run(state: S): Promise<Finished>;
  /** Files and the same command again, once the disk is well. */
  recovers(state: S, first: Finished): Promise<void>;
}

/**
 * Every operation fails, with the codes in turn; each write by half as well. The command must say so by a named error
 * with the file, or have ended well in spite of it.
 */
export async function failEverywhere<S>(failing: Omit<Failing<S>, 'check'>): Promise<void> {
  const operations = await operationsOf({ ...failing, check: async () => {} });
  const step = Math.max(1, Math.ceil(operations.length / (failing.most ?? operations.length)));
  let failed = 0;
  for (let at = 0; at < operations.length; at += step) {
    const operation = operations[at];
    const [first, second] = [DISKS[(at / step) % DISKS.length], DISKS[0]];
    const disks = operation?.writes === true && second !== first ? [first, second] : [first];
    for (const disk of disks) {
      if (operation === undefined || disk === undefined) continue;
      const state = await failing.prepare();
      const injector = Injector.begin(failing.folders(state), (found, index): Fault => {
        const isReached = index >= at && disk.fails(found, index === at);
        if (!isReached) return { kind: 'none' };
        return { kind: 'error', code: disk.code, half: disk.half === true };
      });
      let done: Finished;
      try {
        done = await failing.run(state);
      } finally {
        injector.end();
      }
      const place = `${disk.code} at ${at} (${operation.name} of ${basename(operation.path)})`;
      if (done.code !== 0) {
        failed++;
        checkTold(done, disk.code, place);
      }
      try {
        await failing.recovers(state, done);
      } catch (cause) {
        const message = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`${place}: ${message}\n${done.stderr}`, { cause });
      }
    }
  }
  expect(failed).toBeGreaterThan(operations.length / step / 2);
}

/** A named error: what the system said, the file, what to do; no trace of the program's own. */
export function checkTold({ code, stdout, stderr }: Finished, system: string, place = ''): void {
  const told = `${stdout}${stderr}`;
  expect(told, place).not.toMatch(/bug in it|\n\s+at .*:\d+:\d+/);
  expect(stderr, place).toContain(system);
  expect(stderr, place).toMatch(/(?:error|failed): .*\/.*; .*(?:choose another|writable|by hand)/s);
  expect([1, 2], place).toContain(code);
}
