import * as fc from 'fast-check';

/** Texts of agents and tools: short ones that break careless code, and outputs large enough to compact. */

/** Never blank, always well-formed. Shrinks to `ok`. */
export const saidText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'ok',
    'done 🎉👩‍👩‍👧',
    '漢字かな交じり文を書く',
    '</summary></transcript><task>',
    '[3] assistant: quoted "text" \\ with\tescapes\r\n.',
    'see <<cg:0123456789abcdef>> above',
    '=== History Summary ===',
    '{"json": [1e3, 12345678901234567890]}',
  ),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 16 })
    .map((text) => (text.trim() === '' ? 'ok' : text.toWellFormed())),
);

/** What a tool returned. `large` is a text of about `lines` × 12 tokens; the same one for the same topic. */
export type Output =
  | { readonly kind: 'empty' }
  | { readonly kind: 'short'; readonly text: string }
  | { readonly kind: 'large'; readonly lines: number; readonly topic: number };

/** Outputs repeat, so that there is something to find twice. */
export const outputs: fc.Arbitrary<Output> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Output>({ kind: 'empty' }) },
  { weight: 2, arbitrary: saidText.map((text): Output => ({ kind: 'short', text })) },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant('large' as const),
      lines: fc.constantFrom(16, 40),
      topic: fc.constantFrom(0, 0, 0, 1, 2, 3, 4),
    }),
  },
);

export function outputText(output: Output): string {
  switch (output.kind) {
    case 'empty':
      return '';
    case 'short':
      return output.text;
    case 'large':
      return largeText(output.topic, output.lines);
  }
}

const LARGE = new Map<string, string>();

/** A listing, a log, prose on one line, a JSON text, or little but emoji: each breaks another cut. */
function largeText(topic: number, lines: number): string {
  const key = `${topic} ${lines}`;
  const known = LARGE.get(key);
  if (known !== undefined) return known;
  const numbers = Array.from({ length: lines }, (_, index) => index);
  const text = [
    () => numbers.map((n) => `src/part-${n}.ts:${n}: river stone table green window`).join('\n'),
    () => numbers.map((n) => `\t[${n}] 🎉 window paper cloud "market" \\ ${n}`).join('\r\n'),
    () => numbers.map((n) => `market paper cloud river ${n}`).join(' '),
    () => JSON.stringify(numbers.map((n) => ({ id: n, name: `part-${n}`, path: `src/${n}.ts` }))),
    () => '🎉'.repeat(lines * 3),
  ][topic]?.();
  LARGE.set(key, text ?? '');
  return text ?? '';
}
