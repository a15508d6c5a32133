import type { Message } from '../transcript/message.ts';
import type { Context } from './component.ts';
import type { SummarizeConfig } from './summarize-config.ts';
import {
  frameTokens,
  goalOf,
  head,
  renderBody,
  renderHead,
  systemPrompt,
  userPrompt,
} from './summarize-prompt.ts';

/** The summarizer reads at most this much, or its window less room for the answer, in tokens. */
const MOST_INPUT_TOKENS = 70_000;
const WINDOW_RESERVE_TOKENS = 8_000;

/** Half-open range of message positions. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** What is needed of a component's context. */
type Counter = Pick<Context, 'countTokens' | 'memo' | 'countResult'>;

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
  const promptFrom = (first: number) => {
    const texts: string[] = [];
    for (let position = first; position < span.to; position++) texts.push(rendered(position).text);
    return userPrompt(goal, texts, first - span.from).toWellFormed();
  };
  const goal = goalOf(messages);
  const rendered = (position: number) => render(messages[position], position, config, context);
  const exact = (position: number) => exactTokens(messages[position], position, config, context);
  const frameOf = (dropped: number) => frameTokens(goal, dropped, context);
  const frame = frameOf(span.to - span.from);
  const { first, tokens } = latestThatFit(span, rendered, limit - frame);
  if (first === span.from && frame + tokens < 0.9 * limit) {
    return { system, prompt: promptFrom(first) };
  }
  const fits = (prompt: string) => countTokens(prompt) <= limit;
  // The sum of the parts may be a little off the whole, so near the limit each line is counted as it stands.
  let body = 0;
  for (let position = first; position < span.to; position++) body += exact(position);
  for (let start = first; start < span.to; start++) {
    if (frameOf(start - span.from) + body <= limit) {
      const prompt = promptFrom(start);
      if (limit > SMALL_PROMPT || fits(prompt)) return { system, prompt };
    }
    body -= exact(start);
  }
  if (span.to <= span.from) return undefined;
  let { text } = rendered(span.to - 1);
  for (let room = limit - frame; room >= SMALLEST_PIECE; room = Math.floor(room * 0.9)) {
    text = cutTo(text, room, countTokens);
    const prompt = userPrompt(goal, [text], span.to - 1 - span.from).toWellFormed();
    if (fits(prompt)) return { system, prompt };
  }
  return undefined;
}

/** So many tokens are counted as a whole all the same, in case that a tokenizer does not add up. */
const SMALL_PROMPT = 10_000;

/** A piece of one message that is smaller says too little to be worth a call, in tokens. */
const SMALLEST_PIECE = 100;

interface Rendered {
  readonly text: string;
  /** About: head and body apart, and a line end after each. */
  readonly tokens: number;
}

/** What is remembered of a message where it stood. No function: one would keep the request that it was made at. */
interface Place {
  position: number;
  rendered: Rendered;
  /** What it adds to a prompt; found when it is first needed. */
  exact: number | undefined;
}

const NOTHING: Rendered = { text: '', tokens: 0 };

/** What a message says to the summarizer wherever it stands. */
interface Body {
  readonly text: string;
  readonly tokens: number;
}

function bodyOf(
  message: Message,
  { include_tool_calls: whole }: SummarizeConfig,
  { countTokens, memo, countResult }: Counter,
): Body {
  return memo(message, BODY_KEYS[`${whole}`], () => {
    const text = renderBody(message, whole, (block) => countResult(message, block));
    return { text, tokens: countTokens(text) };
  });
}

/** Remembered with its place: the same message mostly stands where it stood at the request before. */
function placeOf(
  message: Message,
  position: number,
  config: SummarizeConfig,
  context: Counter,
): Place {
  const key = PLACE_KEYS[`${config.include_tool_calls}`];
  const place = context.memo(
    message,
    key,
    (): Place => ({ position: -1, rendered: NOTHING, exact: undefined }),
  );
  if (place.position === position) return place;
  const body = bodyOf(message, config, context);
  const line = renderHead(message, position);
  const tokens = context.countTokens(line) + body.tokens + 2;
  place.position = position;
  place.rendered = { text: `${line}\n${body.text}`, tokens };
  place.exact = undefined;
  return place;
}

function render(
  message: Message | undefined,
  position: number,
  config: SummarizeConfig,
  context: Counter,
): Rendered {
  return message === undefined ? NOTHING : placeOf(message, position, config, context).rendered;
}

/** What a message adds to a prompt. It begins with `[` on a new line, so no token reaches over its ends. */
function exactTokens(
  message: Message | undefined,
  position: number,
  config: SummarizeConfig,
  context: Counter,
): number {
  if (message === undefined) return 0;
  const place = placeOf(message, position, config, context);
  if (place.exact !== undefined) return place.exact;
  const { countTokens, memo } = context;
  const { text } = bodyOf(message, config, context);
  let tokens: number;
  if (/^(?:[\r\n/]|$)/.test(text)) {
    // A line end or a slash would be one token with the line end before it.
    tokens = countTokens(`${place.rendered.text}\n`);
  } else {
    const key = LINE_KEYS[`${config.include_tool_calls}`];
    const rest = memo(message, key, () => countTokens(`${text}\n`));
    tokens = countTokens(`${renderHead(message, position)}\n`) + rest;
  }
  place.exact = tokens;
  return tokens;
}

const PLACE_KEYS = { true: 'place:true', false: 'place:false' } as const;
const BODY_KEYS = { true: 'body:true', false: 'body:false' } as const;
const LINE_KEYS = { true: 'line:true', false: 'line:false' } as const;

/** The oldest position from which all that follow fit `room` tokens, and the tokens of these. */
function latestThatFit(
  span: Range,
  rendered: (position: number) => Rendered,
  room: number,
): { readonly first: number; readonly tokens: number } {
  let tokens = 0;
  for (let position = span.to - 1; position >= span.from; position--) {
    const more = tokens + rendered(position).tokens;
    if (more > room) return { first: position + 1, tokens };
    tokens = more;
  }
  return { first: span.from, tokens };
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
