/** A JSON text that stands in a value as it is. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A value whose members may be `Raw`. */
export type Wire = { readonly [key: string]: unknown };

/**
 * The JSON text of a value as some host writes it: 0 compact, 1 with spaces, 2 with needless escapes and line
 * ends, 3 with the keys in the opposite order.
 */
export function spell(value: unknown, style: number): string {
  if (value instanceof Raw) return value.text;
  if (typeof value === 'string') {
    const text = JSON.stringify(value);
    return style === 2 ? text.replaceAll('/', '\\/').replaceAll('é', '\\u00e9') : text;
  }
  const gap = style === 1 ? ' ' : style === 2 ? '\n ' : '';
  if (Array.isArray(value)) {
    return `[${value.map((item) => spell(item, style)).join(`,${gap}`)}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const ordered = style === 3 ? entries.reverse() : entries;
  const colon = style === 1 ? ': ' : ':';
  return `{${ordered
    .map(([key, inner]) => `${JSON.stringify(key)}${colon}${spell(inner, style)}`)
    .join(`,${gap}`)}}`;
}
