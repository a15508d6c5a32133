import fc from 'fast-check';
import { path } from '../../src/wire/json-spans.ts';

/** A number as it is written, which JavaScript would respell. */
export class Literal {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON text of a value; `next` decides white space, key order and escapes. */
export function spell(value: unknown, next: () => number): string {
  const gap = () => ['', '', ' ', '\n  ', '\t'][next() % 5] ?? '';
  if (value instanceof Literal) return value.text;
  if (typeof value === 'string') {
    const text = JSON.stringify(value);
    return next() % 4 === 0 ? text.replaceAll('/', '\\/').replaceAll('e', '\\u0065') : text;
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => `${gap()}${spell(item, next)}${gap()}`);
    return `[${items.length === 0 ? gap() : items.join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const turn = entries.length === 0 ? 0 : next() % entries.length;
  const members = [...entries.slice(turn), ...entries.slice(0, turn)].map(
    ([key, inner]) =>
      `${gap()}${JSON.stringify(key)}${gap()}:${gap()}${spell(inner, next)}${gap()}`,
  );
  return `{${members.length === 0 ? gap() : members.join(',')}}`;
}

/** Texts of the values, each spelled in some way. */
export function spelledAs(values: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const noise = fc.array(fc.nat(255), { minLength: 1, maxLength: 40 });
  return fc.tuple(values, noise).map(([value, numbers]) => {
    let at = 0;
    return spell(value, () => numbers[at++ % numbers.length] ?? 0);
  });
}

/** Text as agents write it: escapes, other scripts, what looks like JSON. */
export const wireText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('', ' ', 'a/b.ts', '{"a": [1, "}"]}', 'é 😀 \u2028', '\\ "quoted"\n', '\ud800'),
);

/** Arguments of a call, with numbers that JavaScript would respell. */
export const wireArguments = fc.dictionary(
  fc.constantFrom('path', 'limit', 'content', 'cache_control'),
  fc.oneof(
    wireText,
    fc.boolean(),
    fc.constantFrom('1e3', '12345678901234567890', '1.0').map((text) => new Literal(text)),
  ),
  { maxKeys: 3 },
);

/** Members that no dialect knows. */
export const unknownMembers = fc.dictionary(fc.constantFrom('x_host', 'meta'), wireText, {
  maxKeys: 1,
});

/** `raw` with the value at that path spelled as `text`, and no other byte changed. */
export function withValueAt(
  raw: string,
  steps: readonly (string | number)[],
  text: string,
): string {
  const span = path(raw, steps);
  if (span === undefined) throw new Error(`nothing at ${steps.join('.')} in ${raw}`);
  return `${raw.slice(0, span.start)}${text}${raw.slice(span.end)}`;
}

/** A whole PNG of one pixel: what reads sizes must not guess. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
