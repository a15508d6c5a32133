import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEEPEST_MARKERS,
  type Restored,
  resolveNested,
} from '../../src/compaction/nested-markers.ts';

const key = (number: number) => number.toString(16).padStart(16, '0');
const marker = (number: number) => `<<cg:${key(number)}>>`;
const text = (content: string): Restored => ({ kind: 'text', content });
const messages = (...list: unknown[]): Restored => ({
  kind: 'messages',
  content: JSON.stringify(list),
});

function resolve(contents: Record<number, Restored>, start = 1): string {
  const byKey = new Map(
    Object.entries(contents).map(([number, one]) => [key(Number(number)), one]),
  );
  const first = contents[start];
  if (first === undefined) throw new Error('no start');
  return resolveNested(first, (wanted) => byKey.get(wanted), [key(start)]);
}

describe('a marker in what another stands for', () => {
  it('at the end of a text takes the place of all of it', () => {
    expect(resolve({ 1: text(`head […]\n${marker(2)}`), 2: text('the whole output') })).toBe(
      'the whole output',
    );
  });

  it('elsewhere is replaced where it stands', () => {
    expect(resolve({ 1: text(`a ${marker(2)} b ${marker(2)} c`), 2: text('$&') })).toBe(
      'a $& b $& c',
    );
  });

  it('inside of messages stays a string of their JSON', () => {
    const resolved = resolve({
      1: messages({ role: 'tool', content: `peek\n${marker(2)}` }, { n: 1 }),
      2: text('two\n"lines"'),
    });
    expect(JSON.parse(resolved)).toEqual([{ role: 'tool', content: 'two\n"lines"' }, { n: 1 }]);
  });

  it('of messages inside of messages is followed too', () => {
    const resolved = resolve({
      1: messages({ role: 'user', content: `summary ${marker(2)}` }),
      2: messages({ role: 'tool', content: `short ${marker(3)}` }),
      3: text('long'),
    });
    expect(JSON.parse(JSON.parse(resolved)[0].content)).toEqual([
      { role: 'tool', content: 'long' },
    ]);
  });

  it('that nobody stashed is left as it is', () => {
    expect(resolve({ 1: text(`see ${marker(9)}`) })).toBe(`see ${marker(9)}`);
  });

  it('that leads back to itself ends', () => {
    expect(resolve({ 1: text(`a ${marker(2)}`), 2: text(`b ${marker(1)} c`) })).toBe(
      `b ${marker(1)} c`,
    );
    expect(resolve({ 1: text(`a ${marker(1)}`) })).toBe(`a ${marker(1)}`);
  });

  it('is followed to a fixed depth', () => {
    const chain: Record<number, Restored> = {};
    for (let number = 1; number < 30; number++)
      chain[number] = text(`${number} ${marker(number + 1)}`);
    expect(resolve(chain)).toBe(`${DEEPEST_MARKERS} ${marker(DEEPEST_MARKERS + 1)}`);
  });

  it('ends for any graph, and changes no byte that is not a marker’s', () => {
    const part = fc.oneof(fc.string(), fc.nat(4).map(marker));
    const content = fc.array(part, { maxLength: 3 }).map((parts) => text(parts.join('')));
    fc.assert(
      fc.property(fc.array(content, { minLength: 5, maxLength: 5 }), (list) => {
        const contents = Object.fromEntries(list.entries());
        const resolved = resolve(contents, 0);
        if (!list[0]?.content.includes('<<cg:')) expect(resolved).toBe(list[0]?.content);
      }),
    );
  });
});
