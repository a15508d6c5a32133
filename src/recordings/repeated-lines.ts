import type { DialectName } from '../transcript/message.ts';
import type { ParsedRequest } from '../wire/dialect.ts';
import { LIST_KEYS } from './capture-entries.ts';
import {
  byteMembers,
  CLOSE_BRACKET,
  OPEN_BRACE,
  OPEN_BRACKET,
  sharedBytes,
  skipSpace,
  valueEnd,
} from './json-bytes.ts';

/*
 * The lines of a request log: each repeats the list of the one before it and adds a little, so that a log of 5 MB
 * of messages has hundreds. The bytes of a line are compared with those of earlier ones, at the speed of memory,
 * and only what follows the messages that both have becomes text.
 */

/** Where a line has its body and the list in it; offsets in bytes. */
interface ListPlace {
  /** Keys that lead to the body; empty where the line is the body. */
  readonly holder: string;
  readonly body: number;
  readonly list: number;
}

/** A line that was read. */
export interface EarlierLine {
  readonly bytes: Buffer;
  readonly place: ListPlace;
  /** Offsets behind each message, from that of the list. */
  readonly ends: readonly number[];
  readonly parsed: ParsedRequest;
  readonly facts: LineFacts;
  /** Offset behind the body; undefined where what was parsed is no part of the line as it stands. */
  readonly bodyEnd: number | undefined;
}

/** What is known of a body apart from its list. */
export interface LineFacts {
  readonly dialect: DialectName;
  readonly provider: string | undefined;
  /** Keys of the body, provider and model: what never differs within one dialect's log. */
  readonly kind: string;
  /** Of the body itself. */
  readonly metadata: unknown;
}

/** A line that begins its list as an earlier one does. */
export interface RepeatedLine {
  readonly bytes: Buffer;
  readonly place: ListPlace;
  readonly earlier: EarlierLine;
  /** How many messages both have, from the first on; 1 or more. */
  readonly count: number;
}

/** Lines that a next one is compared with: sub-agents alternate with the main conversation. */
const REMEMBERED = 4;

export class EarlierLines {
  #earlier: readonly EarlierLine[] = [];

