import type { ModelResolver } from '../compaction/pipeline.ts';
import { codeOf, type ErrorCode } from '../errors.ts';
import { underSignals } from '../model/abortable.ts';
import type { Model } from '../model/model.ts';

/** A cell that was not measured to its end, since the run is to stop; it has no row. */
export class CellStopped extends Error {
  constructor(cause: unknown) {
    super('the cell was stopped', { cause });
  }
}

/**
 * After these no figure of the cell is what was asked for: the run ends, or the cell has failed. Any other
 * failure of a call is the component's own, which it may live with.
 */
const ENDING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'budget.exhausted',
  'cassette.miss',
  // An answer that could not be recorded: a replay of the cell would not have it.
  'output.write',
]);

/** What the cell itself rejects with; after the others it is as if it had not begun. */
const TOLD: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['cassette.miss', 'output.write']);

/**
 * The model calls of one cell. Components are fail-open: they would go on where a call is refused or
 * cut off because the run is to stop, and leave a row that looks measured. So that is remembered here.
 */
export class CellCalls {
  readonly #models: ModelResolver;
  readonly #signal: AbortSignal;
  readonly #wrapped = new Map<Model, Model>();
  #ended: { readonly cause: unknown } | undefined;

  /** @param signal ends calls that are under way */
  constructor(models: ModelResolver, signal: AbortSignal) {
    this.#models = models;
    this.#signal = signal;
  }

  readonly resolve: ModelResolver = (spec) => {
    const model = this.#models(spec);
    if (model === undefined) return undefined;
    const known = this.#wrapped.get(model);
    if (known !== undefined) return known;
    const wrapped = this.#watch(model);
    this.#wrapped.set(model, wrapped);
    return wrapped;
  };

  /** The names of the models that components were given, in alphabetical order. */
  get names(): readonly string[] {
    return [...new Set([...this.#wrapped.keys()].map(({ name }) => name))].toSorted();
  }

  /** Throws the error that ends the whole run or fails the cell, or CellStopped. */
  throwIfEnded(): void {
    if (this.#ended === undefined) return;
    const { cause } = this.#ended;
    throw TOLD.has(codeOf(cause)) ? cause : new CellStopped(cause);
  }

  #watch(model: Model): Model {
    const { name, contextWindow, turns } = model;
    return {
      name,
      contextWindow,
      ask: (request, signal) => this.#within(signal, (both) => model.ask(request, both)),
      ...(turns === undefined
        ? {}
        : {
            turns: {
              wire: turns.wire,
              ask: (request, signal) => this.#within(signal, (both) => turns.ask(request, both)),
            },
          }),
    };
  }

  async #within<T>(signal: AbortSignal, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await underSignals([signal, this.#signal], ask);
    } catch (error) {
      if (this.#signal.aborted || ENDING.has(codeOf(error))) this.#ended ??= { cause: error };
      throw error;
    }
  }
}
