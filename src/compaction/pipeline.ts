import { codeOf, HarnessError } from '../errors.ts';
import type { Model, ModelPurpose } from '../model/model.ts';
import { countTokens } from '../text/tokens.ts';
import type { MessageTable } from '../transcript/intern.ts';
import type { Message } from '../transcript/message.ts';
import { type Counting, listTokens, messageTokens } from '../transcript/message-tokens.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { BoundComponent } from './bound.ts';
import type { ChargedModel, Context, Outcome, Slot } from './component.ts';
import { contractBreach } from './guards.ts';
import type { ModelSpec } from './model-spec.ts';
import { Stash } from './stash.ts';

/** Finds the model of a source; undefined where there is none (no key, no name, `--model none`). */
export type ModelResolver = (spec: ModelSpec) => Model | undefined;

/** Rules that a rewrite breaks and the list before it did not; empty when it stays sendable. */
export type AddedViolations = (
  before: readonly Message[],
  after: readonly Message[],
) => readonly string[];

export interface PipelineOptions {
  readonly steps: readonly BoundComponent[];
  readonly dialect: Dialect;
  readonly table: MessageTable;
  readonly counting: Counting;
  readonly contextWindow: number | undefined;
  readonly models: ModelResolver;
  /** Number of the sample, passed to every model call. */
  readonly sample: number;
  /** Absent: nothing is checked, as under `--no-guard`. */
  readonly addedViolations?: AddedViolations;
  /** Replaces every component's own time limit, in milliseconds. */
  readonly timeLimit?: number;
}

/** One model call, charged whether or not its component's rewrite was kept. */
export interface ModelCall {
  readonly model: string;
  readonly purpose: ModelPurpose;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Error code of a call that gave no reply. */
  readonly failed?: string;
}

/** What became of one component at one request. */
export type StepReport = {
  readonly component: string;
  readonly calls: readonly ModelCall[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
} & (
  | { readonly kind: 'changed'; readonly reused: boolean }
  | { readonly kind: 'skipped'; readonly gate: string }
  | { readonly kind: 'reverted'; readonly reason: string; readonly detail: string }
);

export interface PipelineResult {
  /** The list to send; the very same array when no component changed it. */
  readonly messages: readonly Message[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly steps: readonly StepReport[];
}

/** Session state of one lineage under one config: what the components remember, and the stash. */
export class Lineage {
  readonly stash = new Stash();
  readonly #slots = new Map<string, { state: unknown; attempt: unknown }>();

  slots(key: string): { state: unknown; attempt: unknown } {
    const known = this.#slots.get(key) ?? { state: undefined, attempt: undefined };
    this.#slots.set(key, known);
    return known;
  }
}

/**
 * Runs the components over one request. Only the pipeline measures and guards; a component that fails,
 * times out, grows the request, drops content without a stash or makes it unsendable is reverted alone:
 * its state rolls back, the calls it made stay charged, and the other components go on.
 */
export async function runPipeline(
  messages: readonly Message[],
  lineage: Lineage,
  options: PipelineOptions,
): Promise<PipelineResult> {
  const tokensBefore = listTokens(messages, options.counting);
  const steps: StepReport[] = [];
  let current = messages;
  let tokens = tokensBefore;
  for (const step of options.steps) {
    const result = await runStep(step, current, tokens, lineage, options);
    steps.push(result.report);
    current = result.messages;
    tokens = result.report.tokensAfter;
  }
  return { messages: current, tokensBefore, tokensAfter: tokens, steps };
}

async function runStep(
  step: BoundComponent,
  messages: readonly Message[],
  tokens: number,
  lineage: Lineage,
  options: PipelineOptions,
): Promise<{ messages: readonly Message[]; report: StepReport }> {
  const slots = lineage.slots(step.key);
  const stateBefore = slots.state;
  const calls: ModelCall[] = [];
  const outcome = await attemptStep(step, messages, tokens, lineage, calls, options);
  const unchanged = { component: step.key, calls, tokensBefore: tokens, tokensAfter: tokens };
  const revert = (reason: string, detail: string) => {
    slots.state = stateBefore;
    const report: StepReport = { ...unchanged, kind: 'reverted', reason, detail };
    return { messages, report };
  };
  if (outcome.kind === 'failed')
    return revert(`error:${codeOf(outcome.error)}`, describe(outcome.error));
  if (outcome.kind === 'skipped') {
    return { messages, report: { ...unchanged, kind: 'skipped', gate: outcome.gate } };
  }
  const tokensAfter = listTokens(outcome.messages, options.counting);
  const breach = contractBreach(step.kind, messages, outcome, {
    tokensBefore: tokens,
    tokensAfter,
    stash: lineage.stash,
    countMessage: (message) => countOne(message, options.counting),
  });
  if (breach !== undefined) return revert(breach.reason, breach.detail);
  const violations = options.addedViolations?.(messages, outcome.messages) ?? [];
  if (violations.length > 0) return revert(`shape:${violations[0]}`, violations.join(' '));
  const report: StepReport = {
    ...unchanged,
    tokensAfter,
    kind: 'changed',
    reused: outcome.reused === true,
  };
  return { messages: outcome.messages, report };
}

/** Runs the component under its time limit; whatever it throws becomes a value. */
async function attemptStep(
  step: BoundComponent,
  messages: readonly Message[],
  tokens: number,
  lineage: Lineage,
  calls: ModelCall[],
  options: PipelineOptions,
): Promise<Outcome | { readonly kind: 'failed'; readonly error: unknown }> {
  const limit = options.timeLimit ?? step.timeLimit;
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new HarnessError(
        'component.timeout',
        `${step.key} took longer than its limit of ${limit} ms`,
      );
      controller.abort(error);
      reject(error);
    }, limit);
  });
  try {
    const context = contextFor(step, messages, lineage, calls, controller.signal, options);
    return await Promise.race([step.compact({ messages, tokens }, context), timeout]);
  } catch (error) {
    return { kind: 'failed', error };
  } finally {
    clearTimeout(timer);
  }
}

