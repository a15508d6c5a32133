import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { Tinypool } from 'tinypool';
import { HarnessError, messageOf, systemCodeOf } from '../../errors.ts';
import type { CellOutcome } from '../cell-outcome.ts';
import { fromOutcomeText, type OutcomeText } from '../outcome-text.ts';
import { transcriptParts } from '../transcript-text.ts';
import type {
  ThreadDone,
  ThreadOrder,
  ThreadReport,
  ThreadTask,
  ThreadWork,
} from './thread-protocol.ts';
import type { Unit } from './unit.ts';

/** What a thread is made of. */
export interface ThreadStart {
  /** Path of the module whose default export does a `ThreadTask`. */
  readonly script: string;
  /** What the module makes its host of; plain data. */
  readonly init: unknown;
  /** Largest heap, in MB; absent: as the process. */
  readonly heapMegabytes?: number;
}

/** Told of what a thread does. */
export interface ThreadOwner {
  /** Numbers of the configs by name. */
  readonly configs: ReadonlyMap<string, number>;
  onOutcome(unit: Unit, outcome: CellOutcome): void;
  /** Everything that is to be measured of the unit was, or is not any more. */
  onDone(unit: Unit, done: ThreadDone): void;
  /** It died, or did not stop: what it was at, and what waited behind. */
  onDeath(thread: MeasuringThread, units: readonly Unit[], cause: HarnessError): void;
  /** A report that no thread of this version gives. */
  onError(error: unknown): void;
}

/** Milliseconds that a thread has to stop by itself. */
const STOP_WAIT = 2000;
/** Milliseconds after which a thread that has closed its channel has no reason to give. */
const CLOSE_WAIT = 500;

/** A thread that measures transcripts in the order in which it gets them. */
export class MeasuringThread {
  readonly #owner: ThreadOwner;
  /** A pool of one thread, so that a thread that dies takes no other with it. */
  readonly #pool: Tinypool;
  readonly #port: MessagePort;
  readonly #works: MessagePort;
  /** What it was given and has not done, the one that it is at first. */
  #units: Unit[] = [];
  /** Aborts when nothing more is to be told of it. */
  readonly #over = new AbortController();
  /** Sizes of what it was given and has not done, together. */
  load = 0;

  constructor({ script, init, heapMegabytes }: ThreadStart, owner: ThreadOwner) {
    this.#owner = owner;
    this.#pool = new Tinypool({
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
    const { port1, port2: port } = new MessageChannel();
    const { port1: own, port2: works } = new MessageChannel();
    this.#port = port1;
    this.#works = own;
    port1.on('message', (report: ThreadReport) => this.#told(report));
    // Where it closes the channel without a word, as `process.exit` in it does.
    port1.once('close', () => this.#after(CLOSE_WAIT, 'it ended itself'));
    // Where it cannot even begin.
    this.#pool.once('error', (cause: unknown) => this.#die(diedOf(cause)));
    const task: ThreadTask = { port, works };
    this.#pool.run(task, { transferList: [port, works] }).then(
      () => this.#after(CLOSE_WAIT, 'it ended itself'),
      (cause: unknown) => this.#die(diedOf(cause)),
    );
  }

  give(unit: Unit): void {
    this.#units.push(unit);
    this.load += unit.size;
    this.#works.postMessage(this.#workOf(unit));
    this.#send('more');
  }

  /** No further cell begins; a thread that goes on all the same is dead. */
  stop(): void {
    this.#send('stop');
    this.#after(STOP_WAIT, 'it was stopped');
  }

  /** A thread that ended by itself never says that it was ended, so nobody waits long for it. */
  async end(): Promise<void> {
    this.#over.abort();
    this.#port.close();
    this.#works.close();
    const patience = new AbortController();
    await Promise.race([
      this.#pool.destroy(),
      sleep(STOP_WAIT, undefined, { signal: patience.signal }).catch(() => {}),
    ]);
    patience.abort();
  }

  #send(order: ThreadOrder): void {
    this.#port.postMessage(order);
  }

  #workOf({ work, finished }: Unit): ThreadWork {
    const { cells, budgetOf } = work;
    const [first] = cells;
    if (first === undefined)
      throw new HarnessError('harness.internal', 'a transcript has no cells');
    const { configs } = this.#owner;
    const budgets = [...finished].flatMap((id): [string, readonly number[]][] => {
      const budget = budgetOf(id);
      return budget === undefined ? [] : [[id, budget]];
    });
    return {
      transcript: transcriptParts(first.transcript),
      cells: cells.map(({ config, sample, id }) => ({
        config: configs.get(config.name) ?? 0,
        sample,
        id,
      })),
      finished: [...finished],
      budgets: new Map(budgets),
    };
  }

  #told(report: ThreadReport): void {
    const [unit] = this.#units;
    if (unit === undefined) return;
    if (typeof report !== 'string') {
      this.#units.shift();
      this.load -= unit.size;
      this.#owner.onDone(unit, report);
      return;
    }
    try {
      const text: OutcomeText = JSON.parse(report);
      this.#owner.onOutcome(unit, fromOutcomeText(text));
    } catch (error) {
      this.#owner.onError(error);
    }
  }

  #after(milliseconds: number, what: string): void {
    const { signal } = this.#over;
    if (signal.aborted) return;
    const die = () => this.#die(died(what));
    sleep(milliseconds, undefined, { signal }).then(die, () => {});
  }

  #die(cause: HarnessError): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    // Its death and what it said before come by different ways.
    for (let next = receiveMessageOnPort(this.#port); next !== undefined; ) {
      this.#told(next.message);
      next = receiveMessageOnPort(this.#port);
    }
    const units = this.#units;
    this.#units = [];
    this.load = 0;
    this.#owner.onDeath(this, units, cause);
  }
}

function diedOf(cause: unknown): HarnessError {
  if (systemCodeOf(cause) !== 'ERR_WORKER_OUT_OF_MEMORY') return died(messageOf(cause), cause);
  return died('it ran out of memory; run it with --workers 1 and a larger heap', cause);
}

function died(what: string, cause?: unknown): HarnessError {
  const message = `the thread that measured the cell died: ${what}`;
  return new HarnessError('worker.failed', message, cause === undefined ? {} : { cause });
}
