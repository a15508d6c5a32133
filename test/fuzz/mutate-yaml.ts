import { parse } from 'yaml';
import type { Random } from '../bench/random.ts';
import type { Material } from './material.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateDocument } from './mutate-json.ts';

const ODD_VALUES: readonly [string, ...string[]] = [
  ...([
    '',
    '~',
    'null',
    'yes',
    'true',
    '0',
    '-1',
    '.inf',
    '-.inf',
    '.nan',
    '1e999',
    '0x1F',
  ] as const),
  ...[
    '0o17',
    '1_000',
    '12345678901234567890',
    '0.5',
    '""',
    "''",
    '"\\u0000"',
    '"\\ud800"',
    '[]',
    '{}',
  ],
  ...['[a, b]', '{a: 1}', '[[[[]]]]', '*a', '&a x', '&a [*a]', '!!js/function x', '!!binary x'],
  ...[
    '!!set {a}',
    '2026-11-30',
    '|',
    '>',
    '|\n    a\n   b',
    '- a',
    '? x',
    '<<',
    '%YAML 1.1',
    'a: b: c',
  ],
  ...['"unclosed', '[unclosed', '{unclosed', '\ta', 'summarize', 'full', 'off', '@x', '`x`', '#'],
];

const ODD_KEYS: readonly [string, ...string[]] = [
  ...([
    '__proto__',
    'constructor',
    'toString',
    '<<',
    '?',
    '""',
    '1',
    'null',
    '[a]',
    '{a: 1}',
  ] as const),
  ...[
    'zq_unknown',
    'pipeline',
    'components',
    'matrix',
    'name',
    'preset',
    'model',
    'expand',
    'trigger',
  ],
];

const ODD_LINES: readonly [string, ...string[]] = [
  ...([
    '---',
    '...',
    '%YAML 1.2',
    '- x',
    '? a',
    ': b',
    '<<: *a',
    'a: &a {b: 1}',
    '\tb: 1',
  ] as const),
  ...['zq_unknown: 1', 'pipeline: [mask]', 'components:', '  mask: {}', '# c', 'matrix: {a: [1]}'],
];

const LONGEST = 8000;

const PAIR = /^(\s*(?:- )?)([^\s:#][^:]*)(:\s*)(.*)$/;

/** Changes keys, values and indents of a YAML text; sometimes as the JSON that it says. */
export function mutateYaml(bytes: Buffer, random: Random, material: Material): Buffer {
  const text = bytes.toString('utf8');
  // What an earlier mutation has made long or deep takes a parser long.
  if (text.length < LONGEST && random.below(4) === 0) {
    const json = asJson(text);
    if (json !== undefined) return mutateDocument(Buffer.from(json), random, material);
  }
  const lines = text.split('\n');
  const pairs = lines.flatMap((line, index) => (PAIR.test(line) ? [index] : []));
  const at = pairs[random.below(pairs.length)];
  const [, indent = '', key = '', colon = '', value = ''] = PAIR.exec(lines[at ?? 0] ?? '') ?? [];
  if (at === undefined) return mutateBytes(bytes, random, material);
  switch (random.below(8)) {
    case 0:
    case 1:
      lines[at] = `${indent}${key}${colon.trimEnd()} ${random.pick(ODD_VALUES)}`;
      break;
    case 2:
      lines[at] = `${indent}${random.pick(ODD_KEYS)}${colon}${value}`;
      break;
    case 3:
      lines.splice(random.below(lines.length + 1), 0, `${indent}${random.pick(ODD_LINES)}`);
      break;
    case 4:
      lines[at] = `${' '.repeat(random.below(8))}${key}${colon}${value}`;
      break;
    case 5:
      lines.splice(random.below(lines.length + 1), 0, lines[at] ?? '');
      break;
    case 6: {
      // The value of another key.
      const other = pairs[random.below(pairs.length)] ?? at;
      lines[at] = `${indent}${key}${colon}${PAIR.exec(lines[other] ?? '')?.[4] ?? ''}`;
      break;
    }
    default:
      lines[at] = `${indent}${key}${value}`;
  }
  return Buffer.from(lines.join('\n'));
}

function asJson(text: string): string | undefined {
  try {
    return JSON.stringify(parse(text, { logLevel: 'silent' }));
  } catch {
    return undefined;
  }
}
