import { createHash } from 'node:crypto';
import { GenerationCache } from '../text/generation-cache.ts';
import type { Model, ModelPurpose, ModelReply, ModelRequest } from './model.ts';

/** Replies that are remembered in each of two generations; a reply is a program of a few kilobytes. */
const REMEMBERED_REPLIES = 4000;

/**
 * Replies about single tool outputs that the sessions of one process share, by everything that the model
 * is told: its name, the whole prompt, the length and the sample. Failures are not shared.
 *
 * A shared reply is the same that the model gave before, tokens included, and whoever meters the model
 * charges it like the first: so the figures of a session do not depend on which session ran before it.
 */
export class SharedReplies {
  readonly #replies = new GenerationCache<ModelReply>(REMEMBERED_REPLIES);

  /** The model, asked only for what it has not answered yet. */
  around(model: Model): Model {
    return {
      name: model.name,
      contextWindow: model.contextWindow,
      ...(model.turns === undefined ? {} : { turns: model.turns }),
      ask: async (request, signal) => {
        if (!SHARED.has(request.purpose)) return model.ask(request, signal);
        signal.throwIfAborted();
        const key = keyOf(model.name, request);
        const known = this.#replies.get(key);
        if (known !== undefined) return known;
        const reply = await model.ask(request, signal);
        this.#replies.set(key, reply);
        return reply;
      },
    };
  }
}

/** Prompts about one output come up again in trials of a task; those about a history hardly do. */
const SHARED: ReadonlySet<ModelPurpose> = new Set(['extract', 'repair', 'explore']);

function keyOf(model: string, request: ModelRequest): string {
  const { purpose, system, prompt, maxOutputTokens, sample } = request;
  const settings = JSON.stringify([model, purpose, maxOutputTokens, sample, system.length]);
  const told = `${settings}${system}${prompt}`;
  return createHash('sha256').update(told, 'utf16le').digest('hex').slice(0, 32);
}
