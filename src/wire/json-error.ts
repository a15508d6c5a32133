import { HarnessError } from '../errors.ts';

/**
 * The `input.syntax` error for text that `JSON.parse` refused, with line and column of the first place
 * that is not JSON. Node's own message has no position in half of the cases, so the text is walked.
 */
export function syntaxError(text: string, cause: unknown): HarnessError {
  const offset = firstError(text);
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  const message =
    offset >= text.trimEnd().length
      ? 'the JSON ends too early: the file is truncated, or a bracket or quote is not closed'
      : `expected JSON, found ${JSON.stringify(text.slice(offset, offset + 20))}`;
  return new HarnessError('input.syntax', message, { cause, at: { line, column } });
}

const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const SPACE = /[ \t\n\r]*/y;

/** Offset of the first character that no JSON text could have there. Iterative: depth is free. */
export function firstError(text: string): number {
  let at = 0;
  const skip = () => {
    SPACE.lastIndex = at;
    SPACE.test(text);
    at = SPACE.lastIndex;
  };
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  const open: ('{' | '[')[] = [];
  let state: 'value' | 'first-value' | 'key' | 'first-key' | 'after' = 'value';
  for (;;) {
    skip();
    const character = text[at];
    if (state === 'key' || state === 'first-key') {
      if (state === 'first-key' && character === '}') {
        at++;
        open.pop();
        state = 'after';
        continue;
      }
      const key = walkString(text, at);
      if ('error' in key) return key.error;
      at = key.end;
      skip();
      if (text[at] !== ':') return at;
      at++;
      state = 'value';
    } else if (state === 'value' || state === 'first-value') {
      if (state === 'first-value' && character === ']') {
        at++;
        open.pop();
        state = 'after';
      } else if (character === '{' || character === '[') {
        at++;
        open.push(character);
        state = character === '{' ? 'first-key' : 'first-value';
      } else if (character === '"') {
        const string = walkString(text, at);
        if ('error' in string) return string.error;
        at = string.end;
        state = 'after';
      } else if (take(LITERAL)) state = 'after';
      else return at;
    } else {
      const inside = open.at(-1);
      if (inside === undefined) return at;
      if (character === ',') {
        at++;
        state = inside === '{' ? 'key' : 'value';
      } else if (character === (inside === '{' ? '}' : ']')) {
        at++;
        open.pop();
      } else return at;
    }
  }
}

/** Walks the string at `start`: where it ends, or its first character that no JSON string may hold. */
function walkString(
  text: string,
  start: number,
): { readonly end: number } | { readonly error: number } {
  if (text[start] !== '"') return { error: start };
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) return { end: at + 1 };
    if (code < 32) return { error: at };
    if (code === 92) {
      if (!ESCAPE.test(text.slice(at, at + 6))) {
        return { error: at + 6 > text.length ? text.length : at };
      }
      at++;
    }
  }
  return { error: text.length };
}

const ESCAPE = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/;
