import { sharedStart } from '../transcript/growing-lists.ts';
import type { DialectName, Message } from '../transcript/message.ts';
import { type Counting, thinkingStart } from '../transcript/message-tokens.ts';
import type { Prompt, PromptMark } from './cost-cache.ts';
import type { Marking } from './cost-marking.ts';
import { type Mark, messageMarks, messagePieces, type Prefix } from './cost-pieces.ts';

/** Numbers for keys: equal keys have equal numbers. One serves all prompts of a ledger. */
export class Numbering {
  readonly #numbers = new Map<string, number>();

  of(key: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(key, number);
    return number;
  }
}

/**
 * The prompts of one side of a lineage, one after the other: what a request shares with the one before it,
 * by identity of its messages, is taken over from that.
 */
export class GrowingPrompt implements Prompt {
  /** Numbers of the pieces. */
  readonly keys: number[] = [];
  marks: readonly PromptMark[] = [];
  readonly #numbering: Numbering;
  readonly #dialect: DialectName;
  /** The provider's tokens for one of ours. */
  readonly #ratio: number;
  /** Our tokens of the first 0, 1, … pieces. */
  readonly #totals: number[] = [0];
  /** Pieces before each message, and before the end. */
  readonly #starts: number[] = [0];
  readonly #listMarks: { readonly message: number; readonly marks: readonly Mark[] }[] = [];
  #prefix: Prefix | undefined;
  #list: readonly Message[] = [];
  #thinkingFrom = 0;

  constructor(numbering: Numbering, dialect: DialectName, ratio: number) {
    this.#numbering = numbering;
    this.#dialect = dialect;
    this.#ratio = ratio;
  }

  tokensTo(pieces: number): number {
    return Math.round(this.#ratio * (this.#totals[pieces] ?? 0));
  }

  /** @param extra a piece behind the tool declarations, with its tokens: a declared expand tool */
  set(
    prefix: Prefix,
    extra: { readonly key: string; readonly tokens: number } | undefined,
    list: readonly Message[],
    counting: Counting,
    marking: Marking,
  ): void {
    const from = thinkingStart(list, counting.thinking);
    let common = this.#common(prefix, list, from);
    if (common < 0) {
      this.#setPrefix(prefix, extra);
      common = 0;
    }
    this.#cut(common);
    for (let index = common; index < list.length; index++) {
      const message = list[index];
      if (message !== undefined) this.#append(message, index, index >= from, counting);
    }
    this.#prefix = prefix;
    this.#list = list;
    this.#thinkingFrom = from;
    this.marks = this.#marksOf(prefix, extra !== undefined, marking);
  }

  /** Adds a piece that is no message, until the next `set`. */
  push(key: string, tokens: number): void {
    this.keys.push(this.#numbering.of(key));
    this.#totals.push((this.#totals.at(-1) ?? 0) + tokens);
  }

  /** Messages that stay; −1 where not even what stands before them does. */
  #common(prefix: Prefix, list: readonly Message[], thinkingFrom: number): number {
    if (this.#prefix !== prefix) return -1;
    const most =
      thinkingFrom === this.#thinkingFrom
        ? Number.POSITIVE_INFINITY
        : Math.min(thinkingFrom, this.#thinkingFrom);
    return Math.min(sharedStart(this.#list, list), most);
  }

  #setPrefix(
    prefix: Prefix,
    extra: { readonly key: string; readonly tokens: number } | undefined,
  ): void {
    this.keys.length = 0;
    this.#totals.length = 1;
    for (const [index, key] of prefix.keys.entries()) {
      if (index === prefix.tools && extra !== undefined) this.push(extra.key, extra.tokens);
      this.push(key, prefix.tokens[index] ?? 0);
    }
    if (prefix.tools === prefix.keys.length && extra !== undefined) {
      this.push(extra.key, extra.tokens);
    }
    this.#starts.length = 0;
    this.#starts.push(this.keys.length);
  }

  #cut(messages: number): void {
    const pieces = this.#starts[messages] ?? 0;
    this.keys.length = pieces;
    this.#totals.length = pieces + 1;
    this.#starts.length = messages + 1;
    while ((this.#listMarks.at(-1)?.message ?? -1) >= messages) this.#listMarks.pop();
  }

  #append(message: Message, index: number, keepsThinking: boolean, counting: Counting): void {
    const { keys, tokens, thinking } = messagePieces(message, counting);
    for (const [piece, key] of keys.entries()) {
      if (thinking[piece] === true && !keepsThinking) continue;
      this.push(key, tokens[piece] ?? 0);
    }
    this.#starts.push(this.keys.length);
    const marks = messageMarks(message, this.#dialect);
    if (marks.length === 0) return;
    // A mark on what was left out does not stand; thinking cannot have one.
    const dropped = keepsThinking ? thinking.map(() => false) : thinking;
    const placed = marks.map(({ piece, lifetime }) => ({
      piece: piece - dropped.slice(0, piece + 1).filter(Boolean).length,
      lifetime,
    }));
    this.#listMarks.push({ message: index, marks: placed });
  }

  #marksOf(prefix: Prefix, hasExtra: boolean, marking: Marking): readonly PromptMark[] {
    const end = this.keys.length;
    const start = this.#starts[0] ?? 0;
    if (marking.kind === 'none') return [];
    if (marking.kind === 'assumed') {
      const { lifetime } = marking;
      const last = { end, lifetime };
      return start === 0 ? [last] : [{ end: start, lifetime }, last];
    }
    const marks: PromptMark[] = prefix.marks.map(({ piece, lifetime }) => ({
      // The declaration is the last of the tools; a mark on the tool before it stays where it is.
      end: piece + 1 + (hasExtra && piece >= prefix.tools ? 1 : 0),
      lifetime,
    }));
    for (const { message, marks: own } of this.#listMarks) {
      const before = this.#starts[message] ?? 0;
      for (const { piece, lifetime } of own) {
        marks.push({ end: Math.max(before + piece + 1, 0), lifetime });
      }
    }
    if (prefix.automatic !== undefined) marks.push({ end, lifetime: prefix.automatic });
    return marks;
  }
}
