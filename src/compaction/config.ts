import type { BoundComponent } from './bound.ts';
import type { ExpandInjection } from './config-document.ts';

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
  /** Name of the document that it was made from; its own name where the document has no matrix. */
  readonly document?: string;
  /** When the expand tool is declared; `auto` when absent. */
  readonly inject?: ExpandInjection;
  /** Of a control: the config whose tokens after are its budget, request by request. */
  readonly matches?: { readonly name: string; readonly hash: string };
}
