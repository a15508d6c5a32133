import { exchangePlace } from '../transcript/exchanges.ts';
import { sharedStart, sharedStartNow } from '../transcript/growing-lists.ts';
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
  /** What the counts depend on beside the message: where the current tool loop of each list begins. */
  readonly loops?: readonly number[];
  /** Of the component's earlier rewrites in this lineage. */
  readonly memory?: GuardMemory;
}

/**
 * What was found of the rewrite before. Where one begins as that did, only the rest is looked at: a list
 * of thousands mostly repeats what was decided at earlier requests.
 */
export class GuardMemory {
  /** The list of messages that was last found to be one. */
  list: readonly Message[] = [];
  before: readonly Message[] = [];
  after: readonly Message[] = [];
  loops = '';
  /** Leading places at which no message grew. */
  smaller = 0;
  /** Keys behind which all lies that was taken away at the first 0, 1, … places. */
  keys: StashKey[] = [];
  keyCounts: number[] = [0];
}

/** True for what a component may return; one of the user's own is not bound by our types. */
export function isOutcome(value: unknown, memory = new GuardMemory()): value is Outcome {
  if (!isObject(value)) return false;
  if (value.kind === 'skipped') return isName(value.gate);
  if (value.kind === 'refused') return isName(value.reason) && typeof value.detail === 'string';
  if (value.kind !== 'changed' || !Array.isArray(value.stashed)) return false;
  const { messages } = value;
  if (!Array.isArray(messages)) return false;
  const known = memory.list;
  const areMessages = messages.every(
    (item, index) => (index < known.length && item === known[index]) || isMessage(item),
  );
  if (areMessages) memory.list = messages;
  return areMessages;
}

/** A row lists gates and reasons as `name:count;name:count`. */
function isName(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && !/[;\r\n]/.test(value);
}

/** True for a rewrite that rewrote nothing: the same messages in the same order. */
export function isUnchanged(before: readonly Message[], after: readonly Message[]): boolean {
  if (before.length !== after.length) return false;
  return after.every((message, index) => {
    const recorded = before[index];
    return message === recorded || message.raw === recorded?.raw;
  });
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
  const { tokensBefore, tokensAfter } = measured;
  if (tokensAfter > tokensBefore) {
    return { reason: 'grew', detail: `${tokensBefore} tokens became ${tokensAfter}` };
  }
  const memory = measured.memory ?? new GuardMemory();
  const shared = Math.min(sharedStart(memory.before, before), sharedStart(memory.after, after));
  memory.before = before;
  memory.after = after;
  memory.keyCounts.length = Math.min(memory.keyCounts.length, shared + 1);
  const grown = grownMessage(before, after, measured, memory, shared);
  if (grown !== undefined) return grown;
  if (kind === 'reformat' || outcome.irreversible === true) return undefined;
  if (isStashedSpan(before, after, outcome.stashed, measured.stash)) return undefined;
  if (isStashedInPlace(before, after, outcome.stashed, measured.stash, memory)) return undefined;
  return unstashed(before, after, outcome.stashed, measured.stash);
}

/** Where one message is rewritten, that message must get smaller. */
function grownMessage(
  before: readonly Message[],
  after: readonly Message[],
  { countBefore, countAfter, loops = [] }: Measured,
  memory: GuardMemory,
  shared: number,
): Breach | undefined {
  const where = loops.join(' ');
  const known = memory.loops === where ? Math.min(memory.smaller, shared) : 0;
  memory.loops = where;
  memory.smaller = known;
  if (before.length !== after.length) return undefined;
  for (let index = known; index < before.length; index++) {
    const message = before[index];
    const written = after[index];
    if (message === undefined || written === undefined || written === message) continue;
    if (written.raw === message.raw) continue;
    const tokens = [countBefore(message), countAfter(written)] as const;
    if (tokens[1] >= tokens[0]) {
      const detail = `message ${index}: ${tokens[0]} tokens became ${tokens[1]}`;
      return { reason: 'message_grew', detail };
    }
  }
  memory.smaller = before.length;
  return undefined;
}

/** True when all that differs lies in the one stashed span of this very list, and its marker is to be seen. */
function isStashedSpan(
  before: readonly Message[],
  after: readonly Message[],
  keys: readonly StashKey[],
  stash: Stash,
): boolean {
  const [key] = keys;
  const entry = key === undefined || keys.length > 1 ? undefined : stash.entry(key);
  if (key === undefined || entry?.kind !== 'messages' || entry.list !== before) return false;
  const start = sharedStart(before, after);
  const end = sharedEnd(before, after, start);
  if (start < entry.from || before.length - end > entry.to) return false;
  const written = after.slice(start, after.length - end);
  return written.some(({ blocks }) =>
    blocks.some((block) => markersIn(readTexts(block).join('\n')).includes(key)),
  );
}

/**
 * True when each message is the one that it was, or has texts of its own replaced by the markers of their
 * keys, in the order of the keys: the plain case, which needs no search.
 */
function isStashedInPlace(
  before: readonly Message[],
  after: readonly Message[],
  keys: readonly StashKey[],
  stash: Stash,
  { keys: known, keyCounts }: GuardMemory,
): boolean {
  if (before.length !== after.length) return false;
  let used = keyCounts.at(-1) ?? 0;
  known.length = used;
  if (sharedStartNow(known, keys) < used) {
    known.length = 0;
    keyCounts.length = 1;
    used = 0;
  }
  for (let index = keyCounts.length - 1; index < before.length; index++) {
    const message = before[index];
    const rewritten = after[index];
    if (message === undefined || rewritten === undefined) return false;
    if (message !== rewritten) {
      const taken = keysTaken(message, rewritten, keys, used, stash);
      if (taken === undefined) return false;
      for (let last = used + taken; used < last; used++) {
        const key = keys[used];
        if (key !== undefined) known.push(key);
      }
    }
    keyCounts.push(used);
  }
  return used === keys.length;
}

