/**
 * Regular expressions in linear time (RE2 syntax), for programs in the machine. Plain JavaScript, because
 * Node 20 cannot start a thread from TypeScript.
 */

import { RE2JS } from 're2js';

/** More numbers than this in one result would not fit the machine's memory. */
const MAX_SPANS = 2_000_000;
const CACHE_SIZE = 64;

/** @type {Map<string, {pattern: RE2JS, names: Record<string, number>, groups: number}>} */
const compiled = new Map();

/** What Python's classes hold, written for RE2, whose own are ASCII. */
const UNICODE_CLASSES = new Map([
  ['w', '\\p{L}\\p{N}_'],
  ['d', '\\p{Nd}'],
  ['s', '\\s\\x0b\\x1c-\\x1f\\x85\\p{Z}'],
]);

/**
 * The pattern with `\w`, `\d`, `\s` and their opposites as Unicode has them. An opposite within brackets stays
 * ASCII, and so does `\b`: RE2 has no way to write them.
 * @param {string} source
 */
function withUnicodeClasses(source) {
  let isInBrackets = false;
  return source.replace(/\\([\s\S])|\[\^?\]?|\]/g, (found, letter) => {
    if (letter === undefined) {
      // A bracket within brackets is a character, and so is one that closes them at once.
      isInBrackets = isInBrackets ? !found.endsWith(']') : found !== ']';
      return found;
    }
    const members = UNICODE_CLASSES.get(letter.toLowerCase());
    if (members === undefined) return found;
    const isOpposite = letter !== letter.toLowerCase();
    if (isInBrackets) return isOpposite ? found : members;
    return isOpposite ? `[^${members}]` : `[${members}]`;
  });
}

/** @param {string} source @param {string} flags */
function compile(source, flags) {
  const key = `${flags}/${source}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  let bits = 0;
  if (flags.includes('i')) bits |= RE2JS.CASE_INSENSITIVE;
  if (flags.includes('m')) bits |= RE2JS.MULTILINE;
  if (flags.includes('s')) bits |= RE2JS.DOTALL;
  // Python spells the end of the text \Z.
  const written = flags.includes('u') ? withUnicodeClasses(source) : source;
  const pattern = RE2JS.compile(
    written.replace(/\\([\s\S])/g, (all, c) => (c === 'Z' ? '\\z' : all)),
    bits,
  );
  const entry = { pattern, names: pattern.namedGroups(), groups: pattern.groupCount() };
  if (compiled.size >= CACHE_SIZE) compiled.delete(compiled.keys().next().value ?? '');
  compiled.set(key, entry);
  return entry;
}

/**
 * Matches as a JSON text: `{matches: [[start, end, …groups]], names}` in UTF-16 units, or `{error}`.
 * An empty match may follow a match directly, as in Python.
 * @param {string} source @param {string} flags @param {string} text
 * @param {number} limit at most so many matches; 0: all
 * @param {string} anchor '' | 'start' | 'full'
 */
export function findMatches(source, flags, text, limit, anchor) {
  let entry;
  try {
    // Over plain text the classes are the same, and the shorter ones are faster.
    entry = compile(source, /[^\x00-\x7f]/.test(text) ? flags : flags.replace('u', ''));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return JSON.stringify({
      error: `${reason} (regular expressions are linear-time: no look-around, no back-references)`,
    });
  }
  const matcher = entry.pattern.matcher(text);
  const width = (entry.groups + 1) * 2;
  const read = () => {
    const spans = [];
    for (let group = 0; group <= entry.groups; group++) {
      spans.push(matcher.start(group), matcher.end(group));
    }
    return spans;
  };
  const matches = [];
  if (anchor !== '') {
    if (anchor === 'full' ? matcher.matches() : matcher.lookingAt()) matches.push(read());
    return JSON.stringify({ matches, names: entry.names });
  }
  let at = 0;
  while (at <= text.length && matcher.find(at)) {
    const spans = read();
    matches.push(spans);
    if (matches.length * width > MAX_SPANS) {
      return JSON.stringify({ error: `more than ${MAX_SPANS / width} matches` });
    }
    if (limit > 0 && matches.length >= limit) break;
    const [start = 0, end = 0] = spans;
    at = end > start ? end : end + (/[\ud800-\udbff]/.test(text[end] ?? '') ? 2 : 1);
  }
  return JSON.stringify({ matches, names: entry.names });
}
