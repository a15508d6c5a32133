import { loadConfigs } from '../compaction/preset.ts';
import { HarnessError } from '../errors.ts';
import type { Selection } from '../sweep/manifest.ts';
import { BASELINE, CONTROLS, DEFAULT_TRANSCRIPTS } from './defaults.ts';
import type { Environment } from './environment.ts';
import { configFolders, projectPath } from './project.ts';
import type { SweepOptions } from './sweep-options.ts';
import { accessOf, settingsOf } from './sweep-settings.ts';

/** Resolves everything that the options name. Rejects with `usage` or `config.*`. */
export async function selectSweep(
  options: SweepOptions,
  { cwd, variables }: Pick<Environment, 'cwd' | 'variables'>,
): Promise<{ selection: Selection; notices: readonly string[] }> {
  const inline = variables.CONTEXT_GURU_CONFIG_YAML;
  const named = options.configs.length === 0 && inline !== undefined ? ['env'] : options.configs;
  if (named.length === 0) {
    const message = 'no config is named: give --config NAME (--config all for every one)';
    throw new HarnessError('usage', message);
  }
  const { configs, notices } = await loadConfigs({
    names: [
      BASELINE,
      ...named.filter((name) => name !== BASELINE),
      ...(options.controls ? CONTROLS : []),
    ],
    sets: options.sets,
    folder: configFolders(cwd),
    ...(inline === undefined ? {} : { inline }),
    cheapModel: {
      model: variables.CHEAP_MODEL,
      provider: variables.CHEAP_MODEL_PROVIDER,
      base: variables.CHEAP_MODEL_BASE,
      key: variables.CHEAP_MODEL_KEY,
      auth: variables.CHEAP_MODEL_AUTH,
    },
  });
  const { transcripts, format, prices } = options;
  const patterns = transcripts.length > 0 ? transcripts : [projectPath(cwd, DEFAULT_TRANSCRIPTS)];
  const settings = settingsOf(options);
  const access = accessOf(options);
  const reached = access === undefined ? {} : { access };
  const priced = prices === undefined ? {} : { prices };
  return { selection: { configs, patterns, format, settings, ...reached, ...priced }, notices };
}
