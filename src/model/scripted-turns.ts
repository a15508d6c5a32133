/** An agent that acts as its script says for what its request holds: for tests, and for stub-server. */

import { HarnessError } from '../errors.ts';
import { countTokens } from '../text/tokens.ts';
import type { ToolUse, TurnReply, TurnRequest, TurnTaker, WireName } from './model.ts';
import { readTurn, type TurnContent } from './turn-content.ts';

/** What one turn does. */
export type TurnStep =
  | { readonly kind: 'text'; readonly text: string }
  /** `arguments` is JSON text, or whatever else the model is to write there. */
  | {
      readonly kind: 'calls';
      readonly text?: string;
      readonly calls: readonly Pick<ToolUse, 'name' | 'arguments'>[];
    }
  /** Rejects with `error`, by default a HarnessError of code `model.transport`. */
  | { readonly kind: 'fail'; readonly error?: unknown };

/** Applies where the request's list holds all of `needs`, and its last entry `last`, where that is given. */
export interface TurnRule {
  readonly needs: readonly string[];
  readonly last?: string;
  readonly step: TurnStep;
}

export interface ScriptedTurns extends TurnTaker {
  /** Every request so far, in order. */
  readonly requests: readonly TurnRequest[];
}

export interface ScriptedTurnsOptions {
  readonly wire?: WireName;
  /** What is done where no rule applies: what an agent does that has lost its thread. */
  readonly otherwise?: TurnStep;
}

const LOST: TurnStep = { kind: 'text', text: 'I do not know how to go on.' };

/**
 * The first rule that applies says what is done; the content decides, never the number of the call, so that
 * the same request has the same reply. A function sees the request itself.
 */
export function scriptedTurns(
  script: readonly TurnRule[] | ((request: TurnRequest) => TurnStep),
  { wire = 'anthropic', otherwise = LOST }: ScriptedTurnsOptions = {},
): ScriptedTurns {
  const requests: TurnRequest[] = [];
  const stepFor =
    typeof script === 'function'
      ? script
      : (request: TurnRequest) => {
          const content = readTurn(request);
          return script.find((rule) => applies(rule, content))?.step ?? otherwise;
        };
  return {
    wire,
    requests,
    ask: async (request, signal) => {
      signal.throwIfAborted();
      requests.push(request);
      return turnReply(stepFor(request), request);
    },
  };
}

function applies({ needs, last }: TurnRule, { entries }: TurnContent): boolean {
  const text = entries.join('\n');
  const isLast = last === undefined || entries.at(-1)?.includes(last) === true;
  return isLast && needs.every((needed) => text.includes(needed));
}

/** The reply that a step gives, with the tokens of what was sent and said. */
export function turnReply(step: TurnStep, request: TurnRequest): TurnReply {
  if (step.kind === 'fail') {
    const message = 'the turn failed as its script says';
    throw step.error ?? new HarnessError('model.transport', message);
  }
  const text = step.text ?? '';
  const toolCalls =
    step.kind === 'calls'
      ? step.calls.map((call, index) => ({ ...call, id: `call_${index}` }))
      : [];
  const said = [text, ...toolCalls.flatMap((call) => [call.name, call.arguments])];
  const sent = [request.system ?? '', request.tools ?? '', request.messages];
  return { text, toolCalls, inputTokens: tokensOf(sent), outputTokens: tokensOf(said) };
}

function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + countTokens(text), 0);
}
