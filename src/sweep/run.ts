import { offlinePrices } from '../model/prices.ts';
import type { Problem } from '../recordings/problem.ts';
import { type ReadOptions, readRecordings } from '../recordings/read.ts';
import { replaceRows } from '../rows/csv.ts';
import { type CellResult, isFinished } from '../rows/result.ts';
import { appendBudget, type Budgets, readBudgets } from './budgets.ts';
import type { CellOutcome } from './cell-outcome.ts';
import { type Cell, CellFactory } from './cells.ts';
import { appendCharges, repriced } from './charges.ts';
import type { Executor } from './executors/executor.ts';
import { localExecutor } from './executors/local.ts';
import { type Manifest, writeManifest } from './manifest.ts';
import type { CellsToMeasure, MeasuringHost } from './measure-cells.ts';
import { closeRun, type OpenRun, removeRun } from './run-files.ts';
import { type Shard, ShardCut } from './shard.ts';
import { sealShard } from './shard-seal.ts';
import { appendReferences } from './stash-index.ts';

/** What to run; `selection.configs` begins with the baseline. */
export interface SweepPlan extends MeasuringHost {
  readonly reading: ReadOptions;
  /** Transcripts that are worked on at once in this process. */
  readonly jobs: number;
  /** Where cells are measured; absent: in this process. */
  readonly executor?: Executor;
  /** The part of the transcripts to run; absent: all. */
  readonly shard?: Shard;
  /** Aborts when no further call may be paid: no new cell begins, calls under way go on. */
  readonly exhausted?: AbortSignal;
  /** What model calls have cost so far, for the manifest. */
  readonly spend?: () => Manifest['spend'];
}

/** Told of what happens; counts are those of the run so far. */
export interface SweepObserver {
  /** A recording was read: `cells` are known to run. */
  onRead?(cells: number): void;
  /** A cell was measured, failed, or was found finished. */
  onCell?(cell: CellResult, done: number): void;
}

export interface SweepResult {
  readonly status: 'complete' | 'failed' | 'interrupted';
  /** Every row in the order of the file. */
  readonly rows: readonly CellResult[];
  readonly problems: readonly Problem[];
  readonly counts: NonNullable<Manifest['counts']>;
  /** Ids of the cells that are finished. */
  readonly finished: ReadonlySet<string>;
  /** False where there was nothing to run, so that no file is left. */
  readonly isWritten: boolean;
}

/**
 * Runs every cell that is not in `finishedBefore`, writes each row as it is finished, and at the end puts the rows
 * in order: transcripts as they were read, the configs in the order given, samples. A failed cell is a
 * row that says so; the others go on. When a signal aborts, what is done is kept, and a cell that was under
 * way has no row: it is run again by a resumed run.
 *
 * Rejects with `output.write` where a row cannot be written, and with `cassette.miss` where a strict
 * replay lacks an answer.
 */
export async function runSweep(
  plan: SweepPlan,
  run: OpenRun,
  manifest: Manifest,
  finishedBefore: ReadonlyMap<string, CellResult>,
  observer: SweepObserver = {},
): Promise<SweepResult> {
  // Prices are no part of a cell's id: what is finished stays so, and is priced as the other rows are.
  const kept =
    finishedBefore.size === 0
      ? finishedBefore
      : await repriced(finishedBefore, run.files.charges, plan.prices ?? offlinePrices);
  const budgets = kept.size === 0 ? new Map() : await readBudgets(run.files.budgets);
  const sweep = new Sweep(plan, run, { kept, budgets }, observer);
  const { shard } = plan;
  const begun: Manifest = { ...manifest, ...(shard === undefined ? {} : { shard: { ...shard } }) };
  try {
    await writeManifest(run.files.manifest, { ...begun, status: 'running' });
    await appendReferences(run.files.stash, []);
    const executor = plan.executor ?? localExecutor(plan.jobs);
    await executor.run({
      works: sweep.works(),
      host: plan,
      stop: sweep.stop,
      keep: (outcome) => sweep.keep(outcome),
    });
    const result = sweep.result();
    await replaceRows(run.files.csv, result.rows);
    const ended = finished(begun, result, plan);
    const isWhole = sweep.cut !== undefined && result.status !== 'interrupted';
    const sealed = isWhole ? { shard: await sealShard(sweep.cut.record(), run.files) } : {};
    await writeManifest(run.files.manifest, { ...ended, ...sealed });
    // A shard without transcripts is still one of the whole, unless there are none at all.
    const isEmpty = result.counts.cells === 0 && result.rows.length === 0;
    const isWritten = !isEmpty || (sweep.cut?.record().transcripts ?? 0) > 0;
    if (!isWritten) await removeRun(run.files);
    return { ...result, isWritten };
  } catch (error) {
    const failed: Manifest = { ...begun, status: 'failed' };
    await writeManifest(run.files.manifest, failed).catch(() => {});
    throw error;
  } finally {
    await closeRun(run);
  }
}

function finished(
  manifest: Manifest,
  result: Omit<SweepResult, 'isWritten'>,
  { now, spend }: SweepPlan,
): Manifest {
  const spent = spend?.();
  return {
    ...manifest,
    status: result.status,
    finished: new Date(now()).toISOString(),
    counts: result.counts,
    ...(spent === undefined ? {} : { spend: spent }),
    problems: result.problems.map(({ severity, code, message, at }) => ({
      severity,
      code,
      message,
      ...(at.file === undefined ? {} : { file: at.file }),
      ...(at.line === undefined ? {} : { line: at.line }),
    })),
  };
}

