/** The functions and types that every program has. Runs inside the machine. */

import { attribute, call, findAttribute, matches } from './calls.js';
import { dictMethods, listMethods, setMethods, tupleMethods, update } from './collections.js';
import { absolute, inBase, powerModulo, round, toFloat, toInteger } from './conversions.js';
import { exceptionTypes, fail, PyException } from './exceptions.js';
import { format } from './format.js';
import { floorDivide, isInteger, power } from './numbers.js';
import { add, greater, less, modulo, sortList } from './operators.js';
import { ascii, repr, str } from './represent.js';
import { bytesMethods, textMethods } from './text.js';
import {
  iterate,
  lengthOf,
  makeSet,
  noteText,
  PyBytes,
  PyDict,
  PyRange,
  PySlice,
  PyTuple,
  truth,
  typeName,
} from './values.js';

/** Texts longer than this are cut from what a program prints. */
const PRINT_LIMIT = 65_536;

/** Names of the program's own types in Starlark, where they differ from Python's. */
const STARLARK_NAMES = { str: 'string' };

function type(name, construct, methods) {
  construct.pythonName = name;
  construct.isType = true;
  construct.methods = methods;
  if (STARLARK_NAMES[name] !== undefined) construct.starlarkName = STARLARK_NAMES[name];
  return construct;
}

function range(values) {
  for (const value of values) {
    if (!isInteger(value)) {
      fail('TypeError', `'${typeName(value)}' object cannot be interpreted as an integer`);
    }
  }
  const [first, second, step = 1] = values.map(Number);
  if (step === 0) fail('ValueError', 'range() arg 3 must not be zero');
  return second === undefined ? new PyRange(0, first, 1) : new PyRange(first, second, step);
}

function extreme(name, better) {
  return (values, named) => {
    const items = values.length === 1 ? [...iterate(values[0])] : values;
    const key = named?.key ?? null;
    if (items.length === 0) {
      if (named !== null && 'default' in named) return named.default;
      return fail('ValueError', `${name}() iterable argument is empty`);
    }
    let best = items[0];
    let bestKey = key === null ? best : call(key, [best], null);
    for (const item of items.slice(1)) {
      const itemKey = key === null ? item : call(key, [item], null);
      if (better(itemKey, bestKey)) [best, bestKey] = [item, itemKey];
    }
    return best;
  };
}

function sum([items, start = 0], named) {
  let total = named?.start ?? start;
  if (typeof total === 'string')
    fail('TypeError', "sum() can't sum strings [use ''.join(seq) instead]");
  for (const item of iterate(items)) total = add(total, item);
  return total;
}

function print(values, named) {
  const end = named?.end ?? '\n';
  const text = values.map(str).join(named?.sep ?? ' ') + end;
  printed.text += text.slice(0, Math.max(0, PRINT_LIMIT - printed.text.length));
  return null;
}

/** What the program printed since the last reading. */
export const printed = { text: '' };

function* zip(lists) {
  const iterators = lists.map((list) => iterate(list)[Symbol.iterator]());
  for (;;) {
    const steps = iterators.map((iterator) => iterator.next());
    if (steps.length === 0 || steps.some((step) => step.done)) return;
    yield new PyTuple(steps.map((step) => step.value));
  }
}

function* enumerate(items, start) {
  let index = start;
  for (const item of iterate(items)) {
    yield new PyTuple([index, item]);
    index = add(index, 1);
  }
}

function* mapItems(callee, lists) {
  if (lists.length === 1) {
    for (const item of iterate(lists[0])) yield call(callee, [item], null);
  } else {
    for (const { items } of zip(lists)) yield call(callee, items, null);
  }
}

function* filterItems(callee, items) {
  for (const item of iterate(items)) {
    if (truth(callee === null ? item : call(callee, [item], null))) yield item;
  }
}

function next([iterator, fallback]) {
  if (typeof iterator?.next !== 'function') {
    return fail('TypeError', `'${typeName(iterator)}' object is not an iterator`);
  }
  const step = iterator.next();
  if (!step.done) return step.value;
  return fallback === undefined ? fail('StopIteration', '') : fallback;
}

function toDict(values, named) {
  const dict = new PyDict();
  update(dict, values, named);
  return dict;
}

