/** Reading of unchecked JSON: each accessor answers `undefined` (or empty) where the value is of another kind. */

export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Objects of an array, other elements read as empty objects, so that indexes stay. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return asArray(value).map(asObject);
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** `an object`, `a string`, `missing`, …: what a value is, for messages. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
}

/**
 * Text that is equal for values that are equal but for key order, the spelling of numbers and escapes.
 * `without` names a key to leave out at every depth.
 */
export function canonicalText(value: unknown, without?: string): string {
  return JSON.stringify(value, (key, inner: unknown) => {
    if (key !== '' && key === without) return undefined;
    if (!isObject(inner)) return inner;
    const keys = Object.keys(inner);
    if (isSorted(keys)) return inner;
    return Object.fromEntries(keys.sort().map((name) => [name, inner[name]]));
  });
}

function isSorted(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index++) {
    if ((keys[index - 1] ?? '') > (keys[index] ?? '')) return false;
  }
  return true;
}