  /** The line with the earlier one that has most of its list; undefined where none has any. */
  find(bytes: Buffer): RepeatedLine | undefined {
    if (this.#earlier.length === 0) return undefined;
    const place = listPlace(bytes);
    if (place === undefined) return undefined;
    let best: RepeatedLine | undefined;
    for (const earlier of this.#earlier) {
      if (earlier.place.holder !== place.holder) continue;
      const shared = sharedBytes(earlier.bytes, earlier.place.list, bytes, place.list);
      const count = endsWithin(earlier.ends, shared);
      if (count <= (best?.count ?? 0)) continue;
      best = { bytes, place, earlier, count };
      if (count === earlier.ends.length) break;
    }
    return best;
  }

  /** Keeps a copy of a line, whose messages stand in it as `parsed` has them. */
  remember(
    line: Buffer,
    parsed: ParsedRequest,
    facts: LineFacts,
    after?: RepeatedLine | undefined,
  ): void {
    const place = after?.place ?? listPlace(line);
    const ends = place === undefined ? undefined : endsOf(line, place, parsed, after);
    if (place === undefined || ends === undefined) return;
    const bodyEnd = bodyEndOf(line, place, ends, parsed, after);
    const grown = after === undefined ? undefined : grownLine(after);
    const bytes = grown ?? copyInto(this.#earlier[REMEMBERED - 1]?.bytes, line);
    const own = { bytes, place, ends, parsed, facts, bodyEnd };
    const others = this.#earlier.filter((one) => grown === undefined || one !== after?.earlier);
    this.#earlier = [own, ...others].slice(0, REMEMBERED);
  }
}

/** The line in the memory of the one that it goes on from, which it takes the place of; undefined where it does not fit. */
function grownLine({ bytes, place, earlier, count }: RepeatedLine): Buffer | undefined {
  const { bytes: own, place: before, ends } = earlier;
  const isAligned = before.list === place.list && before.body === place.body;
  if (!isAligned || count < ends.length || roomOf(own) < bytes.length) return undefined;
  const grown = Buffer.from(own.buffer, own.byteOffset, bytes.length);
  const shared = place.list + (ends.at(-1) ?? 0);
  bytes.copy(grown, 0, 0, place.list);
  bytes.copy(grown, shared, shared);
  return grown;
}

function roomOf({ buffer, byteOffset }: Buffer): number {
  return buffer.byteLength - byteOffset;
}

/** A copy of the bytes, in the memory of a line that is forgotten where it fits. */
function copyInto(forgotten: Buffer | undefined, bytes: Buffer): Buffer {
  if (forgotten === undefined || roomOf(forgotten) < bytes.length) {
    // With some room, since the next lines are mostly a little longer.
    const own = Buffer.from(new ArrayBuffer(2 * bytes.length), 0, bytes.length);
    bytes.copy(own);
    return own;
  }
  const own = Buffer.from(forgotten.buffer, forgotten.byteOffset, bytes.length);
  bytes.copy(own);
  return own;
}

/** What of each line no line before it had in its list, and a little of what it had. */
export class NewText {
  #earlier: readonly { readonly bytes: Buffer; readonly list: number }[] = [];

  of(line: Buffer): string {
    const list = listPlace(line)?.list;
    if (list === undefined) return line.toString('utf8');
    let shared = 0;
    for (const earlier of this.#earlier) {
      shared = Math.max(shared, sharedBytes(earlier.bytes, earlier.list, line, list));
    }
    const bytes = copyInto(this.#earlier[REMEMBERED - 1]?.bytes, line);
    this.#earlier = [{ bytes, list }, ...this.#earlier].slice(0, REMEMBERED);
    const from = Math.max(list, list + shared - OVERLAP_BYTES);
    return `${line.toString('utf8', 0, list)}${line.toString('utf8', from)}`;
  }
}

/** So much of what is known is seen again, so that what stands across the place where lines part is seen whole. */
const OVERLAP_BYTES = 4096;

function listPlace(bytes: Buffer): ListPlace | undefined {
  return listIn(bytes, skipSpace(bytes, 0), '');
}

/** Of the object at `start`, or of a body in it. */
function listIn(bytes: Buffer, start: number, holder: string): ListPlace | undefined {
  for (const { key, value } of byteMembers(bytes, start)) {
    if (isList(bytes, key, value)) return { holder, body: start, list: value };
    const isHolder = holder === '' ? HOLDERS.includes(key) : holder === 'request' && key === 'body';
    if (!isHolder || bytes[value] !== OPEN_BRACE) continue;
    const inner = listIn(bytes, value, holder === '' ? key : `${holder}.${key}`);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** Keys of a body in a capture. */
const HOLDERS = ['body', 'request'];

function isList(bytes: Buffer, key: string, value: number): boolean {
  return bytes[value] === OPEN_BRACKET && LIST_KEYS.some((name) => name === key);
}

/** How many of the ascending offsets are at most `length`. */
function endsWithin(ends: readonly number[], length: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) <= length) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Undefined where the messages do not stand in the line one after another, all in the same way. */
function endsOf(
  line: Buffer,
  { list }: ListPlace,
  { messages, envelope }: ParsedRequest,
  after: RepeatedLine | undefined,
): readonly number[] | undefined {
  if (envelope.gaps !== undefined || messages.length === 0) return undefined;
  const known = after?.earlier.ends.slice(0, after.count) ?? [];
  const gap = Buffer.byteLength(envelope.separator);
  let at = known.at(-1) ?? skipSpace(line, list + 1) - list;
  const ends = [...known];
  for (let index = known.length; index < messages.length; index++) {
    const raw = messages[index]?.raw ?? '';
    if (index > 0) at += gap;
    const length = Buffer.byteLength(raw);
    // After an earlier line, the messages were read from this very text.
    const isKnown = after !== undefined;
    if (!isKnown && line.toString('utf8', list + at, list + at + length) !== raw) return undefined;
    at += length;
    ends.push(at);
  }
  return line[skipSpace(line, list + at)] === CLOSE_BRACKET ? ends : undefined;
}

function bodyEndOf(
  line: Buffer,
  { body, list }: ListPlace,
  ends: readonly number[],
  { messages, envelope }: ParsedRequest,
  after: RepeatedLine | undefined,
): number | undefined {
  const { head, tail } = envelope;
  const last = list + (ends.at(-1) ?? 0);
  if (after?.earlier.parsed.envelope === envelope) {
    const { bodyEnd, ends: before, place } = after.earlier;
    return bodyEnd === undefined ? undefined : last + bodyEnd - place.list - (before.at(-1) ?? 0);
  }
  const first = list + (ends[0] ?? 0) - Buffer.byteLength(messages[0]?.raw ?? '');
  const end = last + Buffer.byteLength(tail);
  const isWhole =
    line.toString('utf8', body, first) === head && line.toString('utf8', last, end) === tail;
  return isWhole ? end : undefined;
}

/** The line in which the last message that both have is the first. */
export function shortened({ bytes, place, earlier, count }: RepeatedLine): string {
  const first = skipSpace(bytes, place.list + 1);
  const behind = place.list + (earlier.ends[count - 1] ?? 0);
  const last = earlier.parsed.messages[count - 1]?.raw ?? '';
  return `${bytes.toString('utf8', 0, first)}${last}${bytes.toString('utf8', behind)}`;
}

/** True where the body that was read of a shortened line begins as the line itself does, up to its list. */
export function beginsAs({ bytes, place }: RepeatedLine, head: string): boolean {
  return bytes.toString('utf8', place.body, skipSpace(bytes, place.list + 1)) === head;
}

/** A line whose body is that of an earlier one but for its list. */
export interface SameBody {
  /** Text of the list from the last message on that both have. */
  readonly list: string;
  /** Text of the line before and behind the body. */
  readonly before: string;
  readonly behind: string;
}

/** Undefined where more than the list differs. */
export function sameBody({ bytes, place, earlier, count }: RepeatedLine): SameBody | undefined {
  const { bodyEnd, parsed, ends } = earlier;
  const head = place.list - place.body;
  if (bodyEnd === undefined || head !== earlier.place.list - earlier.place.body) return undefined;
  if (!isSame(earlier.bytes, earlier.place.body, bytes, place.body, head)) return undefined;
  const separator = Buffer.from(parsed.envelope.separator);
  const tail = earlier.place.list + (ends.at(-1) ?? 0);
  const tailLength = bodyEnd - tail;
  const from = place.list + (ends[count - 1] ?? 0);
  for (let at = from; at < bytes.length; ) {
    if (isSame(earlier.bytes, tail, bytes, at, tailLength)) {
      const last = parsed.messages[count - 1]?.raw ?? '';
      const list = `[${last}${bytes.toString('utf8', from, at)}]`;
      const behind = bytes.toString('utf8', at + tailLength);
      return { list, before: bytes.toString('utf8', 0, place.body), behind };
    }
    if (!isSame(separator, 0, bytes, at, separator.length)) return undefined;
    at = valueEnd(bytes, at + separator.length);
    if (at < 0) return undefined;
  }
  return undefined;
}

function isSame(a: Buffer, aStart: number, b: Buffer, bStart: number, length: number): boolean {
  if (bStart + length > b.length) return false;
  return a.compare(b, bStart, bStart + length, aStart, aStart + length) === 0;
}
