/**
 * `re_*` and the module `re`, over the host's linear-time engine (RE2 syntax). Runs inside the machine.
 */

import { call } from './calls.js';
import { fail, PatternError, PyException } from './exceptions.js';
import { isInteger } from './numbers.js';
import { PyMatch, PyModule, PyTuple, typeName } from './values.js';

const UNICODE = 32;
const VERBOSE = 64;
const ASCII = 256;
const FLAGS = {
  ASCII,
  A: ASCII,
  IGNORECASE: 2,
  I: 2,
  MULTILINE: 8,
  M: 8,
  DOTALL: 16,
  S: 16,
  UNICODE,
  U: UNICODE,
  VERBOSE,
  X: VERBOSE,
};
const INLINE = { 2: 'i', 8: 'm', 16: 's', 32: 'u' };

/** A pattern of several lines without its white space and comments, as `re.VERBOSE` reads it. */
function withoutLayout(source) {
  const part = /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|#[^\n]*|[ \t\n\r\f\v]+/g;
  return source.replace(part, (found) => (/^[\\[]/.test(found) ? found : ''));
}

/** A compiled pattern is a module of its methods, so that `pattern.sub(…)` is a plain call. */
class PyPattern extends PyModule {
  constructor(source, flags) {
    super('re.Pattern', null);
    this.source = source;
    this.flags = flags;
  }
}

/**
 * All matches of a pattern (at most `limit`): flat spans, and the names of its groups.
 * `anchor`: '' anywhere, 'start', or 'full'.
 */
function run(pattern, flags, text, limit, anchor = '') {
  const source = pattern instanceof PyPattern ? pattern.source : pattern;
  for (const value of [source, text]) {
    if (typeof value !== 'string') {
      fail('TypeError', `expected a string for a regular expression, got '${typeName(value)}'`);
    }
  }
  const mask = pattern instanceof PyPattern ? pattern.flags : flags;
  const letters = Object.entries(INLINE)
    .filter(([bit]) => (mask & Number(bit)) !== 0)
    .map(([, letter]) => letter)
    .join('');
  const plain = (mask & VERBOSE) === 0 ? source : withoutLayout(source);
  const found = JSON.parse(hostRegexp(plain, letters, text, limit, anchor));
  if (found.error !== undefined) throw new PyException(PatternError, [found.error]);
  return found;
}

function matchesOf(pattern, flags, text, limit = 0, anchor = '') {
  const { matches, names } = run(pattern, flags, text, limit, anchor);
  return matches.map((spans) => new PyMatch(text, spans, names));
}

function first(pattern, flags, text, anchor) {
  return matchesOf(pattern, flags, text, 1, anchor)[0] ?? null;
}

/** Groups as findall gives them: the whole match, its one group, or a tuple of its groups. */
function findAll(pattern, flags, text) {
  return matchesOf(pattern, flags, text).map((match) => {
    if (match.groupCount === 0) return match.group(0);
    if (match.groupCount === 1) return match.group(1) ?? '';
    return new PyTuple(
      Array.from({ length: match.groupCount }, (_, index) => match.group(index + 1) ?? ''),
    );
  });
}

function split(pattern, flags, text, limit) {
  const parts = [];
  let from = 0;
  for (const match of matchesOf(pattern, flags, text, limit)) {
    parts.push(text.slice(from, match.spans[0]));
    for (let index = 1; index <= match.groupCount; index++) parts.push(match.group(index));
    from = match.spans[1];
  }
  parts.push(text.slice(from));
  return parts;
}

function substitute(pattern, replacement, text, limit, flags, dollars) {
  const matches = matchesOf(pattern, flags, text, limit);
  const expand = typeof replacement === 'string' ? template(replacement, dollars) : undefined;
  let result = '';
  let from = 0;
  for (const match of matches) {
    const fresh = expand === undefined ? call(replacement, [match], null) : expand(match);
    if (typeof fresh !== 'string') {
      fail('TypeError', `expected str instance, ${typeName(fresh)} found`);
    }
    result += text.slice(from, match.spans[0]) + fresh;
    from = match.spans[1];
  }
  return { text: result + text.slice(from), count: matches.length };
}

const BACK = /\\(?:g<([^>]+)>|([1-9]\d?)|([\s\S]))/g;
const BACK_OR_DOLLAR =
  /\\(?:g<([^>]+)>|([1-9]\d?)|([\s\S]))|\$(?:\{(\w+)\}|(\d+|[A-Za-z_]\w*)|(\$))/g;
const PLAIN = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  a: '\x07',
  f: '\f',
  v: '\v',
  b: '\b',
  0: '\0',
};

