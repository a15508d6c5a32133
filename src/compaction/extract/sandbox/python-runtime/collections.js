/** Methods of list, tuple, dict, set and their kin. Runs inside the machine. */

import { fail } from './exceptions.js';
import { deleteItem } from './items.js';
import { add, bitAnd, bitOr, bitXor, equal, lessOrEqual, sortList, subtract } from './operators.js';
import {
  codePointOffset,
  iterate,
  makeSet,
  mergeInto,
  PyDict,
  PySet,
  PyTuple,
  PyView,
  truth,
  typeName,
  withoutSelf,
} from './values.js';

function indexOf(items, [wanted, start = 0, stop = items.length], kind) {
  const from = start < 0 ? Math.max(0, start + items.length) : Number(start);
  const to = stop < 0 ? stop + items.length : Math.min(items.length, Number(stop));
  for (let at = from; at < to; at++) if (equal(items[at], wanted)) return at;
  return fail('ValueError', `${kind} does not contain the value`);
}

function countOf(items, wanted) {
  return items.filter((item) => equal(item, wanted)).length;
}

export const listMethods = {
  __proto__: null,
  append: (list, [item]) => {
    list.push(item === undefined ? fail('TypeError', 'append() takes one argument') : item);
    return null;
  },
  clear: (list) => {
    list.length = 0;
    return null;
  },
  copy: (list) => [...list],
  count: (list, [wanted]) => countOf(list, wanted),
  extend: (list, [items]) => {
    for (const item of items === list ? [...list] : iterate(items)) list.push(item);
    return null;
  },
  index: (list, values) => indexOf(list, values, 'list'),
  insert: (list, [index, item]) => {
    list.splice(Number(index), 0, item);
    return null;
  },
  pop: (list, [index = -1]) => {
    if (list.length === 0) fail('IndexError', 'pop from empty list');
    const at = index < 0 ? Number(index) + list.length : Number(index);
    if (at < 0 || at >= list.length) fail('IndexError', 'pop index out of range');
    return at === list.length - 1 ? list.pop() : list.splice(at, 1)[0];
  },
  remove: (list, [wanted]) => {
    const at = list.findIndex((item) => equal(item, wanted));
    if (at < 0) fail('ValueError', 'list.remove(x): x not in list');
    list.splice(at, 1);
    return null;
  },
  reverse: (list) => {
    list.reverse();
    return null;
  },
  sort: (list, _values, keywords) => {
    const sorted = sortList([...list], keywords?.key ?? null, truth(keywords?.reverse ?? false));
    sorted.forEach((item, at) => {
      list[at] = item;
    });
    return null;
  },
};

export const tupleMethods = {
  __proto__: null,
  count: (tuple, [wanted]) => countOf(tuple.items, wanted),
  index: (tuple, values) => indexOf(tuple.items, values, 'tuple'),
};

/** Takes a mapping, an iterable of pairs, and keyword arguments into a dict. */
export function update(dict, values, keywords) {
  const [source] = values;
  if (source instanceof PyDict) mergeInto(dict, source);
  else if (source !== undefined && source !== null) {
    for (const pair of iterate(source)) {
      const [key, value, ...more] = iterate(pair);
      if (value === undefined || more.length > 0) {
        fail(
          'ValueError',
          'dictionary update sequence element has the wrong length; 2 is required',
        );
      }
      dict.set(key, value);
    }
  }
  for (const name in keywords) dict.set(name, keywords[name]);
  return null;
}

/** Adds the counts of an iterable, or of a mapping, to a Counter. */
export function countInto(counter, [source], named, sign = 1) {
  for (const name in named) counter.set(name, (counter.get(name) ?? 0) + sign * named[name]);
  if (source instanceof PyDict) {
    for (const key of source.keys()) {
      counter.set(key, add(counter.get(key) ?? 0, sign * source.get(key)));
    }
  } else if (source !== undefined && source !== null) {
    for (const key of iterate(source)) counter.set(key, (counter.get(key) ?? 0) + sign);
  }
  return null;
}

function copyDict(dict) {
  const copy = new PyDict(dict.factory);
  copy.isCounter = dict.isCounter;
  mergeInto(copy, dict);
  return copy;
}

function popEntry(dict, values) {
  const [key, fallback] = values;
  const value = dict.get(key);
  if (value === undefined) return fallback === undefined ? fail('KeyError', key) : fallback;
  deleteItem(dict, key);
  return value;
}

