import { setMaxListeners } from 'node:events';
import { stringify } from 'yaml';
import { z } from 'zod';
import type { Config } from '../../compaction/config.ts';
import { externalCalls } from '../../compaction/external-host.ts';
import { plainYaml } from '../../compaction/yaml-document.ts';
import { HarnessError } from '../../errors.ts';
import type { IncomingModel, Variables } from '../../model/endpoint.ts';
import { missingOf } from '../../model/preflight.ts';
import { offlinePrices } from '../../model/prices.ts';
import type { RunPlan } from '../../sweep/executors/bullmq-protocol.ts';
import type { Manifest, Selection } from '../../sweep/manifest.ts';
import type { MeasuringHost } from '../../sweep/measure-cells.ts';
import type { Environment } from '../environment.ts';
import { parsePrices } from '../price-file.ts';
import { configOfManifest } from '../report/manifest-config.ts';
import { askersOf, incomingOf } from '../sweep-askers.ts';
import { callsProviders } from '../sweep-model-options.ts';
import { sweepModels } from '../sweep-models.ts';
import { type SweepOptions, sweepOptions } from '../sweep-options.ts';
import { redactionOf, secretsIn } from '../sweep-redaction.ts';
import { settingsOf, withCassette } from '../sweep-settings.ts';

/**
 * What the cells of a run are measured with on this machine: its configs made again from their texts, models
 * with the keys of this environment, programs and cassettes at the paths that the starter gave.
 *
 * Rejects with `config.component` where a component is of another version here, `input.*` where the cassette
 * is not here or is another one.
 */
export async function workerHost(
  { manifest, prices: priceFile }: RunPlan,
  signal: AbortSignal,
  environment: Environment,
): Promise<MeasuringHost> {
  const { cwd, variables, now } = environment;
  const options = optionsOf(manifest);
  const configs = await configsOf(manifest, variables, cwd);
  const { patterns, format } = manifest.transcripts;
  const selection: Selection = { configs, patterns, format, settings: settingsOf(options) };
  const secrets = secretsIn(selection, variables);
  const prices =
    priceFile === undefined ? offlinePrices : parsePrices(priceFile.text, priceFile.file);
  const { models, cassette } = sweepModels(options, prices, secrets, environment);
  const whole = cassette === undefined ? selection : withCassette(selection, cassette);
  if (whole.settings.cassette !== manifest.options.cassette_id) {
    const message = `the cassette is not the one of the sweep (${whole.settings.cassette ?? 'none'}, expected ${manifest.options.cassette_id ?? 'none'}): give the workers the same file at the same path`;
    throw new HarnessError('input.missing', message, {
      at: { file: manifest.options.cassette ?? '' },
    });
  }
  // Every call that is under way listens to it.
  setMaxListeners(0, signal);
  return {
    selection: whole,
    models: (transcript) => {
      if (callsProviders(options))
        checkKeys(whole, incomingOf(transcript, options.assumeModel), variables);
      return models(transcript);
    },
    callExternal: externalCalls({ folder: cwd, variables }),
    prices,
    redact: redactionOf(secrets),
    now,
    signal,
  };
}

/** Throws HarnessError `model.missing`: components would go on without an answer, and the row look measured. */
function checkKeys(selection: Selection, incoming: IncomingModel, variables: Variables): void {
  const missing = missingOf(askersOf(selection), [incoming], variables);
  if (missing.length === 0) return;
  const message = `this worker cannot ask the models: ${missing.join('; ')}`;
  throw new HarnessError('model.missing', message);
}

/** The options of the sweep that its cells depend on. */
function optionsOf({ options, transcripts }: Manifest): SweepOptions {
  const { agreement, probes, agreement_seed: seed } = options;
  const given = {
    model: options.mode ?? options.model,
    cassette: options.cassette,
    onMiss: options.on_miss,
    concurrency: options.concurrency?.toString(),
    agreement: agreement?.toString(),
    probes: probes?.toString(),
    agreementSeed: seed?.toString(),
    assumeModel: options.assume_model,
    tokenizer: options.tokenizer,
    samples: String(options.samples),
    guard: options.guard,
    expand: options.expand,
    format: transcripts.format,
  };
  return sweepOptions(given);
}

async function configsOf(
  { configs }: Manifest,
  variables: Variables,
  cwd: string,
): Promise<Config[]> {
  return Promise.all(
    configs.map(async (entry) => {
      const own = { ...entry, text: withOwnKey(entry.text, variables) };
      const config = await configOfManifest(own, configs, cwd);
      if (config !== undefined) return { ...config, text: entry.text };
      const message = `a component of ${entry.name} is another one on this worker than where the sweep was started: run the same revision of the harness, and of your own components, on both`;
      throw new HarnessError('config.component', message, { at: { file: entry.source } });
    }),
  );
}

const document = z.looseObject({
  components: z.record(z.string(), z.looseObject({})).optional(),
});
const configModel = z.looseObject({ source: z.literal('config') });

/** The text with the `CHEAP_MODEL_KEY` of this machine, where that of the starter stood. */
function withOwnKey(text: string, { CHEAP_MODEL_KEY: key }: Variables): string {
  const read = document.safeParse(plainYaml(text));
  if (key === undefined || key === '' || !read.success) return text;
  const components = Object.entries(read.data.components ?? {}).map(([name, settings]) => {
    const model = configModel.safeParse(settings.model);
    if (!model.success) return [name, settings];
    return [name, { ...settings, model: { ...model.data, api_key: key } }];
  });
  return stringify({ ...read.data, components: Object.fromEntries(components) });
}
