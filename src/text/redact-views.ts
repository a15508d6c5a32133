/** Readings of a text in which secrets are looked for, each with its way back to the text. */
export interface View {
  readonly text: string;
  /** Offset in the source of the code unit at `index`; of `text.length`, where the source ends. */
  at(index: number): number;
}

export function plainView(text: string): View {
  return { text, at: (index) => index };
}

/** Escapes of JSON and of program code; several backslashes are text that was escaped more than once. */
const ESCAPE = /\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([bfnrt"'`/]))?/g;

const CONTROLS: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * The text with its escapes undone, however often it was escaped; undefined where it has no backslash. It is
 * a guess: `C:\new` has no line end. So it is read besides the text and never instead of it.
 */
export function unescapedView(text: string): View | undefined {
  if (!text.includes('\\')) return undefined;
  return decoded(text, ESCAPE, ([, unit, byte, letter]) => {
    const code = unit ?? byte;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return letter === undefined ? '\\' : (CONTROLS[letter] ?? letter);
  });
}

const JSON_ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/g;

/** What stands between the quotes of a JSON string, decoded as JSON has it. */
export function jsonStringView(content: string): View {
  if (!content.includes('\\')) return plainView(content);
  return decoded(content, JSON_ESCAPE, ([, unit, letter = '']) =>
    unit === undefined
      ? (CONTROLS[letter] ?? letter)
      : String.fromCharCode(Number.parseInt(unit, 16)),
  );
}

/** A view of a view: `inner.text` is what `outer` gave. */
export function nestedView(inner: View, outer: View): View {
  return { text: inner.text, at: (index) => outer.at(inner.at(index)) };
}

/** Each match of `pattern` reads as the one code unit that `unitOf` gives. */
function decoded(text: string, pattern: RegExp, unitOf: (match: RegExpMatchArray) => string): View {
  const offsets = new Int32Array(text.length + 1);
  const parts: string[] = [];
  let length = 0;
  let copied = 0;
  const copy = (end: number) => {
    if (end === copied) return;
    parts.push(text.slice(copied, end));
    for (let at = copied; at < end; at++) offsets[length++] = at;
  };
  for (const match of text.matchAll(pattern)) {
    copy(match.index);
    parts.push(unitOf(match));
    offsets[length++] = match.index;
    copied = match.index + match[0].length;
  }
  copy(text.length);
  offsets[length] = text.length;
  return { text: parts.join(''), at: (index) => offsets[index] ?? text.length };
}
