import type { Random } from '../bench/random.ts';
import type { Material } from './material.ts';

const ODD_LINES: readonly [string, ...string[]] = [
  ...([
    '',
    ' ',
    '\t',
    'null',
    '0',
    '"text"',
    '[]',
    '{}',
    '[{}]',
    'true',
    '{"',
    '}',
    '---',
  ] as const),
  ...[
    '{"type":"user"}',
    '{"role":"user"}',
    '{"__proto__":{"polluted":1}}',
    'data: [DONE]',
    '\u2028',
  ],
  ...['\u00a0', '\u0085', ',', '{"a":1}{"b":2}', '\ufeff{}', 'Error: no such file'],
];

type Change = (lines: string[], random: Random, others: readonly string[]) => string[];

const changes: readonly [Change, ...Change[]] = [
  function remove(lines, random) {
    const at = random.below(lines.length);
    return lines.toSpliced(at, 1 + (random.below(3) === 0 ? random.below(lines.length) : 0));
  },
  function repeat(lines, random) {
    const at = random.below(lines.length);
    return lines.toSpliced(random.below(lines.length + 1), 0, lines[at] ?? '');
  },
  function move(lines, random) {
    const [line = ''] = lines.splice(random.below(lines.length), 1);
    return lines.toSpliced(random.below(lines.length + 1), 0, line);
  },
  function join(lines, random) {
    const at = random.below(lines.length);
    return lines.toSpliced(at, 2, `${lines[at] ?? ''}${lines[at + 1] ?? ''}`);
  },
  function split(lines, random) {
    const at = random.below(lines.length);
    const line = lines[at] ?? '';
    const cut = random.below(line.length + 1);
    return lines.toSpliced(at, 1, line.slice(0, cut), line.slice(cut));
  },
  function insert(lines, random) {
    return lines.toSpliced(random.below(lines.length + 1), 0, random.pick(ODD_LINES));
  },
  function borrow(lines, random, others) {
    const line = others[random.below(others.length)] ?? '';
    return lines.toSpliced(random.below(lines.length + 1), 0, line);
  },
  function shuffle(lines, random) {
    const keys = lines.map((line) => ({ line, key: random.next() }));
    return keys.toSorted((a, b) => a.key - b.key).map(({ line }) => line);
  },
  function reverse(lines) {
    return lines.toReversed();
  },
  function blank(lines, random) {
    return lines.map((line) => (random.below(4) === 0 ? '' : line));
  },
  function tear(lines) {
    const last = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
    const line = last.at(-1) ?? '';
    return [...last.slice(0, -1), line.slice(0, line.length >> 1)];
  },
];

/** Changes the lines of a text and leaves what stands in them; the last one may have no end. */
export function mutateLines(bytes: Buffer, random: Random, { others }: Material): Buffer {
  const lines = bytes.toString('utf8').split('\n');
  if (random.below(12) === 0) return Buffer.from(lines.join('\r\n'));
  if (random.below(30) === 0) return Buffer.from(lines.join('\r'));
  const lent = (others[random.below(others.length)] ?? bytes).toString('utf8').split('\n');
  return Buffer.from(random.pick(changes)(lines, random, lent).join('\n'));
}
