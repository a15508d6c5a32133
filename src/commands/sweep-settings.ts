import type { Cassette } from '../model/cassette.ts';
import type { SweepSettings } from '../sweep/cells.ts';
import type { ModelAccess, Selection } from '../sweep/manifest.ts';
import { callsProviders } from './sweep-model-options.ts';
import type { SweepOptions } from './sweep-options.ts';

/** Rows of a run that records, and of one that replays what was recorded, say the same. */
const RECORDED = 'recorded';

/** Of the options, what can change a figure; the cassette is opened later. */
export function settingsOf(options: SweepOptions): SweepSettings {
  const { tokenizer, samples, guard, expand, assumeModel, onMiss } = options;
  const { agreement, probes, agreementSeed: seed } = options;
  const isRecorded = options.model === 'record' || options.model === 'replay';
  const isAsked = agreement > 0 || probes > 0;
  return {
    tokenizer,
    model: isRecorded ? RECORDED : options.model,
    samples,
    guard,
    expand,
    ...(assumeModel === undefined ? {} : { assumeModel }),
    // An answer that is missing, and asked for live, is what a recording would have held.
    ...(onMiss === 'stub' || onMiss === 'skip' ? { onMiss } : {}),
    ...(isAsked ? { asking: { agreement, probes, seed } } : {}),
  };
}

/** Of the options, how the model is reached and paid; undefined where nothing is to be reached. */
export function accessOf(options: SweepOptions): ModelAccess | undefined {
  const { model: mode, cassette, onMiss, concurrency, maxUsd } = options;
  if (!callsProviders(options) && cassette === undefined) return undefined;
  return {
    mode,
    ...(cassette === undefined ? {} : { cassette }),
    ...(mode === 'replay' ? { onMiss } : {}),
    ...(callsProviders(options) ? { concurrency } : {}),
    ...(maxUsd === undefined ? {} : { maxUsd }),
  };
}

export function withCassette(selection: Selection, { identity }: Cassette): Selection {
  return { ...selection, settings: { ...selection.settings, cassette: identity } };
}
