import type { Random } from '../bench/random.ts';
import {
  copyOf,
  type Layout,
  literal,
  type Place,
  parseTree,
  placesOf,
  printTree,
  putAt,
  raw,
  type Tree,
  valueAt,
} from './json-tree.ts';
import type { Material } from './material.ts';
import { mutateBytes } from './mutate-bytes.ts';

const ODD_KEYS: readonly [string, ...string[]] = [
  ...(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'] as const),
  ...[
    '',
    ' ',
    '0',
    'length',
    'type',
    'role',
    'content',
    'id',
    'messages',
    'body',
    'then',
    '\u0000',
  ],
  ...['toJSON', '__defineGetter__', 'zq_unknown'],
];

/** Values as they are written, so that they may be what no value is. */
const ODD_VALUES: readonly [string, ...string[]] = [
  ...(['null', 'true', 'false', '0', '-0', '-1', '1', '0.5', '1e999', '-1e999', '1E400'] as const),
  ...['12345678901234567890', '9007199254740993', '1e-400', '1.0', '4294967296', '2147483648'],
  ...['""', '" "', '"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"__proto__"', '"constructor"'],
  ...['"null"', '"0"', '"-1"', '"NaN"', '"1e999"', '"true"', '"[]"', '"{}"', '"{\\"a\\":1}"'],
  ...['"user"', '"assistant"', '"system"', '"tool"', '"model"', '"text"', '"tool_use"'],
  ...['"2026-99-99T99:99:99Z"', '"9999999999999999999"', '"1970-01-01"', '"+275760-09-13"'],
  ...['"\\u2028"', '"\\u202e"', '"<|endoftext|>"', '"../../etc/x"', '"C:\\\\x"', '"a/b"', '"."'],
  ...['[]', '{}', '[[]]', '[null]', '[{}]', '[""]', '[0]', '{"":null}', '{"__proto__":null}'],
  ...['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}'],
  ...['{"length":3}', '{"type":"text"}', '{"type":"text","text":null}', '[{"type":"text"}]'],
  ...['{"role":"user"}', '{"toString":null}', '{"then":1}', '{"toJSON":1}', '[1,"a",null,{}]'],
];

type Change = (tree: Tree, random: Random, other: Tree) => void;

const changes: readonly [Change, ...Change[]] = [
  function replace(tree, random) {
    const place = somePlace(tree, random);
    if (place !== undefined) putAt(place, raw(random.pick(ODD_VALUES)));
  },
  function replaceAgain(tree, random) {
    const place = somePlace(tree, random);
    if (place !== undefined) putAt(place, raw(random.pick(ODD_VALUES)));
  },
  function remove(tree, random) {
    const place = somePlace(tree, random);
    if (place?.holder.kind === 'object') place.holder.members.splice(place.index, 1);
    else place?.holder.items.splice(place.index, 1);
  },
  function removeMany(tree, random) {
    // The same key everywhere, as another version of the writer would leave it out.
    const key = someKey(tree, random);
    for (const { holder } of placesOf(tree)) {
      if (holder.kind === 'object')
        holder.members = holder.members.filter((one) => one.key !== key);
    }
  },
  function rename(tree, random) {
    const member = someMember(tree, random);
    if (member === undefined) return;
    const own = random.below(2) === 0 ? someKey(tree, random) : random.pick(ODD_KEYS);
    member.key = own ?? random.pick(ODD_KEYS);
  },
  function repeat(tree, random) {
    const place = somePlace(tree, random);
    if (place === undefined) return;
    const copy = copyOf(valueAt(place));
    if (place.holder.kind === 'array') place.holder.items.splice(place.index, 0, copy);
    else {
      const key = place.holder.members[place.index]?.key ?? '';
      const value = random.below(2) === 0 ? copy : raw(random.pick(ODD_VALUES));
      place.holder.members.push({ key, value });
    }
  },
  function insert(tree, random) {
    const place = somePlace(tree, random);
    if (place === undefined) return;
    const value = raw(random.pick(ODD_VALUES));
    if (place.holder.kind === 'array') place.holder.items.splice(place.index, 0, value);
    else place.holder.members.push({ key: random.pick(ODD_KEYS), value });
  },
  function swap(tree, random) {
    const [one, other] = [somePlace(tree, random), somePlace(tree, random)];
    if (one === undefined || other === undefined) return;
    const [left, right] = [copyOf(valueAt(one)), copyOf(valueAt(other))];
    putAt(one, right);
    putAt(other, left);
  },
  function copy(tree, random) {
    const [from, to] = [somePlace(tree, random), somePlace(tree, random)];
    if (from !== undefined && to !== undefined) putAt(to, copyOf(valueAt(from)));
  },
  function sameKey(tree, random) {
    // Equal ids, cycles of parents, times out of order.
    const key = someKey(tree, random);
    const places = placesOf(tree).filter(
      ({ holder, index }) => holder.kind === 'object' && holder.members[index]?.key === key,
    );
    const [from, to] = [places[random.below(places.length)], places[random.below(places.length)]];
    if (from !== undefined && to !== undefined) putAt(to, copyOf(valueAt(from)));
  },
  function borrow(tree, random, other) {
    const [from, to] = [somePlace(other, random), somePlace(tree, random)];
    if (from !== undefined && to !== undefined) putAt(to, copyOf(valueAt(from)));
  },
  function nest(tree, random) {
    const place = somePlace(tree, random);
    if (place === undefined) return;
    const depth = [1, 3, 40, 600, 9000][random.below(5)] ?? 1;
    const text = printTree(valueAt(place));
    const isList = random.below(2) === 0;
    const [open, close] = isList ? ['[', ']'] : ['{"a":', '}'];
    putAt(place, raw(`${open.repeat(depth)}${text}${close.repeat(depth)}`));
  },
  function stringify(tree, random) {
    const place = somePlace(tree, random);
    if (place !== undefined) putAt(place, literal(printTree(valueAt(place))));
  },
  function parse(tree, random) {
    const place = somePlace(tree, random);
    const value = place === undefined ? undefined : valueAt(place);
    if (place === undefined || value?.kind !== 'raw' || !value.text.startsWith('"')) return;
    const inner: unknown = JSON.parse(value.text);
    const parsed = typeof inner === 'string' ? parseTree(inner) : undefined;
    if (parsed !== undefined) putAt(place, parsed);
  },
  function reorder(tree, random) {
    const { holder } = somePlace(tree, random) ?? {};
    if (holder?.kind === 'object') holder.members.reverse();
    else holder?.items.reverse();
  },
  function lengthen(tree, random) {
    const place = somePlace(tree, random);
    const text = ['x', '\ud83d\ude00', '\n', ' ', '"', '\\', '{', 'a.b/', '<<cg:'];
    const length = [100, 3000, 20_000][random.below(3)] ?? 100;
    if (place !== undefined) {
      putAt(place, literal((text[random.below(text.length)] ?? 'x').repeat(length)));
    }
  },
  function number(tree, random) {
    const numbers = placesOf(tree).filter((place) => {
      const value = valueAt(place);
      return value.kind === 'raw' && /^[-\d]/.test(value.text);
    });
    const place = numbers[random.below(numbers.length)];
    const odd = ['-1', '1e999', '-1e999', '0', '1.5', '1e21', '9007199254740993', '-0', '1e-9'];
    if (place !== undefined) putAt(place, raw(odd[random.below(odd.length)] ?? '0'));
  },
];

const LAYOUTS: readonly [Layout, ...Layout[]] = ['dense', 'dense', 'spaced', 'indented'];

/** Changes a JSON file by its structure; one that is none any more, by its bytes. */
export function mutateDocument(bytes: Buffer, random: Random, material: Material): Buffer {
  const tree = parseTree(bytes.toString('utf8'));
  if (tree === undefined) return mutateBytes(bytes, random, material);
  const other = parseTree(
    (material.others[random.below(material.others.length)] ?? bytes).toString(),
  );
  const root: Tree = { kind: 'array', items: [tree] };
  random.pick(changes)(root, random, other ?? tree);
  const [whole] = root.items;
  return Buffer.from(printTree(whole ?? raw('null'), random.pick(LAYOUTS)));
}

/** Changes one line of a JSONL file by its structure. */
export function mutateRecord(bytes: Buffer, random: Random, material: Material): Buffer {
  const lines = bytes.toString('utf8').split('\n');
  const at = random.below(lines.length);
  const tree = parseTree(lines[at] ?? '');
  if (tree === undefined) return mutateBytes(bytes, random, material);
  const others = (material.others[random.below(material.others.length)] ?? bytes).toString();
  const lent = random.below(2) === 0 ? lines : others.split('\n');
  const other = parseTree(lent[random.below(lent.length)] ?? '');
  const root: Tree = { kind: 'array', items: [tree] };
  random.pick(changes)(root, random, other ?? tree);
  lines[at] = printTree(root.items[0] ?? raw('null'));
  return Buffer.from(lines.join('\n'));
}

function somePlace(tree: Tree, random: Random): Place | undefined {
  const places = placesOf(tree);
  return places[random.below(places.length)];
}

function someMember(tree: Tree, random: Random): { key: string } | undefined {
  const inObjects = placesOf(tree).flatMap(({ holder, index }) =>
    holder.kind === 'object' ? (holder.members[index] ?? []) : [],
  );
  return inObjects[random.below(inObjects.length)];
}

function someKey(tree: Tree, random: Random): string | undefined {
  return someMember(tree, random)?.key;
}
