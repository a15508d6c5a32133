import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';

/**
 * Does something just before a file is opened for the `nth` time, from 0, by whatever reads it. Returns how often it
 * was opened.
 */
export async function beforeOpening<T>(
  file: string,
  nth: number,
  act: () => void,
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly opened: number }> {
  const { openSync, readFileSync } = fs;
  let opened = 0;
  let isActing = false;
  const tell = (path: unknown) => {
    if (isActing || typeof path !== 'string' || resolve(path) !== resolve(file)) return;
    if (opened++ !== nth) return;
    isActing = true;
    act();
    isActing = false;
  };
  const telling =
    <Call extends (...given: never[]) => unknown>(call: Call) =>
    (...given: Parameters<Call>): unknown => {
      tell(given[0]);
      const wasActing = isActing;
      // Reading a whole file opens it, which is one opening.
      isActing = true;
      try {
        return call(...given);
      } finally {
        isActing = wasActing;
      }
    };
  Reflect.set(fs, 'openSync', telling(openSync));
  Reflect.set(fs, 'readFileSync', telling(readFileSync));
  syncBuiltinESMExports();
  try {
    return { result: await run(), opened };
  } finally {
    Object.assign(fs, { openSync, readFileSync });
    syncBuiltinESMExports();
  }
}
