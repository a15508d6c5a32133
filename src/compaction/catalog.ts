import type { z } from 'zod';
import { type BoundComponent, bindComponent } from './bound.ts';
import { collapse } from './collapse.ts';
import type { Component } from './component.ts';
import { noop, randomDrop, recency } from './controls.ts';
import { dedup } from './dedup.ts';
import { external } from './external.ts';
import { extract } from './extract/extract.ts';
import { mask } from './mask.ts';
import { summarize } from './summarize.ts';

/** What the catalog knows of a component; its config type stays behind `bind`. */
export interface CatalogEntry {
  readonly name: string;
  readonly about: string;
  readonly kind: 'reformat' | 'offload';
  readonly schema: z.ZodType;
  bind(
    key: string,
    settings: unknown,
  ):
    | { readonly ok: true; readonly bound: BoundComponent }
    | { readonly ok: false; readonly error: z.ZodError };
}

/** What configs need of a component. */
export function catalogEntry<C>(component: Component<C>): CatalogEntry {
  const { name, about, kind, config } = component;
  return {
    name,
    about,
    kind,
    schema: config,
    bind: (key, settings) => bindComponent(component, key, settings),
  };
}

/** Components by the names that a config document gives them. */
export type Catalog = ReadonlyMap<string, CatalogEntry>;

const components: readonly CatalogEntry[] = [
  catalogEntry(summarize),
  catalogEntry(extract),
  catalogEntry(mask),
  catalogEntry(dedup),
  catalogEntry(collapse),
  catalogEntry(external),
  catalogEntry(recency),
  catalogEntry(randomDrop),
  catalogEntry(noop),
];

/** Those of a document: the catalog's, and its author's own. */
export function withOwn(own: Catalog): Catalog {
  return own.size === 0 ? catalog : new Map([...catalog, ...own]);
}

/** Every component that a config can name. A new component is one file and one line here. */
export const catalog: Catalog = new Map(components.map((known) => [known.name, known]));
