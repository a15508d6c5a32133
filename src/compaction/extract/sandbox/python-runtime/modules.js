/** The modules that `import` finds. Nothing is loaded: they are always there. Runs inside the machine. */

import { builtins } from './builtins.js';
import { call } from './calls.js';
import { countInto, update } from './collections.js';
import { fail } from './exceptions.js';
import { jsonModule } from './json.js';
import { float, integer, isInteger, multiplyNumbers, numeric } from './numbers.js';
import { add, equal } from './operators.js';
import { regexpModule } from './regexp.js';
import { iterate, PyDict, PyFloat, PyModule, PyTuple } from './values.js';

function number(value) {
  return numeric(value) ?? fail('TypeError', 'must be real number');
}

function whole(rounding) {
  return ([value]) => (isInteger(value) ? value : integer(BigInt(rounding(number(value)))));
}

function onFloat(operate) {
  return ([value]) => float(operate(number(value)));
}

const mathModule = new PyModule('math', {
  __proto__: null,
  ceil: whole(Math.ceil),
  floor: whole(Math.floor),
  trunc: whole(Math.trunc),
  fabs: onFloat(Math.abs),
  sqrt: ([value]) => {
    if (number(value) < 0) fail('ValueError', 'math domain error');
    return float(Math.sqrt(number(value)));
  },
  exp: onFloat(Math.exp),
  log: ([value, base]) => {
    if (number(value) <= 0) fail('ValueError', 'math domain error');
    return float(Math.log(number(value)) / (base === undefined ? 1 : Math.log(number(base))));
  },
  log2: onFloat(Math.log2),
  log10: onFloat(Math.log10),
  pow: ([base, exponent]) => float(number(base) ** number(exponent)),
  isnan: ([value]) => Number.isNaN(number(value)),
  isinf: ([value]) => Math.abs(number(value)) === Number.POSITIVE_INFINITY,
  prod: ([items]) => {
    let product = 1;
    for (const item of iterate(items)) product = multiplyNumbers(product, item);
    return product;
  },
  pi: new PyFloat(Math.PI),
  e: new PyFloat(Math.E),
  inf: new PyFloat(Number.POSITIVE_INFINITY),
  nan: new PyFloat(Number.NaN),
});

function counter(values, named) {
  const dict = new PyDict();
  dict.isCounter = true;
  countInto(dict, values, named);
  return dict;
}
counter.isType = true;
counter.pythonName = 'Counter';

function defaultDict([factory = null, ...values], named) {
  const dict = new PyDict(factory);
  update(dict, values, named);
  return dict;
}
defaultDict.isType = true;
defaultDict.pythonName = 'defaultdict';

const collectionsModule = new PyModule('collections', {
  __proto__: null,
  Counter: counter,
  OrderedDict: builtins.dict,
  defaultdict: defaultDict,
});

function* chain(lists) {
  for (const list of lists) yield* iterate(list);
}

function* islice([items, first, second, step = 1]) {
  const [from, to] = second === undefined ? [0, first] : [first ?? 0, second];
  let index = 0;
  for (const item of iterate(items)) {
    if (to !== null && index >= to) return;
    if (index >= from && (index - from) % step === 0) yield item;
    index++;
  }
}

function* groupBy([items, key], named) {
  const keyOf = key ?? named?.key ?? null;
  let group = null;
  for (const item of iterate(items)) {
    const id = keyOf === null ? item : call(keyOf, [item], null);
    if (group !== null && equal(group.items[0], id)) {
      group.items[1].push(item);
    } else {
      if (group !== null) yield group;
      group = new PyTuple([id, [item]]);
    }
  }
  if (group !== null) yield group;
}

const itertoolsModule = new PyModule('itertools', {
  __proto__: null,
  chain: (lists) => chain(lists),
  count: ([start = 0, step = 1]) =>
    (function* () {
      for (let value = start; ; value = add(value, step)) yield value;
    })(),
  groupby: groupBy,
  islice,
});

const typing = Object.create(null);
for (const name of [
  'Any',
  'Dict',
  'List',
  'Optional',
  'Set',
  'Tuple',
  'Union',
  'Iterable',
  'Callable',
]) {
  typing[name] = builtins.object;
}

const MODULES = {
  __proto__: null,
  __future__: new PyModule('__future__', { __proto__: null, annotations: null }),
  collections: collectionsModule,
  itertools: itertoolsModule,
  json: jsonModule,
  math: mathModule,
  re: regexpModule,
  typing: new PyModule('typing', typing),
};

/** The module, or its member where one is named. */
export function importName(module, member) {
  const found = MODULES[module];
  if (found === undefined) {
    const offered = Object.keys(MODULES).filter((name) => !name.startsWith('_'));
    return fail(
      'ModuleNotFoundError',
      `No module named '${module}'; the sandbox has only ${offered.join(', ')}`,
    );
  }
  if (member === '') return found;
  if (!(member in found.members)) {
    fail('ImportError', `cannot import name '${member}' from '${module}'`);
  }
  return found.members[member];
}
