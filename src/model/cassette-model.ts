/** Models that answer from a cassette. */
import { codeOf, HarnessError } from '../errors.ts';
import type { Cassette } from './cassette.ts';
import type { CallParameters, CassetteCall } from './cassette-call.ts';
import { type CassetteOutcome, failureCodes } from './cassette-entry.ts';
import type { Model, ModelReply, ModelRequest, TurnReply, TurnRequest, WireName } from './model.ts';

/**
 * The model, asked only for what the cassette does not hold; what it says is recorded, and so is that a call
 * failed (that alone, since the message may name the address). Budgets and limits belong inside of it.
 */
export function recordingModel(
  model: Model,
  cassette: Cassette,
  parameters?: CallParameters,
): Model {
  const { name, contextWindow, turns } = model;
  const record = async <R extends ModelReply>(
    call: CassetteCall,
    signal: AbortSignal,
    ask: () => Promise<R>,
  ): Promise<CassetteOutcome> => {
    let failure: unknown;
    const outcome = await cassette.record(call, signal, async () => {
      try {
        return { kind: 'reply', reply: await ask() };
      } catch (error) {
        failure = error;
        const code = failureCodes.find((known) => known === codeOf(error));
        if (code === undefined) throw error;
        return { kind: 'failure', code };
      }
    });
    // The one who asked knows more of it than the cassette.
    if (outcome.kind === 'failure' && failure !== undefined) throw failure;
    return outcome;
  };
  return {
    name,
    contextWindow,
    ask: async (request, signal) => {
      const call: CassetteCall = { kind: 'prompt', model: name, parameters, request };
      return replyOf(await record(call, signal, () => model.ask(request, signal)), name);
    },
    ...(turns === undefined
      ? {}
      : {
          turns: {
            wire: turns.wire,
            ask: async (request, signal) => {
              const { wire } = turns;
              const call: CassetteCall = { kind: 'turn', model: name, wire, parameters, request };
              return turnOf(await record(call, signal, () => turns.ask(request, signal)), name);
            },
          },
        }),
  };
}

/** Whose answers are looked for. */
export interface ReplayedModel {
  readonly name: string;
  readonly contextWindow: number | undefined;
  /** Wire of whole requests; absent: none are asked. */
  readonly wire?: WireName;
  readonly parameters?: CallParameters;
}

/**
 * What becomes of a call that is not there: a HarnessError `cassette.miss`; a failed call
 * (`model.transport`), which a component lives with; or another model is asked, and nothing recorded.
 */
export type MissHandling = 'error' | 'skip' | Model;

/** A model that answers from the cassette alone. */
export function replayingModel(
  cassette: Cassette,
  { name, contextWindow, wire, parameters }: ReplayedModel,
  onMiss: MissHandling,
): Model {
  const missed = (call: CassetteCall): HarnessError =>
    onMiss === 'error'
      ? cassette.miss(call)
      : new HarnessError('model.transport', `no recorded answer of ${name}, and none is asked for`);

  const ask = async (request: ModelRequest, signal: AbortSignal): Promise<ModelReply> => {
    signal.throwIfAborted();
    const call: CassetteCall = { kind: 'prompt', model: name, parameters, request };
    const outcome = cassette.outcomeOf(call);
    if (outcome !== undefined) return replyOf(outcome, name);
    if (onMiss === 'error') throw missed(call);
    cassette.noteMiss();
    if (onMiss === 'skip') throw missed(call);
    return onMiss.ask(request, signal);
  };
  if (wire === undefined) return { name, contextWindow, ask };

  const takeTurn = async (request: TurnRequest, signal: AbortSignal): Promise<TurnReply> => {
    signal.throwIfAborted();
    const call: CassetteCall = { kind: 'turn', model: name, wire, parameters, request };
    const outcome = cassette.outcomeOf(call);
    if (outcome !== undefined) return turnOf(outcome, name);
    if (onMiss === 'error') throw missed(call);
    cassette.noteMiss();
    if (onMiss === 'skip' || onMiss.turns?.wire !== wire) throw missed(call);
    return onMiss.turns.ask(request, signal);
  };
  return { name, contextWindow, ask, turns: { wire, ask: takeTurn } };
}

function replyOf(outcome: CassetteOutcome, model: string): ModelReply {
  if (outcome.kind === 'reply') return outcome.reply;
  throw new HarnessError(outcome.code, `the recorded call to ${model} failed`);
}

function turnOf(outcome: CassetteOutcome, model: string): TurnReply {
  const reply = replyOf(outcome, model);
  return { toolCalls: [], ...reply };
}
