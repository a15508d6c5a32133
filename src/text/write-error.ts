import { HarnessError, messageOf, systemCodeOf } from '../errors.ts';

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'free space',
  EDQUOT: 'free space in your quota',
  EMFILE: 'too many files are open: raise `ulimit -n`',
  ENFILE: 'too many files are open on this machine: end other programs',
  EIO: 'the disk failed: check it',
  EROFS: 'the disk can only be read',
};

/**
 * The error of a file that cannot be written: what the system said, and what to do.
 * @param elsewhere how another place is chosen, e.g. `choose another --out`
 */
export function cannotWrite(
  file: string,
  cause: unknown,
  elsewhere = 'choose another place',
  what = '',
): HarnessError {
  const advice = ADVICE[systemCodeOf(cause) ?? ''];
  const first = advice === undefined ? '' : `${advice}, or `;
  const named = what === '' ? '' : ` ${what}`;
  const message = `cannot write${named}: ${messageOf(cause)}; ${first}${elsewhere}`;
  return new HarnessError('output.write', message, { cause, at: { file } });
}
