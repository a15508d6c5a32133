import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactionOf, redactSecrets } from '../../src/text/redact.ts';

const PEM = [
  '-----BEGIN RSA PRIVATE KEY-----',
  'Proc-Type: 4,ENCRYPTED',
  'MIIEpAIBAAKCAQEA7bq3xQyv0l3ZkXh5c1Yw8m2nR4tUeP9sGdFhJkLzXcVbNm',
  '-----END RSA PRIVATE KEY-----',
].join('\n');

/** Kind, a text, and the part of it that must not be seen. */
const SECRETS: readonly (readonly [string, string, string])[] = [
  ['private-key', `before\n${PEM}\nafter`, 'MIIEpAIBAAKCAQEA'],
  ['private-key', JSON.stringify({ key: PEM }), 'MIIEpAIBAAKCAQEA'],
  ['private-key', PEM.split('\n').toSpliced(1, 1).slice(0, 2).join('\n'), 'MIIEpAIBAAKCAQEA'],
  ['api-key', 'use sk-proj-0123456789abcdefghij now', '0123456789abcdefghij'],
  ['github-token', 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8', 'a1B2c3D4'],
  ['aws-key', 'AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7'],
  ['google-key', 'AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q', 'SyA1b2C3'],
  ['slack-token', 'xoxb-123456789012-abcdefghijkl', '123456789012'],
  ['token', 'Authorization: Bearer abc.def-0123456789', 'def-0123456789'],
  ['jwt', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', 'c2lnbmF0dXJl'],
  ['password', 'postgres://app:pa55word@db.local:5432/app', 'pa55word'],
  ['password', 'DB_PASSWORD=hunter2hunter2', 'hunter2hunter2'],
  ['secret', '{"api_key": "q9w8e7r6t5y4"}', 'q9w8e7r6t5y4'],
  ['secret', '{\\"client_secret\\": \\"q9w8e7r6t5y4\\"}', 'q9w8e7r6t5y4'],
];

const secret = fc.constantFrom(...SECRETS);
const around = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '😀', '0', '.'), maxLength: 20 });

describe('redactSecrets', () => {
  test.each(SECRETS)('replaces a %s of %j', (kind, text, hidden) => {
    expect(text).toContain(hidden);
    const redacted = redactSecrets(text);
    expect(redacted).not.toContain(hidden);
    expect(redacted).toMatch(new RegExp(`\\[${kind}#[0-9a-f]{8}\\]`));
  });

  test('hides a secret whatever stands around it, and changes nothing the second time', () => {
    fc.assert(
      fc.property(secret, around, around, ([, text, hidden], before, after) => {
        const redacted = redactSecrets(`${before} ${text} ${after}`);
        expect(redacted).not.toContain(hidden);
        expect(redactSecrets(redacted)).toBe(redacted);
      }),
    );
  });

  test('replaces equal secrets equally, and others by something else', () => {
    const key = 'sk-proj-0123456789abcdefghij';
    const [one, two] = [redactSecrets(`x ${key}`), redactSecrets(`${key} y`)];
    expect(one.slice(2)).toBe(two.slice(0, -2));
    expect(redactSecrets(`x ${key}k`)).not.toBe(one);
  });

  test.each([
    'const token = tokenizer.nextToken();',
    'grep -rn "BEGIN PRIVATE KEY" src',
    'class sk-toggleable__control',
    'see https://example.org:8080/path@v2 and git@example.org:team/project.git',
    'The basic functionality of risk-management and task-runner_1234.',
    'src/replay/evidence-names.ts:12: password: string',
    'sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  ])('leaves %j as it is', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  test('takes time that is linear in hostile text', () => {
    const hostile = [
      'a',
      ':',
      '-----BEGIN PRIVATE KEY-----',
      'sk-',
      'bearer ',
      'eyJaaaaaaaaa',
      '://u:',
    ];
    const start = performance.now();
    for (const piece of hostile) redactSecrets(piece.repeat(300_000 / piece.length));
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});

describe('redactionOf', () => {
  test('finds what one text shows to be a secret in the others too', () => {
    const redact = redactionOf(['DB_PASSWORD=hunter2hunter2', 'postgres://a:Zq_19-Xy77abc@db']);
    expect(redact('Identifiers: hunter2hunter2, other')).toMatch(
      /^Identifiers: \[password#[0-9a-f]{8}\], other$/,
    );
    expect(redact('DB_PASSWORD=hunter2hunter2')).toBe(redactSecrets('DB_PASSWORD=hunter2hunter2'));
    expect(redact('Zq_19-Xy77abc')).not.toContain('Xy77abc');
    expect(redactionOf([])('hunter2hunter2')).toBe('hunter2hunter2');
  });
});
