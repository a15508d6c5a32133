import { setFlagsFromString } from 'node:v8';
import { HarnessError } from '../../errors.ts';
import { type CellResult, failedCell } from '../../rows/result.ts';
import type { CellOutcome } from '../cell-outcome.ts';
import type { Cell } from '../cells.ts';
import { type CellsToMeasure, measureCells } from '../measure-cells.ts';
import type { ExecutorJob } from './executor.ts';
import { InOrder } from './in-order.ts';
import { MeasuringThread, type ThreadOwner, type ThreadStart } from './measuring-thread.ts';
import { placeOf } from './placing.ts';
import type { ThreadDone } from './thread-protocol.ts';
import { type Unit, unitOf } from './unit.ts';

export interface CrewOptions extends ThreadStart {
  /** Threads that measure, this one among them where it may. */
  readonly workers: number;
  /** True: this thread measures too, in place of one that is started. */
  readonly measuresHere: boolean;
  /** Work that each thread has before it, as `sizeOf` has it; absent: about a fifth of a second's. */
  readonly ahead?: number;
  /** Told how many calls a cassette did not hold. */
  readonly onMissed?: (calls: number) => void;
}

/** Outcomes that are being written before more is given out. */
const MOST_WRITING = 100;

/** Threads that measure the cells of one run, and this thread with them. */
export class Crew implements ThreadOwner {
  readonly configs: ReadonlyMap<string, number>;
  readonly #options: CrewOptions;
  readonly #job: ExecutorJob;
  readonly #order: InOrder;
  readonly #works: AsyncIterator<CellsToMeasure>;
  #isReadOut = false;
  readonly #threads = new Set<MeasuringThread>();
  readonly #ends: Promise<void>[] = [];
  /** What is left of the units of threads that died. */
  readonly #again: Unit[] = [];
  /** Units that somebody has. */
  #given = 0;
  /** Size of what is measured here now; 0: nothing. */
  #here = 0;
  /** Aborts when no further cell may begin: with the job, or after a failure. */
  readonly #stop: AbortSignal;
  readonly #failed = new AbortController();
  readonly #failures: unknown[] = [];
  #writing = 0;
  #isChanged = Promise.resolve();
  #change: () => void = () => {};

  constructor(options: CrewOptions, job: ExecutorJob) {
    this.#options = options;
    this.#job = job;
    this.#order = new InOrder(job.keep);
    this.#works = job.works[Symbol.asyncIterator]();
    this.#stop = AbortSignal.any([job.stop, this.#failed.signal]);
    const { configs } = job.host.selection;
    this.configs = new Map(configs.map(({ name }, number) => [name, number]));
    this.#changed();
  }

  async run(): Promise<void> {
    const stop = () => {
      for (const thread of this.#threads) thread.stop();
      this.#changed();
    };
    this.#stop.addEventListener('abort', stop, { once: true });
    // Where every processor measures, collectors that help one another only get in the way.
    setFlagsFromString('--no-parallel-scavenge');
    try {
      for (let unit = await this.#next(); unit !== undefined; unit = await this.#next()) {
        await this.#place(unit);
      }
    } catch (error) {
      this.onError(error);
    }
    try {
      while (this.#given > 0) await this.#isChanged;
      await this.#order.flush();
      while (this.#writing > 0) await this.#isChanged;
    } catch (error) {
      this.onError(error);
    } finally {
      setFlagsFromString('--parallel-scavenge');
      this.#stop.removeEventListener('abort', stop);
      await Promise.all([...this.#ends, ...[...this.#threads].map((thread) => thread.end())]);
    }
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  /** Undefined where nothing is left, or nothing more may begin. */
  async #next(): Promise<Unit | undefined> {
    while (!this.#stop.aborted) {
      const again = this.#again.shift();
      if (again !== undefined) return again;
      const isBusy = this.#given > 0 || this.#writing > 0;
      if (!this.#isReadOut && (this.#order.hasRoom || !isBusy)) {
        const next = await this.#works.next();
        if (next.done !== true) return unitOf(next.value, this.#order.begin());
        this.#isReadOut = true;
      } else if (isBusy) await this.#isChanged;
      else return undefined;
    }
    return undefined;
  }

  /** Gives a unit to the one that it fits best, as soon as there is one. */
  async #place(unit: Unit): Promise<void> {
    while (!this.#stop.aborted) {
      const place = this.#writing > MOST_WRITING ? undefined : this.#placeFor(unit);
      if (place !== undefined) {
        this.#given++;
        if (place === 'here') void this.#measure(unit);
        else place.give(unit);
        return;
      }
      await this.#isChanged;
    }
  }

  #placeFor(unit: Unit): MeasuringThread | 'here' | undefined {
    const threads = [...this.#threads];
    const loads = threads.map(({ load }) => load);
    const place = placeOf(unit, { ...this.#options, loads, here: this.#here });
    if (place === 'new') return this.#start();
    if (place === 'here') return place;
    return place === 'nobody' ? undefined : threads[place];
  }

  #start(): MeasuringThread {
    const thread = new MeasuringThread(this.#options, this);
    this.#threads.add(thread);
    return thread;
  }

  async #measure(unit: Unit): Promise<void> {
    this.#here = unit.size;
    try {
      for await (const outcome of measureCells(unit.work, this.#job.host, this.#stop)) {
        this.onOutcome(unit, outcome);
      }
    } catch (error) {
      this.onError(error);
    } finally {
      this.#here = 0;
      this.#end(unit);
    }
  }

  onOutcome({ finished, turn }: Unit, outcome: CellOutcome): void {
    const { cellId } = outcome.row;
    if (finished.has(cellId)) return;
    finished.add(cellId);
    this.#written(turn.keep(outcome));
  }

  onDone(unit: Unit, { missed, end }: ThreadDone): void {
    this.#options.onMissed?.(missed);
    if (end !== undefined) this.onError(new HarnessError(end.code, end.message));
    this.#end(unit);
  }

  onDeath(thread: MeasuringThread, units: readonly Unit[], cause: HarnessError): void {
    this.#threads.delete(thread);
    this.#ends.push(thread.end());
    const [at, ...behind] = units;
    if (at === undefined) return;
    const [cell] = leftOf(at);
    if (cell !== undefined && !this.#stop.aborted) {
      this.onOutcome(at, { row: this.#failedRow(cell, cause), references: [] });
    }
    for (const unit of [{ ...at, isDeadly: true }, ...behind]) {
      if (leftOf(unit).length === 0 || this.#stop.aborted) this.#end(unit);
      else {
        this.#given--;
        this.#again.push(unit);
      }
    }
    this.#changed();
  }

  #failedRow({ transcript, config, sample, id: cellId }: Cell, error: HarnessError): CellResult {
    const { selection, redact } = this.#job.host;
    const { model, tokenizer } = selection.settings;
    const labels = { transcript, config, sample, cellId, model, tokenizer, wallSeconds: 0 };
    return failedCell(labels, error, redact);
  }

  onError(error: unknown): void {
    this.#failures.push(error);
    this.#failed.abort();
  }

  #end(unit: Unit): void {
    this.#given--;
    this.#written(unit.turn.end());
    this.#changed();
  }

  #written(writing: Promise<void>): void {
    this.#writing++;
    writing
      .catch((error: unknown) => this.onError(error))
      .finally(() => {
        this.#writing--;
        this.#changed();
      });
  }

  #changed(): void {
    this.#change();
    this.#isChanged = new Promise((resolve) => {
      this.#change = resolve;
    });
  }
}

function leftOf({ work, finished }: Unit): readonly Cell[] {
  return work.cells.filter(({ id }) => !finished.has(id));
}
