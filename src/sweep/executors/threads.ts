import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { Tinypool } from 'tinypool';
import { HarnessError, messageOf, systemCodeOf } from '../../errors.ts';
import { failedCell } from '../../rows/result.ts';
import type { Cell } from '../cells.ts';
import type { CellsToMeasure } from '../measure-cells.ts';
import { fromOutcomeText, type OutcomeText } from '../outcome-text.ts';
import { workOf } from '../shard.ts';
import { type TranscriptParts, transcriptParts } from '../transcript-text.ts';
import type { Executor, ExecutorJob } from './executor.ts';
import { InOrder, type Turn } from './in-order.ts';
import { localExecutor, runLocally } from './local.ts';
import type { ThreadMessage, ThreadResult, ThreadTask } from './thread-protocol.ts';

export interface ThreadsOptions {
  /** Threads that measure. */
  readonly workers: number;
  /** Path of the module whose default export does a `ThreadTask`. */
  readonly script: string;
  /** What the module makes its host of; plain data. */
  readonly init: unknown;
  /** Transcripts at once in this process, where there is too little to do for threads. */
  readonly jobs: number;
  /** True: threads whatever there is to do. */
  readonly always: boolean;
  /** Largest heap of a thread, in MB; absent: as the process. */
  readonly heapMegabytes?: number;
  /** Told how many calls a cassette did not hold. */
  readonly onMissed?: (calls: number) => void;
}

/** Work from which on threads are started, in characters of text: about five seconds, as two of them gain nothing before. */
const ENOUGH_WORK = 40_000_000;
/** What a cell costs beside what it shares with the others of its transcript, in parts of that. */
const CELL_SHARE = 0.3;
/** Milliseconds that a thread has to stop by itself. */
const STOP_WAIT = 2000;
/** Milliseconds after which a thread that has closed its channel has no result to give. */
const CLOSE_WAIT = 500;

/**
 * Measures in threads of this process, one transcript in each. The starter reads; a thread gets the text of a
 * transcript, and tells each outcome as soon as it is there. Where there is little to do, no thread is started.
 *
 * A thread that dies (out of memory, ended by a component) fails the cell that it was at with `worker.failed`; the
 * cells that are left go on in another one.
 */
export function threadsExecutor(options: ThreadsOptions): Executor {
  return {
    run: async (job) => {
      const { works } = job;
      const iterator = works[Symbol.asyncIterator]();
      const early: CellsToMeasure[] = [];
      try {
        const isEnough = await collect(iterator, early, options, job.stop);
        const all = { [Symbol.asyncIterator]: () => resumed(early, iterator) };
        if (isEnough) await new Crew(options, { ...job, works: all }).run();
        else await localExecutor(options.jobs, true).run({ ...job, works: all });
      } finally {
        await iterator.return?.();
      }
    },
  };
}

/** Reads until there is enough to do for threads; false where there is not. */
async function collect(
  iterator: AsyncIterator<CellsToMeasure>,
  early: CellsToMeasure[],
  { always }: ThreadsOptions,
  stop: AbortSignal,
): Promise<boolean> {
  if (always) return true;
  for (let work = 0; work < ENOUGH_WORK || early.length < 2; ) {
    const next = await iterator.next();
    if (next.done === true || stop.aborted) return false;
    early.push(next.value);
    work += sizeOf(next.value);
  }
  return true;
}

function sizeOf({ cells, isFinished }: CellsToMeasure): number {
  const [cell] = cells;
  if (cell === undefined) return 0;
  const left = cells.filter(({ id }) => !isFinished(id)).length;
  return workOf(cell.transcript) * (1 + CELL_SHARE * left);
}

async function* resumed(
  early: CellsToMeasure[],
  iterator: AsyncIterator<CellsToMeasure>,
): AsyncGenerator<CellsToMeasure> {
  for (let next = early.shift(); next !== undefined; next = early.shift()) yield next;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    yield next.value;
  }
}

/** What is left of one transcript's cells. */
interface Unit {
  readonly transcript: TranscriptParts;
  /** Without their messages. */
  readonly cells: readonly Cell[];
  readonly finished: Set<string>;
  readonly budgets: ReadonlyMap<string, readonly number[]>;
}

