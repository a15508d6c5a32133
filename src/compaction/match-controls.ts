import { nearestName, type Place } from '../errors.ts';
import { catalog } from './catalog.ts';
import type { Config } from './config.ts';
import { hashOf, textOf } from './config-identity.ts';
import { EACH_CONFIG } from './controls.ts';
import type { MarkerMode } from './marker-mode.ts';
import { type Problems, shown } from './problems.ts';

/** Names of the components that are held to the budget of another config. */
export const CONTROLS: ReadonlySet<string> = new Set(['recency', 'random_drop', 'noop']);

const NO_USES: ReadonlyMap<string, string> = new Map();

/** A config whose pipeline is one control that has no config to match yet. */
export function isControl({ steps }: Pick<Config, 'steps'>): boolean {
  return steps.some(({ name }) => CONTROLS.has(name));
}

/** Name of the config that a control is to match, or `each`. */
export function wantedBy(control: Config): string {
  const [step] = control.steps;
  const settings = step?.settings as { readonly budget?: { readonly match?: string } } | undefined;
  return settings?.budget?.match ?? '';
}

/** Those that a control matches: the one of this name, else all that were made from the document of it. */
export function matchedBy(control: Config, configs: readonly Config[]): readonly Config[] {
  const wanted = wantedBy(control);
  if (wanted === EACH_CONFIG) return configs.filter(({ steps }) => steps.length > 0);
  const named = configs.filter(({ name }) => name === wanted);
  return named.length > 0 ? named : configs.filter(({ document }) => document === wanted);
}

/** Of the documents that the configs were made from. */
interface Surroundings {
  /** Configs that could be named, too. */
  readonly named?: readonly string[];
  /** Where a control says what it matches. */
  readonly placeOf?: (control: Config) => Place | undefined;
}

/**
 * The configs with each control once for every config that it matches, right after that config: the sweep
 * needs what a config left of each request before it runs its controls.
 */
export function matchControls(
  configs: readonly Config[],
  controls: readonly Config[],
  problems: Problems,
  { named = [], placeOf }: Surroundings = {},
): Config[] {
  const byTarget = new Map<Config, Config[]>(configs.map((config) => [config, []]));
  for (const control of controls) {
    if (control.steps.length > 1) {
      const message = `${shown(control.name)}: a control stands alone in its pipeline`;
      problems.add('config.value', message, { file: control.source });
      continue;
    }
    const targets = matchedBy(control, configs);
    if (targets.length === 0) {
      const names = [...configs.map(({ name }) => name), ...named];
      addUnmatched(control, names, problems, placeOf?.(control));
    }
    for (const target of targets) byTarget.get(target)?.push(matched(control, target));
  }
  return [...byTarget].flatMap(([config, itsControls]) => [config, ...itsControls]);
}

function matched(control: Config, target: Config): Config {
  const steps = control.steps.map((step) => {
    const own = step.settings as { readonly marker_mode?: MarkerMode };
    const settings = {
      ...own,
      budget: { match: target.name },
      marker_mode: own.marker_mode ?? markerModeOf(target),
    };
    const outcome = catalog.get(step.name)?.bind(step.key, settings);
    return outcome?.ok === true ? outcome.bound : step;
  });
  const suffix = `@${target.name}`;
  const config: Config = {
    ...control,
    name: control.name.endsWith(suffix) ? control.name : `${control.name}${suffix}`,
    steps,
    matches: { name: target.name, hash: target.hash },
  };
  return { ...config, text: textOf(config, NO_USES), hash: hashOf(steps, config) };
}

/** That of its components; `full` where they differ, since a control must not drop more freely. */
function markerModeOf({ steps }: Config): MarkerMode {
  const modes = new Set(
    steps
      .map(({ settings }) => (settings as { readonly marker_mode?: MarkerMode }).marker_mode)
      .filter((mode) => mode !== undefined),
  );
  const [mode, ...others] = modes;
  return mode === undefined || others.length > 0 ? 'full' : mode;
}

function addUnmatched(
  control: Config,
  names: readonly string[],
  problems: Problems,
  place: Place = { file: control.source },
): void {
  const wanted = wantedBy(control);
  const at = { ...place, key: `components.${control.steps[0]?.key}.budget.match` };
  if (wanted === EACH_CONFIG) {
    const message = `${shown(control.name)} is a control of every config of the run, and there is none: name one beside it (--config cg-mask,${control.name})`;
    problems.add('config.value', message, at);
    return;
  }
  const near = nearestName(wanted, names);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  problems.add('config.missing', `no config ${shown(wanted)} to match${hint}`, at);
}
