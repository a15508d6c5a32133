import { isObject, type JsonObject } from './json-object.ts';
import { skipSpace, valueEnd } from './json-spans.ts';

/**
 * Canonical JSON text of a value: no white space, strings and numbers as JavaScript spells them
 * unless that would lose a number, `cache_control` members left out at every depth. Key order is that of
 * `value`: dialects sort the keys of messages and blocks (`sortedKeys`), since hosts that respell a
 * string as a block differ in it, and keep that of what the model reads, such as a call's arguments.
 */
export function canonicalJson(raw: string, value: unknown): string {
  // A key may be spelled with escapes; without either, the plain way is several times as fast.
  const text = MAY_BE_MARKED.test(raw)
    ? JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner))
    : JSON.stringify(value);
  return MAY_LOSE_NUMBERS.test(raw) ? `${text}\0${lossyNumbers(raw)}` : text;
}

const MAY_BE_MARKED = /cache_control|\\u00/i;

// A number survives JSON.parse unless it is long or has an exponent; digits inside strings match too,
// which only costs the closer look.
const MAY_LOSE_NUMBERS = /\d{16}|\d[eE]|\d\.\d*0(?!\d)/;

/** The numbers that JavaScript would respell, as they were written, in order: one pass, however deep they stand. */
function lossyNumbers(raw: string): string {
  const found: string[] = [];
  for (let at = 0; at < raw.length; ) {
    const code = raw.charCodeAt(at);
    if (code === QUOTE) {
      const end = valueEnd(raw, at);
      const next = skipSpace(raw, end);
      const isMark = raw.charCodeAt(next) === COLON && isCacheControl(raw.slice(at, end));
      at = isMark ? valueEnd(raw, skipSpace(raw, next + 1)) : end;
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = valueEnd(raw, at);
      const literal = raw.slice(at, end);
      if (String(Number(literal)) !== literal) found.push(literal);
      at = end;
    } else at++;
  }
  return found.join(' ');
}

const QUOTE = 34;
const COLON = 58;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;

/** A key may be spelled with escapes. */
function isCacheControl(key: string): boolean {
  return key === '"cache_control"' || (key.includes('\\') && JSON.parse(key) === 'cache_control');
}

/** The same members in the order of their keys; nested values are untouched. */
export function sortedKeys(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** String content as one text block, the members of blocks in the order of their keys. */
export function canonicalContent(content: unknown, inner = (block: JsonObject) => block): unknown {
  if (typeof content === 'string') return [{ text: content, type: 'text' }];
  if (!Array.isArray(content)) return content;
  return content.map((block: unknown) => (isObject(block) ? sortedKeys(inner(block)) : block));
}
