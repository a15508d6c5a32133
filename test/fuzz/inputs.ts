import { gzipSync } from 'node:zlib';
import { Random } from '../bench/random.ts';
import { parseTree, printTree } from './json-tree.ts';
import type { Seed, SeedFile } from './material.ts';
import { type Mutation, mutatorOf, pickMutation } from './mutations.ts';

/** What one run is given; seed and number decide all of it. */
export interface Input {
  readonly seed: Seed;
  readonly mutations: readonly Mutation[];
  /** How the files are spelled otherwise instead of changed. */
  readonly spelling: Spelling | undefined;
  readonly choice: number;
}

/** A run in so many has the files of its seed in another spelling. */
const SPELLED = 12;
const MOST_MUTATIONS = 6;

export function inputOf(
  seeds: readonly Seed[],
  hasSpellings: boolean,
  start: number,
  run: number,
): Input {
  const random = new Random(Math.imul(start, 0x9e3779b1) ^ Math.imul(run + 1, 0x85ebca6b));
  random.next();
  const seed = seeds[random.below(seeds.length)];
  if (seed === undefined) throw new Error('no seed to start from');
  const choice = random.below(2 ** 31);
  const canBeSpelled = hasSpellings && seed.files.every(({ kind }) => kind !== 'zip');
  if (canBeSpelled && random.below(SPELLED) === 0) {
    const names = Object.keys(spellings);
    const name = names[random.below(names.length)];
    return { seed, mutations: [], spelling: isSpelling(name) ? name : 'gzip', choice };
  }
  // Few changes reach deep, many find what only stands together.
  let count = 1;
  while (count < MOST_MUTATIONS && random.below(2) === 0) count++;
  const mutations = Array.from({ length: count }, () => {
    const file = seed.files[random.below(seed.files.length)];
    return pickMutation(file?.path ?? '', file?.kind ?? 'json', random);
  });
  return { seed, mutations, spelling: undefined, choice };
}

/** The files of the run. */
export function filesOf(
  { seed, mutations, spelling }: Input,
  seeds: readonly Seed[],
): readonly SeedFile[] {
  if (spelling !== undefined) {
    return seed.files.map((file) => ({ ...file, bytes: spellings[spelling](file) }));
  }
  return seed.files.map((file) => {
    let { bytes } = file;
    for (const mutation of mutations) {
      if (mutation.file !== file.path) continue;
      // Of its own, so that a mutation is the same without those before it.
      const material = new Random(~mutation.seed);
      const others = [0, 1].flatMap(() => {
        const lent = seeds[material.below(seeds.length)]?.files ?? [];
        return lent[material.below(lent.length)]?.bytes ?? [];
      });
      bytes = mutatorOf(mutation)(bytes, new Random(mutation.seed), { others: [...others, bytes] });
    }
    return { ...file, bytes };
  });
}

/** The same content, spelled otherwise. */
const spellings = {
  gzip: ({ bytes }: SeedFile) => gzipSync(bytes),
  mark: ({ bytes }: SeedFile) => Buffer.concat([Buffer.from('\ufeff'), bytes]),
  blank: ({ bytes, kind }: SeedFile) =>
    kind === 'jsonl'
      ? Buffer.from(bytes.toString('utf8').replaceAll('\n', '\n\n \t\n'))
      : Buffer.from(`\n \n${bytes.toString('utf8')}\n\n`),
  lineEnds: ({ bytes, kind }: SeedFile) =>
    kind === 'jsonl' ? Buffer.from(bytes.toString('utf8').replaceAll('\n', '\r\n')) : bytes,
  noLastEnd: ({ bytes }: SeedFile) => Buffer.from(bytes.toString('utf8').replace(/\s+$/, '')),
  spaced: ({ bytes, kind }: SeedFile) => {
    const layout = kind === 'jsonl' ? 'spaced' : 'indented';
    const relaid = (text: string) => {
      const tree = parseTree(text);
      return tree === undefined ? text : printTree(tree, layout);
    };
    const text = bytes.toString('utf8');
    return Buffer.from(kind === 'jsonl' ? text.split('\n').map(relaid).join('\n') : relaid(text));
  },
} as const;

type Spelling = keyof typeof spellings;

function isSpelling(name: string | undefined): name is Spelling {
  return name !== undefined && name in spellings;
}
