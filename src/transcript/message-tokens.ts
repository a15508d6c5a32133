import { LineTokens } from '../text/line-tokens.ts';
import { fitted } from '../text/long-lists.ts';
import { countGroups, countTokens, type TokenizerName } from '../text/tokens.ts';
import { type Growing, GrowingLists } from './growing-lists.ts';
import { mediaTokens } from './media-tokens.ts';
import { type Block, type DialectName, isUserTurn, type Message } from './message.ts';

/**
 * Whether the model keeps the thinking of earlier turns in its context: all of it, only that of the
 * current tool loop, or none.
 */
export type ThinkingKept = 'all' | 'loop' | 'none';

/** How the tokens of a list are counted. */
export interface Counting {
  readonly tokenizer: TokenizerName;
  readonly dialect: DialectName;
  readonly thinking: ThinkingKept;
}

/** Written out, since a key that is put together anew is hashed anew, for each message of each request. */
const MEMO_KEYS: Readonly<Record<TokenizerName, string>> = {
  o200k_base: 'tokens:o200k_base',
  cl100k_base: 'tokens:cl100k_base',
};

interface Counts {
  /** Text, calls, results, media. */
  readonly content: number;
  readonly thinking: number;
  /** Tokens of each block, cache points left out: canonically equal messages may differ in those. */
  readonly blocks: readonly number[];
  /** Of tool results of one long text, what its groups of lines count, at the places of `blocks`. */
  readonly groups: ReadonlyMap<number, Uint16Array>;
}

const NO_GROUPS: ReadonlyMap<number, Uint16Array> = new Map();

/**
 * Tokens of what the model reads of a message: text, a call's name and its arguments as recorded,
 * result text, media; not the JSON around them. Each distinct message is counted once.
 */
export function messageTokens(message: Message, counting: Counting): Counts {
  const key = MEMO_KEYS[counting.tokenizer];
  const known = message.identity.memo.get(key) as Counts | undefined;
  if (known !== undefined) return known;
  const counts = count(message, counting);
  message.identity.memo.set(key, counts);
  return counts;
}

/**
 * Tokens of a tool result's text (`resultText`), where they were counted with the message; undefined where its
 * texts are counted apart, or media with it.
 */
export function resultTokens(
  message: Message,
  index: number,
  counting: Counting,
): number | undefined {
  if (soleText(message.blocks[index]) === undefined) return undefined;
  return messageTokens(message, counting).blocks[placeOf(message, index)];
}

/** What the lines of a tool result's text count, where that was kept when its message was counted. */
export function resultLines(
  message: Message,
  index: number,
  counting: Counting,
): LineTokens | undefined {
  const text = soleText(message.blocks[index]);
  if (text === undefined) return undefined;
  const groups = messageTokens(message, counting).groups.get(placeOf(message, index));
  return groups === undefined ? undefined : new LineTokens(text, groups, counting.tokenizer);
}

/** The text of a tool result that is nothing else. */
function soleText(block: Block | undefined): string | undefined {
  if (block?.kind !== 'tool-result' || block.texts.length !== 1 || block.media.length > 0)
    return undefined;
  return block.texts[0];
}

/** Place of a block among those that are counted. */
function placeOf({ blocks }: Message, index: number): number {
  let place = index;
  for (let before = 0; before < index; before++) {
    const other = blocks[before];
    if (other !== undefined && isCachePoint(other)) place--;
  }
  return place;
}

function count(message: Message, { tokenizer, dialect }: Counting): Counts {
  let content = 0;
  let thinking = 0;
  const blocks: number[] = [];
  let groups: Map<number, Uint16Array> | undefined;
  for (const block of message.blocks) {
    if (isCachePoint(block)) continue;
    const text = soleText(block);
    const counted =
      text === undefined
        ? { tokens: blockTokens(block, tokenizer, dialect) }
        : countGroups(text, tokenizer);
    const { tokens } = counted;
    if (counted.groups !== undefined) {
      groups ??= new Map();
      groups.set(blocks.length, counted.groups);
    }
    if (block.kind === 'thinking') thinking += tokens;
    else content += tokens;
    blocks.push(tokens);
  }
  return { content, thinking, blocks: fitted(blocks), groups: groups ?? NO_GROUPS };
}

