/** Operators on values of every type. Runs inside the machine. */

import { fail, PyException } from './exceptions.js';
import { formatPercent } from './format.js';
import {
  addNumbers,
  bitwise,
  isInteger,
  moduloNumbers,
  multiplyNumbers,
  numeric,
  subtractNumbers,
  unsupported,
} from './numbers.js';
import {
  isWide,
  iterate,
  makeSet,
  mergeInto,
  PyBytes,
  PyDict,
  PyFloat,
  PyMatch,
  PyRange,
  PySet,
  PyTuple,
  PyView,
  typeName,
} from './values.js';

const MAX = Number.MAX_SAFE_INTEGER;

export function add(left, right) {
  if (typeof left === 'number' && typeof right === 'number') {
    const sum = left + right;
    if (sum <= MAX && sum >= -MAX) return sum;
  }
  if (typeof left === 'string' && typeof right === 'string') return left + right;
  if (Array.isArray(left)) {
    if (Array.isArray(right)) return left.concat(right);
    if (right instanceof PyView) return left.concat(right.list());
    return fail('TypeError', `can only concatenate list (not "${typeName(right)}") to list`);
  }
  if (left instanceof PyView && Array.isArray(right)) return left.list().concat(right);
  if (left instanceof PyTuple && right instanceof PyTuple) {
    return new PyTuple(left.items.concat(right.items));
  }
  if (left instanceof PyDict && left.isCounter && right instanceof PyDict) {
    return combineCounters(left, right);
  }
  if (typeof left === 'string') {
    return fail('TypeError', `can only concatenate str (not "${typeName(right)}") to str`);
  }
  return addNumbers(left, right) ?? unsupported('+', left, right);
}

function combineCounters(left, right) {
  const sum = new PyDict(left.factory);
  sum.isCounter = true;
  for (const counter of [left, right]) {
    for (const [id, count] of counter.map) {
      const key = counter.original(id);
      sum.set(key, add(sum.get(key) ?? 0, count));
    }
  }
  return sum;
}

export function subtract(left, right) {
  if (typeof left === 'number' && typeof right === 'number') {
    const difference = left - right;
    if (difference <= MAX && difference >= -MAX) return difference;
  }
  const a = asSet(left);
  const b = asSet(right);
  if (a !== undefined && b !== undefined) {
    return makeSet(
      a.keys().filter((key) => !b.has(key)),
      a.frozen,
    );
  }
  return subtractNumbers(left, right) ?? unsupported('-', left, right);
}

export function multiply(left, right) {
  if (typeof left === 'number' && typeof right === 'number') {
    const product = left * right;
    if (product <= MAX && product >= -MAX) return product + 0;
  }
  if (isInteger(right) && isSequence(left)) return repeat(left, Number(right));
  if (isInteger(left) && isSequence(right)) return repeat(right, Number(left));
  return multiplyNumbers(left, right) ?? unsupported('*', left, right);
}

function isSequence(value) {
  return typeof value === 'string' || Array.isArray(value) || value instanceof PyTuple;
}

function repeat(value, times) {
  const count = Math.max(0, times);
  if (typeof value === 'string') return value === '' ? '' : value.repeat(count);
  const items = Array.isArray(value) ? value : value.items;
  let result = [];
  let chunk = items;
  for (let rest = items.length === 0 ? 0 : count; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = result.concat(chunk);
    if (rest > 1) chunk = chunk.concat(chunk);
  }
  return Array.isArray(value) ? result : new PyTuple(result);
}

export function modulo(left, right) {
  if (typeof left === 'string') return formatPercent(left, right);
  return moduloNumbers(left, right) ?? unsupported('%', left, right);
}

function asSet(value) {
  if (value instanceof PySet) return value;
  if (value instanceof PyView && value.kind !== 'values') return makeSet(value.list());
  return undefined;
}

export function bitAnd(left, right) {
  const a = asSet(left);
  const b = asSet(right);
  if (a !== undefined && b !== undefined) {
    return makeSet(
      a.keys().filter((key) => b.has(key)),
      a.frozen,
    );
  }
  return bitwise('&', left, right) ?? unsupported('&', left, right);
}

