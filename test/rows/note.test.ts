import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { failureNote, redaction } from '../../src/rows/note.ts';

describe('the note of a failed cell', () => {
  test('is one line of at most 200 characters that begins with the code', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (message) => {
        const note = failureNote('model.transport', message, (text) => text);
        expect(note).toMatch(/^error:model\.transport /);
        expect(note.length).toBeLessThanOrEqual(200);
        expect(note).not.toMatch(/[\r\n]/);
      }),
    );
  });

  test('never shows a known secret', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[!-~]{8,30}$/).filter((secret) => !'[redacted]'.includes(secret)),
        fc.string(),
        fc.string(),
        (secret, before, after) => {
          const note = redaction([secret, undefined])(`${before}${secret}${after}`);
          // What is left of the text around it may spell it anew only where it holds it itself.
          if (!`${before}[redacted]${after}`.includes(secret)) expect(note).not.toContain(secret);
        },
      ),
    );
  });

  test.each([
    ['key sk-ant-abcdefgh12345678 refused', 'abcdefgh12345678'],
    ['authorization: Bearer abcdefgh12345678', 'abcdefgh12345678'],
    ['{"api_key":"abcdefgh12345678"}', 'abcdefgh12345678'],
    ['x-api-key=abcdefgh12345678', 'abcdefgh12345678'],
    ['GET https://user:hunter2pass@host/v1', 'hunter2pass'],
  ])('hides what looks like a secret: %s', (message, secret) => {
    expect(redaction([])(message)).not.toContain(secret);
  });

  test('leaves an ordinary message as it is', () => {
    const message = 'summarize took longer than its limit of 150000 ms';
    expect(redaction([])(message)).toBe(message);
  });
});
