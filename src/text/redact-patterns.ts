import {
  isPasswordName,
  isRandom,
  isSecretValue,
  isStandIn,
  SECRET_NAME,
} from './redact-values.ts';

/** What a secret is; it stands in what replaces it. */
export const secretKinds = [
  'private-key',
  'jwt',
  'github-token',
  'gitlab-token',
  'slack-token',
  'package-token',
  'aws-key',
  'google-key',
  'azure-key',
  'stripe-key',
  'api-key',
  'token',
  'password',
  'secret',
  'user',
] as const;
export type SecretKind = (typeof secretKinds)[number];

/** Half-open range of UTF-16 offsets. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  /** Where it is not that of the pattern. */
  readonly kind?: SecretKind;
}

/** Finds the secrets of one kind in a text. Linear in the text: whatever repeats is bounded or anchored. */
export interface SecretPattern {
  readonly kind: SecretKind;
  /** True when the form of the secret itself shows it, without what stands around it. */
  readonly telling: boolean;
  find(text: string): Iterable<Stretch>;
}

/** No letter or digit before it; the letter of an escape (`\n`) is none. */
const START = String.raw`(?<=^|[^A-Za-z0-9]|\\[nrtbf])`;

/**
 * @param hints one of these texts stands in every secret of the pattern: most texts have none, and finding
 *   that out is cheap
 */
function telling(
  kind: SecretKind,
  hints: readonly string[],
  pattern: string,
  accepts: (secret: string) => boolean = () => true,
): SecretPattern {
  return found(kind, true, hints, new RegExp(pattern, 'g'), accepts);
}

function found(
  kind: SecretKind,
  isTelling: boolean,
  hints: readonly string[] | RegExp,
  pattern: RegExp,
  accepts: (secret: string) => boolean,
): SecretPattern {
  const mayHold = (text: string) =>
    hints instanceof RegExp ? hints.test(text) : hints.some((hint) => text.includes(hint));
  return {
    kind,
    telling: isTelling,
    *find(text) {
      if (!mayHold(text)) return;
      for (const { 0: secret, index } of text.matchAll(pattern)) {
        if (secret === '' || isStandIn(secret) || !accepts(secret)) continue;
        yield { start: index, end: index + secret.length };
      }
    },
  };
}

const PEM_START = `-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----`;
const PEM_LINE = String.raw`(?:\s|\\+[nr])*`;

