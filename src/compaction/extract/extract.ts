import type { LineTokens } from '../../text/line-tokens.ts';
import { appendedTokens } from '../../text/seams.ts';
import {
  type CompactionRequest,
  type Context,
  defineComponent,
  type Outcome,
} from '../component.ts';
import { markerOf, SENTINEL, textKey } from '../stash.ts';
import { outputTokens, shortenOutputs, type ToolOutput, toolOutputs } from '../tool-outputs.ts';
import { requestGate } from '../trigger.ts';
import { judge, lostIdentifier, type RefusalName, type Rules } from './acceptance.ts';
import { reduceByCode } from './code.ts';
import { EXTRACT_PROMPT_VERSION, heldBy, noteShown } from './code-prompt.ts';
import { reduceNoise } from './deterministic.ts';
import { type ExtractConfig, extractConfig } from './extract-config.ts';
import { type KeepSet, keepSetOf } from './keep-set.ts';
import { basisOf, type Decision, ResultCache } from './result-cache.ts';
import { reduceByExploration } from './rlm.ts';
import { DEFAULT_LIMITS } from './sandbox/program.ts';
import { sharedSandbox } from './sandbox-access.ts';
import { CALL_TIME_LIMIT, type Job } from './strategy.ts';

/** Model calls at their limit that one request may wait for. */
const SLOW_CALLS = 10;

/** Reduces large tool outputs, each by itself, and each only once. */
export const extract = defineComponent<ExtractConfig>({
  name: 'extract',
  kind: 'offload',
  about: 'Reduces large tool outputs: provable noise, or what a model-written filter leaves out.',
  version: EXTRACT_PROMPT_VERSION,
  timeLimit: SLOW_CALLS * CALL_TIME_LIMIT,
  config: extractConfig,
  compact,
});

async function compact(
  request: CompactionRequest,
  config: ExtractConfig,
  context: Context,
): Promise<Outcome> {
  const { messages, tokens } = request;
  const { contextWindow } = context;
  const gate = requestGate(config.trigger, { tokens, messages: messages.length, contextWindow });
  const limits = sizeLimits(config, contextWindow);
  const least = gate === undefined ? limits.large : limits.huge;
  const large = toolOutputs(messages).filter((output) => outputTokens(output, context) >= least);
  if (large.length === 0) return { kind: 'skipped', gate: gate ?? 'no_large_output' };
  const extraction = new Extraction(request, config, context);
  const options = {
    markerMode: config.marker_mode,
    gate: 'no_gain',
    basis: () => extraction.basis,
  };
  const outcome = await shortenOutputs(request, large, options, context, (output) =>
    extraction.textFor(output),
  );
  return extraction.report(outcome);
}

/** Smallest output to look at, in tokens: while the request's trigger lets it through, and in any case. */
function sizeLimits(
  { min_tokens, trigger }: ExtractConfig,
  window: number | undefined,
): { readonly large: number; readonly huge: number } {
  const large = Math.max(
    min_tokens,
    trigger.min_output_tokens,
    trigger.min_output_frac * (window ?? 0),
  );
  const isHugeKnown = window !== undefined && trigger.huge_output_frac > 0;
  const huge = isHugeKnown ? trigger.huge_output_frac * window : Number.POSITIVE_INFINITY;
  return { large: Math.min(large, huge), huge };
}

/** The work at one request. */
class Extraction {
  readonly #request: CompactionRequest;
  readonly #config: ExtractConfig;
  readonly #context: Context;
  readonly #cache: ResultCache;
  readonly #basis: string;
  readonly #refusals: RefusalName[] = [];
  #keepSet: KeepSet | undefined;
  #latest: { readonly output: ToolOutput; readonly rules: Rules } | undefined;
  #decided = false;
  #shapeGate: string | undefined;

  constructor(request: CompactionRequest, config: ExtractConfig, context: Context) {
    this.#request = request;
    this.#config = config;
    this.#context = context;
    this.#cache = ResultCache.of(context.attempt);
    const model =
      config.strategy === 'deterministic' ? undefined : context.model(config.model)?.name;
    this.#basis = basisOf(config, model, EXTRACT_PROMPT_VERSION);
  }

  /** What the decisions depend on; undefined once an output was left undecided. */
  get basis(): string | undefined {
    return this.#shapeGate === undefined ? this.#basis : undefined;
  }

