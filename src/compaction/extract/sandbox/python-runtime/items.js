/** Subscripts: reading, writing and deleting items and slices, and unpacking. Runs inside the machine. */

import { fail } from './exceptions.js';
import { isInteger } from './numbers.js';
import {
  isWide,
  iterate,
  lengthOf,
  PyBytes,
  PyDict,
  PyMatch,
  PyRange,
  PySlice,
  PyTuple,
  PyView,
  typeName,
} from './values.js';

export function slice(start, stop, step) {
  return new PySlice(start, stop, step);
}

function position(index, length, kind) {
  if (!isInteger(index)) {
    return fail('TypeError', `${kind} indices must be integers or slices, not ${typeName(index)}`);
  }
  const at = index < 0 ? Number(index) + length : Number(index);
  if (at < 0 || at >= length) fail('IndexError', `${kind} index out of range`);
  return at;
}

export function getItem(object, index) {
  if (index instanceof PySlice) return getSlice(object, index.start, index.stop, index.step);
  if (Array.isArray(object)) return object[position(index, object.length, 'list')];
  if (object instanceof PyDict) return getEntry(object, index);
  if (typeof object === 'string') {
    const characters = isWide(object) ? [...object] : object;
    return characters[position(index, characters.length, 'string')];
  }
  if (object instanceof PyTuple) {
    return object.items[position(index, object.items.length, 'tuple')];
  }
  if (object instanceof PyMatch) {
    const group = object.group(index);
    return group === undefined ? fail('IndexError', 'no such group') : group;
  }
  if (object instanceof PyRange) {
    return object.start + position(index, object.length, 'range object') * object.step;
  }
  if (object instanceof PyView) {
    const list = object.list();
    return list[position(index, list.length, 'list')];
  }
  if (object instanceof PyBytes) {
    return object.text.charCodeAt(position(index, object.text.length, 'index'));
  }
  // `list[int]` in an annotation that is evaluated.
  if (typeof object === 'function' && object.isType) return object;
  return fail('TypeError', `'${typeName(object)}' object is not subscriptable`);
}

function getEntry(dict, key) {
  const value = dict.get(key);
  if (value !== undefined) return value;
  if (dict.isCounter) return 0;
  if (dict.factory === null) return fail('KeyError', key);
  const fresh = dict.factory([], null);
  dict.set(key, fresh);
  return fresh;
}

/** The bounds of a slice over `length` items, as Python clamps them. */
function bounds(length, start, stop, step) {
  for (const part of [start, stop, step]) {
    if (part !== null && !isInteger(part)) {
      fail('TypeError', 'slice indices must be integers or None');
    }
  }
  const stride = step === null ? 1 : Number(step);
  if (stride === 0) fail('ValueError', 'slice step cannot be zero');
  const low = stride > 0 ? 0 : -1;
  const high = stride > 0 ? length : length - 1;
  const clamp = (value, usual) => {
    if (value === null) return usual;
    const at = value < 0 ? Number(value) + length : Number(value);
    return Math.min(high, Math.max(low, at));
  };
  const from = clamp(start, stride > 0 ? low : high);
  return { from, to: clamp(stop, stride > 0 ? high : low), stride };
}

function pick(items, { from, to, stride }) {
  if (stride === 1) return items.slice(from, Math.max(from, to));
  const result = [];
  for (let at = from; stride > 0 ? at < to : at > to; at += stride) result.push(items[at]);
  return result;
}

export function getSlice(object, start, stop, step) {
  if (typeof object === 'string') {
    const points = isWide(object) ? [...object] : object;
    const part = pick(points, bounds(points.length, start, stop, step));
    return typeof part === 'string' ? part : part.join('');
  }
  const range = () => bounds(lengthOf(object), start, stop, step);
  if (Array.isArray(object)) return pick(object, range());
  if (object instanceof PyTuple) return new PyTuple(pick(object.items, range()));
  if (object instanceof PyView) return pick(object.list(), range());
  if (object instanceof PyBytes) return new PyBytes([...pick(object.text, range())].join(''));
  if (object instanceof PyRange) {
    const { from, to, stride } = range();
    const at = (index) => object.start + index * object.step;
    return new PyRange(at(from), at(to), object.step * stride);
  }
  return fail('TypeError', `'${typeName(object)}' object is not subscriptable`);
}

export function setItem(value, object, index) {
  if (index instanceof PySlice) {
    setSlice(value, object, index.start, index.stop, index.step);
  } else if (object instanceof PyDict) object.set(index, value);
  else if (Array.isArray(object)) object[position(index, object.length, 'list assignment')] = value;
  else fail('TypeError', `'${typeName(object)}' object does not support item assignment`);
}

export function setSlice(value, object, start, stop, step) {
  if (!Array.isArray(object)) {
    fail('TypeError', `'${typeName(object)}' object does not support slice assignment`);
  }
  const { from, to, stride } = bounds(object.length, start, stop, step);
  const items = [...iterate(value)];
  if (stride === 1) {
    const tail = object.splice(Math.max(from, to));
    object.length = from;
    for (const item of items) object.push(item);
    for (const item of tail) object.push(item);
    return;
  }
  const places = pick([...object.keys()], { from, to, stride });
  if (places.length !== items.length) {
    fail(
      'ValueError',
      `attempt to assign sequence of size ${items.length} to extended slice of size ${places.length}`,
    );
  }
  places.forEach((place, index) => {
    object[place] = items[index];
  });
}

export function deleteItem(object, index) {
  if (object instanceof PyDict) {
    if (!object.delete(index)) fail('KeyError', index);
    return;
  }
  if (!Array.isArray(object)) {
    fail('TypeError', `'${typeName(object)}' object does not support item deletion`);
  }
  if (!(index instanceof PySlice)) {
    object.splice(position(index, object.length, 'list assignment'), 1);
    return;
  }
  const range = bounds(object.length, index.start, index.stop, index.step);
  const removed = new Set(pick([...object.keys()], range));
  const kept = object.filter((_, at) => !removed.has(at));
  object.length = 0;
  for (const item of kept) object.push(item);
}

export function unpack(value, count) {
  const items = collect(value);
  if (items.length < count) {
    fail('ValueError', `not enough values to unpack (expected ${count}, got ${items.length})`);
  }
  if (items.length > count) {
    fail('ValueError', `too many values to unpack (expected ${count})`);
  }
  return items;
}

export function unpackStar(value, before, after) {
  const items = collect(value);
  if (items.length < before + after) {
    fail(
      'ValueError',
      `not enough values to unpack (expected at least ${before + after}, got ${items.length})`,
    );
  }
  const end = items.length - after;
  return [...items.slice(0, before), items.slice(before, end), ...items.slice(end)];
}

function collect(value) {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') {
    fail('TypeError', `cannot unpack non-iterable ${typeName(value)} object`);
  }
  return Array.isArray(value) ? value : [...iterate(value)];
}
