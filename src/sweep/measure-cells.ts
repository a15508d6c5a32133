import { setImmediate } from 'node:timers/promises';
import { codeOf, HarnessError } from '../errors.ts';
import type { PriceTable } from '../model/prices.ts';
import { limitHeapGrowth } from '../recordings/heap-growth.ts';
import type { AskedFigures } from '../replay/asking.ts';
import type { TranscriptReplay } from '../replay/result.ts';
import { SharedAnswers } from '../replay/shared-answers.ts';
import { askedFigures } from '../rows/asked.ts';
import { type CellCharges, chargesOf } from '../rows/charges.ts';
import type { Redact } from '../rows/note.ts';
import { failedCell, measuredCell } from '../rows/result.ts';
import { listTokens } from '../transcript/message-tokens.ts';
import { CellStopped } from './cell-calls.ts';
import type { CellOutcome } from './cell-outcome.ts';
import { type CellHost, replayCell } from './cell-replay.ts';
import type { Cell } from './cells.ts';
import { workOf } from './shard.ts';
import { stashReferences } from './stash-index.ts';

/** What cells are measured with. */
export interface MeasuringHost extends CellHost {
  /** Prices of the figures in USD; absent: the built-in table. */
  readonly prices?: PriceTable;
  readonly redact: Redact;
  /** Milliseconds since the epoch; never goes back. */
  readonly now: () => number;
}

/** Cells of one transcript in the order of the file, and what is known of those that were finished before. */
export interface CellsToMeasure {
  readonly cells: readonly Cell[];
  isFinished(id: string): boolean;
  /** Tokens after of each request of a finished cell; undefined where they were not kept. */
  budgetOf(id: string): readonly number[] | undefined;
}

/**
 * Measures those cells of one transcript that are not finished, one after the other: they share what was
 * computed of its messages. Ends early when `stop` aborts; a cell that was under way then has no outcome.
 *
 * Rejects with `cassette.miss` where a strict replay lacks an answer; any other failure is an outcome.
 */
export async function* measureCells(
  work: CellsToMeasure,
  host: MeasuringHost,
  stop: AbortSignal,
): AsyncGenerator<CellOutcome> {
  const { cells } = work;
  const left = cells.filter(({ id }) => !work.isFinished(id));
  const [first] = left;
  if (first !== undefined) {
    limitHeapGrowth(workOf(first.transcript));
    countOnce(cells, host);
  }
  const measuring = new Measuring(work, host);
  for (const cell of left) {
    // Replay with a stub never waits, so timers and signals get their turn here.
    await setImmediate();
    if (stop.aborted) return;
    const outcome = await measuring.measure(cell);
    if (outcome === undefined) return;
    yield outcome;
  }
}

/** Counts each message before the first cell, which would else be charged with the time of it. */
function countOnce([cell]: readonly Cell[], { selection }: MeasuringHost): void {
  if (cell === undefined) return;
  const { requests, dialect } = cell.transcript;
  const { tokenizer } = selection.settings;
  for (const { messages } of requests) {
    listTokens(messages, { tokenizer, dialect, thinking: 'all' });
  }
}

class Measuring {
  readonly #work: CellsToMeasure;
  readonly #host: MeasuringHost;
  /** Names of the configs that controls match. */
  readonly #matched: ReadonlySet<string>;
  /** Tokens after of each request, by the id of the cell that left them. */
  readonly #budgets = new Map<string, readonly number[]>();
  readonly #answers = new SharedAnswers();

  constructor(work: CellsToMeasure, host: MeasuringHost) {
    this.#work = work;
    this.#host = host;
    this.#matched = new Set(host.selection.configs.flatMap(({ matches }) => matches?.name ?? []));
  }

  /** Undefined of a cell that was stopped. */
  async measure(cell: Cell): Promise<CellOutcome | undefined> {
    const { selection, redact, now, prices } = this.#host;
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
    try {
      const budget = await this.#budgetOf(cell);
      const given = { answers: this.#answers, budget };
      const { replay, asked, names } = await replayCell(cell, this.#host, given);
      model = modelLabel(settings.model, names);
      const isMatched = this.#matched.has(cell.config.name);
      if (isMatched) this.#budgets.set(cell.id, tokensAfter(replay));
      return {
        row: { ...measuredCell(labels(), replay), ...askedFigures(asked, prices) },
        references: stashReferences(cell, replay),
        charges: { ...chargesOf(cell.config, replay), ...askedOf(asked) },
        ...(isMatched ? { budget: tokensAfter(replay) } : {}),
      };
    } catch (error) {
      if (error instanceof CellStopped) return undefined;
      if (codeOf(error) === 'cassette.miss') throw error;
      return { row: failedCell(labels(), error, redact), references: [] };
    }
  }

  /** Of a control's cell: what the cell that it matches left of each request. */
  async #budgetOf(cell: Cell): Promise<readonly number[] | undefined> {
    const { matches } = cell.config;
    if (matches === undefined) return undefined;
    const matched = this.#work.cells.find(
      ({ config, sample }) => config.name === matches.name && sample === cell.sample,
    );
    const known = matched && (this.#budgets.get(matched.id) ?? this.#work.budgetOf(matched.id));
    if (known !== undefined) return known;
    // Finished in an earlier start that did not keep it; its row stays as it is.
    if (matched !== undefined && this.#work.isFinished(matched.id)) {
      const after = tokensAfter((await replayCell(matched, this.#host)).replay);
      this.#budgets.set(matched.id, after);
      return after;
    }
    const message = `no budget: ${matches.name}, which it matches, could not be measured on this transcript`;
    throw new HarnessError('control.budget', message);
  }
}

function askedOf(asked: AskedFigures | undefined): Pick<CellCharges, 'asked'> {
  if (asked === undefined) return {};
  const { model, usages } = asked.calls;
  return { asked: { model, usages } };
}

function tokensAfter({ requests }: TranscriptReplay): readonly number[] {
  return requests.map((request) => request.tokensAfter);
}

/** Mode and names of the models, e.g. `live:claude-haiku-4-5`; a stub is its own name. */
function modelLabel(mode: string, names: readonly string[]): string {
  const others = names.filter((name) => name !== mode);
  return others.length === 0 ? mode : `${mode}:${others.join('+')}`;
}
