import type { Config } from '../compaction/config.ts';
import { type ModelSpec, modelSpec } from '../compaction/model-spec.ts';
import { chooseEndpoint, type IncomingModel, type Variables } from '../model/endpoint.ts';
import type { Asker } from '../model/preflight.ts';
import type { Selection } from '../sweep/manifest.ts';
import type { Transcript } from '../transcript/transcript.ts';

/** Everything in a selection that asks a model, each choice once, named as messages show it. */
export function askersOf({ configs, settings }: Selection): readonly Asker[] {
  const askers = configs.flatMap((config) =>
    specsOf(config).map(({ key, spec }) => ({ name: `${config.name}: ${key}`, choice: spec })),
  );
  const { asking } = settings;
  if (asking === undefined) return askers;
  const option = asking.agreement > 0 ? '--agreement' : '--probes';
  return [...askers, { name: option, choice: modelSpec.parse({}) }];
}

interface ModelBlock {
  readonly key: string;
  readonly spec: ModelSpec;
  /** False where the component's settings leave it nothing to ask. */
  readonly isAsked: boolean;
}

/** The `model` blocks of a config's components. */
export function blocksOf({ steps }: Config): readonly ModelBlock[] {
  return steps.flatMap(({ key, settings }) => {
    if (typeof settings !== 'object' || settings === null || !('model' in settings)) return [];
    const spec = modelSpec.safeParse(settings.model);
    if (!spec.success) return [];
    // The one strategy of `extract` that is a program of ours.
    const isAsked = !('strategy' in settings && settings.strategy === 'deterministic');
    return [{ key, spec: spec.data, isAsked }];
  });
}

/** Those of components that may ask. */
export function specsOf(config: Config): readonly ModelBlock[] {
  return blocksOf(config).filter(({ isAsked }) => isAsked);
}

/** What live calls about a transcript go by. */
export function incomingOf(
  { model, dialect }: Pick<Transcript, 'model' | 'dialect'>,
  assumeModel: string | undefined,
): IncomingModel {
  return { model: model ?? assumeModel, dialect };
}

/** The name of the model that would be asked, also where its key is missing; undefined where none is named. */
export function askedName(
  spec: ModelSpec,
  incoming: IncomingModel,
  variables: Variables,
): string | undefined {
  const chosen = chooseEndpoint(spec, incoming, variables);
  return chosen.kind === 'endpoint' ? chosen.endpoint.model : chosen.model;
}
