import type { ErrorCode, HarnessError, Place } from '../errors.ts';

/**
 * Something in the input that could not be read. An `error` makes the run end with exit code 2 after
 * everything else was done; a `notice` is only told.
 */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly at: Place;
  readonly severity: 'error' | 'notice';
}

/** The problem that an error stands for, placed in `file`; `line` is where the text that was read began. */
export function problemOf(error: HarnessError, file: string, line?: number): Problem {
  const own = error.at?.line;
  const place = line === undefined ? own : line + (own ?? 1) - 1;
  return {
    code: error.code,
    message: error.message,
    at: { ...error.at, file, ...(place === undefined ? {} : { line: place }) },
    severity: 'error',
  };
}
