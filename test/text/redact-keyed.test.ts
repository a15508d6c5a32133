import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identifiersIn } from '../../src/text/identifiers.ts';
import { redactSecrets } from '../../src/text/redact.ts';
import { KeyedRedaction } from '../../src/text/redact-keyed.ts';
import { coresOf, placeholderOf, withNumberedMarks } from '../../src/text/redact-placeholder.ts';
import { piecesOf, plantedKinds, plantedSecret } from './planted-secrets.ts';

const KEY = Buffer.from('a key of the tests, which is long enough');

function redaction(home = false, key: Uint8Array = KEY) {
  return new KeyedRedaction(key, { home });
}

/** The text redacted after it alone was learned from. */
function redacted(text: string, home = false): string {
  const keyed = redaction(home);
  keyed.learn(text);
  return keyed.redact(text);
}

const around = fc.constantFrom('', ' ', '\n', '"', '(', 'see: ', 'a\\n', '🎉 ', '漢字 ', "'", '\t');

describe('what is redacted', () => {
  test('hides planted secrets of every kind, however escaped, and shows them nowhere', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(plantedSecret, around, around, fc.nat(3), (planted, before, after, depth) => {
        seen.set(planted.kind, (seen.get(planted.kind) ?? 0) + 1);
        let text = `${before}${planted.shown}${after === '' ? '' : ` ${after}`}`;
        for (let level = 0; level < depth; level++) text = JSON.stringify(text);
        const alone = `tool said ${planted.secret.split('\n')[0]} again`;
        const keyed = redaction();
        keyed.learn(text);
        for (const output of [keyed.redact(text), keyed.redact(alone), redactSecrets(text)]) {
          for (const piece of piecesOf(planted)) expect(output).not.toContain(piece);
        }
        // What was JSON is JSON.
        if (depth > 0) expect(() => JSON.parse(keyed.redact(text))).not.toThrow();
      }),
      { numRuns: 600, seed: 3 },
    );
    expect(seen.size).toBe(plantedKinds.length);
  });

  test('hides them where a terminal colours the secret, its name, or both', () => {
    const escapes = fc.constantFrom('\u001b', '\\033', '\\e', '^[', '\\x1b', '\\u001b');
    fc.assert(
      fc.property(plantedSecret, escapes, fc.nat(2), fc.nat(2), (planted, esc, way, depth) => {
        const { secret, shown } = planted;
        const colour = (text: string) => `${esc}[01;32m${esc}[K${text}${esc}[m${esc}[K`;
        const at = shown.indexOf(secret);
        const name = (text: string) =>
          text.replace(/password|secret|token|key|bearer/i, (word) => colour(word));
        const before = way === 1 ? shown.slice(0, at) : name(shown.slice(0, at));
        const own = way === 0 ? secret : colour(secret);
        let text = `${before}${own}${shown.slice(at + secret.length)}`;
        for (let level = 0; level < depth; level++) text = JSON.stringify(text);
        const keyed = redaction();
        keyed.learn(text);
        const output = keyed.redact(text);
        for (const piece of piecesOf(planted)) {
          expect(output).not.toContain(piece);
          expect(redactSecrets(text)).not.toContain(piece);
        }
        // Codes beside a secret stay.
        if (way > 0 && depth === 0) expect(output.split(esc).length).toBe(text.split(esc).length);
      }),
      { numRuns: 400, seed: 21 },
    );
    const plain = 'DB_PASSWORD=a1B2c3D4e5F6';
    const keyed = redaction();
    keyed.learn(plain);
    expect(keyed.redact('DB_PASSWORD=\u001b[32ma1B2c3D4e5F6\u001b[0m')).toBe(
      `DB_PASSWORD=\u001b[32m${keyed.redact('a1B2c3D4e5F6')}\u001b[0m`,
    );
  });

  test('finds a secret whose characters are escaped', () => {
    const keyed = redaction();
    const text = String.raw`{"a":"sk\u002dproj\u002da1B2c3D4e5F6g7H8i9J0","b":"pass\/word: x"}`;
    keyed.learn(text);
    expect(keyed.redact(text)).not.toContain('a1B2c3D4');
    expect(keyed.redact('sk-proj-a1B2c3D4e5F6g7H8i9J0')).toMatch(/^(?:x_)?REDACTED_api_key_/i);
    const written: unknown = JSON.parse(keyed.redact(text));
    expect(written).toMatchObject({ a: keyed.redact('sk-proj-a1B2c3D4e5F6g7H8i9J0') });
  });

  test('leaves what is no secret as it is', () => {
    const ordinary = [
      'commit 9fceb02d0ae598e95dc970b74767f19372d61af8 (HEAD -> main)',
      'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      'id 123e4567-e89b-12d3-a456-426614174000 toolu_01A09q90qw90lq917835lq9 call_a1B2c3D4e5F6g7H8',
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4',
      'const token = tokenizer.nextToken(); password = config.password1.value',
      'class sk-toggleable__control sk-container-id-1 risk-management-2024-plan',
      'npm_lifecycle_event npm_config_user_agent SKIP_PREFLIGHT_CHECK',
      'src/replay/evidence-names.ts:12: password: string',
      `api_key=\${API_KEY_2} password=<your-password-1> token: os.environ["TOKEN_1"]`,
      'see https://example.org:8080/path@v2 and git@example.org:team/project.git',
      'The basic functionality1234 of bearer instruments; max_tokens: 4096, token_count=12345678',
    ];
    for (const text of ordinary) expect(redacted(text, true)).toBe(text);
  });
});