  /** The text in the output's place, by an earlier decision or by a new one. */
  async textFor(output: ToolOutput): Promise<string | undefined> {
    const known = this.#cache.get(output, this.#basis, this.#context);
    if (known !== undefined) return known.text;
    this.#shapeGate ??= this.#checkShape(output);
    if (this.#shapeGate !== undefined) return undefined;
    const fallback: Decision = { text: this.#withoutNoise(output) };
    // Before a model is asked, so that what ends here in a fault is not paid for again.
    this.#cache.set(output, this.#basis, fallback, this.#context);
    const accepted = await this.#byModel(output);
    this.#context.signal.throwIfAborted();
    if (accepted !== undefined) this.#cache.set(output, this.#basis, accepted, this.#context);
    const { text } = accepted ?? fallback;
    this.#decided ||= text !== undefined;
    return text;
  }

  report(outcome: Outcome): Outcome {
    const refusals = this.#refusals.length === 0 ? {} : { refusals: this.#refusals };
    if (outcome.kind === 'skipped') {
      return { ...outcome, gate: this.#shapeGate ?? outcome.gate, ...refusals };
    }
    return { ...outcome, ...(this.#decided ? {} : { reused: true as const }), ...refusals };
  }

  async #byModel(output: ToolOutput): Promise<Decision | undefined> {
    const context = this.#context;
    const { strategy } = this.#config;
    if (strategy === 'deterministic' || !fitsSandbox(output.text)) return undefined;
    const model = context.model(this.#config.model);
    if (model === undefined) {
      this.#refusals.push('no_model');
      return undefined;
    }
    this.#decided = true;
    const rules = this.#rules(output);
    if (strategy === 'code') {
      noteShown(output.text, rules.tokens, context.tokenizer, this.#linesOf(output));
    }
    const job: Job = {
      messages: this.#request.messages,
      output: output.text,
      keep: rules.identifiers,
      config: this.#config,
      model,
      sandbox: sharedSandbox(),
      signal: context.signal,
      countTokens: context.countTokens,
      judge: (candidate, summary) =>
        judge(output.text, endedLike(output.text, candidate), summary, rules),
      refuse: (refusal) => this.#refusals.push(refusal),
    };
    const accepted = await (strategy === 'code' ? reduceByCode(job) : reduceByExploration(job));
    if (accepted === undefined) return undefined;
    return { text: withSummary(accepted.text, accepted.summary) };
  }

  /** Deterministic noise is no opinion of a model, so neither containment nor the ratio is asked of it. */
  #withoutNoise(output: ToolOutput): string | undefined {
    const { text } = output;
    const reduction = reduceNoise(text, this.#keep());
    if (reduction === undefined) return undefined;
    const rules = this.#rules(output);
    const { text: reduced, kind } = reduction;
    if (lostIdentifier(text, reduced, rules.identifiers) !== undefined) return undefined;
    if (kind !== 'text') {
      // What a projection drops is no noise, so it stands under the proof.
      const verdict = judge(text, reduced, undefined, rules);
      return verdict.kind === 'accepted' ? reduced : undefined;
    }
    const tokens = rules.sentTokens(reduced, rules.countTokens(reduced), undefined);
    return tokens < rules.tokens ? reduced : undefined;
  }

  /** Those of one output are asked for before and behind the model. */
  #rules(output: ToolOutput): Rules {
    if (this.#latest?.output !== output) this.#latest = { output, rules: this.#rulesOf(output) };
    return this.#latest.rules;
  }

  #rulesOf(output: ToolOutput): Rules {
    const { granularity, min_keep_ratio, marker_mode } = this.#config;
    const { countTokens, tokenizer } = this.#context;
    const lines = this.#linesOf(output);
    // As `shortenOutputs` will write it.
    const last = {
      full: `\n${markerOf(textKey(output.text))}`,
      summary: `\n${SENTINEL}`,
      off: '',
    }[marker_mode];
    return {
      granularity,
      minKeepRatio: min_keep_ratio,
      identifiers: heldBy(output.text, this.#keep()),
      tokens: outputTokens(output, this.#context),
      // Most reductions are lines of the output.
      countTokens: (text) => lines?.of(text) ?? countTokens(text),
      sentTokens: (text, tokens, summary) =>
        appendedTokens(text, tokens, summaryTail(text, summary) + last, tokenizer),
    };
  }

  #linesOf({ message, block }: ToolOutput): LineTokens | undefined {
    return this.#context.resultLines(message, block);
  }

  #keep(): KeepSet {
    this.#keepSet ??= keepSetOf(
      this.#request.messages,
      this.#config.keep_identifiers,
      this.#context,
    );
    return this.#keepSet;
  }

  /** The gate of the rule that a shorter output would break, which no reduction could mend. */
  #checkShape(output: ToolOutput): string | undefined {
    const { dialect, table } = this.#context;
    const intended = [...this.#request.messages];
    intended[output.position] = dialect.replaceResult(output.message, output.block, '…', table);
    return this.#context.checkShape(intended);
  }
}

function withSummary(text: string, summary: string | undefined): string {
  return text + summaryTail(text, summary);
}

function summaryTail(text: string, summary: string | undefined): string {
  return summary === undefined ? '' : `${text === '' ? '' : '\n'}[${summary}]`;
}

/** A program gets its input whole or not at all. */
function fitsSandbox(text: string): boolean {
  return Buffer.byteLength(text) <= DEFAULT_LIMITS.inputBytes;
}

/** Programs end their last line out of habit; where the output does not, that would be an insertion. */
function endedLike(original: string, candidate: string): string {
  const ends = /\r?\n$/;
  return ends.test(original) ? candidate : candidate.replace(ends, '');
}
