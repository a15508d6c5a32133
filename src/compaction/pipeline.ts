import { codeOf, HarnessError, messageOf } from '../errors.ts';
import type { Model } from '../model/model.ts';
import { countTokens } from '../text/tokens.ts';
import type { MessageTable } from '../transcript/intern.ts';
import { type Message, resultText } from '../transcript/message.ts';
import {
  type Counting,
  listTokens,
  messageCounter,
  resultLines,
  resultTokens,
  thinkingStart,
} from '../transcript/message-tokens.ts';
import type { Envelope } from '../transcript/transcript.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { BoundComponent } from './bound.ts';
import { CallMeter, type ModelCall } from './charged-model.ts';
import type { Context, Outcome, Slot } from './component.ts';
import type { ExternalCall } from './external-call.ts';
import { contractBreach, GuardMemory, isOutcome, isUnchanged } from './guards.ts';
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
  /** What stands around the list in the request's body. */
  readonly envelope?: Envelope;
  /** Tokens that a control may leave of this request. */
  readonly budget?: number;
  /** How components reach programs and endpoints of the user's; absent: not at all. */
  readonly callExternal?: ExternalCall;
}

/** What became of one component at one request. */
export type StepReport = {
  readonly component: string;
  readonly calls: readonly ModelCall[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What the component tried and did not take, whatever became of its rewrite; absent: nothing. */
  readonly refusals?: readonly string[];
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
  readonly #slots = new Map<string, Slots>();
  readonly #work = new Map<string, Work>();

  slots(key: string): Slots {
    const known = this.#slots.get(key) ?? { state: undefined, attempt: undefined };
    this.#slots.set(key, known);
    return known;
  }

  work(key: string): Work {
    const known = this.#work.get(key) ?? { done: undefined, guarded: new GuardMemory() };
    this.#work.set(key, known);
    return known;
  }
}

interface Slots {
  state: unknown;
  attempt: unknown;
}

/** What was done at earlier requests and need not be done again. */
interface Work {
  /** The component's own. */
  done: unknown;
  readonly guarded: GuardMemory;
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
  for (const [index, step] of options.steps.entries()) {
    // By place, since one component may act twice in a pipeline.
    const place = `${index}:${step.key}`;
    const [slots, work] = [lineage.slots(place), lineage.work(place)];
    const turn = { messages: current, tokens, lineage, slots, work, options };
    const result = await runStep(step, turn);
    steps.push(result.report);
    current = result.messages;
    tokens = result.report.tokensAfter;
  }
  return { messages: current, tokensBefore, tokensAfter: tokens, steps };
}

/** What a component is given at one request, and what it may change. */
interface Turn {
  readonly messages: readonly Message[];
  readonly tokens: number;
  readonly lineage: Lineage;
  readonly slots: Slots;
  readonly work: Work;
  readonly options: PipelineOptions;
}

async function runStep(
  step: BoundComponent,
  turn: Turn,
): Promise<{ messages: readonly Message[]; report: StepReport }> {
  const { messages, tokens, lineage, slots, work, options } = turn;
  const stateBefore = slots.state;
  const { outcome, calls } = await attemptStep(step, turn);
  const refusals = 'refusals' in outcome ? outcome.refusals : undefined;
  // Assigned and not spread: V8 would give each of thousands of reports a hidden class of its own.
  const reportOf = <Fate extends object>(tokensAfter: number, fate: Fate) => {
    const report = { component: step.key, calls, tokensBefore: tokens, tokensAfter };
    return Object.assign(report, fate, refusals === undefined ? undefined : { refusals });
  };
  const revert = (reason: string, detail: string) => {
    slots.state = stateBefore;
    const report: StepReport = reportOf(tokens, { kind: 'reverted' as const, reason, detail });
    return { messages, report };
  };
  if (outcome.kind === 'failed')
    return revert(`error:${codeOf(outcome.error)}`, messageOf(outcome.error));
  if (outcome.kind === 'skipped') {
    const report = reportOf(tokens, { kind: 'skipped' as const, gate: outcome.gate });
    return { messages, report };
  }
  if (outcome.kind === 'refused') return revert(outcome.reason, outcome.detail);
  if (isUnchanged(messages, outcome.messages)) {
    const report = reportOf(tokens, { kind: 'skipped' as const, gate: 'unchanged' });
    return { messages, report };
  }
  const tokensAfter = listTokens(outcome.messages, options.counting);
  const breach = contractBreach(step.kind, messages, outcome, {
    tokensBefore: tokens,
    tokensAfter,
    stash: lineage.stash,
    countBefore: messageCounter(messages, options.counting),
    countAfter: messageCounter(outcome.messages, options.counting),
    loops:
      options.counting.thinking === 'loop'
        ? [messages, outcome.messages].map((list) => thinkingStart(list, 'loop'))
        : [],
    memory: work.guarded,
  });
  if (breach !== undefined) return revert(breach.reason, breach.detail);
  const violations = options.addedViolations?.(messages, outcome.messages) ?? [];
  if (violations.length > 0) return revert(`shape:${violations[0]}`, violations.join(' '));
  // Not every wire has a rule for it, and none takes it.
  if (outcome.messages.length === 0 && options.addedViolations !== undefined) {
    return revert('empty', 'no message is left of the request');
  }
  const reused = outcome.reused === true;
  const report: StepReport = reportOf(tokensAfter, { kind: 'changed' as const, reused });
  return { messages: outcome.messages, report };
}

/** Runs the component under its time limit; whatever it throws becomes a value. */
async function attemptStep(
  step: BoundComponent,
  turn: Turn,
): Promise<{
  readonly outcome: Outcome | { readonly kind: 'failed'; readonly error: unknown };
  readonly calls: readonly ModelCall[];
}> {
  const { options } = turn;
  const limit = options.timeLimit ?? step.timeLimit;
  const controller = new AbortController();
  const meter = new CallMeter(controller.signal, options.sample, (text) =>
    countTokens(text, options.counting.tokenizer),
  );
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
  const slots = new OpenSlots();
  try {
    const context = contextFor(step, turn, slots, meter, controller.signal);
    // So that a faulty component cannot change the recorded list; a copy would lose its identity.
    const messages = Object.freeze(turn.messages);
    const working = step.compact({ messages, tokens: turn.tokens }, context);
    const outcome: unknown = await Promise.race([working, timeout]);
    if (isOutcome(outcome, turn.work.guarded)) return { outcome, calls: meter.close() };
    const found = JSON.stringify(outcome)?.slice(0, 80);
    throw new HarnessError(
      'component.contract',
      `${step.key} returned ${found}; expected { kind: 'changed', messages, stashed }, { kind: 'skipped', gate } or { kind: 'refused', reason, detail }`,
    );
  } catch (error) {
    return { outcome: { kind: 'failed', error }, calls: meter.close() };
  } finally {
    slots.close();
    clearTimeout(timer);
  }
}

/** A component that outlives its turn must not write into the state of a later request. */
class OpenSlots {
  #open = true;

  slot<Name extends string>(holder: { [name in Name]: unknown }, name: Name): Slot {
    return {
      get: () => holder[name],
      set: (value) => {
        if (this.#open) holder[name] = value;
      },
    };
  }

  close(): void {
    this.#open = false;
  }
}

/** Put together once: a new string would be hashed anew for each message of each request. */
const memoNames = new Map<string, Map<string, string>>();

function memoName(prefix: string, key: string): string {
  const names = memoNames.get(prefix) ?? new Map<string, string>();
  memoNames.set(prefix, names);
  let name = names.get(key);
  if (name === undefined) {
    name = prefix + key;
    // Keys may hold numbers without end, such as that of a block.
    if (names.size < MOST_NAMES) names.set(key, name);
  }
  return name;
}

const MOST_NAMES = 1000;

function contextFor(
  step: BoundComponent,
  { messages, lineage, slots, work, options }: Turn,
  open: OpenSlots,
  meter: CallMeter,
  signal: AbortSignal,
): Context {
  const { counting } = options;
  const names = `${step.name}:${counting.tokenizer}:`;
  return {
    dialect: options.dialect,
    table: options.table,
    state: open.slot(slots, 'state'),
    attempt: open.slot(slots, 'attempt'),
    work: open.slot(work, 'done'),
    stash: lineage.stash,
    model: (spec) => {
      const model = options.models(spec);
      return model === undefined ? undefined : meter.meter(model);
    },
    countTokens: (text) => countTokens(text, counting.tokenizer),
    tokenizer: counting.tokenizer,
    memo: (message, key, compute) => {
      const { memo } = message.identity;
      const name = memoName(names, key);
      const known = memo.get(name);
      if (known !== undefined || memo.has(name)) return known as ReturnType<typeof compute>;
      const computed = compute();
      memo.set(name, computed);
      return computed;
    },
    countMessage: messageCounter(messages, counting),
    countResult: (message, index) => {
      const known = resultTokens(message, index, counting);
      const block = message.blocks[index];
      if (known !== undefined || block?.kind !== 'tool-result') return known ?? 0;
      return countTokens(resultText(block), counting.tokenizer);
    },
    resultLines: (message, index) => resultLines(message, index, counting),
    contextWindow: options.contextWindow,
    envelope: options.envelope,
    budget: options.budget,
    callExternal: options.callExternal,
    checkShape: (intended) => {
      const [rule] = options.addedViolations?.(messages, intended) ?? [];
      return rule === undefined ? undefined : `shape:${rule}`;
    },
    signal,
  };
}
