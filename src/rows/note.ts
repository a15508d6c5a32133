import type { ErrorCode } from '../errors.ts';
import { withoutSecrets } from '../text/redact.ts';

/** Takes secrets out of a text before it is written anywhere. */
export type Redact = (text: string) => string;

const LONGEST_NOTE = 200;

/** A redaction of the known secrets (e.g. values of the environment) and of what looks like one. */
export function redaction(known: readonly (string | undefined)[]): Redact {
  const secrets = known.filter((secret) => secret !== undefined && secret.length >= 4);
  return (text) => {
    let result = text;
    for (const secret of secrets) result = result.replaceAll(secret ?? '', '[redacted]');
    return withoutSecrets(result);
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
