import { codeOf, HarnessError } from '../errors.ts';
import type { Model, ModelPurpose, ModelRequest } from '../model/model.ts';
import type { ChargedModel } from './component.ts';

/** One model call, charged whether or not its component's rewrite was kept. */
export interface ModelCall {
  readonly model: string;
  readonly purpose: ModelPurpose;
  readonly inputTokens: number;
  readonly outputTokens: number;
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
      ask: async (request) => {
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
          const reply = await model.ask({ ...request, sample: this.#sample }, this.#signal);
          const { inputTokens, outputTokens } = reply;
          entry.call = { model: name, purpose, inputTokens, outputTokens };
          return reply;
        } catch (error) {
          if (!this.#signal.aborted) {
            const failed = codeOf(error);
            entry.call = { model: name, purpose, inputTokens: 0, outputTokens: 0, failed };
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
      const { purpose, system, prompt } = request;
      const inputTokens = this.#countTokens(system) + this.#countTokens(prompt);
      return { model: call, purpose, inputTokens, outputTokens: 0, failed: 'component.timeout' };
    });
  }
}