function isInstance([value, types]) {
  const list = types instanceof PyTuple || Array.isArray(types) ? [...iterate(types)] : [types];
  return list.some((wanted) => {
    if (typeof wanted !== 'function' || !wanted.isType) {
      return fail('TypeError', 'isinstance() arg 2 must be a type or a tuple of types');
    }
    if (wanted.isException) return value instanceof PyException && matches(value, wanted);
    const name = typeName(value);
    if (wanted.pythonName === 'object' || wanted.pythonName === name) return true;
    if (wanted.pythonName === 'dict') return value instanceof PyDict;
    return wanted.pythonName === 'int' && name === 'bool';
  });
}

function typeOf([value]) {
  const name = typeName(value);
  return builtins[name] ?? (value instanceof PyException ? value.type : namedType(name));
}

const namedTypes = Object.create(null);

function namedType(name) {
  namedTypes[name] ??= type(name, () => fail('TypeError', `cannot create '${name}' instances`));
  return namedTypes[name];
}

function character([code]) {
  if (!isInteger(code)) fail('TypeError', 'chr() takes an integer');
  if (code < 0 || code > 0x10ffff) fail('ValueError', 'chr() arg not in range(0x110000)');
  return noteText(String.fromCodePoint(Number(code)));
}

function ordinal([text]) {
  if (typeof text !== 'string' || [...text].length !== 1) {
    fail('TypeError', 'ord() expected a character');
  }
  return text.codePointAt(0);
}

function reversed([items]) {
  const list = items instanceof PyDict ? items.keys() : [...iterate(items)];
  return list.reverse()[Symbol.iterator]();
}

function getAttribute([object, name, fallback]) {
  return findAttribute(object, name) ?? fallback ?? attribute(object, name);
}

export const builtins = {
  __proto__: null,
  ...exceptionTypes,
  __name__: '__main__',
  abs: absolute,
  all: ([items]) => {
    for (const item of iterate(items)) if (!truth(item)) return false;
    return true;
  },
  any: ([items]) => {
    for (const item of iterate(items)) if (truth(item)) return true;
    return false;
  },
  ascii: ([value]) => ascii(value),
  bin: inBase('0b', 2),
  bool: type('bool', ([value = false]) => truth(value)),
  bytes: type(
    'bytes',
    ([value = '']) =>
      typeof value === 'string'
        ? textMethods.encode(value)
        : new PyBytes(String.fromCharCode(...iterate(value))),
    bytesMethods,
  ),
  callable: ([value]) => typeof value === 'function',
  chr: character,
  dict: type('dict', toDict, dictMethods),
  divmod: ([left, right]) => new PyTuple([floorDivide(left, right), modulo(left, right)]),
  enumerate: ([items, start = 0], named) => enumerate(items, named?.start ?? start),
  fail: (values) => fail('RuntimeError', values.map(str).join(' ')),
  filter: ([callee, items]) => filterItems(callee, items),
  float: type('float', toFloat),
  format: ([value, specification = '']) => format(value, specification),
  frozenset: type('frozenset', ([items = []]) => makeSet(iterate(items), true), setMethods),
  getattr: getAttribute,
  hasattr: ([object, name]) => findAttribute(object, name) !== undefined,
  hex: inBase('0x', 16),
  int: type('int', toInteger),
  isinstance: isInstance,
  iter: ([items]) => iterate(items)[Symbol.iterator](),
  len: ([value]) => lengthOf(value),
  list: type('list', ([items = []]) => [...iterate(items)], listMethods),
  map: ([callee, ...lists]) => mapItems(callee, lists),
  max: extreme('max', greater),
  min: extreme('min', less),
  next,
  object: type('object', () => fail('TypeError', 'objects cannot be created')),
  oct: inBase('0o', 8),
  ord: ordinal,
  pow: ([base, exponent, divisor]) =>
    divisor === undefined ? power(base, exponent) : powerModulo(base, exponent, divisor),
  print,
  range: type('range', range),
  repr: ([value]) => repr(value),
  reversed,
  round,
  set: type('set', ([items = []]) => makeSet(iterate(items)), setMethods),
  slice: type('slice', ([first, second, step = null]) =>
    second === undefined ? new PySlice(null, first, null) : new PySlice(first, second, step),
  ),
  sorted: ([items], named) =>
    sortList([...iterate(items)], named?.key ?? null, truth(named?.reverse ?? false)),
  str: type('str', ([value = '']) => str(value), textMethods),
  sum,
  tuple: type('tuple', ([items = []]) => new PyTuple([...iterate(items)]), tupleMethods),
  type: type('type', typeOf),
  zip: (lists) => zip(lists),
};

for (const name in builtins) {
  if (typeof builtins[name] === 'function') builtins[name].pythonName ??= name;
}
