import type { z } from 'zod';
import { HarnessError, type Place } from '../errors.ts';
import { syntaxError } from '../wire/json-error.ts';

/** The `input.schema` error for a `value` that zod refused; `about` says what the whole should be. */
export function schemaError(error: z.ZodError, about: string, value: unknown): HarnessError {
  const issue = deepest(error.issues[0]);
  const path = issue?.path.map(String) ?? [];
  const key = path.join('.');
  const expected = issue === undefined ? '' : `, expected ${expectedBy(issue)}`;
  const found = `${key === '' ? '' : `"${key}": `}found ${shortly(at(value, path))}${expected}`;
  return new HarnessError('input.schema', `expected ${about}; ${found}`, {
    cause: error,
    ...(key === '' ? {} : { at: { key } }),
  });
}

type Issue = z.core.$ZodIssue;

/** Of a choice that was refused, the complaint of the alternative that fits at its top, if one does. */
function deepest(issue: Issue | undefined): Issue | undefined {
  if (issue?.code !== 'invalid_union') return issue;
  const inner = issue.errors.flatMap(([first]) => first ?? []).find(({ path }) => path.length > 0);
  return inner === undefined ? issue : deepest({ ...inner, path: [...issue.path, ...inner.path] });
}

/** What an issue asks for, in the words of JSON. */
function expectedBy(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected;
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return [...new Set(issue.errors.flatMap(([first]) => (first ? expectedBy(first) : [])))].join(
        ' or ',
      );
    default:
      return issue.message;
  }
}

function at(value: unknown, path: readonly string[]): unknown {
  let inner = value;
  for (const key of path) {
    if (typeof inner !== 'object' || inner === null) return undefined;
    inner = Object.entries(inner).find(([name]) => name === key)?.[1];
  }
  return inner;
}

const LONGEST = 40;

/** The kind of an object or array, the start of a text, any other value as it is. */
function shortly(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  // JSON has no infinite number, and `1e999` is one.
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
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
    const message = /call stack/.test(error.message)
      ? 'the JSON is nested too deep to be read'
      : `the JSON is too large to be read: ${error.message}`;
    return new HarnessError('input.schema', message, { cause: error });
  }
  throw error;
}
