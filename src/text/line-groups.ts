/**
 * Groups of lines, whose tokens add up in both encodings: a line that begins with a visible character other than
 * `/`, behind any indentation, begins a group, and the lines behind it that do not are in it. No piece of the
 * patterns reaches over the beginning of a group, and none looks back.
 */

const TAB = 9;
const SPACE = 32;
const SLASH = 47;
const LAST_ASCII = 126;

/** Whether the text from `at` on, which is the beginning of a line, begins a group of lines. */
export function beginsGroup(text: string, at: number): boolean {
  let index = at;
  let code = text.charCodeAt(index);
  while (code === SPACE || code === TAB) code = text.charCodeAt(++index);
  if (index >= text.length || code === SLASH) return false;
  return code > SPACE && (code <= LAST_ASCII || !/\s/.test(text.charAt(index)));
}
