/** Methods of str; offsets are in code points, as Python counts. Runs inside the machine. */

import { fail } from './exceptions.js';
import { formatTemplate } from './format.js';
import {
  codePointOffset,
  isWide,
  iterate,
  PyBytes,
  PyDict,
  PyTuple,
  textLength,
  typeName,
  withoutSelf,
} from './values.js';

const SPACES =
  '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';
const SPACE_RUN = new RegExp(`[${SPACES}]+`, 'g');
const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g;

/** How `str.format` reaches into a value; the module that knows attributes sets it. */
let access = null;

export function accessWith(reach) {
  access = reach;
}

/** UTF-16 offsets of a Python slice of a string, clamped. */
function textRange(text, start, stop) {
  const length = textLength(text);
  const clamp = (value, usual) => {
    if (value === null || value === undefined) return usual;
    return Math.min(length, Math.max(0, value < 0 ? value + length : Number(value)));
  };
  const from = clamp(start, 0);
  const to = clamp(stop, length);
  return isWide(text) ? [unitOffset(text, from), unitOffset(text, to)] : [from, to];
}

function unitOffset(text, codePoints) {
  let units = 0;
  let count = 0;
  for (const character of text) {
    if (count++ >= codePoints) break;
    units += character.length;
  }
  return units;
}

function needText(value, method) {
  if (typeof value === 'string') return value;
  return fail('TypeError', `${method}: expected str, not ${typeName(value)}`);
}

/** The searching methods share their range and their counting. */
function search(text, values, last, method) {
  const wanted = needText(values[0], method);
  const [from, to] = textRange(text, values[1], values[2]);
  const part = text.slice(from, to);
  const found = last ? part.lastIndexOf(wanted) : part.indexOf(wanted);
  return found < 0 ? -1 : codePointOffset(text, from + found);
}

function affix(text, values, isStart) {
  const options =
    values[0] instanceof PyTuple || Array.isArray(values[0])
      ? [...iterate(values[0])]
      : [values[0]];
  const [from, to] = textRange(text, values[1], values[2]);
  const part = values.length > 1 ? text.slice(from, to) : text;
  return options.some((option) => {
    const wanted = needText(option, isStart ? 'startswith' : 'endswith');
    return isStart ? part.startsWith(wanted) : part.endsWith(wanted);
  });
}

function strip(text, characters, left, right) {
  const set =
    characters === null || characters === undefined ? SPACES : needText(characters, 'strip');
  const points = isWide(text) || isWide(set) ? [...text] : text;
  let from = 0;
  let to = points.length;
  if (left) while (from < to && set.includes(points[from])) from++;
  if (right) while (to > from && set.includes(points[to - 1])) to--;
  return typeof points === 'string' ? points.slice(from, to) : points.slice(from, to).join('');
}

function limitOf(value) {
  return value === undefined || value === null || value < 0
    ? Number.POSITIVE_INFINITY
    : Number(value);
}

function splitBlank(text, limit) {
  if (limit === Number.POSITIVE_INFINITY) {
    const trimmed = strip(text, null, true, true);
    return trimmed === '' ? [] : trimmed.split(SPACE_RUN);
  }
  const parts = [];
  let rest = strip(text, null, true, false);
  while (parts.length < limit && rest !== '') {
    SPACE_RUN.lastIndex = 0;
    const gap = SPACE_RUN.exec(rest);
    if (gap === null) break;
    parts.push(rest.slice(0, gap.index));
    rest = rest.slice(gap.index + gap[0].length);
  }
  if (rest !== '') parts.push(parts.length < limit ? strip(rest, null, false, true) : rest);
  return parts;
}

function splitOn(text, separator, limit) {
  if (separator === '') fail('ValueError', 'empty separator');
  const parts = text.split(separator);
  if (parts.length - 1 <= limit) return parts;
  return [...parts.slice(0, limit), parts.slice(limit).join(separator)];
}

function split(text, values, keywords) {
  const separator = values[0] ?? keywords?.sep ?? null;
  const limit = limitOf(values[1] ?? keywords?.maxsplit);
  if (separator === null) return splitBlank(text, limit);
  return splitOn(text, needText(separator, 'split'), limit);
}

