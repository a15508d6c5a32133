/**
 * How Python values are kept: None is null, int a number (a bigint where it is not exact), str a string,
 * list an array; the rest are these classes. Runs inside the machine.
 */

import { fail, PyException } from './exceptions.js';

export class PyFloat {
  /** `text` is the spelling in the JSON that the float was read from, else ''. */
  constructor(value, text = '') {
    this.value = value;
    this.text = text;
  }
}

export class PyTuple {
  constructor(items) {
    this.items = items;
  }
}

export class PyRange {
  constructor(start, stop, step) {
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }
}

export class PySlice {
  constructor(start, stop, step) {
    this.start = start;
    this.stop = stop;
    this.step = step;
  }
}

export class PyBytes {
  constructor(text) {
    this.text = text;
  }
}

export class PyModule {
  constructor(name, members) {
    this.name = name;
    this.members = members;
  }
}

/** What dict and set share: keys equal as Python has it, in order of insertion. */
class Table {
  constructor() {
    this.map = new Map();
    /** Keys that are not their own identity: True is kept apart from the 1 that it equals. */
    this.originals = null;
  }

  get size() {
    return this.map.size;
  }

  has(key) {
    return this.map.has(identity(key));
  }

  delete(key) {
    const id = identity(key);
    this.originals?.delete(id);
    return this.map.delete(id);
  }

  clear() {
    this.map.clear();
    this.originals = null;
  }

  put(key, value) {
    const id = identity(key);
    if (id !== key && !this.map.has(id)) {
      this.originals ??= new Map();
      this.originals.set(id, key);
    }
    this.map.set(id, value);
  }

  original(id) {
    return this.originals?.has(id) ? this.originals.get(id) : id;
  }

  keys() {
    const keys = [...this.map.keys()];
    return this.originals === null ? keys : keys.map((id) => this.original(id));
  }
}

export class PyDict extends Table {
  constructor(factory = null) {
    super();
    /** A defaultdict's function, else null. */
    this.factory = factory;
    this.isCounter = false;
  }

  get(key) {
    return this.map.get(identity(key));
  }

  set(key, value) {
    this.put(key, value);
  }

  values() {
    return [...this.map.values()];
  }

  items() {
    return [...this.map].map(([id, value]) => new PyTuple([this.original(id), value]));
  }
}

export class PySet extends Table {
  constructor(frozen = false) {
    super();
    this.frozen = frozen;
  }

  add(value) {
    this.put(value, null);
  }
}

/** `dict.keys()`, `.values()` and `.items()`: live, and indexable as Starlark's lists are. */
export class PyView {
  constructor(dict, kind) {
    this.dict = dict;
    this.kind = kind;
  }

  list() {
    if (this.kind === 'keys') return this.dict.keys();
    return this.kind === 'values' ? this.dict.values() : this.dict.items();
  }
}

/** A match of a regular expression: the text, the spans in UTF-16 units, and the groups' names. */
export class PyMatch {
  constructor(text, spans, names) {
    this.text = text;
    this.spans = spans;
    this.names = names;
  }

  /** Start and end of a group in UTF-16 units, −1 where it did not take part; undefined: no such group. */
  range(key) {
    const index = typeof key === 'string' ? this.names[key] : key;
    const start = this.spans[index * 2];
    return start === undefined ? undefined : [start, this.spans[index * 2 + 1]];
  }

  /** undefined where there is no such group, null where it did not take part. */
  group(key) {
    const range = this.range(key);
    if (range === undefined) return undefined;
    const [start, end] = range;
    return start < 0 ? null : this.text.slice(start, end);
  }

  get groupCount() {
    return this.spans.length / 2 - 1;
  }
}

/** Whether strings may hold characters above U+FFFF, whose length JavaScript counts as two. */
export const wide = { possible: false };
const SURROGATE = /[\ud800-\udfff]/;

export function isWide(text) {
  return wide.possible && SURROGATE.test(text);
}

export function noteText(text) {
  if (!wide.possible && SURROGATE.test(text)) wide.possible = true;
  return text;
}

/** A method that is called on the type, `dict.fromkeys(…)`: it takes no object of it before its arguments. */
export function withoutSelf(run) {
  const method = (_self, values, named) => run(values, named);
  method.isStatic = true;
  return method;
}

const tupleIdentities = new Map();
const objectNumbers = new Map();

/** The key of a Map that stands for a Python key: equal keys have the same. */
export function identity(key) {
  if (typeof key === 'string' || typeof key === 'number' || key === null) return key;
  if (typeof key === 'boolean') return key ? 1 : 0;
  if (key instanceof PyFloat) {
    if (!Number.isInteger(key.value)) return Number.isNaN(key.value) ? key : key.value;
    return Number.isSafeInteger(key.value) ? key.value : BigInt(key.value);
  }
  if (key instanceof PyTuple || (key instanceof PySet && key.frozen)) {
    const code = encode(key);
    let id = tupleIdentities.get(code);
    if (id === undefined) {
      id = { code };
      tupleIdentities.set(code, id);
    }
    return id;
  }
  if (Array.isArray(key) || key instanceof PyDict || key instanceof PySet) {
    return fail('TypeError', `unhashable type: '${typeName(key)}'`);
  }
  return key;
}

