import type { Seed, SeedFile } from './material.ts';

/** What a run ended with where no property broke. */
export type Outcome = 'read' | 'rejected';

export interface Run {
  readonly seed: Seed;
  /** Those of the seed, changed. */
  readonly files: readonly SeedFile[];
  /** The files say the same as those of the seed, in another spelling: they must be read as the same. */
  readonly isRespelled: boolean;
  /** Folder in which `files` have been written. */
  readonly folder: string;
  /** A number that decides about what a check chooses by itself. */
  readonly choice: number;
}

/** One reader under test: what it is given, and what must hold of whatever it makes of that. */
export interface Fuzzer {
  readonly name: string;
  readonly about: string;
  seeds(): Promise<readonly Seed[]>;
  /** True where seeds may be spelled otherwise without a change of what they say. */
  readonly hasSpellings: boolean;
  /** @throws Finding, or whatever the reader throws that it must not */
  check(run: Run): Promise<Outcome>;
}