class Crew {
  readonly #options: ThreadsOptions;
  readonly #job: ExecutorJob;
  readonly #order: InOrder;
  readonly #configs: ReadonlyMap<string, number>;
  readonly #idle: Tinypool[] = [];
  readonly #waiting: ((pool: Tinypool) => void)[] = [];
  readonly #pools = new Set<Tinypool>();

  constructor(options: ThreadsOptions, job: ExecutorJob) {
    this.#options = options;
    this.#job = job;
    this.#order = new InOrder(job.keep);
    const { configs } = job.host.selection;
    this.#configs = new Map(configs.map(({ name }, number) => [name, number]));
  }

  async run(): Promise<void> {
    const { works, stop } = this.#job;
    const { workers } = this.#options;
    try {
      // One more than there are threads, so that none waits for its next transcript.
      await runLocally(works, workers + 1, (work) => this.#measure(work), stop);
    } finally {
      await this.#order.flush();
      await Promise.all([...this.#pools].map((pool) => this.#end(pool)));
    }
  }

  async #measure(work: CellsToMeasure): Promise<void> {
    const turn = this.#order.begin();
    const unit = unitOf(work);
    await this.#order.room;
    const left = () => unit.cells.filter(({ id }) => !unit.finished.has(id));
    for (let pool = await this.#acquire(); ; pool = await this.#acquire()) {
      const { stop } = this.#job;
      const cause = stop.aborted ? undefined : await this.#run(pool, unit, turn);
      if (cause === undefined) {
        this.#release(pool);
        break;
      }
      await this.#replace(pool);
      const [cell] = left();
      if (cell === undefined || stop.aborted) break;
      unit.finished.add(cell.id);
      await turn.keep({ row: this.#failed(cell, cause), references: [] });
      if (left().length === 0) break;
    }
    await turn.end();
  }

  /** What killed the thread; undefined where it did its task, or stopped. Rejects with what ends the run. */
  async #run(pool: Tinypool, unit: Unit, turn: Turn): Promise<HarnessError | undefined> {
    const { stop } = this.#job;
    const { port1, port2 } = new MessageChannel();
    let keeping: Promise<void> = Promise.resolve();
    const keep = (message: ThreadMessage) => {
      const text: OutcomeText = JSON.parse(message);
      const outcome = fromOutcomeText(text);
      if (unit.finished.has(outcome.row.cellId)) return;
      unit.finished.add(outcome.row.cellId);
      keeping = keeping.then(() => turn.keep(outcome));
      // It is awaited below, and may reject before.
      keeping.catch(() => {});
    };
    port1.on('message', keep);
    const over = new AbortController();
    const once = { once: true, signal: over.signal };
    stop.addEventListener('abort', () => port1.postMessage('stop'), once);
    try {
      const task = this.#taskOf(unit, port2);
      const ended = pool.run(task, { transferList: [port2] }).then(
        (result: ThreadResult) => ({ result }),
        (cause: unknown) => ({ died: diedOf(cause) }),
      );
      const how = await Promise.race([
        ended,
        broken(pool, over.signal),
        gone(port1, over.signal),
        stopped(stop, over.signal),
      ]);
      // Results and outcomes come by different ways.
      for (let next = receiveMessageOnPort(port1); next !== undefined; ) {
        keep(next.message);
        next = receiveMessageOnPort(port1);
      }
      await keeping;
      if ('died' in how) return how.died;
      const { missed, end } = how.result;
      this.#options.onMissed?.(missed);
      if (end !== undefined) throw new HarnessError(end.code, end.message);
      return undefined;
    } finally {
      over.abort();
      port1.close();
    }
  }

  #taskOf({ transcript, cells, finished, budgets }: Unit, port: MessagePort): ThreadTask {
    return {
      transcript,
      cells: cells.map(({ config, sample, id }) => ({
        config: this.#configs.get(config.name) ?? 0,
        sample,
        id,
      })),
      finished: [...finished],
      budgets,
      port,
    };
  }

  #failed({ transcript, config, sample, id: cellId }: Cell, error: HarnessError) {
    const { selection, redact } = this.#job.host;
    const { model, tokenizer } = selection.settings;
    const labels = { transcript, config, sample, cellId, model, tokenizer, wallSeconds: 0 };
    return failedCell(labels, error, redact);
  }

  #acquire(): Promise<Tinypool> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return Promise.resolve(idle);
    if (this.#pools.size < this.#options.workers) return Promise.resolve(this.#start());
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #release(pool: Tinypool): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(pool);
    else next(pool);
  }

  async #replace(pool: Tinypool): Promise<void> {
    await this.#end(pool);
    if (this.#waiting.length > 0) this.#release(this.#start());
  }

  /** A pool of one thread, so that a thread that dies takes no other with it. */
  #start(): Tinypool {
    const { script, init, heapMegabytes } = this.#options;
    const pool = new Tinypool({
      filename: script,
      workerData: init,
      minThreads: 1,
      maxThreads: 1,
      // Threads of a sandbox live in the thread, and need its events while it waits.
      useAtomics: false,
      execArgv: [],
      ...(heapMegabytes === undefined
        ? {}
        : { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } }),
    });
    this.#pools.add(pool);
    return pool;
  }

  /** A thread that ended by itself never says that it was ended, so nobody waits long for it. */
  async #end(pool: Tinypool): Promise<void> {
    this.#pools.delete(pool);
    const patience = new AbortController();
    await Promise.race([
      pool.destroy(),
      sleep(STOP_WAIT, undefined, { signal: patience.signal }).catch(() => {}),
    ]);
    patience.abort();
  }
}

