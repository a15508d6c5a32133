import type { Message } from '../transcript/message.ts';
import type { Context } from './component.ts';
import type { SummarizeConfig } from './summarize-config.ts';
import { head, renderBody, renderHead, systemPrompt, userPrompt } from './summarize-prompt.ts';

/** The summarizer reads at most this much, or its window less room for the answer, in tokens. */
const MOST_INPUT_TOKENS = 70_000;
const WINDOW_RESERVE_TOKENS = 8_000;

/** Half-open range of message positions. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** What is needed of a component's context. */
type Counter = Pick<Context, 'countTokens' | 'memo'>;

interface Prompt {
  readonly system: string;
  readonly prompt: string;
}

/**
 * What the summarizer of `messages[span]` reads: at most min(window − 8k, 70k) tokens, system and prompt
 * together, the oldest messages left out first. Of a latest message that is too large by itself the
 * beginning is read. Undefined when there is no room for anything.
 *
 * @param window of the summarizer, in tokens
 */
export function summarizerInput(
  messages: readonly Message[],
  span: Range,
  window: number | undefined,
  config: SummarizeConfig,
  context: Counter,
): Prompt | undefined {
  const { countTokens } = context;
  const system = systemPrompt(config.summary_level);
  const most = Math.min(
    (window ?? Number.POSITIVE_INFINITY) - WINDOW_RESERVE_TOKENS,
    MOST_INPUT_TOKENS,
  );
  const limit = most - countTokens(system);
  const rendered = messages
    .slice(span.from, span.to)
    .map((message, offset) => render(message, span.from + offset, config, context));
  const promptFrom = (first: number) => {
    const texts = rendered.slice(first).map(({ text }) => text);
    return userPrompt(messages, texts, first).toWellFormed();
  };
  const fits = (prompt: string) => countTokens(prompt) <= limit;
  const frame = countTokens(userPrompt(messages, [], rendered.length));
  const { first, tokens } = latestThatFit(rendered, limit - frame);
  // The sum of the parts may be a little off the whole, so near the limit the whole is counted.
  if (first === 0 && frame + tokens < 0.9 * limit) return { system, prompt: promptFrom(0) };
  for (let start = first; start < rendered.length; start++) {
    const prompt = promptFrom(start);
    if (fits(prompt)) return { system, prompt };
  }
  const latest = rendered.at(-1);
  if (latest === undefined) return undefined;
  let { text } = latest;
  for (let room = limit - frame; room >= SMALLEST_PIECE; room = Math.floor(room * 0.9)) {
    text = cutTo(text, room, countTokens);
    const prompt = userPrompt(messages, [text], rendered.length - 1).toWellFormed();
    if (fits(prompt)) return { system, prompt };
  }
  return undefined;
}

/** A piece of one message that is smaller says too little to be worth a call, in tokens. */
const SMALLEST_PIECE = 100;

interface Rendered {
  readonly text: string;
  /** About: head and body apart, and a line end after each. */
  readonly tokens: number;
}

function render(
  message: Message,
  position: number,
  config: SummarizeConfig,
  context: Counter,
): Rendered {
  const whole = config.include_tool_calls;
  const body = context.memo(message, `body:${whole}`, () => {
    const text = renderBody(message, whole, context.countTokens);
    return { text, tokens: context.countTokens(text) };
  });
  const line = renderHead(message, position);
  const tokens = context.countTokens(line) + body.tokens + 2;
  return { text: `${line}\n${body.text}`, tokens };
}

/** The oldest message from which all that follow fit `room` tokens, and the tokens of these. */
function latestThatFit(
  rendered: readonly Rendered[],
  room: number,
): { readonly first: number; readonly tokens: number } {
  let tokens = 0;
  for (let index = rendered.length - 1; index >= 0; index--) {
    const more = tokens + (rendered[index]?.tokens ?? 0);
    if (more > room) return { first: index + 1, tokens };
    tokens = more;
  }
  return { first: 0, tokens };
}

/** A beginning of the text with at most `limit` tokens. */
function cutTo(text: string, limit: number, countTokens: (text: string) => number): string {
  let cut = text;
  for (let tokens = countTokens(cut); tokens > limit; tokens = countTokens(cut)) {
    cut = head(cut, Math.floor((cut.length * limit) / tokens) - MARGIN);
  }
  return cut;
}

/** Characters: more than the ellipsis that `head` adds, so that every cut is shorter. */
const MARGIN = 8;
