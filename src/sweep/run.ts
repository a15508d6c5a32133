import { setImmediate } from 'node:timers/promises';
import type { ExternalCall } from '../compaction/external-call.ts';
import type { ModelResolver } from '../compaction/pipeline.ts';
import { codeOf, HarnessError } from '../errors.ts';
import { offlinePrices, type PriceTable } from '../model/prices.ts';
import type { Problem } from '../recordings/problem.ts';
import { type ReadOptions, readRecordings } from '../recordings/read.ts';
import type { TranscriptReplay } from '../replay/result.ts';
import { SharedAnswers } from '../replay/shared-answers.ts';
import { askedFigures } from '../rows/asked.ts';
import { chargesOf } from '../rows/charges.ts';
import { replaceRows } from '../rows/csv.ts';
import type { Redact } from '../rows/note.ts';
import { type CellResult, failedCell, isFinished, measuredCell } from '../rows/result.ts';
import { listTokens } from '../transcript/message-tokens.ts';
import type { Transcript } from '../transcript/transcript.ts';
import { appendBudget, type Budgets, readBudgets } from './budgets.ts';
import { CellStopped } from './cell-calls.ts';
import { replayCell } from './cell-replay.ts';
import { type Cell, CellFactory } from './cells.ts';
import { appendCharges, repriced } from './charges.ts';
import { runLocally } from './executors/local.ts';
import { type Manifest, type Selection, writeManifest } from './manifest.ts';
import { type OpenRun, removeRun } from './run-files.ts';
import { appendReferences, type StashReference, stashReferences } from './stash-index.ts';

/** What to run; `selection.configs` begins with the baseline. */
export interface SweepPlan {
  readonly selection: Selection;
  readonly reading: ReadOptions;
  /** Transcripts that are worked on at once. */
  readonly jobs: number;
  readonly models: (transcript: Transcript) => ModelResolver;
  /** How components reach programs and endpoints of the user's; absent: not at all. */
  readonly callExternal?: ExternalCall;
  /** Prices of the figures in USD; absent: the built-in table. */
  readonly prices?: PriceTable;
  readonly redact: Redact;
  /** Milliseconds since the epoch; never goes back. */
  readonly now: () => number;
  /** Ends the run at once, model calls included. */
  readonly signal: AbortSignal;
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
  await writeManifest(run.files.manifest, { ...manifest, status: 'running' });
  await appendReferences(run.files.stash, []);
  try {
    await runLocally(sweep.transcripts(), plan.jobs, (work) => sweep.work(work), sweep.stop);
    const result = sweep.result();
    await replaceRows(run.files.csv, result.rows);
    await writeManifest(run.files.manifest, finished(manifest, result, plan));
    if (result.counts.cells === 0 && result.rows.length === 0) await removeRun(run.files);
    return result;
  } catch (error) {
    const failed: Manifest = { ...manifest, status: 'failed' };
    await writeManifest(run.files.manifest, failed).catch(() => {});
    throw error;
  } finally {
    await run.rows.close();
    await run.lock.release();
  }
}