describe('placeholders', () => {
  test('are the same for the same secret, others for another one, and others under another key', () => {
    const [one, other] = ['ghp_a1B2c3D4e5F6g7H8i9J0k1', 'ghp_a1B2c3D4e5F6g7H8i9J0k2'];
    const keyed = redaction();
    expect(keyed.redact(`x ${one} y`)).toBe(`x ${keyed.redact(one)} y`);
    expect(keyed.redact(one)).not.toBe(keyed.redact(other));
    expect(redaction(false, Buffer.alloc(32, 1)).redact(one)).not.toBe(keyed.redact(one));
    expect(withNumberedMarks(`${keyed.redact(one)} ${keyed.redact(one)}`)).toMatch(
      /^((?:x_)?REDACTED_github_token_)#0 \1#0$/i,
    );
  });

  test('are never redacted again, by either redaction', () => {
    fc.assert(
      fc.property(plantedSecret, ({ shown }) => {
        const keyed = redaction();
        keyed.learn(shown);
        const once = keyed.redact(shown);
        expect(redactSecrets(once)).toBe(once);
        expect(redacted(once)).toBe(once);
      }),
      { numRuns: 200, seed: 8 },
    );
  });

  test('are identifiers where the secret was one, whatever stands beside it', () => {
    const core = fc.stringMatching(/^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,10}[A-Za-z0-9])?$/);
    const beside = fc.constantFrom(
      '',
      ' ',
      'x',
      'X',
      '7',
      '.',
      '/',
      '-',
      '_',
      'a/',
      ' (',
      '..',
      '\\',
    );
    const counts = { identifiers: 0, others: 0 };
    fc.assert(
      fc.property(core, beside, beside, (text, before, after) => {
        const [known] = coresOf(text);
        if (known === undefined || known.text !== text) return;
        const placeholder = placeholderOf(known, 'password', KEY);
        if (known.isIdentifier) counts.identifiers++;
        else counts.others++;
        // Places of the identifiers, as if what is replaced had no length.
        const shape = (inner: string) => {
          const end = before.length + inner.length;
          const place = (at: number) => (at >= end ? at - inner.length : at);
          return identifiersIn(before + inner + after).map((one) => [
            place(one.start),
            place(one.end),
          ]);
        };
        expect(shape(placeholder)).toEqual(shape(text));
      }),
      { numRuns: 1500, seed: 21 },
    );
    expect(Math.min(counts.identifiers, counts.others)).toBeGreaterThan(100);
  });

  test('keep names apart: equal identifiers stay equal, and different ones different', () => {
    fc.assert(
      fc.property(fc.array(plantedSecret, { minLength: 1, maxLength: 4 }), (all) => {
        const text = all
          .map(({ shown, secret }) => `${shown}\nuse ${secret} in src/a1.ts`)
          .join('\n');
        const keyed = redaction();
        keyed.learn(text);
        const before = identifiersIn(text).map(({ value }) => value);
        const after = identifiersIn(keyed.redact(text)).map(({ value }) => value);
        expect(after.length).toBe(before.length);
        const numbers = (names: readonly string[]) => names.map((name) => names.indexOf(name));
        expect(numbers(after)).toEqual(numbers(before));
      }),
      { numRuns: 200, seed: 31 },
    );
  });
});

describe('what one text shows', () => {
  test('is found in the others, alone and inside of names', () => {
    const keyed = redaction();
    keyed.learn('DB_PASSWORD=hunter2hunter2');
    const placeholder = keyed.redact('hunter2hunter2');
    expect(placeholder).toMatch(/^(?:x_)?REDACTED_(?:password_)?[A-Za-z0-9]{6,}$/i);
    expect(keyed.redact('dump-hunter2hunter2.sql')).toBe(`dump-${placeholder}.sql`);
    expect(keyed.redact(String.raw`a\nhunter2hunter2`)).toBe(String.raw`a\n${placeholder}`);
  });

  test('is found where two texts share it', () => {
    const keyed = redaction();
    const [first, second] = ['the key: sk-proj-a1B2c3D4e5', 'F6g7H8i9J0k1L2 is it'];
    keyed.learnAcross(first, second);
    expect(keyed.redact(first)).not.toContain('a1B2c3D4e5');
    expect(keyed.redact(second)).not.toContain('F6g7H8i9J0k1L2');
    expect(keyed.redact(second).endsWith(' is it')).toBe(true);
  });
});

describe('home directories', () => {
  test.each([
    ['ls -l /home/jdoe/src', 'jdoe'],
    ['/Users/jdoe/Library and ~jdoe', 'jdoe'],
    [String.raw`C:\Users\jdoe\AppData`, 'jdoe'],
    [String.raw`{"path":"C:\\Users\\jdoe\\x"}`, 'jdoe'],
    ['~/.claude/projects/-home-jdoe-src/1.jsonl', 'jdoe'],
    ['file:///home/j.doe-smith/x owner j.doe-smith', 'j.doe-smith'],
  ])('of %j hide who it is on request only', (text, name) => {
    expect(redacted(text, true)).not.toContain(name);
    expect(redacted(text, false)).toBe(text);
  });

  test.each([
    '/home/user/src',
    '/root/x',
    '/Users/runner/work',
    'https://a.test/home/news1',
    'home/x',
  ])('of %j say nothing of a person', (text) => {
    expect(redacted(text, true)).toBe(text);
  });
});

test('takes time that is linear in hostile text', () => {
  const hostile = [
    'a',
    ':',
    '\\',
    '-----BEGIN PRIVATE KEY-----',
    'sk-',
    'bearer ',
    '://u:',
    'password=',
    '/home/',
    '\\u0041',
    'eyJaaaaaaaaa.',
    'token',
  ];
  const start = performance.now();
  for (const piece of hostile) redacted(piece.repeat(100_000 / piece.length), true);
  expect(performance.now() - start).toBeLessThan(30_000);
});
