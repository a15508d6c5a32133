import { HarnessError } from '../errors.ts';
import type { Attempt, AttemptEnd, AttemptGate, CallUsage } from './attempt.ts';

/** USD of a call to a model; undefined where the price is not known. */
export type PriceOf = (model: string, usage: CallUsage) => number | undefined;

/** USD are summed as whole picodollars, rounded up: exact, and never less than what is billed. */
const PICO = 1e12;

/** What a model with a known price has a price for. */
const NO_TOKENS: CallUsage = { inputTokens: 0, outputTokens: 0 };

interface Waiting {
  readonly attempt: Attempt;
  admit(held: number): void;
  refuse(reason: unknown): void;
}

/**
 * What the calls of a run may cost. Before an attempt is made, the most that it can cost is held back;
 * after it, what it did cost is charged, or all that was held where that is not known. So what is charged
 * never passes the limit.
 *
 * The most: byte-level encodings, which is what the models of the table read, make at most one token
 * of a byte; where a provider counts more than that, by the largest ratio seen. An attempt that does not
 * fit beside those under way waits for them, in order. One that does not fit alone is refused, and so
 * is every one after it.
 */
export class Budget {
  readonly #priceOf: PriceOf;
  readonly #exhausted = new AbortController();
  readonly #waiting: Waiting[] = [];
  /** Picodollars. */
  readonly #limit: number;
  #spent = 0;
  #held = 0;
  /** Largest number of input tokens a byte that a provider counted; 1 where it never was more. */
  #tokensPerByte = 1;
  #calls = 0;
  #unknown = 0;

  /** @param limit in USD; may be infinite, to add up what is spent */
  constructor(limit: number, priceOf: PriceOf) {
    this.#limit = Math.floor(limit * PICO);
    this.#priceOf = priceOf;
  }

  /** USD that the attempts so far were charged; undefined where the price of one is not known. */
  get spent(): number | undefined {
    return this.#unknown > 0 ? undefined : this.#spent / PICO;
  }

  /** Attempts so far that were charged. */
  get calls(): number {
    return this.#calls;
  }

  /** Aborts with the first refusal, a HarnessError `budget.exhausted`. */
  get exhausted(): AbortSignal {
    return this.#exhausted.signal;
  }

  /**
   * Rejects with `budget.exhausted` where the attempt could pass the limit, and under a limit where the price
   * of its model is not known; with the signal's reason when that aborts while it waits.
   */
  readonly gate: AttemptGate = async (attempt, signal) => {
    signal.throwIfAborted();
    this.#exhausted.signal.throwIfAborted();
    const held = await this.#turn(attempt, signal);
    let isOpen = true;
    return (end) => {
      if (!isOpen) return;
      isOpen = false;
      this.#held -= held;
      this.#charge(attempt, end, held);
      this.#admit();
    };
  };

  async #turn(attempt: Attempt, signal: AbortSignal): Promise<number> {
    let leave = () => {};
    try {
      return await new Promise<number>((admit, refuse) => {
        const waiting: Waiting = { attempt, admit, refuse };
        leave = () => {
          const index = this.#waiting.indexOf(waiting);
          if (index >= 0) this.#waiting.splice(index, 1);
          refuse(signal.reason);
          this.#admit();
        };
        signal.addEventListener('abort', leave, { once: true });
        this.#waiting.push(waiting);
        this.#admit();
      });
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #charge(attempt: Attempt, end: AttemptEnd, held: number): void {
    const { model, inputBytes, addedTokens, hasHourMarks } = attempt;
    if (end.kind === 'unbilled') return;
    this.#calls++;
    if (end.kind === 'unknown') {
      if (held > 0 || this.#priceOf(model, NO_TOKENS) !== undefined) this.#spent += held;
      else this.#unknown++;
      return;
    }
    const { usage } = end;
    const ratio = (usage.inputTokens - addedTokens) / Math.max(1, inputBytes);
    this.#tokensPerByte = Math.max(this.#tokensPerByte, ratio);
    const written = hasHourMarks ? { cacheWrite1hTokens: usage.cacheWriteTokens ?? 0 } : {};
    const usd = this.#priceOf(model, { ...usage, ...written });
    if (usd !== undefined) this.#spent += Math.ceil(usd * PICO);
    else if (held > 0) this.#spent += held;
    else this.#unknown++;
  }

  /** Lets in whoever fits, the first come first. */
  #admit(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined) return;
      const most = this.#mostOf(first.attempt);
      if (most !== undefined && this.#spent + this.#held + most <= this.#limit) {
        this.#waiting.shift();
        this.#held += most;
        first.admit(most);
      } else if (most !== undefined && this.#held > 0) {
        return;
      } else {
        this.#refuseAll(first.attempt, most);
      }
    }
  }

  #refuseAll({ model }: Attempt, most: number | undefined): void {
    const why =
      most === undefined
        ? `the price of ${model} is not known`
        : `the next call, to ${model}, could cost up to ${inUsd(most)}`;
    const message = `${inUsd(this.#spent)} of the ${inUsd(this.#limit)} of --max-usd are spent, and ${why}`;
    const error = new HarnessError('budget.exhausted', message);
    this.#exhausted.abort(error);
    for (const waiting of this.#waiting.splice(0)) waiting.refuse(error);
  }

  /** Picodollars; undefined where the price is not known and there is a limit to keep. */
  #mostOf(attempt: Attempt): number | undefined {
    const { model, inputBytes, addedTokens, maxOutputTokens, hasHourMarks } = attempt;
    const inputTokens = Math.ceil(inputBytes * this.#tokensPerByte) + addedTokens;
    const usage = { inputTokens, outputTokens: maxOutputTokens };
    const most = highestPrice(this.#priceOf, model, usage, hasHourMarks);
    if (most === undefined) return this.#limit === Number.POSITIVE_INFINITY ? 0 : undefined;
    return Math.ceil(most * PICO);
  }
}

/**
 * USD of a call whose input is all fresh, or all written to the provider's cache, whichever is dearer;
 * undefined where the price is not known.
 */
export function highestPrice(
  priceOf: PriceOf,
  model: string,
  usage: Pick<CallUsage, 'inputTokens' | 'outputTokens'>,
  hasHourMarks = false,
): number | undefined {
  const { inputTokens } = usage;
  const hour = hasHourMarks ? { cacheWrite1hTokens: inputTokens } : {};
  const fresh = priceOf(model, usage);
  const written = priceOf(model, { ...usage, cacheWriteTokens: inputTokens, ...hour });
  return fresh === undefined ? undefined : Math.max(fresh, written ?? 0);
}

/** Enough digits to tell small amounts apart, e.g. `$0.0098`. */
function inUsd(pico: number): string {
  return `$${Number((pico / PICO).toFixed(6))}`;
}
