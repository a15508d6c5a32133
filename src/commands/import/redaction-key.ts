import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { HarnessError, messageOf } from '../../errors.ts';

const SHORTEST = 16;

/**
 * The key of the placeholders. Without a file it is a fresh one that nobody learns, so that nobody can try
 * guesses of a secret against its placeholder.
 *
 * @throws HarnessError `input.missing`, or `usage` for a file of less than 16 bytes
 */
export function redactionKey(file: string | undefined, cwd: string): Uint8Array {
  if (file === undefined) return randomBytes(32);
  let key: Buffer;
  try {
    key = readFileSync(resolve(cwd, file));
  } catch (cause) {
    const message = `cannot read the key of the placeholders: ${messageOf(cause)}`;
    throw new HarnessError('input.missing', message, { cause, at: { file } });
  }
  if (key.length >= SHORTEST) return key;
  const message = `--redact-key: found ${key.length} bytes, expected at least ${SHORTEST} that nobody can guess`;
  throw new HarnessError('usage', message, { at: { file } });
}
