import { markerOf, markersIn, type StashKey } from './stash.ts';

/** What a marker stands for: one text, or the JSON array of messages. */
export interface Restored {
  readonly kind: 'text' | 'messages';
  readonly content: string;
}

/** Markers inside markers that are followed, one after another. */
export const DEEPEST_MARKERS = 8;

/** A string in JSON text. */
const JSON_STRING = /"(?:[^"\\]|\\.)*"/gs;

/**
 * The content with the markers in it resolved, and those in what they stand for. A text that ends in a
 * marker is what a component left of the whole, so all of it gives way; a marker elsewhere is replaced in
 * its place. Inside of JSON, texts stay strings. A marker that leads back to itself is left as it is.
 */
export function resolveNested(
  { kind, content }: Restored,
  lookup: (key: string) => Restored | undefined,
  path: readonly string[] = [],
): string {
  if (kind === 'text') return resolveText(content, lookup, path);
  if (!content.includes('<<cg:')) return content;
  return content.replace(JSON_STRING, (literal) => {
    const text: unknown = JSON.parse(literal);
    if (typeof text !== 'string' || markersIn(text).length === 0) return literal;
    const resolved = resolveText(text, lookup, path);
    return resolved === text ? literal : JSON.stringify(resolved);
  });
}

function resolveText(
  text: string,
  lookup: (key: string) => Restored | undefined,
  path: readonly string[],
): string {
  if (path.length >= DEEPEST_MARKERS) return text;
  const restore = (key: string): string | undefined => {
    const restored = path.includes(key) ? undefined : lookup(key);
    return restored === undefined ? undefined : resolveNested(restored, lookup, [...path, key]);
  };
  const keys = markersIn(text);
  const last = keys.at(-1);
  if (last !== undefined && text.endsWith(markerOf(last as StashKey))) {
    const whole = restore(last);
    if (whole !== undefined) return whole;
  }
  let result = text;
  for (const key of new Set(keys)) {
    const inner = restore(key);
    if (inner !== undefined) result = result.replaceAll(markerOf(key as StashKey), () => inner);
  }
  return result;
}
