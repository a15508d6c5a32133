/** Readings of a text in which secrets are looked for, each with its way back to the text. */
export interface View {
  readonly text: string;
  /** Offset in the source of the code unit at `index`; of `text.length`, where the source ends. */
  at(index: number): number;
  /** Offset in the source behind the code unit before `index`: without what the view leaves out there. */
  end(index: number): number;
}

export function plainView(text: string): View {
  return { text, at: (index) => index, end: (index) => index };
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
  return {
    text: inner.text,
    at: (index) => outer.at(inner.at(index)),
    end: (index) => outer.end(inner.end(index)),
  };
}

/**
 * What a terminal takes as a command: colours, cursor moves, titles of windows. Scripts spell the escape
 * as `\033` or `\e`, and editors as `^[`.
 */
const TERMINAL =
  /(?:\u001b|\\(?:033|e)|\^\[)(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\u0007\u001b\n]{0,2000}(?:\u0007|\u001b\\)|[()*+][A-Za-z0-9])|\u009b[0-?]{0,64}[@-~]/g;

/** True where a terminal would not show all of the text as it is. */
export function hasTerminalCodes(text: string): boolean {
  return text.search(TERMINAL) >= 0;
}

/**
 * The text as a terminal shows it: once with what parts words by colour alone joined, and once with a space
 * where a code was, since a code also stands between words. None where it has no codes.
 */
export function terminalViews(text: string): readonly View[] {
  if (!hasTerminalCodes(text)) return [];
  return [decoded(text, TERMINAL, () => ''), decoded(text, TERMINAL, () => ' ')];
}

/** Each match of `pattern` reads as the code unit that `unitOf` gives, or as none. */
function decoded(text: string, pattern: RegExp, unitOf: (match: RegExpMatchArray) => string): View {
  const offsets = new Int32Array(text.length + 1);
  const ends = new Int32Array(text.length + 1);
  const parts: string[] = [];
  let length = 0;
  let copied = 0;
  const copy = (end: number) => {
    if (end === copied) return;
    parts.push(text.slice(copied, end));
    for (let at = copied; at < end; at++) {
      offsets[length++] = at;
      ends[length] = at + 1;
    }
  };
  for (const match of text.matchAll(pattern)) {
    copy(match.index);
    const unit = unitOf(match);
    copied = match.index + match[0].length;
    if (unit === '') continue;
    parts.push(unit);
    offsets[length++] = match.index;
    ends[length] = copied;
  }
  copy(text.length);
  offsets[length] = text.length;
  return {
    text: parts.join(''),
    at: (index) => offsets[index] ?? text.length,
    end: (index) => ends[index] ?? text.length,
  };
}