export function bitOr(left, right) {
  const a = asSet(left);
  const b = asSet(right);
  if (a !== undefined && b !== undefined) return makeSet([...a.keys(), ...b.keys()], a.frozen);
  if (left instanceof PyDict && right instanceof PyDict) {
    const merged = new PyDict();
    mergeInto(merged, left);
    mergeInto(merged, right);
    return merged;
  }
  // `int | None` in an annotation that is evaluated is a type, and nothing looks at it.
  if (left?.isType || right?.isType) return left;
  return bitwise('|', left, right) ?? unsupported('|', left, right);
}

export function bitXor(left, right) {
  const a = asSet(left);
  const b = asSet(right);
  if (a !== undefined && b !== undefined) return subtract(bitOr(a, b), bitAnd(a, b));
  return bitwise('^', left, right) ?? unsupported('^', left, right);
}

/** `+=`, `|=`, `&=` and `-=`: a list, dict or set changes in place. */
export function inPlace(operator, left, right) {
  if (operator === '+') {
    if (!Array.isArray(left)) return add(left, right);
    for (const item of right === left ? [...left] : iterate(right)) left.push(item);
    return left;
  }
  if (left instanceof PyDict && operator === '|') {
    mergeInto(left, right);
    return left;
  }
  const operate = { '|': bitOr, '&': bitAnd, '-': subtract }[operator];
  const result = operate(left, right);
  if (!(left instanceof PySet) || left.frozen) return result;
  left.map = result.map;
  left.originals = result.originals;
  return left;
}

export function equal(left, right) {
  if (left === right) return !(left instanceof PyFloat) || !Number.isNaN(left.value);
  if (typeof left === 'string' && typeof right === 'string') return false;
  if (left === null || right === null) return false;
  const a = numeric(left);
  if (a !== undefined) {
    const b = numeric(right);
    if (b === undefined) return right instanceof PyMatch && left === true;
    if (isInteger(left) && isInteger(right)) return BigInt(left) === BigInt(right);
    if (typeof left === 'bigint') return compareLarge(left, b) === 0;
    return typeof right === 'bigint' ? compareLarge(right, a) === 0 : a === b;
  }
  if (Array.isArray(left)) {
    if (right instanceof PyView) return equalItems(left, right.list());
    return Array.isArray(right) && equalItems(left, right);
  }
  if (left instanceof PyTuple)
    return right instanceof PyTuple && equalItems(left.items, right.items);
  if (left instanceof PyDict) return right instanceof PyDict && equalDicts(left, right);
  if (left instanceof PySet || left instanceof PyView) return equalSets(asSet(left), asSet(right));
  if (left instanceof PyRange && right instanceof PyRange) {
    return equalItems([...iterate(left)], [...iterate(right)]);
  }
  if (left instanceof PyBytes) return right instanceof PyBytes && left.text === right.text;
  if (left instanceof PyMatch) return right === true;
  // Starlark's type() gives a string: `type(x) == "list"`.
  if (typeof left === 'function' && typeof right === 'string') return isTypeNamed(left, right);
  if (typeof left === 'string' && typeof right === 'function') return isTypeNamed(right, left);
  return false;
}

function isTypeNamed(type, name) {
  return type.isType === true && (type.starlarkName ?? type.pythonName) === name;
}

function equalItems(left, right) {
  return left.length === right.length && left.every((item, index) => equal(item, right[index]));
}

function equalDicts(left, right) {
  if (left.size !== right.size) return false;
  for (const [id, value] of left.map) {
    if (!right.map.has(id) || !equal(value, right.map.get(id))) return false;
  }
  return true;
}

function equalSets(left, right) {
  if (left === undefined || right === undefined || left.size !== right.size) return false;
  return left.keys().every((key) => right.has(key));
}

export function unequal(left, right) {
  return !equal(left, right);
}

export function same(left, right) {
  return left === right;
}

export function notSame(left, right) {
  return left !== right;
}

export function less(left, right) {
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  if (typeof left === 'string' && typeof right === 'string') return textOrder(left, right) < 0;
  return ordered('<', left, right, (sign) => sign < 0);
}

export function lessOrEqual(left, right) {
  if (typeof left === 'number' && typeof right === 'number') return left <= right;
  return ordered('<=', left, right, (sign) => sign <= 0);
}

