/** `--model live`: real models behind the wires of Anthropic and OpenAI. */

import pLimit, { type LimitFunction } from 'p-limit';
import { HarnessError } from '../errors.ts';
import { inTurn, underSignals } from './abortable.ts';
import { type AttemptGate, attemptOf, gated } from './attempt.ts';
import {
  chooseEndpoint,
  type Endpoint,
  type IncomingModel,
  type ModelChoice,
  secretsOf,
  type Variables,
} from './endpoint.ts';
import { type KeyRedaction, keyRedaction } from './key-redaction.ts';
import { liveFailure } from './live-errors.ts';
import type { Model, ModelReply, ModelRequest, TurnRequest, WireName } from './model.ts';
import type { ProviderWire } from './provider-wire.ts';
import { type RetryPolicy, retryPolicy, withRetries } from './retry.ts';
import { contextWindowOf } from './windows.ts';

export interface LiveOptions {
  /** Environment variables: keys and addresses of the providers. */
  readonly variables: Variables;
  /** Calls that are under way at one host at once; a call that waits to be repeated counts. */
  readonly concurrency: number;
  /** Milliseconds since the epoch: for a `retry-after` that is a date. */
  readonly now: () => number;
  /** Further secrets that no message may show. */
  readonly redactKeys?: readonly string[];
  /** Ends every call when it aborts, as on Ctrl-C. */
  readonly signal?: AbortSignal;
  readonly retry?: Partial<RetryPolicy>;
  /** Asked before every attempt, for what it may cost. */
  readonly gate?: AttemptGate;
}

export interface LiveModels {
  /**
   * The models of one transcript's cells, by the `model` block of a component; undefined where something
   * is missing, which `missingOf` says. No call is made.
   */
  resolverFor(
    model: string | undefined,
    dialect: string,
  ): (choice: ModelChoice) => Model | undefined;
  /** Every key known so far, for whoever writes files. */
  readonly keys: readonly string[];
}

/** Makes the models of a run; they share the limits of their hosts. Nothing is sent before a call. */
export function liveModels(options: LiveOptions): LiveModels {
  const { variables, redactKeys = [] } = options;
  const keys = new Set([...secretsOf([], variables), ...redactKeys]);
  const models = new Map<string, Model>();
  const connect = connector(options, keyRedaction(keys));

  const learn = (choice: ModelChoice): void => {
    for (const secret of secretsOf([choice], {})) keys.add(secret);
  };
  const resolve = (choice: ModelChoice, incoming: IncomingModel): Model | undefined => {
    learn(choice);
    const chosen = chooseEndpoint(choice, incoming, variables);
    if (chosen.kind === 'missing') return undefined;
    const identity = JSON.stringify(chosen.endpoint);
    const model = models.get(identity) ?? connect(chosen.endpoint);
    models.set(identity, model);
    return model;
  };
  return {
    resolverFor: (model, dialect) => {
      // A component asks for its model at each request, always with the same block.
      const resolved = new Map<ModelChoice, Model | undefined>();
      return (choice) => {
        if (!resolved.has(choice)) resolved.set(choice, resolve(choice, { model, dialect }));
        return resolved.get(choice);
      };
    },
    get keys() {
      return [...keys];
    },
  };
}

function connector(options: LiveOptions, redact: KeyRedaction): (endpoint: Endpoint) => Model {
  const { concurrency, now, gate } = options;
  const policy = retryPolicy(options.retry);
  const limits = new Map<string, LimitFunction>();
  let calls = 0;

  return (endpoint) => {
    // By host: a gateway that speaks both wires is one server.
    const limit = limits.get(endpoint.host) ?? pLimit(concurrency);
    limits.set(endpoint.host, limit);
    let connected: Promise<ProviderWire> | undefined;

    /** One call with its retries, in its turn. */
    const call = <R extends ModelReply>(
      request: ModelRequest | TurnRequest,
      signal: AbortSignal,
      attempt: (wire: ProviderWire, signal: AbortSignal) => Promise<R>,
    ): Promise<R> =>
      underSignals([signal, options.signal], (signal) =>
        inTurn(limit, signal, async () => {
          connected ??= connectTo(endpoint);
          const wire = await connected;
          const make = () => attempt(wire, signal);
          const cost = attemptOf(endpoint.model, request);
          const paid = () =>
            gate === undefined ? make() : gated(gate, cost, signal, make, wire.failureOf);
          return withRetries(paid, {
            judge: (error) =>
              // What the gate refuses is no failure of the endpoint.
              error instanceof HarnessError
                ? { error, retry: false }
                : liveFailure(wire.failureOf(error), { endpoint, redact, now }),
            policy,
            signal,
            phase: calls++,
          });
        }),
      );

    return {
      name: endpoint.model,
      contextWindow: contextWindowOf(endpoint.model),
      ask: (request, signal) => call(request, signal, (wire, signal) => wire.ask(request, signal)),
      turns: {
        wire: endpoint.wire,
        ask: (request, signal) =>
          call(request, signal, (wire, signal) => wire.turn(request, signal)),
      },
    };
  };
}

/** The SDKs take a while to load, and most runs need one of them or none. */
const LOADERS: Readonly<Record<WireName, (endpoint: Endpoint) => Promise<ProviderWire>>> = {
  anthropic: async (endpoint) => (await import('./anthropic.ts')).anthropicWire(endpoint),
  'openai-chat': async (endpoint) => (await import('./openai.ts')).openaiWire(endpoint),
};

function connectTo(endpoint: Endpoint): Promise<ProviderWire> {
  return LOADERS[endpoint.wire](endpoint);
}
