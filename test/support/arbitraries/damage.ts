import * as fc from 'fast-check';
import type { Entry } from './writers/entry.ts';

/** What happens to lists on their way: lost and repeated entries, halves of emoji, emptied texts. */
export interface Damage {
  readonly kind: 'surrogate' | 'drop' | 'double' | 'swap' | 'blank' | 'key';
  /** Which entry, counted around. */
  readonly at: number;
}

export const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('surrogate', 'drop', 'double', 'swap', 'blank', 'key'),
    at: fc.nat(30),
  }),
  { minLength: 1, maxLength: 3 },
);

export function damaged(entries: readonly Entry[], done: readonly Damage[]): readonly Entry[] {
  let list = [...entries];
  for (const { kind, at } of done) {
    if (list.length === 0) return list;
    const index = at % list.length;
    const entry = list[index];
    if (entry === undefined) continue;
    const before = list.slice(0, index);
    const after = list.slice(index + 1);
    switch (kind) {
      case 'drop':
        list = [...before, ...after];
        break;
      case 'double':
        list = [...before, entry, entry, ...after];
        break;
      case 'swap':
        list = [...before, ...after.slice(0, 1), entry, ...after.slice(1)];
        break;
      case 'key':
        list = [...before, { ...entry, value: { ...entry.value, _host: 1 } }, ...after];
        break;
      case 'surrogate':
        list = [...before, withTexts(entry, (text) => `${text}\ud83d`), ...after];
        break;
      case 'blank':
        list = [...before, withTexts(entry, () => ' '), ...after];
        break;
    }
  }
  return list;
}

/** The entry with each text and output of it changed. */
export function withTexts(entry: Entry, change: (text: string) => string): Entry {
  const visit = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return TEXT_KEYS.has(key) ? change(value) : value;
    if (Array.isArray(value)) return value.map((item) => visit(item, key));
    // Not a plain object: a text that is spelled as it is.
    if (
      typeof value !== 'object' ||
      value === null ||
      Object.getPrototypeOf(value) !== Object.prototype
    ) {
      return value;
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, visit(inner, name)]),
    );
  };
  const entries = Object.entries(entry.value).map(([key, inner]) => [key, visit(inner, key)]);
  return { ...entry, value: Object.fromEntries(entries) };
}

const TEXT_KEYS = new Set(['text', 'content', 'output', 'result', 'error']);