/** How many keys, from the one at `from`, stand for what `rewritten` lacks; undefined where they do not. */
function keysTaken(
  message: Message,
  rewritten: Message,
  keys: readonly StashKey[],
  from: number,
  stash: Stash,
): number | undefined {
  if (message.role !== rewritten.role || message.blocks.length !== rewritten.blocks.length)
    return undefined;
  if (exchangePlace(message) !== exchangePlace(rewritten)) return undefined;
  let taken = 0;
  for (const [index, block] of message.blocks.entries()) {
    const now = rewritten.blocks[index];
    if (now === undefined || now.kind !== block.kind) return undefined;
    if (isSame(block, now)) continue;
    const key = keys[from + taken];
    const entry = key === undefined ? undefined : stash.entry(key);
    if (key === undefined || entry?.kind !== 'text') return undefined;
    if (!markersIn(readTexts(now).join('\n')).includes(key)) return undefined;
    if (!keepsBlockBut(new Set([entry.text]), block, now)) return undefined;
    taken++;
  }
  return taken;
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
  const visible = new Set(
    written.flatMap(({ blocks }) => blocks.flatMap(readTexts)).flatMap(markersIn),
  );
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
  const open = byPlace(written);
  const gone = without(lost, messages).filter((message) => {
    const rewritten = open.get(placeOf(message))?.shift();
    if (rewritten !== undefined && keepsAllBut(texts, message, rewritten)) return false;
    return !written.some((other) => holds(other, message));
  });
  const [first] = gone;
  if (first === undefined) return undefined;
  const detail = `${gone.length} messages dropped without a stash, first: message ${before.indexOf(first)}`;
  return { reason: 'unstashed', detail };
}

/** What a model reads of a block; its JSON may spell a marker with escapes. */
function readTexts(block: Block): readonly string[] {
  if (block.kind === 'text') return [block.text];
  if (block.kind === 'tool-call') return [block.arguments];
  return block.kind === 'tool-result' ? block.texts : [];
}

/** The messages of `list` that `other` lacks, by their bytes; one that occurs twice counts twice. */
function without(list: readonly Message[], other: readonly Message[]): Message[] {
  // Lists of thousands mostly share both ends, or are the same.
  const start = sharedStart(list, other);
  const end = sharedEnd(list, other, start);
  const left = list.slice(start, list.length - end);
  const others = other.slice(start, other.length - end);
  if (left.length === 0 || others.length === 0) return left;
  // A summary stands for thousands of messages: none of them is looked up in a table.
  const [only] = others;
  if (others.length === 1 && left.every(({ raw }) => raw !== only?.raw)) return left;
  const spare = new Map<string, number>();
  for (const { raw } of others) spare.set(raw, (spare.get(raw) ?? 0) + 1);
  return left.filter(({ raw }) => {
    const count = spare.get(raw) ?? 0;
    if (count > 0) spare.set(raw, count - 1);
    return count === 0;
  });
}

/** Number of trailing messages that are the same objects in both lists, the first `start` left aside. */
function sharedEnd(a: readonly Message[], b: readonly Message[], start: number): number {
  const limit = Math.min(a.length, b.length) - start;
  let end = 0;
  while (end < limit && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return end;
}

/** The new messages by the place in an exchange that they stand in; without ids, by their role. */
function byPlace(written: readonly Message[]): Map<string, Message[]> {
  const places = new Map<string, Message[]>();
  for (const message of written) {
    const place = placeOf(message);
    const known = places.get(place);
    if (known === undefined) places.set(place, [message]);
    else known.push(message);
  }
  return places;
}

function placeOf(message: Message): string {
  return `${message.role} ${exchangePlace(message) ?? ''}`;
}

/** True when every block is unchanged, or is one whose text is stashed. */
function keepsAllBut(texts: ReadonlySet<string>, message: Message, rewritten: Message): boolean {
  if (message.blocks.length !== rewritten.blocks.length) return false;
  return message.blocks.every((block, index) => {
    const now = rewritten.blocks[index];
    return now !== undefined && (isSame(block, now) || keepsBlockBut(texts, block, now));
  });
}

function keepsBlockBut(texts: ReadonlySet<string>, block: Block, now: Block): boolean {
  if (now.kind !== block.kind) return false;
  if (block.kind === 'text') return texts.has(block.text);
  if (block.kind !== 'tool-result' || now.kind !== 'tool-result') return false;
  const isStashed = texts.has(resultText(block)) || block.texts.every((text) => texts.has(text));
  return isStashed && block.media.every((medium) => now.media.some((kept) => isSame(medium, kept)));
}

/** True when all blocks of `message` stand in `other`, in order: it was joined to a neighbour. */
function holds(other: Message, message: Message): boolean {
  if (other.role !== message.role || message.blocks.length === 0) return false;
  if (other.blocks.length < message.blocks.length) return false;
  const blocks = other.blocks.map((block) => JSON.stringify(block));
  const wanted = message.blocks.map((block) => JSON.stringify(block));
  return blocks.some((_, start) => wanted.every((text, index) => blocks[start + index] === text));
}

function isSame(a: Block, b: Block): boolean {
  if (a === b) return true;
  // Outputs are the long ones, and mostly tell at once.
  if (a.kind === 'tool-result' && b.kind === 'tool-result') {
    if (a.texts.some((text, index) => text !== b.texts[index])) return false;
  }
  return JSON.stringify(a) === JSON.stringify(b);
}
