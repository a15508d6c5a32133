import type { z } from 'zod';
import { HarnessError, type Place } from '../errors.ts';
import { syntaxError } from '../wire/json-error.ts';

/** The `input.schema` error for a value that zod refused; `about` says what was expected. */
export function schemaError(error: z.ZodError, about: string): HarnessError {
  const [issue] = error.issues;
  const key = issue?.path.map(String).join('.') ?? '';
  const found = issue === undefined ? '' : `${key === '' ? '' : `"${key}": `}${issue.message}`;
  return new HarnessError('input.schema', `expected ${about}; ${found}`, {
    cause: error,
    ...(key === '' ? {} : { at: { key } }),
  });
}

/** File, line and column of an offset in a file's text. */
export function placeOf(text: string, offset: number, file: string): Place {
  const before = text.slice(0, offset);
  return {
    file,
    line: before.split('\n').length,
    column: offset - before.lastIndexOf('\n'),
  };
}

/**
 * What was thrown while `text` was read, as an input error.
 * @throws whatever is no fault of the input.
 */
export function inputError(text: string, error: unknown): HarnessError {
  if (error instanceof HarnessError) return error;
  if (error instanceof SyntaxError) return syntaxError(text, error);
  if (error instanceof RangeError) {
    return new HarnessError('input.schema', 'the JSON is nested too deep to be read', {
      cause: error,
    });
  }
  throw error;
}