function rightSplit(text, values, keywords) {
  const separator = values[0] ?? keywords?.sep ?? null;
  const limit = limitOf(values[1] ?? keywords?.maxsplit);
  if (limit === Number.POSITIVE_INFINITY) return split(text, values, keywords);
  if (separator === null) {
    const reversed = [...text].reverse().join('');
    return splitBlank(reversed, limit)
      .map((part) => [...part].reverse().join(''))
      .reverse();
  }
  if (separator === '') fail('ValueError', 'empty separator');
  const parts = text.split(needText(separator, 'rsplit'));
  if (parts.length - 1 <= limit) return parts;
  const head = parts.slice(0, parts.length - limit).join(separator);
  return [head, ...parts.slice(parts.length - limit)];
}

function splitLines(text, keepEnds) {
  const lines = [];
  let from = 0;
  for (const { 0: end, index } of text.matchAll(LINE_END)) {
    lines.push(text.slice(from, keepEnds ? index + end.length : index));
    from = index + end.length;
  }
  if (from < text.length) lines.push(text.slice(from));
  return lines;
}

function justify(text, values, where) {
  const room = Number(values[0]) - textLength(text);
  if (room <= 0) return text;
  const fill = values[1] ?? ' ';
  if (where === 'left') return text + fill.repeat(room);
  if (where === 'right') return fill.repeat(room) + text;
  // CPython puts the odd one on the left of an odd width.
  const left = Math.floor(room / 2) + (room & Number(values[0]) & 1);
  return fill.repeat(left) + text + fill.repeat(room - left);
}

function replace(text, [old, fresh, count]) {
  needText(old, 'replace');
  needText(fresh, 'replace');
  const limit = limitOf(count);
  if (limit === Number.POSITIVE_INFINITY) return text.replaceAll(old, () => fresh);
  let done = 0;
  return text.replaceAll(old, (found) => (done++ < limit ? fresh : found));
}

function partition(text, separator, last) {
  if (needText(separator, 'partition') === '') fail('ValueError', 'empty separator');
  const at = last ? text.lastIndexOf(separator) : text.indexOf(separator);
  if (at < 0) return new PyTuple(last ? ['', '', text] : [text, '', '']);
  return new PyTuple([text.slice(0, at), separator, text.slice(at + separator.length)]);
}

function title(text) {
  return text.replace(/\p{L}+/gu, (word) => {
    const [first] = word;
    return first.toUpperCase() + word.slice(first.length).toLowerCase();
  });
}

function count(text, values) {
  const wanted = needText(values[0], 'count');
  const [from, to] = textRange(text, values[1], values[2]);
  const part = text.slice(from, to);
  if (wanted === '') return textLength(part) + 1;
  let found = 0;
  for (let at = part.indexOf(wanted); at >= 0; at = part.indexOf(wanted, at + wanted.length))
    found++;
  return found;
}

function join(separator, items) {
  const parts = [...iterate(items)];
  parts.forEach((part, index) => {
    if (typeof part === 'string') return;
    fail('TypeError', `sequence item ${index}: expected str instance, ${typeName(part)} found`);
  });
  return parts.join(separator);
}

function expandTabs(text, size) {
  let column = 0;
  let result = '';
  for (const character of text) {
    if (character === '\t') {
      const fill = size > 0 ? size - (column % size) : 0;
      result += ' '.repeat(fill);
      column += fill;
    } else {
      result += character;
      column = character === '\n' || character === '\r' ? 0 : column + 1;
    }
  }
  return result;
}

function translate(text, table) {
  let result = '';
  for (const character of text) {
    const key = character.codePointAt(0);
    const value = table.has(key) ? table.get(key) : character;
    if (value !== null) result += typeof value === 'string' ? value : String.fromCodePoint(value);
  }
  return result;
}

function makeTranslation([from, to, removed]) {
  const table = new PyDict();
  if (from instanceof PyDict) {
    for (const key of from.keys()) {
      table.set(typeof key === 'string' ? key.codePointAt(0) : key, from.get(key));
    }
    return table;
  }
  const targets = [...to];
  [...from].forEach((character, index) => {
    table.set(character.codePointAt(0), targets[index]);
  });
  for (const character of removed ?? '') table.set(character.codePointAt(0), null);
  return table;
}

