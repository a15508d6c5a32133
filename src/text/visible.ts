/**
 * What a reader cannot see, or what acts on a terminal or a page: controls, formats (direction, joiners, tags),
 * halves of surrogate pairs, separators of lines, and all that Unicode lets a font leave blank. A variation
 * selector behind an emoji, digit, `#` or `*` is how emoji are written.
 */
const HIDDEN =
  /(?!(?<=[\p{Extended_Pictographic}\d#*])[\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A text of somebody else's (a file name, a task, a piece of a recording) as one line of a terminal or a
 * log: what would move the cursor, colour, break the line, turn its direction or not be seen stands escaped as
 * in JSON.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, escapedUnits);
}

/** The same of a text of several lines: line ends and tabs stay. */
export function visibleLines(text: string): string {
  return text.replace(HIDDEN, (character) =>
    character === '\n' || character === '\t' ? character : escapedUnits(character),
  );
}

function escapedUnits(character: string): string {
  const escaped = JSON.stringify(character).slice(1, -1);
  if (escaped !== character) return escaped;
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
