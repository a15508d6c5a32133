import type { Config } from '../../compaction/config.ts';
import type { ConfigFolders } from '../../compaction/config-folder.ts';
import { listDocuments, loadConfigs } from '../../compaction/preset.ts';
import type { CheapModel } from '../../compaction/resolve-config.ts';
import { plainYaml } from '../../compaction/yaml-document.ts';
import { HarnessError } from '../../errors.ts';
import type { Manifest } from '../../sweep/manifest.ts';
import { BASELINE } from '../defaults.ts';

/** Which documents and settings give the configs of a run again, found by trying. */
export interface ConfigSource {
  /** Values of `--config` and `--set`. */
  readonly names: readonly string[];
  readonly sets: readonly string[];
  /** Configs that no document of the project gives with the same hash. */
  readonly unknown: readonly string[];
}

type ManifestConfig = Manifest['configs'][number];

/**
 * Loads the documents that the manifest names, and where its configs differ from them, the same with the
 * settings that differ. A config counts as known only where its hash comes out again.
 */
export async function findConfigs(
  { configs }: Manifest,
  folder: ConfigFolders,
  cheapModel: CheapModel,
): Promise<ConfigSource> {
  const documents = new Map(
    (await listDocuments(folder)).map(({ name }) => [`${name}.yaml`, name]),
  );
  const nameOf = ({ source }: ManifestConfig) =>
    /(?:^|[/\\])sweeps[/\\]([^/\\]+)$/.exec(source)?.[1] ?? '';
  const own = configs.filter(({ name }) => name !== BASELINE);
  const names = [...new Set(own.flatMap((config) => documents.get(nameOf(config)) ?? []))];
  const load = async (sets: readonly string[]): Promise<Config[]> => {
    const loaded = await loadConfigs({ names: [BASELINE, ...names], sets, folder, cheapModel });
    return loaded.configs;
  };
  const plain = await load([]);
  const unknown = without(configs, plain);
  if (unknown.length === 0) return { names, sets: [], unknown: [] };
  const sets = differences(own, plain);
  const varied = sets.length === 0 ? undefined : await load(sets).catch(undefinedWhereRefused);
  if (varied === undefined) return { names, sets: [], unknown };
  const still = without(configs, varied);
  return still.length < unknown.length
    ? { names, sets, unknown: still }
    : { names, sets: [], unknown };
}

/** Settings that a document cannot take are no way to the configs, and no failure either. */
function undefinedWhereRefused(error: unknown): undefined {
  if (error instanceof HarnessError) return undefined;
  throw error;
}

function without(configs: readonly ManifestConfig[], loaded: readonly Config[]): string[] {
  const known = new Map(loaded.map(({ name, hash }) => [name, hash]));
  return configs.flatMap(({ name, hash }) => (known.get(name) === hash ? [] : [name]));
}

/** `--set` pairs of the settings in which configs differ from the documents that they were made from. */
function differences(configs: readonly ManifestConfig[], loaded: readonly Config[]): string[] {
  const bases = new Map(loaded.map(({ source, text }) => [source, leaves(text)]));
  const values = new Map<string, Set<string>>();
  for (const { source, text } of configs) {
    const base = bases.get(source);
    if (base === undefined) continue;
    for (const [key, value] of leaves(text)) {
      if (key.startsWith('components.') && base.get(key) !== value) values.set(key, new Set());
    }
  }
  for (const { text } of configs) {
    const own = leaves(text);
    for (const [key, taken] of values) {
      const value = own.get(key);
      if (value !== undefined) taken.add(value);
    }
  }
  return [...values].map(([key, taken]) => `${key}=${[...taken].join(',')}`);
}

/** Dotted key → scalar of a YAML document. */
function leaves(text: string): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (value: unknown, path: readonly string[]): void => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [key, child] of Object.entries(value)) walk(child, [...path, key]);
    } else found.set(path.join('.'), Array.isArray(value) ? JSON.stringify(value) : String(value));
  };
  walk(plainYaml(text), []);
  return found;
}
