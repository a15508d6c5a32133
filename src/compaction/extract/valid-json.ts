const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const COMMA = 44;
const COLON = 58;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Whether `JSON.parse` accepts the text, found by a scan that builds no value: a tool output may have
 * tens of megabytes. Linear, and nesting costs no stack.
 */
export function isValidJson(text: string): boolean {
  /** Open containers, as their closing brackets. */
  const open: number[] = [];
  let at = 0;
  for (;;) {
    at = skipSpace(text, at);
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      const close = code === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
      at = skipSpace(text, at + 1);
      if (text.charCodeAt(at) !== close) {
        open.push(close);
        if (close === CLOSE_BRACE) at = keyEnd(text, at);
        if (at < 0) return false;
        continue;
      }
      at++;
    } else {
      at = scalarEnd(text, at, code);
      if (at < 0) return false;
    }
    // After a value: close what ends here, then the next entry or the end of the text.
    for (;;) {
      at = skipSpace(text, at);
      const close = open.at(-1);
      if (close === undefined) return at === text.length;
      const next = text.charCodeAt(at);
      at++;
      if (next === close) {
        open.pop();
        continue;
      }
      if (next !== COMMA) return false;
      if (close === CLOSE_BRACE) at = keyEnd(text, skipSpace(text, at));
      if (at < 0) return false;
      break;
    }
  }
}

function skipSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at;
    at++;
  }
}

/** Offset after a key and its colon, or -1. */
function keyEnd(text: string, start: number): number {
  if (text.charCodeAt(start) !== QUOTE) return -1;
  const end = stringEnd(text, start);
  if (end < 0) return -1;
  const colon = skipSpace(text, end);
  return text.charCodeAt(colon) === COLON ? colon + 1 : -1;
}

function scalarEnd(text: string, start: number, code: number): number {
  if (code === QUOTE) return stringEnd(text, start);
  for (const word of ['true', 'false', 'null']) {
    if (text.startsWith(word, start)) return start + word.length;
  }
  NUMBER.lastIndex = start;
  return NUMBER.test(text) ? NUMBER.lastIndex : -1;
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < 32) return -1;
    if (code === BACKSLASH) {
      const escaped = text[at + 1] ?? '';
      if (escaped === 'u') {
        if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6))) return -1;
        at += 4;
      } else if (!'"\\/bfnrt'.includes(escaped) || escaped === '') return -1;
      at++;
    }
    at++;
  }
  return -1;
}