class Sweep {
  readonly #plan: SweepPlan;
  readonly #run: OpenRun;
  readonly #kept: ReadonlyMap<string, CellResult>;
  readonly #keptBudgets: Budgets;
  readonly #observer: SweepObserver;
  /** Which transcripts are this run's; absent: all. */
  readonly cut: ShardCut | undefined;
  /** Aborts when no new cell may begin. */
  readonly stop: AbortSignal;
  readonly #problems: Problem[] = [];
  readonly #rows = new Map<number, CellResult>();
  /** Where the rows of cells stand that are being measured, by id. */
  readonly #places = new Map<string, number>();
  /** Outcomes are written one after the other, and none after one that could not be. */
  #writing: Promise<void> = Promise.resolve();
  #transcripts = 0;
  #requests = 0;
  #cells = 0;
  #keptCells = 0;

  constructor(
    plan: SweepPlan,
    run: OpenRun,
    before: { readonly kept: ReadonlyMap<string, CellResult>; readonly budgets: Budgets },
    observer: SweepObserver,
  ) {
    this.#plan = plan;
    this.#run = run;
    this.#kept = before.kept;
    this.#keptBudgets = before.budgets;
    this.#observer = observer;
    const { signal, exhausted, shard, selection } = plan;
    this.cut = shard === undefined ? undefined : new ShardCut(shard, selection);
    this.stop = exhausted === undefined ? signal : AbortSignal.any([signal, exhausted]);
  }

  /** What is to be measured. */
  async *works(): AsyncGenerator<CellsToMeasure> {
    const { selection, reading, redact } = this.#plan;
    const factory = new CellFactory(selection.configs, selection.settings);
    for await (const { transcripts, problems } of readRecordings(selection.patterns, reading)) {
      // A message may quote the recording, and what that holds must not get into a log.
      for (const problem of problems) {
        this.#problems.push({ ...problem, message: redact(problem.message) });
      }
      for (const transcript of transcripts) {
        const cells = factory.cellsOf(transcript);
        if (this.cut?.takes(transcript, cells) === false) continue;
        const order = this.#cells;
        this.#transcripts++;
        this.#requests += transcript.requests.length;
        this.#cells += cells.length;
        this.#observer.onRead?.(this.#cells);
        this.#place(cells, order);
        if (cells.every(({ id }) => this.#kept.has(id))) continue;
        yield {
          cells,
          isFinished: (id) => this.#kept.has(id),
          budgetOf: (id) => this.#keptBudgets.get(id),
        };
      }
    }
  }

  /** Rows of finished cells take their places, the others get one. */
  #place(cells: readonly Cell[], order: number): void {
    for (const [index, { id }] of cells.entries()) {
      const row = this.#kept.get(id);
      if (row === undefined) {
        this.#places.set(id, order + index);
        continue;
      }
      this.#keptCells++;
      this.#rows.set(order + index, row);
      this.#observer.onCell?.(row, this.#rows.size);
    }
  }

  /** Writes an outcome after all that were given before; rejects where one of these could not be written. */
  keep(outcome: CellOutcome): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write(outcome));
    return this.#writing;
  }

  /** Its row last, so that what a row stashed can be expanded. */
  async #write({ row, references, charges, budget }: CellOutcome): Promise<void> {
    const place = this.#places.get(row.cellId);
    if (place === undefined) return;
    this.#places.delete(row.cellId);
    const { files, rows } = this.#run;
    if (budget !== undefined) await appendBudget(files.budgets, row.cellId, budget);
    if (charges !== undefined) await appendCharges(files.charges, row.cellId, charges);
    if (references.length > 0) await appendReferences(files.stash, references);
    await rows.append(row);
    this.#rows.set(place, row);
    this.#observer.onCell?.(row, this.#rows.size);
  }

  result(): Omit<SweepResult, 'isWritten'> {
    const inOrder = [...this.#rows].toSorted(([a], [b]) => a - b).map(([, row]) => row);
    const interrupted = this.stop.aborted;
    const failed = inOrder.filter((row) => !isFinished(row)).length;
    const broken = this.#problems.some(({ severity }) => severity === 'error');
    return {
      status: interrupted ? 'interrupted' : failed > 0 || broken ? 'failed' : 'complete',
      rows: interrupted ? [...inOrder, ...this.#unvisited(inOrder)] : inOrder,
      problems: this.#problems,
      counts: {
        transcripts: this.#transcripts,
        requests: this.#requests,
        cells: this.#cells,
        finished: inOrder.length - failed,
        failed,
        kept: this.#keptCells,
      },
      finished: new Set([
        ...this.#kept.keys(),
        ...inOrder.filter(isFinished).map(({ cellId }) => cellId),
      ]),
    };
  }

  /** Rows of an earlier start that this one was stopped before it came to. */
  #unvisited(rows: readonly CellResult[]): CellResult[] {
    const visited = new Set(rows.map((row) => row.cellId));
    return [...this.#kept.values()].filter((row) => !visited.has(row.cellId));
  }
}
