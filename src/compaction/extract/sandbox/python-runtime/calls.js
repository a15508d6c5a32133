/** Calls: binding of arguments, methods and attributes. Runs inside the machine. */

import {
  dictMethods,
  listMethods,
  matchMethods,
  noAttribute,
  setMethods,
  tupleMethods,
} from './collections.js';
import { caught as asException, fail, isInstanceOf, PyException } from './exceptions.js';
import { getItem } from './items.js';
import { accessWith, bytesMethods, textMethods } from './text.js';
import {
  iterate,
  PyBytes,
  PyDict,
  PyMatch,
  PyModule,
  PySet,
  PyTuple,
  spread,
  typeName,
} from './values.js';

/** Keyword arguments from `name, value, name, value…`; `spread, mapping` adds a mapping's entries. */
export function keywords(entries) {
  const table = Object.create(null);
  const put = (name, value) => {
    if (typeof name !== 'string') fail('TypeError', 'keywords must be strings');
    if (name in table) {
      fail('TypeError', `got multiple values for keyword argument '${name}'`);
    }
    table[name] = value;
  };
  for (let index = 0; index < entries.length; index += 2) {
    const value = entries[index + 1];
    if (entries[index] !== spread) put(entries[index], value);
    else for (const key of iterate(value)) put(key, getItem(value, key));
  }
  return table;
}

/** A function of the program; `build` gets its signature, for `bind`. */
export function define(name, positional, keywordOnly, hasRest, hasKeywords, fallbacks, build) {
  const signature = { name, positional, keywordOnly, hasRest, hasKeywords, fallbacks };
  const run = build(signature);
  run.pythonName = name;
  run.isDefined = true;
  return run;
}

/** The values of all parameters, in the order that the compiled function declares them. */
export function bind(signature, values, named) {
  const { name, positional, keywordOnly, hasRest, hasKeywords, fallbacks } = signature;
  if (values.length > positional.length && !hasRest) {
    fail(
      'TypeError',
      `${name}() takes ${positional.length} positional arguments but ${values.length} were given`,
    );
  }
  const left = new Map(named === null ? [] : Object.entries(named));
  const take = (parameter, value) => {
    if (left.has(parameter)) {
      if (value !== undefined) {
        fail('TypeError', `${name}() got multiple values for argument '${parameter}'`);
      }
      const given = left.get(parameter);
      left.delete(parameter);
      return given;
    }
    const result = value ?? (value === null ? null : fallbacks[parameter]);
    if (result === undefined) {
      fail('TypeError', `${name}() missing required argument: '${parameter}'`);
    }
    return result;
  };
  const bound = positional.map((parameter, index) => take(parameter, values[index]));
  for (const parameter of keywordOnly) bound.push(take(parameter, undefined));
  if (hasRest) bound.push(new PyTuple(values.slice(positional.length)));
  if (hasKeywords) {
    const extra = new PyDict();
    for (const [key, value] of left) extra.set(key, value);
    bound.push(extra);
  } else if (left.size > 0) {
    const [unexpected] = left.keys();
    fail('TypeError', `${name}() got an unexpected keyword argument '${unexpected}'`);
  }
  return bound;
}

export function call(callee, values, named) {
  if (typeof callee === 'function') return callee(values, named);
  return fail('TypeError', `'${typeName(callee)}' object is not callable`);
}

function methodsOf(value) {
  if (typeof value === 'string') return textMethods;
  if (Array.isArray(value)) return listMethods;
  if (value instanceof PyDict) return dictMethods;
  if (value instanceof PySet) return setMethods;
  if (value instanceof PyMatch) return matchMethods;
  if (value instanceof PyTuple) return tupleMethods;
  return value instanceof PyBytes ? bytesMethods : undefined;
}

export function callMethod(object, name, values, named) {
  const method = methodsOf(object)?.[name];
  if (method !== undefined) return method(object, values, named) ?? null;
  return call(attribute(object, name), values, named);
}

/** `object.name`, or undefined where there is no such attribute. */
export function findAttribute(object, name) {
  if (object instanceof PyModule) return object.members[name];
  const method = methodsOf(object)?.[name];
  if (method !== undefined) {
    const bound = (values, named) => method(object, values, named) ?? null;
    bound.pythonName = name;
    return bound;
  }
  if (typeof object === 'function') return functionAttribute(object, name);
  if (object instanceof PyException && name === 'args') return new PyTuple(object.values);
  if (object instanceof PyMatch && name === 'string') return object.text;
  return undefined;
}

function functionAttribute(callee, name) {
  if (name === '__name__') return callee.pythonName ?? '<lambda>';
  const method = callee.methods?.[name];
  if (method === undefined) return undefined;
  if (method.isStatic) return (values, named) => method(callee, values, named) ?? null;
  return ([self, ...values], named) => method(self, values, named) ?? null;
}

export function attribute(object, name) {
  return findAttribute(object, name) ?? noAttribute(object, name);
}

export function matches(error, types) {
  return isInstanceOf(error, types instanceof PyTuple ? types.items : [types]);
}

export function caught(error) {
  return asException(error);
}

export function failAssertion(message) {
  return fail('AssertionError', message ?? '');
}

accessWith((value, name, key) => {
  if (name !== undefined) return attribute(value, name);
  return getItem(value, /^\d+$/.test(key) ? Number(key) : key);
});
