import type { Config } from '../../compaction/config.ts';
import type { ConfigFolders } from '../../compaction/config-folder.ts';
import { listDocuments, loadConfigs } from '../../compaction/preset.ts';
import { HarnessError, nearestName } from '../../errors.ts';
import type { Environment } from '../environment.ts';
import { configFolders } from '../project.ts';

export interface LoadedConfig {
  readonly config: Config;
  /** Of a control: the config whose tokens it may leave. */
  readonly matched: Config | undefined;
  readonly notices: readonly string[];
}

/**
 * The one config of a name as rows of a sweep have it: that of a document, `DOCUMENT:key=value` of a matrix,
 * `CONTROL@CONFIG`; or a file. Rejects with `usage` where the name gives several, and as `loadConfigs`.
 */
export async function loadConfig(
  name: string,
  sets: readonly string[],
  { cwd, variables }: Pick<Environment, 'cwd' | 'variables'>,
): Promise<LoadedConfig> {
  const inline = variables.CONTEXT_GURU_CONFIG_YAML;
  const folder = configFolders(cwd);
  const names = await documentsOf(name, folder);
  const { configs, notices } = await loadConfigs({
    names,
    sets,
    folder,
    ...(inline === undefined || name !== 'env' ? {} : { inline }),
    cheapModel: {
      model: variables.CHEAP_MODEL,
      provider: variables.CHEAP_MODEL_PROVIDER,
      base: variables.CHEAP_MODEL_BASE,
      key: variables.CHEAP_MODEL_KEY,
      auth: variables.CHEAP_MODEL_AUTH,
    },
  });
  // A document, a file or --set names its config by what is in it; a name with `:` or `@` says it all.
  const only = configs.length === 1 && names[0] === name ? configs[0] : undefined;
  const config = configs.find((one) => one.name === name) ?? only;
  if (config === undefined) throw notOne(name, configs, names[0] !== name);
  const matched = configs.find((one) => one.name === config.matches?.name);
  return { config, matched, notices };
}

/** Documents that a config's name is made of, those that others match first. */
async function documentsOf(name: string, folder: ConfigFolders): Promise<readonly string[]> {
  const documents = await listDocuments(folder);
  const isKnown = (one: string) => documents.some((document) => document.name === one);
  if (isKnown(name) || !/[@:]/.test(name)) return [name];
  const parts = name.split('@').toReversed();
  const found = parts.map((part) => (isKnown(part) ? part : (part.split(':')[0] ?? part)));
  return found.every(isKnown) ? found : [name];
}

function notOne(name: string, configs: readonly Config[], isDerived: boolean): HarnessError {
  const names = configs.map((config) => config.name);
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? '' : `; did you mean '${nearest}'?`;
  const listed = names.slice(0, 8).join(', ');
  const more = names.length > 8 ? ` and ${names.length - 8} more` : '';
  const found = isDerived ? 'is none of the' : `gives ${names.length}`;
  const message = `--config ${name} ${found} configs, expected one of ${listed}${more}${hint} (a value of --set is given by --set here too)`;
  return new HarnessError('usage', message);
}
