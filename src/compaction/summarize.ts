import { safeCuts } from '../transcript/exchanges.ts';
import { type Message, sameMessage } from '../transcript/message.ts';
import {
  type ChargedModel,
  type CompactionRequest,
  type Context,
  defineComponent,
  type Outcome,
} from './component.ts';
import { markerOf, SENTINEL, type StashKey } from './stash.ts';
import { type SummarizeConfig, summarizeConfig } from './summarize-config.ts';
import {
  renderBody,
  renderHead,
  SUMMARIZE_PROMPT_VERSION,
  SUMMARY_TOKENS,
  systemPrompt,
  userPrompt,
} from './summarize-prompt.ts';
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

/** The summarizer reads at most this much, or its window less room for the answer, in tokens. */
const MOST_INPUT_TOKENS = 70_000;
const WINDOW_RESERVE_TOKENS = 8_000;

/** Half-open range of message positions. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** A span of messages that was summarized, or that was asked about in vain. */
class Covered {
  readonly messages: readonly Message[];
  readonly from: number;

  constructor(list: readonly Message[], { from, to }: Range) {
    this.messages = list.slice(from, to);
    this.from = from;
  }

  get to(): number {
    return this.from + this.messages.length;
  }

  /** True while these messages stand canonically unchanged in `list`, before the kept ones. */
  standsIn(list: readonly Message[], span: Range): boolean {
    if (this.from !== span.from || this.to > span.to) return false;
    return this.messages.every((message, offset) => {
      const now = list[this.from + offset];
      return now !== undefined && sameMessage(message, now);
    });
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
    tokensBetween(messages, covered.to, span.to, context) < config.resummarize_tokens;
  if (checkpoint !== undefined && small(checkpoint)) {
    return reuse(messages, checkpoint, config, context);
  }
  // What failed is not asked again for the same span, under the rule that governs reuse.
  const attempt = context.attempt.get();
  if (attempt instanceof Covered && attempt.standsIn(messages, span) && small(attempt)) {
    if (checkpoint !== undefined) return reuse(messages, checkpoint, config, context);
    return { kind: 'skipped', gate: 'failed_before' };
  }
  if (tokensBetween(messages, span.from, span.to, context) < config.min_tokens) {
    return { kind: 'skipped', gate: 'small_span' };
  }
  const model = context.model(config.model);
  if (model === undefined) return { kind: 'skipped', gate: 'no_model' };
  const key =
    config.marker_mode === 'full'
      ? context.stash.putMessages(messages, span.from, span.to)
      : undefined;
  const placeholder = summaryText('placeholder', config, key);
  const shapeGate = context.checkShape(rewrite(messages, span, placeholder, context));
  if (shapeGate !== undefined) return { kind: 'skipped', gate: shapeGate };

  context.attempt.set(new Covered(messages, span));
  const summary = cleaned(await ask(model, messages, span, config, context));
  if (summary === '') return { kind: 'skipped', gate: 'blank_summary' };
  const text = summaryText(summary, config, key);
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
function spanOf(messages: readonly Message[], keepLast: number): Range | undefined {
  const last = messages.length - keepLast;
  if (last <= 1) return undefined;
  const safe = safeCuts(messages);
  let to = last;
  while (to > 1 && safe[to] !== true) to--;
  let from = 1;
  while (from < to && safe[from] !== true) from++;
  return { from, to };
}

function tokensBetween(
  messages: readonly Message[],
  from: number,
  to: number,
  context: Context,
): number {
  let tokens = 0;
  for (let index = from; index < to; index++) {
    const message = messages[index];
    if (message !== undefined) tokens += context.countMessage(message);
  }
  return tokens;
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

function summaryText(summary: string, config: SummarizeConfig, key: StashKey | undefined): string {
  const lines = [
    '=== History Summary ===',
    'Earlier messages of this conversation were replaced by this summary of them.',
    '<summary>',
    summary,
    '</summary>',
  ];
  if (key !== undefined) lines.push(markerOf(key));
  else if (config.marker_mode === 'summary') lines.push(SENTINEL);
  return lines.join('\n');
}

async function ask(
  model: ChargedModel,
  messages: readonly Message[],
  span: Range,
  config: SummarizeConfig,
  context: Context,
): Promise<string> {
  const rendered = messages
    .slice(span.from, span.to)
    .map((message, offset) => render(message, span.from + offset, config, context));
  const system = systemPrompt(config.summary_level);
  const frame = context.countTokens(system) + context.countTokens(userPrompt(messages, [], 1));
  const window = (model.contextWindow ?? Number.POSITIVE_INFINITY) - WINDOW_RESERVE_TOKENS;
  const room = Math.min(window, MOST_INPUT_TOKENS) - frame;
  const first = firstThatFits(rendered, room);
  const reply = await model.ask({
    purpose: 'summarize',
    system,
    prompt: userPrompt(
      messages,
      rendered.slice(first).map(({ text }) => text),
      first,
    ),
    maxOutputTokens: SUMMARY_TOKENS[config.summary_level],
  });
  return reply.text;
}

interface Rendered {
  readonly text: string;
  readonly tokens: number;
}

function render(
  message: Message,
  position: number,
  config: SummarizeConfig,
  context: Context,
): Rendered {
  const whole = config.include_tool_calls;
  const body = context.memo(message, `body:${whole}`, () => {
    const text = renderBody(message, whole, context.countTokens);
    return { text, tokens: context.countTokens(text) };
  });
  const head = renderHead(message, position);
  return { text: `${head}\n${body.text}`, tokens: context.countTokens(head) + body.tokens + 2 };
}

/** Position of the oldest message that still fits `room` tokens, cut at message borders. */
function firstThatFits(rendered: readonly Rendered[], room: number): number {
  let left = room;
  for (let index = rendered.length - 1; index >= 0; index--) {
    left -= rendered[index]?.tokens ?? 0;
    if (left < 0) return index + 1;
  }
  return 0;
}

/**
 * The summary as it may stand between the tags: without tags, markers or a heading of its own that
 * would be taken for ours. A marker that a model wrote must not resolve to something.
 */
function cleaned(reply: string): string {
  return reply
    .replace(/<<cg:[^<>]*>>/g, '')
    .replace(/<\/?summary>/gi, '')
    .replace(/^=== History Summary ===$/gm, '')
    .toWellFormed()
    .trim();
}
