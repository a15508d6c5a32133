/** A session in a thread of its own, so that one that hangs can be ended. */
import { parentPort, workerData } from 'node:worker_threads';
import { fuzzerNamed } from './catalog.ts';
import { fuzz } from './session.ts';
import type { Task } from './supervise.ts';

const { name, fault, options, progress }: Task = workerData;
const counter = new Int32Array(progress);
const summary = await fuzz(fuzzerNamed(name, fault), options, (run) => {
  Atomics.store(counter, 0, run);
  Atomics.add(counter, 1, 1);
});
parentPort?.postMessage(summary);
