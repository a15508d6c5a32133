import { codeOf, type ErrorCode, HarnessError } from '../errors.ts';
import type { Model, ModelPurpose, ModelRequest } from '../model/model.ts';
import type { ChargedModel } from './component.ts';

/** One model call, charged whether or not its component's rewrite was kept. */
export interface ModelCall {
  readonly model: string;
  readonly purpose: ModelPurpose;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input: read from the provider's prompt cache, and written to it. */
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** Error code of a call that gave no reply. */
  readonly failed?: string;
}

/** The model calls of one component at one request, in the order in which they were made. */
export class CallMeter {
  readonly #calls: { request: Omit<ModelRequest, 'sample'>; call: ModelCall | string }[] = [];
  readonly #signal: AbortSignal;
  readonly #sample: number;
  readonly #countTokens: (text: string) => number;
  #closed = false;

  constructor(signal: AbortSignal, sample: number, countTokens: (text: string) => number) {
    this.#signal = signal;
    this.#sample = sample;
    this.#countTokens = countTokens;
  }

  /** The model, with every call of it charged here. */
  meter(model: Model): ChargedModel {
    const { name } = model;
    return {
      name,
      contextWindow: model.contextWindow,
      ask: async ({ timeLimit, ...request }) => {
        if (this.#closed) {
          throw new HarnessError(
            'component.contract',
            'a model call after the component had ended',
          );
        }
        const entry: { request: typeof request; call: ModelCall | string } = {
          request,
          call: name,
        };
        this.#calls.push(entry);
        const { purpose } = request;
        try {
          const reply = await within(timeLimit, this.#signal, name, (signal) =>
            model.ask({ ...request, sample: this.#sample }, signal),
          );
          const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = reply;
          entry.call = {
            model: name,
            purpose,
            inputTokens,
            outputTokens,
            ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
            ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
          };
          return reply;
        } catch (error) {
          if (!this.#signal.aborted) {
            const failed = codeOf(error);
            // What was still under way had been read.
            const inputTokens = TIMEOUTS.has(failed) ? this.#inputTokens(request) : 0;
            entry.call = { model: name, purpose, inputTokens, outputTokens: 0, failed };
          }
          throw error;
        }
      },
    };
  }

  /**
   * Ends the metering. A call that is still under way was sent, so what it read is charged, by the
   * harness's own count; what it may yet reply is not.
   */
  close(): readonly ModelCall[] {
    this.#closed = true;
    return this.#calls.map(({ request, call }) => {
      if (typeof call !== 'string') return call;
      const { purpose } = request;
      const inputTokens = this.#inputTokens(request);
      return { model: call, purpose, inputTokens, outputTokens: 0, failed: 'component.timeout' };
    });
  }

  #inputTokens({ system, prompt }: Pick<ModelRequest, 'system' | 'prompt'>): number {
    return this.#countTokens(system) + this.#countTokens(prompt);
  }
}

/** Codes of a call that took too long, as it happened or as a cassette tells of it. */
const TIMEOUTS: ReadonlySet<string> = new Set<ErrorCode>(['model.timeout', 'component.timeout']);

/** Asks under a limit in milliseconds; a model that does not heed its signal is left behind. */
async function within<T>(
  limit: number | undefined,
  signal: AbortSignal,
  model: string,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (limit === undefined) return ask(signal);
  const controller = new AbortController();
  // By hand, since `AbortSignal.any` costs as much as a stub's whole reply.
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `model ${model} did not reply within ${limit} ms`;
      const error = new HarnessError('model.timeout', message);
      controller.abort(error);
      reject(error);
    }, limit);
  });
  try {
    return await Promise.race([ask(controller.signal), timeout]);
  } finally {
    signal.removeEventListener('abort', abort);
    clearTimeout(timer);
  }
}
