/**
 * Where parts of JSON stand in its bytes, so that what is repeated need not become text. Like `json-spans`,
 * the walkers assume valid JSON; whoever uses what they find parses it.
 */

const QUOTE = 34;
const BACKSLASH = 92;
export const OPEN_BRACKET = 91;
export const CLOSE_BRACKET = 93;
export const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
export const COMMA = 44;
const COLON = 58;

/** Offset of the next byte that is no white space; the length where there is none. */
export function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) break;
  }
  return at;
}

/** Offset after the string whose opening quote stands at `start`, or −1 where it does not end. */
function stringEnd(bytes: Buffer, start: number): number {
  for (let at = start + 1; ; ) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return -1;
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** Offset after the value that starts at `start`, or −1 where the bytes end before it does. */
export function valueEnd(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return stringEnd(bytes, start);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) {
    for (let at = start; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte <= 32) return at;
    }
    return -1;
  }
  let depth = 0;
  for (let at = start; at < bytes.length; ) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = stringEnd(bytes, at);
      if (at < 0) return -1;
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
      if (depth === 0) return at + 1;
    }
    at++;
  }
  return -1;
}

/** A member of an object, by its raw key. */
export interface ByteMember {
  readonly key: string;
  /** Offset of the value. */
  readonly value: number;
}

/** The members of the object at `start`, in order; a value is scanned when the member after it is asked for. */
export function* byteMembers(bytes: Buffer, start: number): Generator<ByteMember> {
  if (bytes[start] !== OPEN_BRACE) return;
  let at = skipSpace(bytes, start + 1);
  while (bytes[at] === QUOTE) {
    const keyEnd = stringEnd(bytes, at);
    if (keyEnd < 0) return;
    const key = bytes.toString('latin1', at + 1, keyEnd - 1);
    at = skipSpace(bytes, keyEnd);
    if (bytes[at] !== COLON) return;
    at = skipSpace(bytes, at + 1);
    yield { key, value: at };
    at = valueEnd(bytes, at);
    if (at < 0) return;
    at = skipSpace(bytes, at);
    if (bytes[at] !== COMMA) return;
    at = skipSpace(bytes, at + 1);
  }
}

const STEPS = [1 << 16, 1 << 12, 1 << 8, 1 << 5] as const;

/** How many bytes both have in common, from `start` of each on. Runs at the speed of memory. */
export function sharedBytes(a: Buffer, aStart: number, b: Buffer, bStart: number): number {
  const limit = Math.min(a.length - aStart, b.length - bStart);
  let at = 0;
  for (const step of STEPS) {
    while (at + step <= limit) {
      const [one, other] = [aStart + at, bStart + at];
      if (a.compare(b, other, other + step, one, one + step) !== 0) break;
      at += step;
    }
  }
  while (at < limit && a[aStart + at] === b[bStart + at]) at++;
  return at;
}
