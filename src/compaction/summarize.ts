import { safeCuts } from '../transcript/exchanges.ts';
import { type Message, sameMessage } from '../transcript/message.ts';
import {
  type CompactionRequest,
  type Context,
  defineComponent,
  type Outcome,
} from './component.ts';
import { messagesKey, type StashKey } from './stash.ts';
import { type SummarizeConfig, summarizeConfig } from './summarize-config.ts';
import { SUMMARIZE_PROMPT_VERSION, SUMMARY_TOKENS } from './summarize-prompt.ts';
import { type Range, summarizerInput } from './summarizer-input.ts';
import { cleanSummary, summaryText } from './summary-text.ts';
import { requestGate } from './trigger.ts';

/**
 * `[msg0, …, last-K]` → `[msg0, <summary as a user message>, last-K]`.
 *
 * The checkpoint (the span and the text that stands for it) is reused with the same bytes while the
 * covered messages are unchanged and the tail behind them is small; then the whole span is summarized
 * again from the original messages.
 */
export const summarize = defineComponent<SummarizeConfig>({
  name: 'summarize',
  kind: 'offload',
  about: 'Replaces the history between the first message and the last few by one summary.',
  version: SUMMARIZE_PROMPT_VERSION,
  timeLimit: 150_000,
  config: summarizeConfig,
  compact,
});

/** Where a summary may stand, and where in the list it may be cut (`safeCuts`). */
interface Span extends Range {
  readonly safe: readonly boolean[];
}

/** A span of messages that was summarized, or that was asked about in vain. */
class Covered {
  readonly from: number;
  readonly to: number;
  readonly #list: readonly Message[];

  constructor(list: readonly Message[], { from, to }: Range) {
    this.#list = list;
    this.from = from;
    this.to = to;
  }

  /** True while these messages stand canonically unchanged in `list`, before the kept ones. */
  standsIn(list: readonly Message[], span: Span): boolean {
    // A late result may have tied a covered call to what follows it.
    if (this.from !== span.from || this.to > span.to || span.safe[this.to] !== true) return false;
    for (let index = this.from; index < this.to; index++) {
      const covered = this.#list[index];
      const now = list[index];
      if (covered === now) continue;
      if (covered === undefined || now === undefined || !sameMessage(covered, now)) return false;
    }
    return true;
  }
}

/** The decision that is reused: what is covered, and the text that stands for it. */
class Checkpoint extends Covered {
  readonly text: string;
  readonly key: StashKey | undefined;

  constructor(list: readonly Message[], span: Range, text: string, key: StashKey | undefined) {
    super(list, span);
    this.text = text;
    this.key = key;
  }
}

async function compact(
  request: CompactionRequest,
  config: SummarizeConfig,
  context: Context,
): Promise<Outcome> {
  const { messages } = request;
  const gate = triggerGate(request, config, context);
  if (gate !== undefined) return { kind: 'skipped', gate };
  const span = spanOf(messages, config.keep_last);
  if (span === undefined) return { kind: 'skipped', gate: 'short_transcript' };
  if (span.to <= span.from) return { kind: 'skipped', gate: 'no_boundary' };

  const state = context.state.get();
  const checkpoint =
    state instanceof Checkpoint && state.standsIn(messages, span) ? state : undefined;
  const small = (covered: Covered) =>
    !hasTokens(messages, { from: covered.to, to: span.to }, config.resummarize_tokens, context);
  if (checkpoint !== undefined && small(checkpoint)) {
    return reuse(messages, checkpoint, config, context);
  }
  // What failed is not asked again for the same span, under the rule that governs reuse.
  const attempt = context.attempt.get();
  if (attempt instanceof Covered && attempt.standsIn(messages, span) && small(attempt)) {
    if (checkpoint !== undefined) return reuse(messages, checkpoint, config, context);
    return { kind: 'skipped', gate: 'failed_before' };
  }
  if (!hasTokens(messages, span, config.min_tokens, context)) {
    return { kind: 'skipped', gate: 'small_span' };
  }
  const model = context.model(config.model);
  if (model === undefined) return { kind: 'skipped', gate: 'no_model' };
  const key = config.marker_mode === 'full' ? messagesKey(messages, span.from, span.to) : undefined;
  const placeholder = summaryText('placeholder', config.marker_mode, key);
  const shapeGate = context.checkShape(rewrite(messages, span, placeholder, context));
  if (shapeGate !== undefined) return { kind: 'skipped', gate: shapeGate };

  const input = summarizerInput(messages, span, model.contextWindow, config, context);
  if (input === undefined) return { kind: 'skipped', gate: 'small_window' };
  context.attempt.set(new Covered(messages, span));
  const maxOutputTokens = SUMMARY_TOKENS[config.summary_level];
  const reply = await model.ask({ purpose: 'summarize', ...input, maxOutputTokens });
  const summary = cleanSummary(reply.text);
  if (summary === '') return { kind: 'skipped', gate: 'blank_summary' };
  const text = summaryText(summary, config.marker_mode, key);
  if (key !== undefined) context.stash.putMessages(messages, span.from, span.to);
  context.state.set(new Checkpoint(messages, span, text, key));
  return {
    kind: 'changed',
    messages: rewrite(messages, span, text, context),
    ...dropped(config, key),
  };
}

function triggerGate(
  request: CompactionRequest,
  config: SummarizeConfig,
  context: Context,
): string | undefined {
  const { messages, tokens } = request;
  const { contextWindow } = context;
  if (config.trigger.min_messages === 0 && messages.length < config.start_from_message) {
    return 'start_from_message';
  }
  return requestGate(config.trigger, { tokens, messages: messages.length, contextWindow });
}

/**
 * What lies between the first message and the last K, cut only between exchanges: the end moves back
 * and the start forward until they do. Undefined when nothing lies between; empty when every cut
 * would tear an exchange.
 */
function spanOf(messages: readonly Message[], keepLast: number): Span | undefined {
  const last = messages.length - keepLast;
  if (last <= 1) return undefined;
  const safe = safeCuts(messages);
  let to = last;
  while (to > 1 && safe[to] !== true) to--;
  let from = 1;
  while (from < to && safe[from] !== true) from++;
  return { from, to, safe };
}

/** Whether a range of messages has at least `least` tokens; no more of it is counted than that takes. */
function hasTokens(
  messages: readonly Message[],
  { from, to }: Range,
  least: number,
  context: Context,
): boolean {
  let tokens = 0;
  for (let index = from; index < to && tokens < least; index++) {
    const message = messages[index];
    if (message !== undefined) tokens += context.countMessage(message);
  }
  return tokens >= least;
}

function reuse(
  messages: readonly Message[],
  checkpoint: Checkpoint,
  config: SummarizeConfig,
  context: Context,
): Outcome {
  const { from, to, key, text } = checkpoint;
  const span = { from, to };
  if (key !== undefined) context.stash.refresh(key, messages, span.from, span.to);
  return {
    kind: 'changed',
    messages: rewrite(messages, span, text, context),
    ...dropped(config, key),
    reused: true,
  };
}

function dropped(
  config: SummarizeConfig,
  key: StashKey | undefined,
): { readonly stashed: readonly StashKey[]; readonly irreversible?: true } {
  const stashed = key === undefined ? [] : [key];
  return config.marker_mode === 'full' ? { stashed } : { stashed, irreversible: true };
}

function rewrite(
  messages: readonly Message[],
  span: Range,
  text: string,
  context: Context,
): readonly Message[] {
  const before = messages.slice(0, span.from);
  const after = messages.slice(span.to);
  return context.dialect.insertUserText(before, text, after, context.table);
}
