/** repr() and str(). Runs inside the machine. */

import { PyException } from './exceptions.js';
import { floatText } from './numbers.js';
import {
  lengthOf,
  PyBytes,
  PyDict,
  PyFloat,
  PyMatch,
  PyModule,
  PyRange,
  PySet,
  PySlice,
  PyTuple,
  PyView,
  typeName,
} from './values.js';

const ESCAPES = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const UNPRINTABLE = /[\\\n\r\t]|[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

export function str(value) {
  if (typeof value === 'string') return value;
  if (value instanceof PyException) return exceptionText(value);
  return repr(value);
}

export function exceptionText({ type, values }) {
  if (values.length === 0) return '';
  if (values.length > 1) return repr(new PyTuple(values));
  return type.pythonName === 'KeyError' ? repr(values[0]) : str(values[0]);
}

export function repr(value) {
  return represent(value, []);
}

function represent(value, open) {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
    case 'bigint':
      return String(value);
    case 'boolean':
      return value ? 'True' : 'False';
    case 'function':
      if (value.isType) return `<class '${value.pythonName}'>`;
      return `<${value.isDefined ? '' : 'built-in '}function ${value.pythonName ?? ''}>`;
  }
  if (value === null || value === undefined) return 'None';
  if (value instanceof PyFloat) return floatText(value.value);
  if (value instanceof PyBytes) return `b${quote(value.text)}`;
  if (value instanceof PyRange) {
    const step = value.step === 1 ? '' : `, ${value.step}`;
    return `range(${value.start}, ${value.stop}${step})`;
  }
  if (value instanceof PySlice) {
    return `slice(${[value.start, value.stop, value.step].map(repr).join(', ')})`;
  }
  if (value instanceof PyModule) return `<module '${value.name}'>`;
  if (value instanceof PyMatch) {
    return `<re.Match object; span=(${value.spans[0]}, ${value.spans[1]}), match=${quote(value.group(0))}>`;
  }
  if (value instanceof PyException) {
    return `${value.type.pythonName}(${value.values.map(repr).join(', ')})`;
  }
  return representContainer(value, open);
}

function representContainer(value, open) {
  const isDict = value instanceof PyDict;
  if (open.includes(value)) return isDict ? '{...}' : '[...]';
  const inner = [...open, value];
  const list = (items) => items.map((item) => represent(item, inner)).join(', ');
  if (Array.isArray(value)) return `[${list(value)}]`;
  if (value instanceof PyTuple) {
    return value.items.length === 1 ? `(${list(value.items)},)` : `(${list(value.items)})`;
  }
  if (isDict) {
    const entries = [...value.map].map(
      ([id, item]) => `${represent(value.original(id), inner)}: ${represent(item, inner)}`,
    );
    const body = `{${entries.join(', ')}}`;
    if (value.isCounter) return lengthOf(value) === 0 ? 'Counter()' : `Counter(${body})`;
    return value.factory === null ? body : `defaultdict(${repr(value.factory)}, ${body})`;
  }
  if (value instanceof PySet) {
    const body = value.size === 0 ? '' : `{${list(value.keys())}}`;
    if (value.frozen) return `frozenset(${body})`;
    return body === '' ? 'set()' : body;
  }
  if (value instanceof PyView) return `dict_${value.kind}([${list(value.list())}])`;
  return `<${typeName(value)} object>`;
}

function quote(text) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(UNPRINTABLE, (character) => {
    if (ESCAPES[character] !== undefined) return ESCAPES[character];
    const code = character.codePointAt(0);
    if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
    if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, '0')}`;
    return `\\U${code.toString(16).padStart(8, '0')}`;
  });
  return mark + (mark === "'" ? body.replaceAll("'", "\\'") : body) + mark;
}

/** repr() with everything outside ASCII escaped. */
export function ascii(value) {
  return repr(value).replace(/[^\x00-\x7f]/gu, (character) => {
    const code = character.codePointAt(0);
    if (code <= 0xff) return `\\x${code.toString(16)}`;
    if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, '0')}`;
    return `\\U${code.toString(16).padStart(8, '0')}`;
  });
}
