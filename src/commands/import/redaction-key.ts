import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { HarnessError } from '../../errors.ts';
import { wholeBytesNow } from '../../text/whole-file.ts';

const SHORTEST = 16;
/** A key is hashed; what is larger was not meant to be one. */
const LARGEST = 2 ** 20;

/**
 * The key of the placeholders. Without a file it is a fresh one that nobody learns, so that nobody can try
 * guesses of a secret against its placeholder.
 *
 * @throws HarnessError `input.missing`, `input.size`, or `usage` for a file of less than 16 bytes
 */
export function redactionKey(file: string | undefined, cwd: string): Uint8Array {
  if (file === undefined) return randomBytes(32);
  const key = wholeBytesNow(resolve(cwd, file), {
    what: 'the key of the placeholders',
    shown: file,
    limit: LARGEST,
  });
  if (key.length >= SHORTEST) return key;
  const message = `--redact-key: found ${key.length} bytes, expected at least ${SHORTEST} that nobody can guess`;
  throw new HarnessError('usage', message, { at: { file } });
}