function contextFor(
  step: BoundComponent,
  messages: readonly Message[],
  lineage: Lineage,
  calls: ModelCall[],
  signal: AbortSignal,
  options: PipelineOptions,
): Context {
  const slots = lineage.slots(step.key);
  const slot = (name: 'state' | 'attempt'): Slot => ({
    get: () => slots[name],
    set: (value) => {
      // A component that outlived its time limit must not write into the state of a later request.
      if (!signal.aborted) slots[name] = value;
    },
  });
  return {
    dialect: options.dialect,
    table: options.table,
    state: slot('state'),
    attempt: slot('attempt'),
    stash: lineage.stash,
    model: (spec) => {
      const model = options.models(spec);
      return model === undefined ? undefined : charged(model, calls, signal, options.sample);
    },
    countTokens: (text) => countTokens(text, options.counting.tokenizer),
    memo: (message, key, compute) => {
      const { memo } = message.identity;
      const name = `${step.name}:${options.counting.tokenizer}:${key}`;
      if (!memo.has(name)) memo.set(name, compute());
      return memo.get(name) as ReturnType<typeof compute>;
    },
    countMessage: (message) => countOne(message, options.counting),
    contextWindow: options.contextWindow,
    checkShape: (intended) => {
      const [rule] = options.addedViolations?.(messages, intended) ?? [];
      return rule === undefined ? undefined : `shape:${rule}`;
    },
    signal,
  };
}

function charged(
  model: Model,
  calls: ModelCall[],
  signal: AbortSignal,
  sample: number,
): ChargedModel {
  return {
    name: model.name,
    contextWindow: model.contextWindow,
    ask: async (request) => {
      const { purpose } = request;
      try {
        const reply = await model.ask({ ...request, sample }, signal);
        const { inputTokens, outputTokens } = reply;
        if (!signal.aborted) calls.push({ model: model.name, purpose, inputTokens, outputTokens });
        return reply;
      } catch (error) {
        const failed = signal.aborted ? 'component.timeout' : codeOf(error);
        calls.push({ model: model.name, purpose, inputTokens: 0, outputTokens: 0, failed });
        throw error;
      }
    },
  };
}

function countOne(message: Message, counting: Counting): number {
  const counts = messageTokens(message, counting);
  return counting.thinking === 'none' ? counts.content : counts.content + counts.thinking;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
