/** Longest excerpt of recorded text that a report shows, in characters, escapes included. */
const LONGEST_EXCERPT = 80;

// Control, format and bidirectional characters, line separators and lone surrogates: what could hide text or
// steer a terminal.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u;

/**
 * The beginning of `text`, at most `limit` characters, safe to print: control and format characters and lone
 * surrogates are shown as `\uXXXX`, and no character is cut in half.
 */
export function excerptOf(text: string, limit: number = LONGEST_EXCERPT): string {
  const start = text.slice(0, limit + 1);
  if (!UNSAFE.test(start)) {
    if (text.length <= limit) return text;
    const isHalf = /[\ud800-\udbff]$/.test(text.slice(0, limit - 1));
    return `${text.slice(0, isHalf ? limit - 2 : limit - 1)}…`;
  }
  let shown = '';
  let withRoomForEllipsis = '';
  for (const character of text) {
    shown += UNSAFE.test(character) ? visible(character) : character;
    if (shown.length > limit) return `${withRoomForEllipsis}…`;
    if (shown.length < limit) withRoomForEllipsis = shown;
  }
  return shown;
}

/** A name or an id in quotes, short enough for a sentence. */
export function quote(text: string): string {
  return `"${excerptOf(text, 40)}"`;
}

function visible(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  if (character === '\r') return '\\r';
  let escaped = '';
  for (let index = 0; index < character.length; index++) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}