/**
 * What a replacement stands for: Python's `\1` and `\g<name>`; with `dollars` also Go's `$1` and `${name}`,
 * where the pattern has that group (a price stays a price).
 */
function template(replacement, dollars) {
  if (!/[\\$]/.test(replacement)) return () => replacement;
  const group = (match, key) => {
    const text = match.group(/^\d+$/.test(key) ? Number(key) : key);
    if (text === undefined) {
      throw new PyException(PatternError, [`invalid group reference ${key}`]);
    }
    return text ?? '';
  };
  return (match) =>
    replacement.replace(
      dollars ? BACK_OR_DOLLAR : BACK,
      (all, name, number, character, braced, bare, dollar) => {
        if (name !== undefined || number !== undefined) return group(match, name ?? number);
        if (character !== undefined) return PLAIN[character] ?? all;
        if (dollar !== undefined) return '$';
        const key = braced ?? bare;
        const text = match.group(/^\d+$/.test(key) ? Number(key) : key);
        return text === undefined ? all : (text ?? '');
      },
    );
}

/** The flags of Python's `re`, whose classes are Unicode's unless it is told otherwise. */
function flagsOf(value) {
  const given = isInteger(value) ? Number(value) : 0;
  return (given & ASCII) === 0 ? given | UNICODE : given & ~UNICODE;
}

function limitOf(value) {
  return value === undefined || value === null ? 0 : Number(value);
}

/** The functions that context-guru's sandbox predeclares. */
export const starlarkRegexp = {
  re_findall: ([pattern, text]) => findAll(pattern, 0, text),
  re_match: ([pattern, text]) => first(pattern, 0, text, ''),
  re_split: ([pattern, text, limit]) => split(pattern, 0, text, limitOf(limit)),
  re_sub: ([pattern, replacement, text, limit]) =>
    substitute(pattern, replacement, text, limitOf(limit), 0, true).text,
};

/** Each takes the pattern first; `prefix` binds it for a compiled one. */
function members(prefix) {
  const bound = (method) => (values, named) => method([...prefix, ...values], named ?? {});
  const flag = (value, named) => {
    const given = value ?? named.flags;
    // What a compiled pattern's methods take here in Python is where to begin.
    if (prefix.length > 0 && given !== undefined) {
      fail(
        'TypeError',
        'a compiled pattern takes no position in the sandbox; cut the text instead',
      );
    }
    return flagsOf(given);
  };
  return {
    __proto__: null,
    findall: bound(([pattern, text, flags], named) => findAll(pattern, flag(flags, named), text)),
    finditer: bound(([pattern, text, flags], named) =>
      matchesOf(pattern, flag(flags, named), text)[Symbol.iterator](),
    ),
    fullmatch: bound(([pattern, text, flags], named) =>
      first(pattern, flag(flags, named), text, 'full'),
    ),
    match: bound(([pattern, text, flags], named) =>
      first(pattern, flag(flags, named), text, 'start'),
    ),
    search: bound(([pattern, text, flags], named) => first(pattern, flag(flags, named), text, '')),
    split: bound(([pattern, text, limit, flags], named) =>
      split(pattern, flag(flags, named), text, limitOf(limit ?? named.maxsplit)),
    ),
    sub: bound(
      ([pattern, replacement, text, limit, flags], named) =>
        substitute(
          pattern,
          replacement,
          text,
          limitOf(limit ?? named.count),
          flag(flags, named),
          false,
        ).text,
    ),
    subn: bound(([pattern, replacement, text, limit, flags], named) => {
      const result = substitute(
        pattern,
        replacement,
        text,
        limitOf(limit ?? named.count),
        flag(flags, named),
        false,
      );
      return new PyTuple([result.text, result.count]);
    }),
  };
}

function compile([source, flags], named) {
  if (source instanceof PyPattern) return source;
  const pattern = new PyPattern(source, flagsOf(flags ?? named?.flags));
  run(pattern, 0, '', 1);
  pattern.members = { ...members([pattern]), pattern: source, flags: pattern.flags };
  return pattern;
}

export const regexpModule = new PyModule('re', {
  ...members([]),
  ...FLAGS,
  compile,
  error: PatternError,
  PatternError,
  escape: ([text]) => text.replace(/[()[\]{}?*+\-|^$\\.&~# \t\n\r\v\f]/g, '\\$&'),
});
