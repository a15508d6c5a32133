const HIDDEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * A text of somebody else's (a file name, a task, a piece of a recording) as one line of a terminal or a
 * log: what would move the cursor, colour, break the line or turn its direction stands escaped as in JSON.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const escaped = JSON.stringify(character).slice(1, -1);
    if (escaped !== character) return escaped;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
