import { codeOf, type ErrorCode } from '../errors.ts';
import type {
  Model,
  ModelReply,
  ModelRequest,
  TurnReply,
  TurnRequest,
  WireName,
} from '../model/model.ts';
import type { PricedUsage } from '../model/prices.ts';
import { type SharedAnswers, turnsOf } from './shared-answers.ts';

/** Model calls behind the figures of one cell; tokens as the model counted them. */
export interface AskedCalls {
  readonly model: string;
  readonly calls: number;
  /** Of these, calls that depend on the recording alone: other configs use the same reply. */
  readonly shareable: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of each call that gave a reply. */
  readonly usages: readonly PricedUsage[];
}

/** A call that gave no reply: why. */
export type FailedAnswer = { readonly kind: 'failed'; readonly why: string };

/** Failures of one call; any other error ends the cell. */
const CALL_FAILURES: ReadonlySet<ErrorCode> = new Set([
  'model.transport',
  'model.timeout',
  'model.reply',
]);

/**
 * Asks a model on behalf of one cell and keeps count. A reply that is shared counts like the first one, so
 * that the figures of a cell do not depend on which cell ran before it.
 */
export class Asker {
  readonly #model: Model;
  readonly #shared: SharedAnswers;
  readonly #sample: number;
  readonly #signal: AbortSignal;
  #calls = 0;
  #shareable = 0;
  readonly #usages: PricedUsage[] = [];

  constructor(
    model: Model,
    options: {
      readonly shared: SharedAnswers;
      /** Number of the sample, from 0. */
      readonly sample: number;
      readonly signal: AbortSignal;
    },
  ) {
    this.#model = model;
    this.#shared = options.shared;
    this.#sample = options.sample;
    this.#signal = options.signal;
  }

  /** Of the model; throws `model.missing` where it cannot be given a whole request. */
  get wire(): WireName {
    return turnsOf(this.#model).wire;
  }

  get calls(): AskedCalls {
    return {
      model: this.#model.name,
      calls: this.#calls,
      shareable: this.#shareable,
      inputTokens: this.#usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
      outputTokens: this.#usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
      usages: [...this.#usages],
    };
  }

  turn(
    request: Omit<TurnRequest, 'sample'>,
    isShareable: boolean,
  ): Promise<TurnReply | FailedAnswer> {
    const whole = { ...request, sample: this.#sample };
    return this.#count(isShareable, () => this.#shared.turn(this.#model, whole, this.#signal));
  }

  /** A prompt that depends on the recording alone; asked once, whatever the sample. */
  text(request: Omit<ModelRequest, 'sample'>): Promise<ModelReply | FailedAnswer> {
    const whole = { ...request, sample: 0 };
    return this.#count(true, () => this.#shared.text(this.#model, whole, this.#signal));
  }

  async #count<R extends ModelReply>(
    isShareable: boolean,
    ask: () => Promise<R>,
  ): Promise<R | FailedAnswer> {
    this.#signal.throwIfAborted();
    this.#calls++;
    if (isShareable) this.#shareable++;
    try {
      const reply = await ask();
      this.#usages.push(usageOf(reply));
      return reply;
    } catch (error) {
      this.#signal.throwIfAborted();
      const code = codeOf(error);
      if (!CALL_FAILURES.has(code)) throw error;
      return { kind: 'failed', why: code };
    }
  }
}

export function isFailed<R extends object>(reply: R | FailedAnswer): reply is FailedAnswer {
  return 'kind' in reply && reply.kind === 'failed';
}

function usageOf(reply: ModelReply): PricedUsage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = reply;
  return {
    inputTokens,
    outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
  };
}