function blockTokens(block: Block, tokenizer: TokenizerName, dialect: DialectName): number {
  switch (block.kind) {
    case 'text':
    case 'thinking':
      return countTokens(block.text, tokenizer);
    case 'tool-call':
      return countTokens(block.name, tokenizer) + countTokens(block.arguments, tokenizer);
    case 'tool-result': {
      let tokens = 0;
      for (const text of block.texts) tokens += countTokens(text, tokenizer);
      for (const medium of block.media) tokens += mediaTokens(medium, dialect, tokenizer);
      return tokens;
    }
    case 'media':
      return mediaTokens(block, dialect, tokenizer);
    case 'other':
      return 0;
  }
}

/** A cache mark that is a block of its own (Bedrock). */
export function isCachePoint(block: Block): boolean {
  return block.kind === 'other' && block.type === 'cachePoint';
}

/** Index from which thinking counts: 0, the start of the current tool loop, or past the end. */
export function thinkingStart(messages: readonly Message[], kept: ThinkingKept): number {
  if (kept === 'all') return 0;
  if (kept === 'none') return messages.length;
  return loops.of(messages).start;
}

/** The user turns of a list, the last one first, as their positions. */
export function* userTurnsFromEnd(messages: readonly Message[]): Generator<number> {
  for (let end = messages.length; ; ) {
    const start = loops.of(messages).startOf(end);
    if (start === 0) return;
    end = start - 1;
    yield end;
  }
}

/** Where the current tool loop of a list begins: behind the last user turn. */
class Loop implements Growing<Message> {
  /** Of the first 1, 2, … messages. */
  readonly #starts: number[] = [];

  get length(): number {
    return this.#starts.length;
  }

  get start(): number {
    return this.#starts.at(-1) ?? 0;
  }

  startOf(length: number): number {
    return this.#starts[length - 1] ?? 0;
  }

  append(message: Message): void {
    this.#starts.push(isUserTurn(message) ? this.#starts.length + 1 : this.start);
  }

  cut(length: number): void {
    this.#starts.length = length;
  }
}

const loops = new GrowingLists<Message, Loop>(() => new Loop());

/** Tokens of the first 0, 1, … messages of a list. */
class Sums implements Growing<Message> {
  readonly content: number[] = [0];
  readonly thinking: number[] = [0];
  readonly #counting: Counting;

  constructor(counting: Counting) {
    this.#counting = counting;
  }

  get length(): number {
    return this.content.length - 1;
  }

  append(message: Message): void {
    const { content, thinking } = messageTokens(message, this.#counting);
    this.content.push((this.content.at(-1) ?? 0) + content);
    this.thinking.push((this.thinking.at(-1) ?? 0) + thinking);
  }

  cut(length: number): void {
    this.content.length = length + 1;
    this.thinking.length = length + 1;
  }
}

const sums = new Map<TokenizerName, Map<DialectName, GrowingLists<Message, Sums>>>();

function sumsOf(messages: readonly Message[], counting: Counting): Sums {
  const { tokenizer, dialect } = counting;
  const byDialect = sums.get(tokenizer) ?? new Map<DialectName, GrowingLists<Message, Sums>>();
  sums.set(tokenizer, byDialect);
  const lists = byDialect.get(dialect) ?? new GrowingLists(() => new Sums(counting));
  byDialect.set(dialect, lists);
  return lists.of(messages);
}

/** Tokens of a list: what it has more than an earlier one is added to the sum of that. */
export function listTokens(messages: readonly Message[], counting: Counting): number {
  const start = thinkingStart(messages, counting.thinking);
  const { content, thinking } = sumsOf(messages, counting);
  const before = thinking[start] ?? 0;
  return (content[messages.length] ?? 0) + (thinking[messages.length] ?? 0) - before;
}

/**
 * Tokens of single messages of a list. Where only the current loop's thinking is kept, a message from
 * before it counts without its thinking; a message that is not in the list counts with it.
 */
export function messageCounter(
  messages: readonly Message[],
  counting: Counting,
): (message: Message) => number {
  // Made at the first message with thinking: most requests ask for none.
  let earlier: ReadonlySet<Message> | undefined;
  const isEarlier = (message: Message) => {
    if (counting.thinking !== 'loop') return false;
    earlier ??= new Set(messages.slice(0, thinkingStart(messages, 'loop')));
    return earlier.has(message);
  };
  return (message) => {
    const counts = messageTokens(message, counting);
    const keepsThinking =
      counting.thinking !== 'none' && counts.thinking > 0 && !isEarlier(message);
    return keepsThinking ? counts.content + counts.thinking : counts.content;
  };
}
