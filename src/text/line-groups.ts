/**
 * Groups of lines, whose tokens add up in both encodings: no piece of the patterns reaches over the beginning of a
 * group, and none looks back. A line begins one unless it is blank, or its first character is a `/` that
 * punctuation at the end of the line before may take to it; such a line is in the group before it.
 */

const TAB = 9;
const SPACE = 32;
const SLASH = 47;
const LAST_ASCII = 126;

/** Whether the text from `at` on, which is the beginning of a line, begins a group of lines. */
export function beginsGroup(text: string, at: number): boolean {
  let index = at;
  let code = text.charCodeAt(index);
  if (code === SLASH) return endsWord(text, at - 2);
  while (code === SPACE || code === TAB) code = text.charCodeAt(++index);
  if (index >= text.length) return false;
  return code > SPACE && (code <= LAST_ASCII || !/\s/.test(text.charAt(index)));
}

/** Whether a group of `text` that begins at `at` begins one behind `before`, too. */
export function beginsGroupBehind(before: string, text: string, at: number): boolean {
  if (!before.endsWith('\n')) return before === '';
  return text.charCodeAt(at) !== SLASH || endsWord(before, before.length - 2);
}

/** Whether a letter, a digit or a blank of ASCII stands at `at`. */
function endsWord(text: string, at: number): boolean {
  const code = at < 0 ? 0 : text.charCodeAt(at);
  if (code === SPACE || code === TAB || (code >= 48 && code <= 57)) return true;
  const small = code | 32;
  return small >= 97 && small <= 122;
}
