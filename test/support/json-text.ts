import fc from 'fast-check';

/** JSON values as nested data whose text is spelled in many ways. */
export type Spelled =
  | { readonly kind: 'atom'; readonly text: string }
  | {
      readonly kind: 'array';
      readonly items: readonly Spelled[];
      readonly spaces: readonly string[];
    }
  | {
      readonly kind: 'object';
      readonly members: readonly (readonly [string, Spelled])[];
      readonly spaces: readonly string[];
    };

const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const spaces = fc.array(space, { minLength: 1, maxLength: 6 });

/** The JSON text of a string, some characters written as escapes. */
export const stringText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc
        .string({ unit: 'grapheme', maxLength: 8 })
        .map((text) => JSON.stringify(text).slice(1, -1)),
      fc.constantFrom(
        '\\n',
        '\\"',
        '\\\\',
        '\\/',
        '\\u00e9',
        '\\ud83d\\ude00',
        '\\ud800',
        '{',
        ']',
        ',',
        ':',
      ),
    ),
    { maxLength: 6 },
  )
  .map((parts) => `"${parts.join('')}"`);

const numberText = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom('0', '-0', '1e3', '1.0', '12345678901234567890', '-1.5E-7', '0.10'),
);

const atom = fc
  .oneof(stringText, numberText, fc.constantFrom('true', 'false', 'null'))
  .map((text): Spelled => ({ kind: 'atom', text }));

// Few keys, so that duplicates come up.
const keyText = fc.oneof(fc.constantFrom('"a"', '"b"', '"\\u0061"', '""'), stringText);

export const spelled: fc.Arbitrary<Spelled> = fc.letrec<{ value: Spelled }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    atom,
    fc
      .tuple(fc.array(tie('value'), { maxLength: 4 }), spaces)
      .map(([items, gaps]): Spelled => ({ kind: 'array', items, spaces: gaps })),
    fc
      .tuple(fc.array(fc.tuple(keyText, tie('value')), { maxLength: 4 }), spaces)
      .map(([members, gaps]): Spelled => ({ kind: 'object', members, spaces: gaps })),
  ),
})).value;

export function textOf(value: Spelled): string {
  if (value.kind === 'atom') return value.text;
  let next = 0;
  const gap = () => value.spaces[next++ % value.spaces.length] ?? '';
  if (value.kind === 'array') {
    const items = value.items.map((item) => `${gap()}${textOf(item)}${gap()}`);
    return `[${items.length === 0 ? gap() : items.join(',')}]`;
  }
  const members = value.members.map(
    ([key, inner]) => `${gap()}${key}${gap()}:${gap()}${textOf(inner)}${gap()}`,
  );
  return `{${members.length === 0 ? gap() : members.join(',')}}`;
}

/** JSON text with white space around it. */
export const jsonText: fc.Arbitrary<string> = fc
  .tuple(space, spelled, space)
  .map(([before, value, after]) => `${before}${textOf(value)}${after}`);
