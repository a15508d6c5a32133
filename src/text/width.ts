/** Scripts and signs that take two columns on a terminal (Unicode's East Asian width W and F, roughly). */
const WIDE =
  /[\u1100-\u115f\u231a\u231b\u23e9-\u23f3\u25fd\u25fe\u2614-\u27bf\u2b1b-\u2b55\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;

/**
 * Columns that a line of visible text takes at most: what lies outside of the basic plane counts two, and
 * what joins the sign before it counts one, so that no terminal needs more. Never less than `length`.
 */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/** The text, or its beginning and `…`, in at most `width` columns; a code point is never split. */
export function fitWidth(text: string, width: number): string {
  let used = 0;
  let fits = '';
  for (const character of text) {
    const next = used + widthOf(character);
    if (next > width) return width < 1 ? '' : `${withoutLast(fits, used, width)}…`;
    fits += character;
    used = next;
  }
  return fits;
}

/** The text in pieces of at most `width` columns; `width` is 2 or more. At least one piece. */
export function wrapWidth(text: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of text) {
    const next = widthOf(character);
    if (used + next > width) {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += character;
    used += next;
  }
  return [...pieces, piece];
}

function widthOf(character: string): number {
  return character.length > 1 || WIDE.test(character) ? 2 : 1;
}

function withoutLast(text: string, used: number, width: number): string {
  if (used < width) return text;
  const characters = [...text];
  characters.pop();
  return characters.join('');
}