export const dictMethods = {
  __proto__: null,
  clear: (dict) => {
    dict.clear();
    return null;
  },
  copy: copyDict,
  elements: (dict) => dict.keys().flatMap((key) => Array(Math.max(0, dict.get(key))).fill(key)),
  fromkeys: withoutSelf(([keys, value = null]) => {
    const dict = new PyDict();
    for (const key of iterate(keys)) dict.set(key, value);
    return dict;
  }),
  get: (dict, [key, fallback = null], keywords) =>
    dict.get(key) ?? presentNull(dict, key, keywords?.default ?? fallback),
  items: (dict) => new PyView(dict, 'items'),
  keys: (dict) => new PyView(dict, 'keys'),
  most_common: (dict, [count]) => {
    const pairs = sortList(dict.items(), ([pair]) => pair.items[1], true);
    return count === undefined || count === null ? pairs : pairs.slice(0, Number(count));
  },
  pop: popEntry,
  popitem: (dict) => {
    if (dict.size === 0) fail('KeyError', 'popitem(): dictionary is empty');
    const pair = dict.items()[dict.size - 1];
    dict.delete(pair.items[0]);
    return pair;
  },
  setdefault: (dict, [key, fallback = null]) => {
    if (!dict.has(key)) dict.set(key, fallback);
    return dict.get(key);
  },
  subtract: (dict, values, keywords) => countInto(dict, values, keywords, -1),
  total: (dict) => dict.values().reduce((sum, count) => add(sum, count), 0),
  update: (dict, values, keywords) =>
    dict.isCounter ? countInto(dict, values, keywords) : update(dict, values, keywords),
  values: (dict) => new PyView(dict, 'values'),
};

/** A stored None is a value, not an absence. */
function presentNull(dict, key, fallback) {
  return dict.has(key) ? null : fallback;
}

function asSet(value) {
  return value instanceof PySet ? value : makeSet(iterate(value));
}

function changed(set, result) {
  if (set.frozen) fail('AttributeError', "'frozenset' object cannot be changed");
  set.map = result.map;
  set.originals = result.originals;
  return null;
}

function combine(operate) {
  return (set, others) =>
    others.reduce(
      (result, other) => operate(result, asSet(other)),
      makeSet(set.keys(), set.frozen),
    );
}

const union = combine(bitOr);
const intersection = combine(bitAnd);
const difference = combine(subtract);

export const setMethods = {
  __proto__: null,
  add: (set, [item]) => {
    if (set.frozen) fail('AttributeError', "'frozenset' object has no attribute 'add'");
    set.add(item);
    return null;
  },
  clear: (set) => {
    set.clear();
    return null;
  },
  copy: (set) => makeSet(set.keys(), set.frozen),
  difference,
  difference_update: (set, others) => changed(set, difference(set, others)),
  discard: (set, [item]) => {
    set.delete(item);
    return null;
  },
  intersection,
  intersection_update: (set, others) => changed(set, intersection(set, others)),
  isdisjoint: (set, [other]) => bitAnd(set, asSet(other)).size === 0,
  issubset: (set, [other]) => lessOrEqual(set, asSet(other)),
  issuperset: (set, [other]) => lessOrEqual(asSet(other), set),
  pop: (set) => {
    if (set.size === 0) fail('KeyError', 'pop from an empty set');
    const [first] = set.keys();
    set.delete(first);
    return first;
  },
  remove: (set, [item]) => {
    if (!set.delete(item)) fail('KeyError', item);
    return null;
  },
  symmetric_difference: (set, [other]) => bitXor(set, asSet(other)),
  union,
  update: (set, others) => changed(set, union(set, others)),
};

/** Start and end of a group in code points, as Python counts. */
function spanOf(match, [group = 0]) {
  const range = match.range(group) ?? fail('IndexError', 'no such group');
  return range.map((units) => (units < 0 ? units : codePointOffset(match.text, units)));
}

export const matchMethods = {
  __proto__: null,
  end: (match, values) => spanOf(match, values)[1],
  group: (match, groups) => {
    const read = (key) => {
      const text = match.group(key);
      return text === undefined ? fail('IndexError', 'no such group') : text;
    };
    if (groups.length <= 1) return read(groups[0] ?? 0);
    return new PyTuple(groups.map(read));
  },
  groupdict: (match) => {
    const dict = new PyDict();
    for (const name in match.names) dict.set(name, match.group(name));
    return dict;
  },
  groups: (match, [fallback = null]) => {
    const groups = Array.from({ length: match.groupCount }, (_, index) => match.group(index + 1));
    return new PyTuple(groups.map((group) => group ?? fallback));
  },
  span: (match, values) => new PyTuple(spanOf(match, values)),
  start: (match, values) => spanOf(match, values)[0],
};

export function noAttribute(value, name) {
  return fail('AttributeError', `'${typeName(value)}' object has no attribute '${name}'`);
}