function encode(value) {
  if (value instanceof PyTuple) return `(${value.items.map(encode).join('')})`;
  if (value instanceof PySet) return `{${value.keys().map(encode).sort().join('')}}`;
  const id = identity(value);
  if (typeof id === 'string') return `s${id.length}:${id}`;
  if (typeof id === 'number' || typeof id === 'bigint') return `n${id};`;
  if (id === null) return '~';
  if (!objectNumbers.has(id)) objectNumbers.set(id, objectNumbers.size);
  return `o${objectNumbers.get(id)};`;
}

export function typeName(value) {
  switch (typeof value) {
    case 'string':
      return 'str';
    case 'number':
    case 'bigint':
      return 'int';
    case 'boolean':
      return 'bool';
    case 'function':
      if (value.isType) return 'type';
      return value.isDefined ? 'function' : 'builtin_function_or_method';
  }
  if (value === null || value === undefined) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (value instanceof PyFloat) return 'float';
  if (value instanceof PyTuple) return 'tuple';
  if (value instanceof PyDict) {
    if (value.isCounter) return 'Counter';
    return value.factory === null ? 'dict' : 'defaultdict';
  }
  if (value instanceof PySet) return value.frozen ? 'frozenset' : 'set';
  if (value instanceof PyRange) return 'range';
  if (value instanceof PyView) return `dict_${value.kind}`;
  if (value instanceof PyBytes) return 'bytes';
  if (value instanceof PyMatch) return 're.Match';
  if (value instanceof PyModule) return 'module';
  if (value instanceof PySlice) return 'slice';
  if (value instanceof PyException) return value.type.pythonName;
  return typeof value[Symbol.iterator] === 'function' ? 'generator' : 'object';
}

export function truth(value) {
  if (typeof value === 'boolean') return value;
  if (value === null || value === undefined) return false;
  if (typeof value === 'string' || Array.isArray(value)) return value.length > 0;
  if (typeof value === 'number') return value !== 0;
  if (value instanceof PyFloat) return value.value !== 0;
  if (value instanceof PyTuple) return value.items.length > 0;
  if (value instanceof Table) return value.size > 0;
  if (value instanceof PyView) return value.dict.size > 0;
  if (value instanceof PyRange) return value.length > 0;
  if (value instanceof PyBytes) return value.text.length > 0;
  return true;
}

/** Code points of a string. */
export function textLength(text) {
  if (!isWide(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Code points before an offset in UTF-16 units. */
export function codePointOffset(text, units) {
  return isWide(text) ? textLength(text.slice(0, units)) : units;
}

export function lengthOf(value) {
  if (typeof value === 'string') return textLength(value);
  if (Array.isArray(value) || value instanceof PyRange) return value.length;
  if (value instanceof PyTuple) return value.items.length;
  if (value instanceof Table) return value.size;
  if (value instanceof PyView) return value.dict.size;
  if (value instanceof PyBytes) return value.text.length;
  return fail('TypeError', `object of type '${typeName(value)}' has no len()`);
}

/** Something that `for … of` goes over. */
export function iterate(value) {
  if (Array.isArray(value) || typeof value === 'string') return value;
  if (value instanceof PyTuple) return value.items;
  if (value instanceof Table) return iterateTable(value);
  if (value instanceof PyRange) return iterateRange(value);
  if (value instanceof PyView) return value.list();
  if (value instanceof PyBytes) return [...value.text].map((byte) => byte.charCodeAt(0));
  if (value !== null && typeof value === 'object' && typeof value[Symbol.iterator] === 'function') {
    return value;
  }
  return fail('TypeError', `'${typeName(value)}' object is not iterable`);
}

function* iterateTable(table) {
  const { size } = table;
  for (const id of table.map.keys()) {
    yield table.original(id);
    if (table.size !== size) {
      fail('RuntimeError', `${typeName(table)} changed size during iteration`);
    }
  }
}

function* iterateRange({ start, step, length }) {
  for (let index = 0; index < length; index++) yield start + index * step;
}

export function tuple(items) {
  return new PyTuple(items);
}

export const spread = { spread: true };

/** A dict from `key, value, key, value…`; `spread, mapping` copies a mapping. */
export function makeDict(entries) {
  const dict = new PyDict();
  for (let index = 0; index < entries.length; index += 2) {
    const value = entries[index + 1];
    if (entries[index] !== spread) dict.set(entries[index], value);
    else mergeInto(dict, value);
  }
  return dict;
}

export function mergeInto(dict, other) {
  if (!(other instanceof PyDict)) {
    fail('TypeError', `'${typeName(other)}' object is not a mapping`);
  }
  for (const [id, value] of other.map) dict.set(other.original(id), value);
}

export function makeSet(items, frozen = false) {
  const set = new PySet(frozen);
  for (const item of items) set.add(item);
  return set;
}