function everyCharacter(pattern) {
  return (text) => pattern.test(text);
}

function cased(text, isWanted, unwanted) {
  return isWanted.test(text) && !unwanted.test(text);
}

function zeroFill(text, width) {
  const room = Number(width) - textLength(text);
  if (room <= 0) return text;
  const sign = /^[-+]/.test(text) ? text[0] : '';
  return sign + '0'.repeat(room) + text.slice(sign.length);
}

/** Each takes the string, the positional arguments and the keyword ones. */
export const textMethods = {
  __proto__: null,
  capitalize: (text) => {
    const [first = ''] = text;
    return first.toUpperCase() + text.slice(first.length).toLowerCase();
  },
  casefold: (text) => text.toLowerCase().replaceAll('ß', 'ss'),
  center: (text, values) => justify(text, values, 'center'),
  codepoints: (text) => [...text],
  count,
  elems: (text) => [...text],
  encode: (text) => new PyBytes(unescape(encodeURIComponent(text))),
  endswith: (text, values) => affix(text, values, false),
  expandtabs: (text, [size = 8]) => expandTabs(text, Number(size)),
  find: (text, values) => search(text, values, false, 'find'),
  format: (text, values, keywords) => formatTemplate(text, values, keywords, access),
  index: (text, values) => {
    const found = search(text, values, false, 'index');
    return found < 0 ? fail('ValueError', 'substring not found') : found;
  },
  isalnum: everyCharacter(/^[\p{L}\p{N}]+$/u),
  isalpha: everyCharacter(/^\p{L}+$/u),
  isascii: everyCharacter(/^[\x00-\x7f]*$/),
  isdecimal: everyCharacter(/^\p{Nd}+$/u),
  isdigit: everyCharacter(/^[\p{Nd}²³¹⁰-⁹₀-₉]+$/u),
  isidentifier: everyCharacter(/^[\p{ID_Start}_]\p{ID_Continue}*$/u),
  islower: (text) => cased(text, /\p{Ll}/u, /[\p{Lu}\p{Lt}]/u),
  isnumeric: everyCharacter(/^\p{N}+$/u),
  isprintable: (text) => !/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(text),
  isspace: (text) => text !== '' && [...text].every((character) => SPACES.includes(character)),
  istitle: (text) => /\p{L}/u.test(text) && title(text) === text,
  isupper: (text) => cased(text, /\p{Lu}/u, /[\p{Ll}\p{Lt}]/u),
  join: (text, [items]) => join(text, items),
  ljust: (text, values) => justify(text, values, 'left'),
  lower: (text) => text.toLowerCase(),
  lstrip: (text, [characters]) => strip(text, characters, true, false),
  maketrans: withoutSelf(makeTranslation),
  partition: (text, [separator]) => partition(text, separator, false),
  removeprefix: (text, [prefix]) => (text.startsWith(prefix) ? text.slice(prefix.length) : text),
  removesuffix: (text, [suffix]) =>
    suffix !== '' && text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
  replace,
  rfind: (text, values) => search(text, values, true, 'rfind'),
  rindex: (text, values) => {
    const found = search(text, values, true, 'rindex');
    return found < 0 ? fail('ValueError', 'substring not found') : found;
  },
  rjust: (text, values) => justify(text, values, 'right'),
  rpartition: (text, [separator]) => partition(text, separator, true),
  rsplit: rightSplit,
  rstrip: (text, [characters]) => strip(text, characters, false, true),
  split,
  splitlines: (text, [keepEnds], keywords) =>
    splitLines(text, (keepEnds ?? keywords?.keepends) === true),
  startswith: (text, values) => affix(text, values, true),
  strip: (text, [characters]) => strip(text, characters, true, true),
  swapcase: (text) =>
    text.replace(/\p{L}/gu, (letter) =>
      letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
    ),
  title,
  translate: (text, [table]) => translate(text, table),
  upper: (text) => text.toUpperCase(),
  zfill: (text, [width]) => zeroFill(text, width),
};

export const bytesMethods = {
  __proto__: null,
  decode: (bytes) => decodeURIComponent(escape(bytes.text)),
};
