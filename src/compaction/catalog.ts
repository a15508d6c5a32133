import type { z } from 'zod';
import { type BoundComponent, bindComponent } from './bound.ts';
import { collapse } from './collapse.ts';
import type { Component } from './component.ts';
import { dedup } from './dedup.ts';
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

function entry<C>(component: Component<C>): CatalogEntry {
  const { name, about, kind, config } = component;
  return {
    name,
    about,
    kind,
    schema: config,
    bind: (key, settings) => bindComponent(component, key, settings),
  };
}

/** Every component that a config can name. A new component is one file and one line here. */
export const catalog: ReadonlyMap<string, CatalogEntry> = new Map(
  [entry(summarize), entry(mask), entry(dedup), entry(collapse)].map((known) => [
    known.name,
    known,
  ]),
);