function finished(manifest: Manifest, result: SweepResult, { now, spend }: SweepPlan): Manifest {
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

/** One transcript's cells, and where their rows stand. */
interface TranscriptWork {
  readonly cells: readonly Cell[];
  readonly order: number;
}

/** What the cells of one transcript share. */
interface SharedWork {
  /** Tokens after of each request, by the id of the cell that left them. */
  readonly budgets: Map<string, readonly number[]>;
  readonly answers: SharedAnswers;
}

class Sweep {
  readonly #plan: SweepPlan;
  readonly #run: OpenRun;
  readonly #kept: ReadonlyMap<string, CellResult>;
  readonly #keptBudgets: Budgets;
  /** Names of the configs that controls match. */
  readonly #matched: ReadonlySet<string>;
  readonly #observer: SweepObserver;
  /** Aborts when no new cell may begin. */
  readonly stop: AbortSignal;
  readonly #problems: Problem[] = [];
  readonly #rows = new Map<number, CellResult>();
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
    this.#matched = new Set(plan.selection.configs.flatMap(({ matches }) => matches?.name ?? []));
    this.#observer = observer;
    const { signal, exhausted } = plan;
    this.stop = exhausted === undefined ? signal : AbortSignal.any([signal, exhausted]);
  }

  async *transcripts(): AsyncGenerator<TranscriptWork> {
    const { selection, reading, redact } = this.#plan;
    const factory = new CellFactory(selection.configs, selection.settings);
    for await (const { transcripts, problems } of readRecordings(selection.patterns, reading)) {
      // A message may quote the recording, and what that holds must not get into a log.
      for (const problem of problems) {
        this.#problems.push({ ...problem, message: redact(problem.message) });
      }
      for (const transcript of transcripts) {
        const cells = factory.cellsOf(transcript);
        const order = this.#cells;
        this.#transcripts++;
        this.#requests += transcript.requests.length;
        this.#cells += cells.length;
        this.#observer.onRead?.(this.#cells);
        yield { cells, order };
      }
    }
  }

  /** The cells of one transcript, one after the other: they share what was computed of its messages. */
  async work({ cells, order }: TranscriptWork): Promise<void> {
    if (cells.some((cell) => !this.#kept.has(cell.id))) this.#countOnce(cells);
    const shared = { budgets: new Map(this.#keptBudgets), answers: new SharedAnswers() };
    for (const [index, cell] of cells.entries()) {
      // Replay with a stub never waits, so timers and signals get their turn here.
      await setImmediate();
      if (this.stop.aborted) return;
      const known = this.#kept.get(cell.id);
      const row = known ?? (await this.#measure(cell, cells, shared));
      if (row === undefined) return;
      if (known !== undefined) this.#keptCells++;
      this.#rows.set(order + index, row);
      this.#observer.onCell?.(row, this.#rows.size);
    }
  }

  /** Counts each message before the first cell, which would else be charged with the time of it. */
  #countOnce([cell]: readonly Cell[]): void {
    if (cell === undefined) return;
    const { requests, dialect } = cell.transcript;
    const { tokenizer } = this.#plan.selection.settings;
    for (const { messages } of requests) {
      listTokens(messages, { tokenizer, dialect, thinking: 'all' });
    }
  }

  /** The row that was written; undefined of a cell that was stopped. */
  async #measure(
    cell: Cell,
    cells: readonly Cell[],
    { budgets, answers }: SharedWork,
  ): Promise<CellResult | undefined> {
    const { selection, redact, now, prices } = this.#plan;
    const { settings } = selection;
    const start = now();
    let model = settings.model;
    const labels = () => ({
      transcript: cell.transcript,
      config: cell.config,
      sample: cell.sample,
      cellId: cell.id,
      model,
      tokenizer: settings.tokenizer,
      wallSeconds: (now() - start) / 1000,
      ...(prices === undefined ? {} : { prices }),
    });
    let row: CellResult;
    let references: StashReference[] = [];
    try {
      const budget = await this.#budgetOf(cell, cells, budgets);
      const { replay, asked, names } = await replayCell(cell, this.#plan, { answers, budget });
      model = modelLabel(settings.model, names);
      if (this.#matched.has(cell.config.name)) {
        budgets.set(cell.id, tokensAfter(replay));
        await appendBudget(this.#run.files.budgets, cell.id, tokensAfter(replay));
      }
      row = { ...measuredCell(labels(), replay), ...askedFigures(asked, prices) };
      references = stashReferences(cell, replay);
      const charges = chargesOf(cell.config, replay);
      await appendCharges(this.#run.files.charges, cell.id, charges);
    } catch (error) {
      if (error instanceof CellStopped) return undefined;
      if (codeOf(error) === 'cassette.miss') throw error;
      row = failedCell(labels(), error, redact);
    }
    // Before the row, so that what a row stashed can be expanded.
    if (references.length > 0) await appendReferences(this.#run.files.stash, references);
    await this.#run.rows.append(row);
    return row;
  }

  /** Of a control's cell: what the cell that it matches left of each request. */
  async #budgetOf(
    cell: Cell,
    cells: readonly Cell[],
    budgets: Map<string, readonly number[]>,
  ): Promise<readonly number[] | undefined> {
    const { matches } = cell.config;
    if (matches === undefined) return undefined;
    const matched = cells.find(
      ({ config, sample }) => config.name === matches.name && sample === cell.sample,
    );
    const known = matched === undefined ? undefined : budgets.get(matched.id);
    if (known !== undefined) return known;
    // Finished in an earlier start that did not keep it; its row stays as it is.
    if (matched !== undefined && this.#kept.has(matched.id)) {
      const after = tokensAfter((await replayCell(matched, this.#plan)).replay);
      budgets.set(matched.id, after);
      return after;
    }
    const message = `no budget: ${matches.name}, which it matches, could not be measured on this transcript`;
    throw new HarnessError('control.budget', message);
  }

  result(): SweepResult {
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

function tokensAfter({ requests }: TranscriptReplay): readonly number[] {
  return requests.map((request) => request.tokensAfter);
}

/** Mode and names of the models, e.g. `live:claude-haiku-4-5`; a stub is its own name. */
function modelLabel(mode: string, names: readonly string[]): string {
  const others = names.filter((name) => name !== mode);
  return others.length === 0 ? mode : `${mode}:${others.join('+')}`;
}