/** Names that are followed by their value. */
const NAMED = new RegExp(
  String.raw`(${SECRET_NAME})(?![A-Za-z0-9_])\\?["']?[ \t]{0,3}(?::=|=>|[:=])[ \t]{0,3}\\?(["'\x60])?`,
  'gi',
);
const UNQUOTED = /[^\s"'`\\,;(){}<>[\]]{1,300}/y;
const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /[^"\\\n]{1,300}/y,
  "'": /[^'\\\n]{1,300}/y,
  '`': /[^`\\\n]{1,300}/y,
};

function* namedValues(text: string): Generator<Stretch> {
  if (!/pass|pwd|secret|token|key|authorization|credential/i.test(text)) return;
  for (const match of text.matchAll(NAMED)) {
    const [whole, name = '', quote] = match;
    const start = match.index + whole.length;
    const form = (quote === undefined ? undefined : QUOTED[quote]) ?? UNQUOTED;
    form.lastIndex = start;
    let value = form.exec(text)?.[0] ?? '';
    // In a query the next parameter begins.
    if (/[?&][\w.-]{0,40}$/.test(text.slice(Math.max(0, match.index - 42), match.index + 1))) {
      value = value.split('&')[0] ?? '';
    }
    const standing = { quoted: quote !== undefined, next: text[start + value.length] ?? '' };
    const before = text.slice(Math.max(0, match.index - 40), match.index);
    const fullName = `${/[\w.-]*$/.exec(before)?.[0] ?? ''}${name}`;
    if (!isSecretValue(fullName, value, standing)) continue;
    yield { start, end: start + value.length, kind: kindOfName(name) };
  }
}

/** What a value is that only its name shows to be a secret. */
export function kindOfName(name: string): SecretKind {
  return isPasswordName(name) ? 'password' : 'secret';
}

/** The most particular first: of two that find the same, the first one says what it is. */
export const secretPatterns: readonly SecretPattern[] = [
  telling(
    'private-key',
    ['PRIVATE KEY'],
    String.raw`(?<=${PEM_START})(?:(?:(?!-----)[\s\S]){1,20000}(?=-----END)|${PEM_LINE}(?:[A-Za-z0-9+/=]{16,}${PEM_LINE})+)`,
    (body) => !/^\s*(?:\\+[nr]\s*)*(?:(?:x_)?REDACTED_|\[private-key#)/i.test(body),
  ),
  telling('private-key', ['AGE-SECRET-KEY-'], 'AGE-SECRET-KEY-1[A-Z0-9]{40,70}'),
  telling(
    'private-key',
    ['Private-Lines:'],
    String.raw`(?<=Private-Lines: \d{1,4}\s{1,2})(?:[A-Za-z0-9+/=]{1,80}\r?\n){1,200}`,
  ),
  // Both halves of a JSON Web Token begin with {".
  telling(
    'jwt',
    ['eyJ'],
    String.raw`(?<=^|[^A-Za-z0-9_-]|\\[nrtbf])eyJ[\w-]{8,4000}\.eyJ[\w-]{4,8000}(?:\.[\w-]{0,2000})?`,
  ),
  telling(
    'github-token',
    ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    `${START}(?:gh[pousr]_[A-Za-z0-9]{16,255}|github_pat_[A-Za-z0-9_]{20,255})`,
  ),
  telling(
    'gitlab-token',
    ['gl'],
    String.raw`${START}gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[\w-]{16,100}`,
    (secret) => /\d/.test(secret),
  ),
  telling(
    'slack-token',
    ['xox', 'xapp-', 'hooks.slack.com/services/'],
    String.raw`${START}(?:xox[abceoprs](?:\.xox[abeoprs])?-[A-Za-z0-9-]{10,400}|xapp-\d-[A-Za-z0-9-]{10,400}|(?<=hooks\.slack\.com/services/)T[A-Z0-9]{6,14}/B[A-Z0-9]{6,14}/[A-Za-z0-9]{16,40})`,
    (secret) => /\d/.test(secret),
  ),
  telling(
    'package-token',
    ['npm_', 'pypi-', 'rubygems_', 'dckr_pat_'],
    String.raw`${START}(?:npm_[A-Za-z0-9]{20,80}|pypi-[\w-]{16,400}|rubygems_[a-f0-9]{40,64}|dckr_pat_[\w-]{20,60})`,
    (secret) => /\d/.test(secret),
  ),
  telling(
    'aws-key',
    ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    `${START}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])`,
  ),
  found(
    'aws-key',
    false,
    /aws/i,
    /(?<=aws[-_. ]?(?:secret|session)[-_. ]?(?:access[-_. ]?)?(?:key|token)\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)[A-Za-z0-9/+=]{16,2000}/gi,
    () => true,
  ),
  telling(
    'google-key',
    ['AIza', 'ya29.', 'GOCSPX-'],
    String.raw`${START}(?:AIza[\w-]{30,45}|ya29\.[\w-]{20,2000}|GOCSPX-[\w-]{20,40})`,
  ),
  found(
    'azure-key',
    false,
    ['AccountKey=', 'SharedAccessKey=', 'sig=', 'AccessKey='],
    /(?<=(?:(?:Account|SharedAccess|Access)Key=|[?&;]sig=))[A-Za-z0-9+/=%]{20,200}/g,
    (secret) => /\d/.test(secret),
  ),
  telling(
    'azure-key',
    ['Q~'],
    String.raw`${START}[A-Za-z0-9_~.]{3}\dQ~[\w~.-]{30,40}(?![A-Za-z0-9])`,
  ),
  telling(
    'stripe-key',
    ['k_live_', 'k_test_', 'whsec_'],
    `${START}(?:[srp]k_(?:live|test)_[A-Za-z0-9]{10,250}|whsec_[A-Za-z0-9+/=]{16,100})`,
  ),
  telling(
    'api-key',
    ['sk-', 'sk_', 'rk-', 'pk-'],
    `${START}(?:sk|rk|pk)[-_][A-Za-z0-9_-]{12,400}`,
    isRandom,
  ),
  telling('api-key', ['SG.'], String.raw`${START}SG\.[\w-]{16,80}\.[\w-]{16,80}`),
  telling(
    'api-key',
    ['_', '-'],
    String.raw`${START}(?:hf_|r8_|gsk_|xai-|pplx-|tvly-|lsv2_(?:pt|sk)_|lin_api_|ntn_|figd_|PMAK-|NRAK-|sntry[su]_|hv[sbr]\.|sq0(?:atp|csp|idp)-|pul-|glsa_|glc_|sbp_|dp\.(?:pt|st|sa|ct)\.|nvapi-|fw_|shp(?:at|ca|pa|ss)_|do[opr]_v1_|key-(?=[0-9a-f]{32}(?![A-Za-z0-9]))|csk-|fo1_|ATATT3|EAACEdEose0cBA|AKCp|rnd_|vcp_)[A-Za-z0-9_.=-]{16,400}`,
    isRandom,
  ),
  telling(
    'api-key',
    ['SK', 'dapi', ':AA', 'pat'],
    String.raw`${START}(?:SK[0-9a-f]{32}|dapi[0-9a-f]{32}(?:-\d)?|\d{8,10}:AA[\w-]{33}|pat[A-Za-z0-9]{14}\.[0-9a-f]{64})(?![A-Za-z0-9_-])`,
  ),
  found(
    'token',
    false,
    /bearer|basic|authorization/i,
    /(?<=authorization\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?:bearer|basic|token|apikey|digest)\s{1,3})[A-Za-z0-9._~+/=-]{8,4000}/gi,
    () => true,
  ),
  found(
    'token',
    false,
    /bearer/i,
    /(?<=\bbearer(?:\s|\\t|%20){1,3})[A-Za-z0-9._~+/=-]{12,4000}/gi,
    isRandom,
  ),
  found(
    'token',
    false,
    /basic/i,
    /(?<=\bbasic(?:\s|\\t|%20){1,3})[A-Za-z0-9+/=]{12,4000}/gi,
    // After `basic` stands Base64, or any word.
    (secret) => isRandom(secret) && /[a-z]/.test(secret) && /[A-Z]/.test(secret),
  ),
  found(
    'password',
    false,
    ['://'],
    /(?<=:\/\/[^\s/:@"'<>]{0,100}:)[^\s/"'<>[\]]{1,200}(?=@)/g,
    () => true,
  ),
  found(
    'password',
    false,
    ['--', 'curl', 'sshpass'],
    /(?<=\s--?(?:[\w-]{0,20}-)?(?:password|passphrase|passwd|token|api-?key|secret)\s{1,2}["']?|\bsshpass\s{1,2}-p\s{0,2}["']?|\bcurl\b[^\n|;]{0,300}\s(?:-u|--user)\s{0,2}["']?[\w.@-]{1,60}:)[^\s"'`\\;|<>(){}]{6,300}/g,
    (secret) => /\d/.test(secret),
  ),
  // Of a cookie, what a session is known by.
  found(
    'token',
    false,
    /cookie/i,
    /(?<=\bcookie\\?["']?\s{0,3}[:=][^\n]{0,2000}?[\w.-]{0,40}(?:sess|sid|auth|token|jwt|csrf|xsrf|remember)[\w.-]{0,30}=\\?["']?)[A-Za-z0-9._~+/%:-]{16,4000}/gi,
    isRandom,
  ),
  found(
    'password',
    false,
    ['machine '],
    /(?<=\bmachine\s{1,4}\S{1,200}\s{1,4}(?:login\s{1,4}\S{1,200}\s{1,4})?password\s{1,4})[^\s"'\x60\\,;(){}<>]{4,300}/g,
    () => true,
  ),
  // How a container registry's login is kept: Base64 of name and password.
  found(
    'password',
    false,
    ['auth'],
    /(?<="(?:auth|identitytoken)\\?"\s{0,3}:\s{0,3}\\?")[A-Za-z0-9+/=_-]{12,2000}/g,
    (secret) => /\d/.test(secret) && /[A-Z]/.test(secret),
  ),
  found(
    'password',
    false,
    /password>|secret>|token>|key>/i,
    /(?<=<[\w:.-]{0,40}(?:password|secret|token|api_?key)>)[^<>\s]{6,200}(?=<\/)/gi,
    (secret) => /\d/.test(secret),
  ),
  { kind: 'secret', telling: false, find: namedValues },
];
