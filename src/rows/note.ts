import type { ErrorCode } from '../errors.ts';

/** Takes secrets out of a text before it is written anywhere. */
export type Redact = (text: string) => string;

const LONGEST_NOTE = 200;

/** Shapes of keys and tokens that providers hand out, and credentials inside URLs and headers. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sk|pk|rk|xox[abp]|gh[pousr]|glpat|AIza)[-_][A-Za-z0-9_-]{8,}/g, '[redacted]'],
  [/\bAIza[A-Za-z0-9_-]{20,}/g, '[redacted]'],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 [redacted]'],
  [
    /\b(api[-_]?key|x-api-key|authorization|token|secret)(["']?\s*[:=]\s*["']?)[^\s"',;]{8,}/gi,
    '$1$2[redacted]',
  ],
  [/(\w+:\/\/)[^\s/:@]+:[^\s/@]+@/g, '$1[redacted]@'],
];

/** A redaction of the known secrets (e.g. values of the environment) and of what looks like one. */
export function redaction(known: readonly (string | undefined)[]): Redact {
  const secrets = known.filter((secret) => secret !== undefined && secret.length >= 4);
  return (text) => {
    let result = text;
    for (const secret of secrets) result = result.replaceAll(secret ?? '', '[redacted]');
    for (const [pattern, replacement] of SECRETS) result = result.replace(pattern, replacement);
    return result;
  };
}

/** `error:<code> <message>`: one line of at most 200 characters, without secrets. */
export function failureNote(code: ErrorCode, message: string, redact: Redact): string {
  const line = redact(message).replace(/\s+/g, ' ').trim();
  const note = `error:${code} ${line}`;
  return note.length <= LONGEST_NOTE
    ? note
    : `${note.slice(0, LONGEST_NOTE - 1).replace(/\p{Cs}$/u, '')}…`;
}
