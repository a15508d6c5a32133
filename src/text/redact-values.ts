/** Which values are secrets because of what they are called: `password=…`, `"api_key": "…"`. */

/** How much a name alone says: a `token` is often none, a `password` nearly always one. */
type Strength = 'password' | 'strong' | 'weak';

/** Names of secrets, as the end of a longer name too (`DB_PASSWORD`, `clientSecret`). */
export const SECRET_NAME =
  '(?:api[-_ ]?key|app[-_]?key|(?:secret|private|encryption|signing|account|shared|storage|master|access|service)[-_]?(?:access[-_]?)?key(?:[-_]?base)?|[a-z]{0,10}[-_]?secret|pass(?:word|wd|phrase|code)|pwd|[a-z]{0,10}[-_]?token|authorization|credentials?|[a-z0-9]_key)';

const WHOLE_NAME = new RegExp(`${SECRET_NAME}$`, 'i');

function strengthOf(name: string): Strength {
  if (isPasswordName(name)) return 'password';
  if (/(?:access|auth|refresh|bot|api|bearer)[-_]?token$/i.test(name)) return 'strong';
  if (/(?:token|authorization|credentials?)$/i.test(name)) return 'weak';
  return /(?:api|app|secret|private|encryption|signing|account|shared|storage|master|access|service)[-_ ]?(?:access[-_]?)?key|secret/i.test(
    name,
  )
    ? 'strong'
    : 'weak';
}

export function isPasswordName(name: string): boolean {
  return /pass(?:word|wd|phrase|code)|pwd/i.test(name);
}

/** True when a member of this name may hold a secret. */
export function isSecretName(name: string): boolean {
  return name.length <= 80 && WHOLE_NAME.test(name);
}

/** What is written in the place of a secret: ours, and what documents put there. */
const STAND_IN =
  /^(?:0?REDACTED_|\[[a-z-]+#[0-9a-f]{8}\]|\[redacted\]|<|\$|\{\{|%[A-Z{(]|\*{3}|\.{3}|your[-_ ]|os\.|process\.|env[.[]|(?:hidden|person)[a-z]{8}(?![a-z]))|REDACTED_/i;

/** True for what stands in the place of a secret: a variable, `<your key>`, `****`, `xxxx`. */
export function isStandIn(value: string): boolean {
  return STAND_IN.test(value) || /^(.)\1*$/su.test(value);
}

/** Words that describe a password rather than are one. */
const WORDS =
  /^(?:string|str|text|password|passwd|passphrase|required|optional|undefined|unknown|none|null|true|false|secret|token|hidden|default|value|username|invalid|incorrect|missing|empty|prompt)$/i;

/** How a value stands in its text. */
export interface Standing {
  readonly quoted: boolean;
  /** The character after it. */
  readonly next: string;
}

/**
 * True when `value`, which stands under `name`, is a secret. What code puts there (`config.token`, a call, a
 * path, an address) is none.
 */
export function isSecretValue(name: string, value: string, { quoted, next }: Standing): boolean {
  if (isStandIn(value) || next === '(' || next === '[') return false;
  if (!quoted && isMember(value)) return false;
  if (/^(?:\.{0,2}|~)\/[\w.-]+(?:\/[\w.-]+)*$/.test(value)) return false;
  if (/^[a-z][a-z+]{1,10}:\/\//.test(value) || (value.match(/\s/g)?.length ?? 0) > 2) return false;
  const hasDigit = /\d/.test(value);
  switch (strengthOf(name)) {
    case 'password': {
      if (value.length < 6) return false;
      if (hasDigit) return true;
      if (WORDS.test(value)) return false;
      // Without a digit an unquoted value is mostly a variable of some program.
      return quoted || name === name.toUpperCase();
    }
    case 'strong':
      return value.length >= 8 && hasDigit;
    case 'weak':
      return value.length >= 12 && isRandom(value);
  }
}

/** True for `config.token`; what has long mixed parts was made by a machine. */
function isMember(value: string): boolean {
  if (!/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value)) return false;
  return !value
    .split('.')
    .some((part) => part.length >= 20 && (part.match(/\d/g)?.length ?? 0) > 2);
}

/** True where a run of letters and digits is too mixed, or too long, to be words: made by a machine. */
export function isRandom(value: string): boolean {
  return (value.match(/[A-Za-z0-9]{8,}/g) ?? []).some(
    (run) => run.length >= 24 || ((run.match(/\d/g)?.length ?? 0) >= 2 && /[A-Za-z]/.test(run)),
  );
}
