import type { Random } from '../bench/random.ts';

/** What a file is, so that it can be changed by its structure. */
export type Kind = 'json' | 'jsonl' | 'yaml' | 'csv' | 'zip' | 'gzip';

/** A file that a reader is given, at a path relative to the folder of the run. */
export interface SeedFile {
  readonly path: string;
  readonly kind: Kind;
  readonly bytes: Buffer;
}

/** Files that belong together, as some tool writes them. */
export interface Seed {
  readonly name: string;
  readonly files: readonly SeedFile[];
}

/** What mutations may take from other files of the same fuzzer. */
export interface Material {
  readonly others: readonly Buffer[];
}

/** Changes a file in one way. Gives back the same bytes where there is nothing to change. */
export type Mutator = (bytes: Buffer, random: Random, material: Material) => Buffer;
