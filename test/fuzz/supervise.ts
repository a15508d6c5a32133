import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { fuzzerNamed } from './catalog.ts';
import { cpuTime, filesOfRun, type SessionOptions, type Summary } from './session.ts';

/** What a worker is given. */
export interface Task {
  readonly name: string;
  readonly fault: string | undefined;
  readonly options: SessionOptions;
  /** Number of the run, and how often one was begun. */
  readonly progress: SharedArrayBuffer;
}

/** How often a worker is looked after, ms. */
const PERIOD = 200;
/** A run may not wait longer than that for what never comes, whatever CPU time it takes, ms. */
const LONGEST_WAIT = 60_000;
/** Memory that a session may hold, MB; seeds are a few. */
const MOST_MEMORY = 1024;

/**
 * A session in a worker. One that takes more CPU time for a run than `limit` allows, waits for ever, dies or runs
 * out of memory ends with that as its finding.
 * @param wait how long a run may wait, ms
 */
export async function supervised(
  name: string,
  options: SessionOptions,
  fault?: string,
  wait = LONGEST_WAIT,
): Promise<Summary> {
  const progress = new SharedArrayBuffer(8);
  const counter = new Int32Array(progress);
  Atomics.store(counter, 0, -1);
  const started = performance.now();
  const task: Task = { name, fault, options, progress };
  const worker = new Worker(join(import.meta.dirname, 'worker.mjs'), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY },
  });
  let timer: NodeJS.Timeout | undefined;
  const outcome = await new Promise<Summary | string>((resolve) => {
    worker.on('message', (summary: Summary) => resolve(summary));
    worker.on('error', (error) => resolve(`the thread ended: ${error.stack ?? error.message}`));
    // 13: nothing is left to do, and a promise is still waited for.
    worker.on('exit', (code) =>
      resolve(
        code === 13
          ? 'it hangs: it waits for what never comes'
          : `the thread ended with ${code}, and the session had not`,
      ),
    );
    let begun = { count: 0, cpu: cpuTime(), time: performance.now() };
    timer = setInterval(() => {
      const count = Atomics.load(counter, 1);
      if (count !== begun.count || count === 0) {
        begun = { count, cpu: cpuTime(), time: performance.now() };
      }
      const cpu = cpuTime() - begun.cpu;
      const waited = performance.now() - begun.time;
      // The session itself tells of a run that ends late; this one does not end.
      if (cpu > 3 * options.limit) resolve(`it hangs: ${Math.round(cpu)} ms of CPU time`);
      else if (waited > wait) resolve(`it hangs: it has waited for ${Math.round(waited)} ms`);
    }, PERIOD);
  });
  clearInterval(timer);
  await worker.terminate();
  if (typeof outcome !== 'string') return outcome;
  const run = Atomics.load(counter, 0);
  const input = await filesOfRun(fuzzerNamed(name), options.seed, Math.max(0, run));
  const milliseconds = performance.now() - started;
  return {
    runs: run + 1,
    read: 0,
    rejected: 0,
    milliseconds,
    found: { run, what: outcome, ...input },
  };
}