function unitOf({ cells, isFinished, budgetOf }: CellsToMeasure): Unit {
  const [first] = cells;
  if (first === undefined) throw new HarnessError('harness.internal', 'a transcript has no cells');
  const finished = cells.filter(({ id }) => isFinished(id)).map(({ id }) => id);
  const budgets = finished.flatMap((id): [string, readonly number[]][] => {
    const budget = budgetOf(id);
    return budget === undefined ? [] : [[id, budget]];
  });
  const bare = { ...first.transcript, requests: [] };
  return {
    transcript: transcriptParts(first.transcript),
    cells: cells.map((cell) => ({ ...cell, transcript: bare })),
    finished: new Set(finished),
    budgets: new Map(budgets),
  };
}

interface Death {
  readonly died: HarnessError;
}

/** When the thread cannot even begin. */
function broken(pool: Tinypool, over: AbortSignal): Promise<Death> {
  return new Promise((resolve) => {
    const fail = (cause: unknown) => resolve({ died: diedOf(cause) });
    pool.once('error', fail);
    over.addEventListener('abort', () => pool.off('error', fail), { once: true });
  });
}

/** When the thread's end of the channel is closed without a word, which `process.exit` in it does. */
function gone(port: MessagePort, over: AbortSignal): Promise<Death> {
  return new Promise((resolve) => {
    // A task that is done closes it too, and its result may be a moment behind.
    const wait = () => after(CLOSE_WAIT, over, () => resolve({ died: died('it ended itself') }));
    port.once('close', wait);
  });
}

/** When a thread that was told to stop has not. */
function stopped(stop: AbortSignal, over: AbortSignal): Promise<Death> {
  return new Promise((resolve) => {
    const wait = () => after(STOP_WAIT, over, () => resolve({ died: died('it was stopped') }));
    if (stop.aborted) wait();
    else stop.addEventListener('abort', wait, { once: true, signal: over });
  });
}

function after(milliseconds: number, over: AbortSignal, act: () => void): void {
  if (over.aborted) return;
  sleep(milliseconds, undefined, { signal: over }).then(act, () => {});
}

function diedOf(cause: unknown): HarnessError {
  if (systemCodeOf(cause) !== 'ERR_WORKER_OUT_OF_MEMORY') return died(messageOf(cause), cause);
  return died('it ran out of memory; run it with --workers 1 and a larger heap', cause);
}

function died(what: string, cause?: unknown): HarnessError {
  const message = `the thread that measured the cell died: ${what}`;
  return new HarnessError('worker.failed', message, cause === undefined ? {} : { cause });
}
