import { createHash } from 'node:crypto';
import { HarnessError } from '../errors.ts';
import type {
  Model,
  ModelReply,
  ModelRequest,
  TurnReply,
  TurnRequest,
  TurnTaker,
} from '../model/model.ts';

/**
 * Replies of models that the cells of one transcript share, by everything that the model is told: the answer
 * to a recorded request and the questions about a span are the same under every config. Calls that run at
 * once are one; failures are not kept.
 */
export class SharedAnswers {
  readonly #turns = new Map<string, Promise<TurnReply>>();
  readonly #texts = new Map<string, Promise<ModelReply>>();
  #asked = 0;

  /** Calls that a model was really given. */
  get asked(): number {
    return this.#asked;
  }

  turn(model: Model, request: TurnRequest, signal: AbortSignal): Promise<TurnReply> {
    const turns = turnsOf(model);
    return this.#once(this.#turns, [model.name, turns.wire, request], () =>
      turns.ask(request, signal),
    );
  }

  text(model: Model, request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
    return this.#once(this.#texts, [model.name, request], () => model.ask(request, signal));
  }

  async #once<T>(
    replies: Map<string, Promise<T>>,
    told: unknown,
    ask: () => Promise<T>,
  ): Promise<T> {
    const key = createHash('sha256').update(JSON.stringify(told), 'utf16le').digest('hex');
    const known = replies.get(key);
    if (known !== undefined) return known;
    this.#asked++;
    const reply = ask();
    replies.set(key, reply);
    try {
      return await reply;
    } catch (error) {
      replies.delete(key);
      throw error;
    }
  }
}

/** Throws `model.missing` for a model that takes no whole requests. */
export function turnsOf({ name, turns }: Model): TurnTaker {
  if (turns !== undefined) return turns;
  throw new HarnessError(
    'model.missing',
    `model ${name} cannot be given a whole request, so it cannot be asked for a next action; use a model that can, or leave --agreement and --probes out`,
  );
}