export function greater(left, right) {
  if (typeof left === 'number' && typeof right === 'number') return left > right;
  return ordered('>', left, right, (sign) => sign > 0);
}

export function greaterOrEqual(left, right) {
  if (typeof left === 'number' && typeof right === 'number') return left >= right;
  return ordered('>=', left, right, (sign) => sign >= 0);
}

function ordered(operator, left, right, test) {
  const a = asSet(left);
  const b = asSet(right);
  if (a !== undefined && b !== undefined) return compareSets(operator, a, b);
  const sign = compare(left, right);
  if (sign === undefined) {
    return fail(
      'TypeError',
      `'${operator}' not supported between instances of '${typeName(left)}' and '${typeName(right)}'`,
    );
  }
  return test(sign);
}

function compareSets(operator, left, right) {
  const [small, large] = operator.startsWith('<') ? [left, right] : [right, left];
  if (operator.length === 1 && small.size >= large.size) return false;
  return small.keys().every((key) => large.has(key));
}

/** The sign of left − right; NaN for a float that compares with nothing; undefined for other types. */
export function compare(left, right) {
  if (typeof left === 'string' && typeof right === 'string') return textOrder(left, right);
  const a = numeric(left);
  const b = numeric(right);
  if (a !== undefined && b !== undefined) {
    if (isInteger(left) && isInteger(right)) {
      if (typeof left !== 'bigint' && typeof right !== 'bigint') return a - b;
      const [x, y] = [BigInt(left), BigInt(right)];
      return x < y ? -1 : x > y ? 1 : 0;
    }
    if (typeof left === 'bigint') return compareLarge(left, b);
    if (typeof right === 'bigint') return -compareLarge(right, a);
    return a < b ? -1 : a > b ? 1 : a === b ? 0 : Number.NaN;
  }
  const lists = Array.isArray(left) && Array.isArray(right);
  if (!lists && !(left instanceof PyTuple && right instanceof PyTuple)) return undefined;
  const x = lists ? left : left.items;
  const y = lists ? right : right.items;
  for (let index = 0; index < x.length && index < y.length; index++) {
    if (!equal(x[index], y[index])) return compare(x[index], y[index]);
  }
  return x.length - y.length;
}

/** A large int against a float, exactly: as a float it may be another number, or none. */
function compareLarge(large, float) {
  if (!Number.isFinite(float)) return float > 0 ? -1 : float < 0 ? 1 : Number.NaN;
  const other = BigInt(Math.trunc(float));
  return large < other ? -1 : large > other ? 1 : 0;
}

/** By code points, where JavaScript goes by UTF-16 units. */
function textOrder(left, right) {
  if (left === right) return 0;
  if (!isWide(left) && !isWide(right)) return left < right ? -1 : 1;
  let at = 0;
  while (at < left.length && left.charCodeAt(at) === right.charCodeAt(at)) at++;
  const [a, b] = [rank(left.charCodeAt(at)), rank(right.charCodeAt(at))];
  return a < b ? -1 : 1;
}

/** Surrogates stand for what comes after all single units; the end of a text (NaN) comes before. */
function rank(unit) {
  if (Number.isNaN(unit)) return -1;
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Stable, by `<` alone, as Python sorts. */
export function sortList(items, key, reverse) {
  const keys = key === null ? items : items.map((item) => key([item], null));
  const order = items.map((_, index) => index);
  const sign = reverse ? -1 : 1;
  order.sort((i, j) => {
    const result = compare(keys[i], keys[j]);
    if (result === undefined) return less(keys[j], keys[i]) ? sign : -sign;
    return (result || 0) * sign;
  });
  return order.map((index) => items[index]);
}

export function within(item, container) {
  if (typeof container === 'string') {
    if (typeof item === 'string') return container.includes(item);
    return fail(
      'TypeError',
      `'in <string>' requires string as left operand, not ${typeName(item)}`,
    );
  }
  if (container instanceof PyDict || container instanceof PySet) return container.has(item);
  if (container instanceof PyView && container.kind === 'keys') return container.dict.has(item);
  if (container instanceof PyException) return false;
  for (const member of iterate(container)) if (equal(member, item)) return true;
  return false;
}

export function notWithin(item, container) {
  return !within(item, container);
}
