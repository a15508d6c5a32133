import type { Random } from '../bench/random.ts';
import type { Material } from './material.ts';

/** Texts that readers may stumble over wherever they stand. */
const TOKENS: readonly [string, ...string[]] = [
  ...([
    '__proto__',
    'constructor',
    'null',
    'NaN',
    '-',
    '1e999',
    '\\',
    '"',
    '""',
    '\\u0000',
  ] as const),
  ...['\\ud800', '{', '}', '[', ']', '[[[[[[[[', ',', ':', '\n', '\r', '\r\n', '\t', ' ', '{}\n'],
  ...['[]\n', 'null\n', '"\n', '\u2028', '\u2029', '\u00a0', '\ufeff', '\u0000', '\u001b[31m'],
  ...['<|endoftext|>', '<<cg:0123456789abcdef>>', 'data: {}\n\n', '// c\n', '/*', '=1+1', "'"],
];

/** What is no UTF-8: a lone byte, an overlong form, half a surrogate, a cut character, what is too high. */
const BROKEN: readonly [readonly number[], ...(readonly number[])[]] = [
  [0xff],
  [0xc0, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xe2, 0x82],
  [0xf5, 0x80, 0x80, 0x80],
];

type Change = (bytes: Buffer, random: Random, material: Material) => Buffer;

const changes: readonly [Change, ...Change[]] = [
  function flip(bytes, random) {
    const changed = Buffer.from(bytes);
    for (let left = 1 + random.below(4); left > 0; left--) {
      const at = random.below(changed.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
    }
    return changed;
  },
  function remove(bytes, random) {
    const [start, end] = range(bytes, random);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  function repeat(bytes, random) {
    const [start, end] = range(bytes, random);
    const times = 1 + random.below(4);
    const part = bytes.subarray(start, end);
    return Buffer.concat([
      bytes.subarray(0, end),
      ...Array.from({ length: times }, () => part),
      bytes.subarray(end),
    ]);
  },
  function truncate(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length));
  },
  function behead(bytes, random) {
    return bytes.subarray(random.below(bytes.length));
  },
  function splice(bytes, random, { others }) {
    const other = others[random.below(others.length)] ?? bytes;
    return Buffer.concat([
      bytes.subarray(0, random.below(bytes.length)),
      other.subarray(random.below(other.length)),
    ]);
  },
  function token(bytes, random) {
    return inserted(bytes, random, Buffer.from(random.pick(TOKENS)));
  },
  function broken(bytes, random) {
    return inserted(bytes, random, Buffer.from(random.pick(BROKEN)));
  },
  function mark(bytes, random) {
    const marks = [
      Buffer.from('\ufeff'),
      Buffer.of(0xff, 0xfe),
      Buffer.of(0xfe, 0xff),
      Buffer.of(0x1f, 0x8b),
      Buffer.from('PK\u0003\u0004'),
    ];
    return Buffer.concat([marks[random.below(marks.length)] ?? bytes, bytes]);
  },
  function wide(bytes) {
    return Buffer.from(bytes.toString('utf8'), 'utf16le');
  },
  function noise(bytes, random) {
    const length = 1 + random.below(40);
    return inserted(bytes, random, Buffer.from(Array.from({ length }, () => random.below(256))));
  },
  function swap(bytes, random) {
    const [start, end] = range(bytes, random);
    return Buffer.concat([
      bytes.subarray(end),
      bytes.subarray(start, end),
      bytes.subarray(0, start),
    ]);
  },
];

/** Changes a file without knowing what it is. */
export function mutateBytes(bytes: Buffer, random: Random, material: Material): Buffer {
  if (bytes.length === 0) return Buffer.from(random.pick(TOKENS));
  return random.pick(changes)(bytes, random, material);
}

function inserted(bytes: Buffer, random: Random, what: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, at), what, bytes.subarray(at)]);
}

/** Short as often as long. */
function range(bytes: Buffer, random: Random): readonly [number, number] {
  const start = random.below(bytes.length);
  const longest = random.below(2) === 0 ? 16 : bytes.length;
  return [start, Math.min(bytes.length, start + 1 + random.below(longest))];
}
