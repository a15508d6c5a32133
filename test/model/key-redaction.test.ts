import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyRedaction, REDACTED } from '../../src/model/key-redaction.ts';

const KEY = 'qz-7Xw/p+V3"9kT=Lm2';
const redact = keyRedaction(new Set([KEY, 'x', 'short']));

test('a key in any of its forms, anywhere in a text', () => {
  const forms = [
    KEY,
    encodeURIComponent(KEY),
    JSON.stringify(KEY).slice(1, -1),
    Buffer.from(KEY).toString('base64'),
  ];
  for (const form of forms) {
    const found = redact.whole(`before ${form}, after ${form}`);
    expect(found).not.toContain(form.replace(/=+$/, ''));
    expect(found).toMatch(/^before \[redacted\]=*, after \[redacted\]=*$/);
  }
});

test('pieces of a key in what a server says; what is no key stays', () => {
  fc.assert(
    fc.property(
      fc.nat(KEY.length - 10),
      fc.integer({ min: 10, max: 19 }),
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '.') }),
      (from, length, around) => {
        const piece = KEY.slice(from, from + length);
        const found = redact.pieces(`${around}${piece}${around}`);
        expect(found).toBe(`${around}${REDACTED}${around}`);
      },
    ),
    { seed: 3 },
  );
  expect(redact.pieces('exact text about x')).toBe('exact text about x');
});

test('a key that is learnt later is heeded; the longer of two that overlap goes first', () => {
  const keys = new Set(['abcdef']);
  const { whole } = keyRedaction(keys);
  keys.add('abcdefghij');
  expect(whole('abcdefghij abcdef')).toBe(`${REDACTED} ${REDACTED}`);
});
