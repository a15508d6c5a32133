import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { PieceCounts } from '../../src/text/piece-counts.ts';

const piece = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '\ud800'), maxLength: 2 });

it('finds what was added, wherever it stands, until it begins anew', () => {
  let known = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, piece, piece), { maxLength: 60 }), (texts) => {
      const counts = new PieceCounts(12, 30);
      const model = new Map<string, number>();
      for (const [before, middle, after] of texts) {
        const text = `${before}${middle}${after}`;
        const [start, end] = [before.length, before.length + middle.length];
        const found = counts.get(text, start, end);
        // A piece that is not known is counted again; a known one has the count of this very piece.
        if (found >= 0) {
          known++;
          expect([middle, found]).toEqual([middle, model.get(middle)]);
        } else {
          model.set(middle, model.size);
          counts.add(text, start, end, model.get(middle) ?? 0);
        }
      }
    }),
    { numRuns: 500, seed: 20261130 },
  );
  expect(known).toBeGreaterThan(300);
});

it('holds as many pieces as it is made for', () => {
  const counts = new PieceCounts(100, 1000);
  for (let index = 0; index < 100; index++) {
    const text = `piece ${index}`;
    expect(counts.get(text, 0, text.length)).toBe(-1);
    counts.add(text, 0, text.length, index);
  }
  expect(counts.get('piece 7', 0, 7)).toBe(7);
});
