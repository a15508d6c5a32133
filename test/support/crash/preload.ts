/**
 * `node --import tsx --import preload.ts …`: the process lists its changes of the disk, or is killed at one.
 *
 * `CRASH_FOLDER`: what is watched. `CRASH_AT`: number of the operation, from 0; absent: count. `CRASH_WHEN`:
 * `before`, `empty`, `half` or `after`. `CRASH_LOG`: file that the operations are written to, a JSON line each.
 */
import fs from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { type Fault, Injector } from './injector.ts';

const { CRASH_FOLDER, CRASH_AT, CRASH_WHEN, CRASH_LOG } = process.env;

function faultAt(index: number): Fault {
  if (CRASH_AT === undefined || index !== Number(CRASH_AT)) return { kind: 'none' };
  const when = (['before', 'empty', 'half', 'after'] as const).find((one) => one === CRASH_WHEN);
  return { kind: 'kill', when: when ?? 'before' };
}

if (isMainThread && CRASH_FOLDER !== undefined) {
  const log = CRASH_LOG === undefined ? undefined : fs.openSync(CRASH_LOG, 'a');
  const append = fs.writeSync;
  Injector.begin(
    [CRASH_FOLDER],
    (operation, index) => {
      if (log !== undefined) append(log, `${JSON.stringify(operation)}\n`);
      return faultAt(index);
    },
    () => process.kill(process.pid, 'SIGKILL'),
  );
}
