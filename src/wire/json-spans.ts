/**
 * Byte-exact access to parts of JSON text: where elements and members stand, without re-serializing.
 * Parsing and stringifying is not identity (big integers, `1.0`, duplicate keys, escapes), so whatever
 * is written back is cut from the text that was read.
 *
 * The walkers assume valid JSON, as `JSON.parse` accepted it; `firstError` finds where text is not.
 */

/** Half-open range of UTF-16 offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Member {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: Span;
}

export function slice(text: string, span: Span): string {
  return text.slice(span.start, span.end);
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const COMMA = 44;
const COLON = 58;

export function skipSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at;
    at++;
  }
}

/** Offset after the string whose opening quote stands at `start`. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** Offset after the value that starts at `start` (no leading white space). Iterative: depth is free. */
export function valueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return stringEnd(text, start);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) {
    let at = start;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || code <= 32) break;
    }
    return at;
  }
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
      continue;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--;
      if (depth === 0) return at + 1;
    }
    at++;
  }
  return text.length;
}

/** The span of the one value in `text`, without the white space around it. */
export function rootSpan(text: string): Span {
  const start = skipSpace(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  return { start, end: valueEnd(text, start) };
}

/** Spans of the elements of the array at `span`; empty when it is not an array. */
export function elements(text: string, span: Span): Span[] {
  if (text.charCodeAt(span.start) !== OPEN_BRACKET) return [];
  const found: Span[] = [];
  let at = skipSpace(text, span.start + 1);
  while (at < span.end && text.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = valueEnd(text, at);
    found.push({ start: at, end });
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return found;
}

/** Members of the object at `span`, duplicate keys included; empty when it is not an object. */
export function members(text: string, span: Span): Member[] {
  if (text.charCodeAt(span.start) !== OPEN_BRACE) return [];
  const found: Member[] = [];
  let at = skipSpace(text, span.start + 1);
  while (at < span.end && text.charCodeAt(at) === QUOTE) {
    const keyEnd = stringEnd(text, at);
    const keySpan = { start: at, end: keyEnd };
    at = skipSpace(text, keyEnd);
    if (text.charCodeAt(at) === COLON) at = skipSpace(text, at + 1);
    const end = valueEnd(text, at);
    found.push({ key: keyText(text, keySpan), keySpan, value: { start: at, end } });
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return found;
}

function keyText(text: string, span: Span): string {
  const inner = text.slice(span.start + 1, span.end - 1);
  return inner.includes('\\') ? String(JSON.parse(slice(text, span))) : inner;
}

/** The value span under `key`; the last of duplicate keys, as `JSON.parse` reads it. */
export function member(text: string, span: Span, key: string): Span | undefined {
  return members(text, span).findLast((entry) => entry.key === key)?.value;
}

/** Follows keys and indexes from the root or `from`. */
export function path(
  text: string,
  steps: readonly (string | number)[],
  from: Span = rootSpan(text),
): Span | undefined {
  let span: Span | undefined = from;
  for (const step of steps) {
    if (span === undefined) return undefined;
    span = typeof step === 'string' ? member(text, span, step) : elements(text, span)[step];
  }
  return span;
}

/** `text` with the spans replaced; the replacements must not overlap. */
export function replaceSpans(
  text: string,
  replacements: readonly { readonly span: Span; readonly text: string }[],
): string {
  const ordered = [...replacements].sort((a, b) => a.span.start - b.span.start);
  const parts: string[] = [];
  let at = 0;
  for (const replacement of ordered) {
    parts.push(text.slice(at, replacement.span.start), replacement.text);
    at = replacement.span.end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}
