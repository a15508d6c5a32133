import type { Place } from '../errors.ts';

/**
 * A config value that knows where it was written. Settings come together from several documents, the
 * command line and the environment; a wrong one must be reported where its author wrote it.
 */
export type Located = LocatedMap | LocatedList | LocatedScalar;

export interface LocatedMap {
  readonly kind: 'map';
  readonly at: Place;
  readonly entries: ReadonlyMap<string, LocatedEntry>;
}

export interface LocatedEntry {
  /** Where the key stands. */
  readonly keyAt: Place;
  readonly value: Located;
}

export interface LocatedList {
  readonly kind: 'list';
  readonly at: Place;
  readonly items: readonly Located[];
}

export interface LocatedScalar {
  readonly kind: 'scalar';
  readonly at: Place;
  readonly value: string | number | boolean | null;
}

export function emptyMap(at: Place): LocatedMap {
  return { kind: 'map', at, entries: new Map() };
}

/** The value under a key, or undefined where the node is no mapping or has no such key. */
export function child(node: Located | undefined, key: string): Located | undefined {
  return node?.kind === 'map' ? node.entries.get(key)?.value : undefined;
}

/** `over` laid over `base`: mappings key by key at any depth, anything else replaced whole. */
export function merge(base: Located | undefined, over: Located | undefined): Located | undefined {
  if (base === undefined) return over;
  if (over === undefined) return base;
  if (base.kind !== 'map' || over.kind !== 'map') return over;
  const entries = new Map(base.entries);
  for (const [key, entry] of over.entries) {
    const value = merge(entries.get(key)?.value, entry.value) ?? entry.value;
    entries.set(key, { keyAt: entry.keyAt, value });
  }
  return { kind: 'map', at: over.at, entries };
}

/**
 * The node with `value` at `path`, mappings made on the way. A mapping that the author spelled as
 * something else stays, so that it is reported.
 */
export function withValue(
  node: Located | undefined,
  path: readonly string[],
  value: LocatedScalar,
): Located {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const map = node ?? emptyMap(value.at);
  if (map.kind !== 'map') return map;
  const existing = map.entries.get(key);
  const entry = {
    keyAt: existing?.keyAt ?? value.at,
    value: withValue(existing?.value, rest, value),
  };
  return { kind: 'map', at: map.at, entries: new Map(map.entries).set(key, entry) };
}

/** The plain value, as a schema reads it. */
export function plain(node: Located): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plain);
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, plain(value)]));
}

/** The node at a path and, where the path leaves the tree, what is missing of it. */
export function locate(
  node: Located,
  path: readonly PropertyKey[],
): { readonly node: Located; readonly missing: readonly PropertyKey[] } {
  const [step, ...rest] = path;
  if (step === undefined) return { node, missing: [] };
  const next =
    node.kind === 'list' && typeof step === 'number' ? node.items[step] : child(node, String(step));
  return next === undefined ? { node, missing: path } : locate(next, rest);
}

/** A path as documents write it: `components.summarize.keep_last`, `pipeline[0]`. */
export function dotted(parent: string | undefined, steps: readonly PropertyKey[]): string {
  let key = parent ?? '';
  for (const step of steps) {
    if (typeof step === 'number') key += `[${step}]`;
    else key += key === '' ? String(step) : `.${String(step)}`;
  }
  return key;
}
