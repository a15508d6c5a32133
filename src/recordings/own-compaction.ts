import { commonPrefix, type Message, plainText, sameMessage } from '../transcript/message.ts';
import type { CapturedRequest } from './captured.ts';

/*
 * When a request that does not extend `last` is the same conversation after the agent's own compaction.
 * It is when, past the place where both part,
 *
 * - it still holds something of what `last` held there: an answer or tool results (a kept tail, or
 *   results cleared in place while the turns around them stay), or its first message there answers the
 *   same calls (results cleared at the very end): `keepsMessages`; or
 * - it is clearly shorter, no answer stands before that place, and the first message there is a summary:
 *   it says so, or it holds the text that the agent had answered to `last`: `isSummarized`.
 *
 * A branch (an edited or repeated turn) drops everything after the edit, and a restart drops everything;
 * neither keeps a later answer, and neither begins with a summary.
 */

export function keepsMessages(last: CapturedRequest, next: CapturedRequest): boolean {
  const parting = commonPrefix(last.messages, next.messages);
  const before = last.messages.slice(parting);
  const after = next.messages.slice(parting);
  const [old] = before;
  const [first] = after;
  if (old === undefined || first === undefined) return false;
  const held = new Set(before.filter(isTelling).map((message) => message.identity));
  return after.some((message) => held.has(message.identity)) || answersSameCalls(old, first);
}

export function isSummarized(last: CapturedRequest, next: CapturedRequest): boolean {
  if (next.messages.length >= last.messages.length) return false;
  const parting = commonPrefix(last.messages, next.messages);
  const first = next.messages[parting];
  if (first === undefined || !isSummary(first, last.response)) return false;
  if (next.messages.slice(0, parting).some(({ role }) => role === 'assistant')) return false;
  return sizeOf(next.messages) < sizeOf(last.messages) * SHORTER;
}

/** A summary is to save something; a request of another conversation may have any length. */
const SHORTER = 0.7;

/** A short answer without a call may be given twice, by chance. */
const TELLING_CHARACTERS = 40;

function isTelling(message: Message): boolean {
  if (message.blocks.some(({ kind }) => kind === 'tool-call' || kind === 'tool-result'))
    return true;
  return message.role === 'assistant' && plainText(message).length >= TELLING_CHARACTERS;
}

function answersSameCalls(a: Message, b: Message): boolean {
  const [left, right] = [resultIds(a), resultIds(b)];
  return left !== '' && left === right && !sameMessage(a, b);
}

function resultIds(message: Message): string {
  return message.blocks
    .flatMap((block) => (block.kind === 'tool-result' ? [block.id] : []))
    .join(' ')
    .trim();
}

function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + message.raw.length, 0);
}

const SAYS_SUMMARY =
  /\b(?:history|conversation|session|context|progress|work)\b.{0,80}\b(?:summary|summari[sz]ed|compacted|condensed)\b|\b(?:summary|summari[sz]ed|compacted|condensed)\b.{0,80}\b(?:history|conversation|session|context|progress|work|so far|earlier|previous)\b|<(?:context_|conversation_)?summary>|continued from a previous conversation/is;

function isSummary(message: Message, answer: Message | undefined): boolean {
  const written = answer === undefined ? '' : plainText(answer).trim();
  if (written.length >= TELLING_CHARACTERS && plainText(message).includes(written)) return true;
  return saysSummary(message);
}

const MEMO = 'recordings.says-summary';

function saysSummary(message: Message): boolean {
  const { memo } = message.identity;
  const known = memo.get(MEMO);
  if (typeof known === 'boolean') return known;
  const says = SAYS_SUMMARY.test(plainText(message).slice(0, 600));
  memo.set(MEMO, says);
  return says;
}

/** Who holds a message that would tell that a request keeps part of a conversation. */
export class Holders<T> {
  readonly #holders = new Map<unknown, Set<T>>();

  note(holder: T, messages: readonly Message[]): void {
    for (const message of messages) {
      for (const key of tellingKeys(message)) {
        const known = this.#holders.get(key);
        if (known === undefined) this.#holders.set(key, new Set([holder]));
        else known.add(holder);
      }
    }
  }

  /** Those that `keepsMessages` may be true for. */
  of(messages: readonly Message[]): ReadonlySet<T> {
    const found = new Set<T>();
    for (const message of messages) {
      for (const key of tellingKeys(message)) {
        for (const holder of this.#holders.get(key) ?? []) found.add(holder);
      }
    }
    return found;
  }
}

function tellingKeys(message: Message): readonly unknown[] {
  if (!isTelling(message)) return [];
  const ids = resultIds(message);
  return ids === '' ? [message.identity] : [message.identity, ids];
}
