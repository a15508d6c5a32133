import { gunzipSync, gzipSync } from 'node:zlib';
import { unzipSync, zipSync } from 'fflate';
import type { Random } from '../bench/random.ts';
import type { Material } from './material.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateDocument, mutateRecord } from './mutate-json.ts';
import { mutateLines } from './mutate-lines.ts';

const ODD_NAMES: readonly [string, ...string[]] = [
  ...([
    '../up.json',
    '/abs.json',
    '',
    'a//b.json',
    '.hidden.json',
    'samples/',
    '__proto__',
  ] as const),
  ...['samples/a b.json', 'samples/\u0000.json', 'samples/\ud83d\ude00.json', '__MACOSX/x.json'],
  ...['header.json', '_journal/start.json', 'samples/x/y.json', 'summaries.json', 'C:\\x.json'],
];

const MOST_BYTES = 1_000_000;

/** Fields of a zip's records by signature: offset and size in bytes of what a reader goes by. */
const FIELDS: readonly (readonly [string, readonly (readonly [number, number])[]])[] = [
  [
    'PK\u0003\u0004',
    [
      [6, 2],
      [8, 2],
      [18, 4],
      [22, 4],
      [26, 2],
      [28, 2],
    ],
  ],
  [
    'PK\u0001\u0002',
    [
      [8, 2],
      [10, 2],
      [20, 4],
      [24, 4],
      [28, 2],
      [30, 2],
      [32, 2],
      [42, 4],
    ],
  ],
  [
    'PK\u0005\u0006',
    [
      [8, 2],
      [10, 2],
      [12, 4],
      [16, 4],
      [20, 2],
    ],
  ],
];
const ODD_NUMBERS = [0, 1, 2, 8, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xfffffffe, 0xffffffff];

/** Changes a zip archive: what is in a file of it, which files it has, its records, or its bytes. */
export function mutateArchive(bytes: Buffer, random: Random, material: Material): Buffer {
  const choice = random.below(8);
  if (choice === 0) return mutateBytes(bytes, random, material);
  if (choice <= 2) return mutateField(bytes, random);
  let files: Record<string, Uint8Array>;
  try {
    // Sizes that were changed before are taken at their word.
    files = unzipSync(bytes, {
      filter: ({ size, originalSize }) => size + originalSize < MOST_BYTES,
    });
  } catch {
    return mutateBytes(bytes, random, material);
  }
  const names = Object.keys(files);
  const name = names[random.below(names.length)] ?? 'header.json';
  const content = Buffer.from(files[name] ?? []);
  if (choice <= 5) files[name] = mutateDocument(content, random, { others: [content] });
  else if (choice === 6) {
    delete files[name];
    if (random.below(3) > 0) files[random.pick(ODD_NAMES)] = content;
  } else files[name] = mutateBytes(content, random, { others: [content] });
  try {
    return Buffer.from(zipSync(files, { level: random.below(2) === 0 ? 0 : 6 }));
  } catch {
    return mutateBytes(bytes, random, material);
  }
}

function mutateField(bytes: Buffer, random: Random): Buffer {
  const changed = Buffer.from(bytes);
  const [signature, fields] = FIELDS[random.below(FIELDS.length)] ?? ['', []];
  const places: number[] = [];
  for (let at = changed.indexOf(signature, 0, 'latin1'); at >= 0; ) {
    places.push(at);
    at = changed.indexOf(signature, at + 1, 'latin1');
  }
  const start = places[random.below(places.length)] ?? 0;
  const [offset, size] = fields[random.below(fields.length)] ?? [0, 2];
  if (start + offset + size > changed.length) return changed;
  const known = changed.readUIntLE(start + offset, size);
  const odd = ODD_NUMBERS[random.below(ODD_NUMBERS.length)] ?? 0;
  const value = random.below(3) === 0 ? known + random.below(3) - 1 : odd;
  changed.writeUIntLE(Math.max(0, value) % 2 ** (8 * size), start + offset, size);
  return changed;
}

/** Changes a gzip file: what is in it, or its bytes; or packs it once more, or several in one. */
export function mutateGzip(bytes: Buffer, random: Random, material: Material): Buffer {
  const choice = random.below(8);
  if (choice === 0) return Buffer.concat([bytes, bytes]);
  if (choice === 1) return gzipSync(bytes);
  if (choice <= 3) return mutateBytes(bytes, random, material);
  let content: Buffer;
  try {
    content = gunzipSync(bytes, { maxOutputLength: 1 << 24 });
  } catch {
    return mutateBytes(bytes, random, material);
  }
  const inner = { others: [content] };
  if (content.length === 0) return mutateBytes(bytes, random, material);
  if (choice === 4) return gzipSync(mutateLines(content, random, inner));
  return gzipSync((choice <= 6 ? mutateRecord : mutateDocument)(content, random, inner));
}
