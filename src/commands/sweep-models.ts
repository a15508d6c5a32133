import { resolve } from 'node:path';
import type { ModelSpec } from '../compaction/model-spec.ts';
import type { ModelResolver } from '../compaction/pipeline.ts';
import { Budget } from '../model/budget.ts';
import { type Cassette, openCassette } from '../model/cassette.ts';
import { type MissHandling, recordingModel, replayingModel } from '../model/cassette-model.ts';
import { chooseEndpoint, type IncomingModel, type Variables } from '../model/endpoint.ts';
import { keyRedaction } from '../model/key-redaction.ts';
import { type LiveModels, liveModels } from '../model/live.ts';
import type { Model, TurnTaker, WireName } from '../model/model.ts';
import { callPrice, type PriceTable } from '../model/prices.ts';
import { SharedReplies } from '../model/shared-replies.ts';
import { stubModel } from '../model/stub.ts';
import { stubTurns } from '../model/stub-turns.ts';
import { contextWindowOf } from '../model/windows.ts';
import type { SweepPlan } from '../sweep/run.ts';
import type { Environment } from './environment.ts';
import { incomingOf } from './sweep-askers.ts';
import { CallOutcomes } from './sweep-failures.ts';
import { callsProviders } from './sweep-model-options.ts';
import type { SweepOptions } from './sweep-options.ts';

/** Whom the components of a run ask. */
export interface SweepModels {
  readonly models: SweepPlan['models'];
  /** What is spent, and the limit to it; absent where no provider can be asked. */
  readonly budget?: Budget;
  readonly live?: LiveModels;
  /** How calls to providers ended; absent where none can be asked. */
  readonly outcomes?: CallOutcomes;
  readonly cassette?: Cassette;
}

/** What of a sweep's options says whom its components ask. */
export type AskedOptions = Pick<
  SweepOptions,
  'model' | 'assumeModel' | 'maxUsd' | 'concurrency' | 'cassette' | 'onMiss'
>;

/**
 * Opens what the mode needs. Nothing is asked yet. Rejects with `input.missing`, `input.format` or
 * `output.write` of the cassette.
 */
export function sweepModels(
  options: AskedOptions,
  prices: PriceTable,
  secrets: readonly string[],
  { cwd, variables, now }: Pick<Environment, 'cwd' | 'variables' | 'now'>,
): SweepModels {
  const { model: mode, assumeModel, maxUsd = Number.POSITIVE_INFINITY, concurrency } = options;
  if (mode === 'none') return { models: () => () => undefined };
  const replies = new SharedReplies();
  if (mode === 'stub' || mode === 'stub-vague') {
    // A stub remembers messages, so each replay has its own and leaves nothing behind.
    return { models: () => always(replies.around(stubModel(mode))) };
  }
  const budget = new Budget(maxUsd, (model, usage) => callPrice(model, usage, prices));
  const live = callsProviders(options)
    ? liveModels({ variables, concurrency, now, redactKeys: secrets, gate: budget.gate })
    : undefined;
  const cassette = openedCassette(options, cwd, () => live?.keys ?? secrets);
  const clean = keyRedaction(new Set(secrets)).whole;
  const outcomes = new CallOutcomes();
  const make = makerFor(options, { live, outcomes, cassette, variables, clean });
  return {
    models: (transcript) => {
      const incoming = incomingOf(transcript, assumeModel);
      return remembered((spec) => {
        const model = make(spec, incoming);
        return model === undefined ? undefined : replies.around(model);
      });
    },
    ...(live === undefined ? {} : { live, budget, outcomes }),
    ...(cassette === undefined ? {} : { cassette }),
  };
}

function openedCassette(
  { model: mode, cassette }: AskedOptions,
  cwd: string,
  secrets: () => readonly string[],
): Cassette | undefined {
  if (cassette === undefined || (mode !== 'record' && mode !== 'replay')) return undefined;
  return openCassette(resolve(cwd, cassette), mode, { secrets });
}

type Maker = (spec: ModelSpec, incoming: IncomingModel) => Model | undefined;

function makerFor(
  { model: mode, onMiss }: AskedOptions,
  given: {
    readonly live: LiveModels | undefined;
    readonly outcomes: CallOutcomes;
    readonly cassette: Cassette | undefined;
    readonly variables: Variables;
    /** Takes keys out of a reply: a server may say what it was sent. */
    readonly clean: (text: string) => string;
  },
): Maker {
  const { live, outcomes, cassette, variables, clean } = given;
  const real: Maker = (spec, incoming) => {
    const name = nameOf(spec, incoming);
    const model = live?.resolverFor(incoming.model, incoming.dialect)(spec);
    if (model === undefined || name === undefined) return undefined;
    return outcomes.watching(cleaned(model, name, clean));
  };
  if (cassette === undefined) return real;
  if (mode === 'record') {
    return (spec, incoming) => {
      const model = real(spec, incoming);
      return model === undefined ? undefined : recordingModel(model, cassette);
    };
  }
  return (spec, incoming) => {
    const name = nameOf(spec, incoming);
    if (name === undefined) return undefined;
    const wire = replayWire(spec, incoming, variables);
    const other = onMiss === 'live' ? real(spec, incoming) : undefined;
    const onMissing: MissHandling =
      onMiss === 'stub'
        ? { ...stubModel('stub'), turns: stubTurns(wire) }
        : onMiss === 'live'
          ? (other ?? 'error')
          : onMiss;
    const contextWindow = other?.contextWindow ?? contextWindowOf(name);
    return replayingModel(cassette, { name, contextWindow, wire }, onMissing);
  };
}

/** The model under this name, no key in what it says. */
function cleaned(model: Model, name: string, clean: (text: string) => string): Model {
  const { contextWindow, turns } = model;
  return {
    name,
    contextWindow,
    ask: async (request, signal) => {
      const reply = await model.ask(request, signal);
      return { ...reply, text: clean(reply.text) };
    },
    ...(turns === undefined ? {} : { turns: cleanedTurns(turns, clean) }),
  };
}

function cleanedTurns({ wire, ...turns }: TurnTaker, clean: (text: string) => string): TurnTaker {
  return {
    wire,
    ask: async (request, signal) => {
      const reply = await turns.ask(request, signal);
      const toolCalls = reply.toolCalls.map((call) => ({
        ...call,
        arguments: clean(call.arguments),
      }));
      return { ...reply, text: clean(reply.text), toolCalls };
    },
  };
}

/** The model's name as config or recording give it: no address, key or provider changes it. */
function nameOf({ source, model }: ModelSpec, incoming: IncomingModel): string | undefined {
  return model ?? (source === 'incoming' ? incoming.model : undefined);
}

/** The wire over which a recording run would have asked; a replay needs no key. */
function replayWire(spec: ModelSpec, incoming: IncomingModel, variables: Variables): WireName {
  const keys = { ANTHROPIC_API_KEY: 'none', OPENAI_API_KEY: 'none' };
  const chosen = chooseEndpoint(spec, incoming, { ...variables, ...keys });
  return chosen.kind === 'endpoint' ? chosen.endpoint.wire : 'openai-chat';
}

function always(model: Model): ModelResolver {
  return () => model;
}

/** One model for each choice, so that whoever watches a model watches all its calls. */
function remembered(resolver: ModelResolver): ModelResolver {
  const models = new Map<string, Model | undefined>();
  return (spec) => {
    const key = JSON.stringify(spec);
    if (!models.has(key)) models.set(key, resolver(spec));
    return models.get(key);
  };
}
