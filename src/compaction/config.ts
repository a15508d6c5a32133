import type { BoundComponent } from './bound.ts';

/** A config that is ready to run: every default filled in, every name resolved. */
export interface Config {
  readonly name: string;
  readonly about: string;
  /** Components in the order in which they act; empty for `baseline`. */
  readonly steps: readonly BoundComponent[];
  /** The resolved document as YAML, for the manifest; secrets are left out. */
  readonly text: string;
  /** SHA-256 (16 hexadecimal digits) of what can change a result: steps, versions, settings without connection data. */
  readonly hash: string;
  /** Where the document stands, e.g. `sweeps/cg-summarize.yaml`. */
  readonly source: string;
}
