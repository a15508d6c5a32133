/**
 * `json`: big integers and floats keep what they say; a float that was read is written as it was spelled.
 * The host reads the text, since a scanner in here would be too slow. Runs inside the machine.
 */

import { call } from './calls.js';
import { fail, JSONDecodeError, PyException } from './exceptions.js';
import { floatText, isInteger } from './numbers.js';
import { compare } from './operators.js';
import { str } from './represent.js';
import {
  noteText,
  PyBytes,
  PyDict,
  PyFloat,
  PyModule,
  PyTuple,
  truth,
  typeName,
} from './values.js';

/** Marks of the host's reading: arrays whose first item says what the rest is. */
const LIST = 0;
const DICT = 1;
const FLOAT = 2;

function decode([text, fallback]) {
  const source = text instanceof PyBytes ? text.text : text;
  if (typeof source !== 'string') {
    fail('TypeError', `the JSON object must be str, bytes or bytearray, not ${typeName(text)}`);
  }
  const read = JSON.parse(hostJson(source));
  if (read.error !== undefined) {
    if (fallback !== undefined) return fallback;
    if (read.depth) fail('RecursionError', read.error);
    throw new PyException(JSONDecodeError, [read.error]);
  }
  // A pair of escapes can spell a character above U+FFFF that the text itself does not hold.
  if (/\\u[dD][89abAB]/.test(source)) noteText('\ud800');
  return build(read.value);
}

function build(node) {
  if (!Array.isArray(node)) return node;
  if (node[0] === LIST) {
    const list = [];
    for (let index = 1; index < node.length; index++) list.push(build(node[index]));
    return list;
  }
  if (node[0] === DICT) {
    const dict = new PyDict();
    for (let index = 1; index < node.length; index += 2) {
      dict.set(node[index], build(node[index + 1]));
    }
    return dict;
  }
  return node[0] === FLOAT ? new PyFloat(Number(node[1]), node[1]) : BigInt(node[1]);
}

const DEFAULTS = { indent: null, item: ', ', key: ': ', ascii: true, sort: false, fallback: null };

function dumps([value], named) {
  const indent = named?.indent ?? null;
  const separators = named?.separators ?? null;
  const [item, key] =
    separators === null
      ? [indent === null ? ', ' : ',', ': ']
      : separators instanceof PyTuple
        ? separators.items
        : separators;
  return write(
    value,
    {
      indent: typeof indent === 'string' || indent === null ? indent : ' '.repeat(Number(indent)),
      item,
      key,
      ascii: truth(named?.ensure_ascii ?? true),
      sort: truth(named?.sort_keys ?? false),
      fallback: named?.default ?? null,
    },
    '',
    [],
  );
}

/** Compact, as Starlark's; keys stay in their order, which a filter must keep. */
function encode([value]) {
  return write(value, { ...DEFAULTS, item: ',', key: ':', ascii: false }, '', []);
}

function write(value, options, margin, open) {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (isInteger(value)) return String(value);
  if (typeof value === 'string') return quote(value, options.ascii);
  if (value instanceof PyFloat) return value.text === '' ? floatJson(value.value) : value.text;
  if (open.includes(value)) fail('ValueError', 'Circular reference detected');
  const inner = [...open, value];
  const deeper = options.indent === null ? '' : margin + options.indent;
  if (Array.isArray(value) || value instanceof PyTuple) {
    const items = Array.isArray(value) ? value : value.items;
    const parts = items.map((item) => write(item, options, deeper, inner));
    return enclose('[', parts, ']', options, margin, deeper);
  }
  if (value instanceof PyDict) {
    const pairs = value.items().map(({ items }) => items);
    if (options.sort) pairs.sort(([left], [right]) => compare(left, right) ?? 0);
    const parts = pairs.map(
      ([key, item]) =>
        quote(keyText(key), options.ascii) + options.key + write(item, options, deeper, inner),
    );
    return enclose('{', parts, '}', options, margin, deeper);
  }
  if (options.fallback !== null) {
    return write(call(options.fallback, [value], null), options, margin, inner);
  }
  return fail('TypeError', `Object of type ${typeName(value)} is not JSON serializable`);
}

function enclose(open, parts, close, options, margin, deeper) {
  if (parts.length === 0) return open + close;
  if (options.indent === null) return open + parts.join(options.item) + close;
  return `${open}\n${deeper}${parts.join(`${options.item}\n${deeper}`)}\n${margin}${close}`;
}

function keyText(key) {
  if (typeof key === 'string') return key;
  if (key === null) return 'null';
  if (typeof key === 'boolean') return key ? 'true' : 'false';
  if (isInteger(key)) return str(key);
  if (key instanceof PyFloat) return floatJson(key.value);
  return fail('TypeError', `keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

function floatJson(value) {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return floatText(value);
}

function quote(text, asciiOnly) {
  // JSON.stringify escapes lone surrogates by itself; Python escapes all of them, and DEL.
  const quoted = JSON.stringify(text);
  if (!asciiOnly || !/[^\x00-\x7e]/.test(quoted)) return quoted;
  return quoted.replace(
    /[^\x00-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export const jsonModule = new PyModule('json', {
  __proto__: null,
  JSONDecodeError,
  decode,
  dumps,
  encode,
  indent: ([text], named) => dumps([decode([text])], { ...named, indent: named?.indent ?? '\t' }),
  loads: ([text]) => decode([text]),
});
