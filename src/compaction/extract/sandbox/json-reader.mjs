/**
 * Reads JSON for Python programs in the machine: what JSON.parse would lose (big integers, `1.0`, the order
 * of keys that look like numbers) is kept apart. Plain JavaScript: it runs in the thread.
 */

const MAX_DEPTH = 400;
const MAX_LENGTH = 16 * 2 ** 20;

const BLANKS = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y;
const WORD = /true|false|null|NaN|-?Infinity/y;

class Mistake extends Error {
  /** @param {string} message @param {number} at @param {boolean} depth */
  constructor(message, at, depth = false) {
    super(message);
    this.at = at;
    this.depth = depth;
  }
}

/**
 * `{value}` as a JSON text in which a list is `[0, …]`, a dict `[1, key, value, …]`, a float `[2, "1.0"]` and
 * a big integer `[3, "123"]`; or `{error}` in Python's words.
 * @param {string} text
 */
export function readJson(text) {
  if (text.length > MAX_LENGTH) {
    return JSON.stringify({ error: `the JSON text has more than ${MAX_LENGTH} characters` });
  }
  try {
    return `{"value":${read(text)}}`;
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    if (error.depth) return JSON.stringify({ error: error.message, depth: true });
    const before = text.slice(0, error.at);
    const line = before.split('\n').length;
    const column = error.at - before.lastIndexOf('\n');
    return JSON.stringify({
      error: `${error.message}: line ${line} column ${column} (char ${error.at})`,
    });
  }
}

/** @param {string} text */
function read(text) {
  let at = 0;
  /** @param {RegExp} pattern */
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at += found[0].length;
    return found;
  };
  const blanks = () => {
    const code = text.charCodeAt(at);
    if (code === 32 || (code >= 9 && code <= 13)) take(BLANKS);
  };
  /** @param {number} depth @returns {string} */
  const value = (depth) => {
    if (depth > MAX_DEPTH) throw new Mistake('maximum recursion depth exceeded', at, true);
    const first = text[at];
    if (first === '"') return string();
    if (first === '{') return object(depth);
    if (first === '[') return array(depth);
    const word = take(WORD);
    if (word !== null) {
      const number = {
        NaN: '[2,"NaN"]',
        Infinity: '[2,"Infinity"]',
        '-Infinity': '[2,"-Infinity"]',
      };
      return number[/** @type {'NaN'} */ (word[0])] ?? word[0];
    }
    const number = take(NUMBER);
    if (number === null) throw new Mistake('Expecting value', at);
    const [all, fraction, exponent] = number;
    if (fraction !== undefined || exponent !== undefined) return `[2,"${all}"]`;
    return Number.isSafeInteger(Number(all)) ? (all === '-0' ? '0' : all) : `[3,"${all}"]`;
  };
  const string = () => {
    const start = at;
    const found = take(STRING);
    if (found !== null) return found[0];
    const rest = /^"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/.exec(text.slice(start));
    const end = start + (rest?.[0].length ?? 0);
    if (end >= text.length) throw new Mistake('Unterminated string starting at', start);
    if (text[end] === '\\') throw new Mistake('Invalid \\escape', end);
    throw new Mistake('Invalid control character at', end);
  };
  /** @param {number} depth */
  const array = (depth) => {
    at++;
    blanks();
    const parts = ['0'];
    if (text[at] === ']') {
      at++;
      return '[0]';
    }
    for (;;) {
      blanks();
      parts.push(value(depth + 1));
      blanks();
      if (text[at] === ']') break;
      if (text[at] !== ',') throw new Mistake("Expecting ',' delimiter", at);
      at++;
    }
    at++;
    return `[${parts.join(',')}]`;
  };
  /** @param {number} depth */
  const object = (depth) => {
    at++;
    blanks();
    const parts = ['1'];
    if (text[at] === '}') {
      at++;
      return '[1]';
    }
    for (;;) {
      blanks();
      if (text[at] !== '"') {
        throw new Mistake('Expecting property name enclosed in double quotes', at);
      }
      parts.push(string());
      blanks();
      if (text[at] !== ':') throw new Mistake("Expecting ':' delimiter", at);
      at++;
      blanks();
      parts.push(value(depth + 1));
      blanks();
      if (text[at] === '}') break;
      if (text[at] !== ',') throw new Mistake("Expecting ',' delimiter", at);
      at++;
    }
    at++;
    return `[${parts.join(',')}]`;
  };
  blanks();
  const result = value(0);
  blanks();
  if (at < text.length) throw new Mistake('Extra data', at);
  return result;
}
