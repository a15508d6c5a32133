import fc from 'fast-check';

/** Made-up secrets of many kinds, in the forms that vendors hand them out. */

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const UPPER = LOWER.toUpperCase();

function of(alphabet: string, length: number): fc.Arbitrary<string> {
  // As random as a secret is: from numbers that no bias makes small.
  return fc
    .infiniteStream(fc.noBias(fc.nat(alphabet.length - 1)))
    .map((numbers) => Array.from({ length }, () => alphabet[numbers.next().value] ?? '').join(''));
}

const HEX = `${DIGITS}abcdef`;
const WORD = UPPER + LOWER + DIGITS;
const BASE64 = `${WORD}+/`;

/** Never all digits or all letters, as chance could have it. */
const mixed = (length: number) => of(WORD, length - 4).map((text) => `a1B2${text}`);
const mixedHex = (length: number) => of(HEX, length - 2).map((text) => `a1${text}`);
const base64 = (length: number) => of(BASE64, length - 4).map((text) => `a1B2${text}`);

/** A secret, and a text that shows it for one. */
export interface Planted {
  readonly kind: string;
  readonly secret: string;
  readonly shown: string;
}

function planted(
  kind: string,
  secret: fc.Arbitrary<string>,
  show: (secret: string) => string = (text) => text,
): fc.Arbitrary<Planted> {
  return secret.map((text) => ({ kind, secret: text, shown: show(text) }));
}

export const plantedKinds: readonly fc.Arbitrary<Planted>[] = [
  planted(
    'openai',
    mixed(40).map((text) => `sk-proj-${text}`),
  ),
  planted(
    'anthropic',
    mixed(48).map((text) => `sk-ant-api03-${text}-${text.slice(0, 6)}AA`),
  ),
  planted(
    'github',
    mixed(36).map((text) => `ghp_${text}`),
  ),
  planted(
    'github fine',
    mixed(50).map((text) => `github_pat_${text.slice(0, 22)}_${text}`),
  ),
  planted(
    'gitlab',
    mixed(20).map((text) => `glpat-${text}`),
  ),
  planted(
    'slack',
    fc.tuple(of(DIGITS, 12), mixed(24)).map(([a, b]) => `xoxb-${a}-${b}`),
  ),
  planted(
    'npm',
    mixed(36).map((text) => `npm_${text}`),
  ),
  planted(
    'pypi',
    mixed(60).map((text) => `pypi-AgEIcHlwaS5vcmc${text}`),
  ),
  planted(
    'aws id',
    of(UPPER + DIGITS, 16).map((text) => `AKIA${text}`),
  ),
  planted('aws secret', base64(40), (text) => `aws_secret_access_key = ${text}`),
  planted(
    'google',
    mixed(35).map((text) => `AIza${text}`),
  ),
  planted(
    'azure storage',
    base64(86).map((text) => `${text}==`),
    (text) =>
      `DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=${text};EndpointSuffix=core.windows.net`,
  ),
  planted(
    'stripe',
    mixed(24).map((text) => `sk_live_${text}`),
  ),
  planted(
    'sendgrid',
    fc.tuple(mixed(22), mixed(43)).map(([a, b]) => `SG.${a}.${b}`),
  ),
  planted(
    'hugging face',
    mixed(34).map((text) => `hf_${text}`),
  ),
  planted(
    'twilio',
    mixedHex(32).map((text) => `SK${text}`),
  ),
  planted(
    'jwt',
    fc.tuple(mixed(20), mixed(40), mixed(43)).map(([a, b, c]) => `eyJ${a}.eyJ${b}.${c}`),
  ),
  planted(
    'bearer',
    mixed(32),
    (text) => `curl -H "Authorization: Bearer ${text}" https://api.test/v1`,
  ),
  planted('database', mixed(14), (text) => `postgres://app:${text}@db.local:5432/app`),
  planted('password', mixed(12), (text) => `DB_PASSWORD=${text}`),
  planted(
    'quoted',
    mixed(12).map((text) => `${text}!%&`),
    (text) => `password: "${text}"`,
  ),
  planted('env', mixedHex(32), (text) => `export SESSION_SECRET='${text}'`),
  planted(
    'cookie',
    mixedHex(32),
    (text) => `Set-Cookie: theme=dark; sessionid=${text}; Path=/; HttpOnly`,
  ),
  planted('netrc', mixed(14), (text) => `machine git.example.org login bob password ${text}`),
  planted('registry', mixed(24), (text) => `{"auths": {"registry.test": {"auth": "${text}"}}}`),
  planted(
    'dotted',
    fc.tuple(mixed(24), mixed(6), mixed(27)).map(([a, b, c]) => `${a}.${b}.${c}`),
    (text) => `BOT_TOKEN=${text}`,
  ),
  planted(
    'private key',
    fc.array(base64(64), { minLength: 3, maxLength: 6 }).map((lines) => lines.join('\n')),
    (text) => `-----BEGIN RSA PRIVATE KEY-----\n${text}\n-----END RSA PRIVATE KEY-----`,
  ),
];

export const plantedSecret: fc.Arbitrary<Planted> = fc.oneof(...plantedKinds);

/** The pieces of a secret that must not be found either: its lines. */
export function piecesOf({ secret }: Planted): readonly string[] {
  return secret.split('\n');
}
