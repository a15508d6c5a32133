import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineCounter } from '../../src/recordings/line-counter.ts';
import { placeOf } from '../../src/recordings/schema.ts';

test('property: the line of every offset, in any order', () => {
  const text = fc.array(fc.constantFrom('a', '\n', '\r\n', '漢')).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.array(fc.nat(40)), (source, offsets) => {
      const lines = new LineCounter(source);
      for (const offset of offsets.map((value) => Math.min(value, source.length))) {
        expect(lines.lineOf(offset)).toBe(placeOf(source, offset, '').line);
      }
    }),
    { seed: 5 },
  );
});
