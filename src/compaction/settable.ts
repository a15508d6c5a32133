import { nearestName, type Place } from '../errors.ts';
import { type Catalog, catalog } from './catalog.ts';
import { modelSpec } from './model-spec.ts';
import { type Problems, shown } from './problems.ts';
import { keysOf, leafPaths } from './zod-places.ts';

/**
 * Keys of a `model` block that say how to reach a model, not which: they change no result, so they
 * enter no hash and make no config of their own.
 */
export const CONNECTION_KEYS: ReadonlySet<string> = new Set(['base_url', 'api_key', 'auth']);

/** Whether a component has a `model` block. */
export function takesModel(component: string, known: Catalog = catalog): boolean {
  return keysOf(known.get(component)?.schema).includes('model');
}

/** Dotted keys that a matrix or `--set` may vary in a document with these components. */
export function settableKeys(components: Iterable<string>, known: Catalog = catalog): string[] {
  const names = [...components];
  const own = names.flatMap((name) =>
    leafPaths(known.get(name)?.schema).map((path) => ['components', name, ...path].join('.')),
  );
  const shared = names.some((name) => takesModel(name, known))
    ? leafPaths(modelSpec).map((path) => ['model', ...path].join('.'))
    : [];
  return [...own, ...shared].filter((key) => !isConnectionKey(key));
}

function isConnectionKey(key: string): boolean {
  const [last = '', parent] = key.split('.').toReversed();
  return parent === 'model' && CONNECTION_KEYS.has(last);
}

/** Whether a component of `components` has the dotted key; if not, the reason is added to `problems`. */
export function checkSettable(
  key: string,
  at: Place,
  problems: Problems,
  components: Catalog = catalog,
): boolean {
  const known = settableKeys(components.keys(), components);
  if (known.includes(key)) return true;
  problems.add('config.key', `${shown(key)}: ${whyNot(key, known)}`, at);
  return false;
}

function whyNot(key: string, known: readonly string[]): string {
  if (isConnectionKey(key)) {
    return 'changes no result, so it makes no config: set it in a model block or by CHEAP_MODEL_*';
  }
  const inside = known.filter((candidate) => candidate.startsWith(`${key}.`));
  if (inside.length > 0) return `is a block, vary one of its keys: ${inside.join(', ')}`;
  const near = nearestSettable(key, known);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  return `unknown key, expected a full one such as ${known[0] ?? 'none'}${hint}`;
}

/** The key meant by a typo, or by the end of a key (`keep_last`). */
export function nearestSettable(key: string, known: readonly string[]): string | undefined {
  return known.find((candidate) => candidate.endsWith(`.${key}`)) ?? nearestName(key, known);
}
