import { exchangePlace } from '../transcript/exchanges.ts';
import { type Block, type Message, resultText } from '../transcript/message.ts';
import type { Outcome } from './component.ts';
import { markersIn, type Stash, type StashKey } from './stash.ts';

/** Why a rewrite must not be sent: a stable reason for the row, and what was found. */
export interface Breach {
  readonly reason: 'grew' | 'message_grew' | 'unstashed';
  readonly detail: string;
}

interface Measured {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly stash: Stash;
  /** Tokens of a message of the list before, and of the list after. */
  countBefore(message: Message): number;
  countAfter(message: Message): number;
}

/** True for what a component may return; one of the user's own is not bound by our types. */
export function isOutcome(value: unknown): value is Outcome {
  if (!isObject(value)) return false;
  if (value.kind === 'skipped') return typeof value.gate === 'string';
  if (value.kind === 'refused')
    return typeof value.reason === 'string' && typeof value.detail === 'string';
  if (value.kind !== 'changed' || !Array.isArray(value.stashed)) return false;
  return Array.isArray(value.messages) && value.messages.every(isMessage);
}

function isMessage(value: unknown): boolean {
  if (!isObject(value) || typeof value.raw !== 'string' || !Array.isArray(value.blocks))
    return false;
  return isObject(value.identity) && typeof value.identity.hash === 'string';
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

/**
 * The pipeline's own checks of a rewrite, which trust nothing that the component says: it must not
 * grow, and what it dropped must lie in the stash behind a marker that is still to be seen.
 */
export function contractBreach(
  kind: 'reformat' | 'offload',
  before: readonly Message[],
  outcome: Outcome & { readonly kind: 'changed' },
  measured: Measured,
): Breach | undefined {
  const after = outcome.messages;
  const { tokensBefore, tokensAfter, countBefore, countAfter } = measured;
  if (tokensAfter > tokensBefore) {
    return { reason: 'grew', detail: `${tokensBefore} tokens became ${tokensAfter}` };
  }
  if (before.length === after.length) {
    for (const [index, message] of before.entries()) {
      const written = after[index];
      if (written === undefined || written.raw === message.raw) continue;
      const tokens = [countBefore(message), countAfter(written)] as const;
      if (tokens[1] >= tokens[0]) {
        const detail = `message ${index}: ${tokens[0]} tokens became ${tokens[1]}`;
        return { reason: 'message_grew', detail };
      }
    }
  }
  if (kind === 'reformat' || outcome.irreversible === true) return undefined;
  return unstashed(before, after, outcome.stashed, measured.stash);
}

function unstashed(
  before: readonly Message[],
  after: readonly Message[],
  keys: readonly StashKey[],
  stash: Stash,
): Breach | undefined {
  const lost = without(before, after);
  if (lost.length === 0) return undefined;
  const written = without(after, before);
  const visible = new Set(written.flatMap(readTexts).flatMap(markersIn));
  const messages: Message[] = [];
  const texts = new Set<string>();
  // A key given twice stands for two runs of the same messages.
  for (const key of keys) {
    const entry = stash.entry(key);
    if (entry === undefined) return { reason: 'unstashed', detail: `nothing is stashed as ${key}` };
    if (!visible.has(key)) {
      return { reason: 'unstashed', detail: `the marker of ${key} is in no message` };
    }
    if (entry.kind === 'text') texts.add(entry.text);
    else for (const message of entry.list.slice(entry.from, entry.to)) messages.push(message);
  }
  // By place, not a set: two rewritten messages may be one object, as where ids repeat.
  const open = [...written];
  const gone = without(lost, messages).filter((message) => {
    const rewritten = rewrittenIn(open, message);
    if (rewritten !== undefined) open.splice(open.indexOf(rewritten), 1);
    if (rewritten !== undefined && keepsAllBut(texts, message, rewritten)) return false;
    return !written.some((other) => holds(other, message));
  });
  const [first] = gone;
  if (first === undefined) return undefined;
  const detail = `${gone.length} messages dropped without a stash, first: message ${before.indexOf(first)}`;
  return { reason: 'unstashed', detail };
}

/** What a model reads of a message; its JSON may spell a marker with escapes. */
function readTexts(message: Message): string[] {
  return message.blocks.flatMap((block) => {
    if (block.kind === 'text') return [block.text];
    if (block.kind === 'tool-call') return [block.arguments];
    return block.kind === 'tool-result' ? block.texts : [];
  });
}

/** The messages of `list` that `other` lacks, by their bytes; one that occurs twice counts twice. */
function without(list: readonly Message[], other: readonly Message[]): Message[] {
  // Lists of thousands mostly share both ends, or are the same.
  const shared = Math.min(list.length, other.length);
  let start = 0;
  while (start < shared && list[start] === other[start]) start++;
  let end = 0;
  while (end < shared - start && list.at(-1 - end) === other.at(-1 - end)) end++;
  const left = list.slice(start, list.length - end);
  if (left.length === 0) return left;
  const spare = new Map<string, number>();
  for (const { raw } of other.slice(start, other.length - end)) {
    spare.set(raw, (spare.get(raw) ?? 0) + 1);
  }
  return left.filter(({ raw }) => {
    const count = spare.get(raw) ?? 0;
    if (count > 0) spare.set(raw, count - 1);
    return count === 0;
  });
}

/** The new message that stands in this one's place in its exchange; without ids, one of its role. */
function rewrittenIn(written: readonly Message[], message: Message): Message | undefined {
  const place = exchangePlace(message);
  for (const other of written) {
    if (other.role === message.role && exchangePlace(other) === place) return other;
  }
  return undefined;
}

/** True when every block is unchanged, or is one whose text is stashed. */
function keepsAllBut(texts: ReadonlySet<string>, message: Message, rewritten: Message): boolean {
  if (message.blocks.length !== rewritten.blocks.length) return false;
  return message.blocks.every((block, index) => {
    const now = rewritten.blocks[index];
    if (now === undefined || now.kind !== block.kind) return false;
    if (isSame(block, now)) return true;
    if (block.kind === 'text') return texts.has(block.text);
    if (block.kind !== 'tool-result' || now.kind !== 'tool-result') return false;
    const isStashed = texts.has(resultText(block)) || block.texts.every((text) => texts.has(text));
    return (
      isStashed && block.media.every((medium) => now.media.some((kept) => isSame(medium, kept)))
    );
  });
}

/** True when all blocks of `message` stand in `other`, in order: it was joined to a neighbour. */
function holds(other: Message, message: Message): boolean {
  if (other.role !== message.role || message.blocks.length === 0) return false;
  const blocks = other.blocks.map((block) => JSON.stringify(block));
  const wanted = message.blocks.map((block) => JSON.stringify(block));
  return blocks.some((_, start) => wanted.every((text, index) => blocks[start + index] === text));
}

function isSame(a: Block, b: Block): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
