/** A model that says what a script tells it to, and keeps what it was asked: for tests. */

import { HarnessError } from '../errors.ts';
import { countTokens } from '../text/tokens.ts';
import type { Model, ModelReply, ModelRequest, TurnTaker } from './model.ts';

/** What one call does. A string is a reply. */
export type ScriptStep =
  | string
  | { readonly kind: 'reply'; readonly text: string }
  /** Rejects with `error`, by default a HarnessError of code `model.transport`. */
  | { readonly kind: 'fail'; readonly error?: unknown }
  /** Never answers; rejects with the signal's reason when it aborts. */
  | { readonly kind: 'hang' }
  /** White space only. */
  | { readonly kind: 'blank' }
  /** `bytes` (default 256) of text without meaning, with tags, braces and control characters in it. */
  | { readonly kind: 'nonsense'; readonly bytes?: number };

/** Steps in call order, or a function of the request and the number of the call, from 0. */
export type Script =
  | Iterable<ScriptStep>
  | Iterator<ScriptStep>
  | ((request: ModelRequest, callIndex: number) => ScriptStep);

export interface ScriptedModel extends Model {
  /** Every request so far, in order. */
  readonly calls: readonly ModelRequest[];
}

export interface ScriptedModelOptions {
  readonly name?: string;
  readonly contextWindow?: number | undefined;
  /** How it takes whole requests, e.g. `scriptedTurns`; absent: not at all. */
  readonly turns?: TurnTaker;
}

/** After the last step of a list or generator, a call rejects with a HarnessError of code `model.reply`. */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  const { name = 'scripted' } = options;
  const calls: ModelRequest[] = [];
  const nextStep = stepper(script);
  return {
    name,
    contextWindow: 'contextWindow' in options ? options.contextWindow : 200_000,
    calls,
    ...(options.turns === undefined ? {} : { turns: options.turns }),
    ask: async (request, signal) => {
      signal.throwIfAborted();
      const callIndex = calls.push(request) - 1;
      const step = nextStep(request, callIndex);
      if (step === undefined) {
        throw new HarnessError(
          'model.reply',
          `model ${name}: the script has ${callIndex} steps, and this is call ${callIndex + 1}; add a step or expect fewer calls`,
        );
      }
      return perform(step, request, signal, name);
    },
  };
}

function stepper(
  script: Script,
): (request: ModelRequest, callIndex: number) => ScriptStep | undefined {
  if (typeof script === 'function') return script;
  const steps = Symbol.iterator in script ? script[Symbol.iterator]() : script;
  return () => {
    const next = steps.next();
    return next.done === true ? undefined : next.value;
  };
}

async function perform(
  step: ScriptStep,
  request: ModelRequest,
  signal: AbortSignal,
  name: string,
): Promise<ModelReply> {
  if (typeof step === 'string') return replyOf(step, request);
  switch (step.kind) {
    case 'reply':
      return replyOf(step.text, request);
    case 'blank':
      return replyOf(' \n\t\n', request);
    case 'nonsense':
      return replyOf(nonsense(step.bytes ?? 256), request);
    case 'fail':
      throw (
        step.error ??
        new HarnessError('model.transport', `model ${name}: failed as its script says`)
      );
    case 'hang':
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
  }
}

function replyOf(text: string, request: ModelRequest): ModelReply {
  return {
    text,
    inputTokens: countTokens(request.system) + countTokens(request.prompt),
    outputTokens: countTokens(text),
  };
}

/** The same bytes for the same length: a linear congruential generator over an awkward alphabet. */
function nonsense(bytes: number): string {
  const alphabet = '<>{}[]"\'\\/=:;,.|$%&#@ \n\t\u0000\u0007\u001babcdxyz0189';
  let state = 42;
  let text = '';
  for (let index = 0; index < bytes; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += alphabet[(state >>> 16) % alphabet.length];
  }
  return text;
}
