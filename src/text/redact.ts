import { createHash } from 'node:crypto';
import { identifiersIn } from './identifiers.ts';

/** What a secret is; it stands in what replaces it. */
type SecretKind = 'private-key' | 'api-key' | 'token' | 'password';

/**
 * Patterns of secrets, the longest kind first. Whatever can be long is bounded or starts at a fixed text, so
 * that the time is linear in the text. What only looks a little like a secret must hold a digit.
 */
const PATTERNS: readonly (readonly [SecretKind, RegExp])[] = [
  [
    'private-key',
    /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----)[\s\S]){0,20000}-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|(?:\s|\\[nr])*(?:[A-Za-z0-9+/=]{16,}(?:\s|\\[nr])*)*)/g,
  ],
  // A signed JSON Web Token: both halves begin with {".
  ['token', /(?<![A-Za-z0-9_-])eyJ[\w-]{8,4000}\.eyJ[\w-]{4,8000}(?:\.[\w-]{0,2000})?/g],
  [
    'api-key',
    /(?<![A-Za-z0-9])(?:(?:sk|pk|rk|xox[abeprs]|gh[pousr]|github_pat|glpat|npm|hf|shpat|dop_v1|pypi)[-_](?=[A-Za-z_-]{0,200}\d)[A-Za-z0-9_-]{12,}|AIza[A-Za-z0-9_-]{30,}|(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])|SG\.[\w-]{16,}\.[\w-]{16,}|ya29\.[\w-]{20,})/g,
  ],
  [
    'token',
    /(?<=\b(?:bearer|basic)(?:\s|\\t|%20){1,3})(?=[A-Za-z._~+/=-]{0,400}\d)[A-Za-z0-9._~+/=-]{12,}/gi,
  ],
  ['password', /(?<=:\/\/[^\s/:@"'<>]{0,100}:)[^\s/@"'<>[\]]{1,200}(?=@)/g],
  [
    'password',
    /(?<=(?:api[-_]?key|secret(?:[-_]?access)?(?:[-_]?key)?|passw(?:or)?d|(?:access|auth|refresh)[-_]?token)\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)(?=[^\s"'\\,;]{0,200}\d)[^\s"'\\,;(){}<>[\]]{8,}(?!\()/gi,
  ],
];

/**
 * The text with secrets of common kinds (API keys, bearer tokens, private keys, passwords in URLs and
 * settings) replaced by their kind and a short hash, e.g. `[api-key#1f2e3d4c]`. The same secret gives the same
 * replacement everywhere, so what was equal stays equal. A replacement is never replaced again.
 */
export function redactSecrets(text: string): string {
  let result = text;
  for (const [kind, pattern] of PATTERNS) {
    result = result.replace(pattern, (secret) => replacement(kind, secret));
  }
  return result;
}

/** Shortest secret, and shortest part of one, that is looked for where nothing around it shows what it is. */
const SHORTEST_KNOWN = 6;
const SHORTEST_PART = 8;

/**
 * A redaction of a whole recording: what one of its texts shows to be a secret (`password=…`) is replaced in
 * every other text too, also where it stands alone or only a name out of it does, as in a summary.
 *
 * @param texts of the recording; what is redacted may be one of them or made from them
 */
export function redactionOf(texts: Iterable<string>): (text: string) => string {
  const known = new Map<string, string>();
  const learn = (kind: SecretKind, secret: string): string => {
    const replaced = replacement(kind, secret);
    if (secret.length >= SHORTEST_KNOWN && kind !== 'private-key') known.set(secret, replaced);
    if (kind === 'private-key') return replaced;
    for (const { value } of identifiersIn(secret)) {
      const isTelling = value.length >= SHORTEST_PART && /\d/.test(value);
      if (isTelling && !known.has(value)) known.set(value, replaced);
    }
    return replaced;
  };
  for (const text of texts) {
    let rest = text;
    for (const [kind, pattern] of PATTERNS) {
      rest = rest.replace(pattern, (secret) => learn(kind, secret));
    }
  }
  // The longest first, since a part must not be replaced inside of the whole.
  const ordered = [...known].sort(([a], [b]) => b.length - a.length);
  return (text) => {
    let result = redactSecrets(text);
    for (const [secret, replaced] of ordered) {
      if (result.includes(secret)) result = result.split(secret).join(replaced);
    }
    return result;
  };
}

function replacement(kind: SecretKind, secret: string): string {
  const hash = createHash('sha256').update(secret, 'utf16le').digest('hex').slice(0, 8);
  return `[${kind}#${hash}]`;
}
