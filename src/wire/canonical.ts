import { isObject, type JsonObject } from './json-object.ts';
import { elements, members, type Span, slice } from './json-spans.ts';

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

/** The numbers that JavaScript would respell, as they were written, in order. */
function lossyNumbers(items: string): string {
  const raw = `[${items}]`;
  const found: string[] = [];
  const pending: Span[] = [{ start: 0, end: raw.length }];
  for (let span = pending.pop(); span !== undefined; span = pending.pop()) {
    const first = raw.charCodeAt(span.start);
    if (first === 91) pending.push(...elements(raw, span).reverse());
    else if (first === 123) {
      const inner = members(raw, span).filter((entry) => entry.key !== 'cache_control');
      pending.push(...inner.map((entry) => entry.value).reverse());
    } else if (first === 45 || (first >= 48 && first <= 57)) {
      const literal = slice(raw, span);
      if (String(Number(literal)) !== literal) found.push(literal);
    }
  }
  return found.join(' ');
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
