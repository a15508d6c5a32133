import { HarnessError, nearestName } from '../errors.ts';
import type { IncomingModel, Variables } from '../model/endpoint.ts';
import { knownModels } from '../model/known-models.ts';
import { missingModels, missingOf } from '../model/preflight.ts';
import type { PriceTable } from '../model/prices.ts';
import { readRecordings } from '../recordings/read.ts';
import type { Selection } from '../sweep/manifest.ts';
import type { Environment } from './environment.ts';
import { askedName, askersOf, incomingOf } from './sweep-askers.ts';
import { callsProviders } from './sweep-model-options.ts';
import type { SweepOptions } from './sweep-options.ts';

/**
 * Before the first cell: what live calls would lack, and the prices that `--max-usd` needs.
 * @returns the number of cells; undefined where no provider is asked, so that nothing was looked at
 * Rejects with `model.missing` or `usage`.
 */
export async function checkModels(
  selection: Selection,
  options: SweepOptions,
  prices: PriceTable,
  { cwd, variables }: Environment,
): Promise<number | undefined> {
  if (!callsProviders(options)) return undefined;
  const { cells, incoming } = await survey(selection, options, cwd);
  const mode = options.model === 'replay' ? `replay --on-miss ${options.onMiss}` : options.model;
  const missing = missingModels(missingOf(askersOf(selection), incoming, variables), mode);
  if (missing !== undefined) throw missing;
  if (options.maxUsd !== undefined) {
    checkPrices(paidModels(selection, incoming, variables), prices);
  }
  return cells;
}

/** What a look at the recordings tells before the first cell. */
interface Survey {
  readonly cells: number;
  /** The models that agents asked, each once with its dialect. */
  readonly incoming: readonly IncomingModel[];
}

/** Reads all recordings once. What cannot be read is told when the sweep comes to it. */
async function survey(
  { configs, patterns, settings }: Selection,
  { format }: Pick<SweepOptions, 'format'>,
  cwd: string,
): Promise<Survey> {
  const incoming = new Map<string, IncomingModel>();
  let transcripts = 0;
  for await (const reading of readRecordings(patterns, { cwd, format })) {
    for (const transcript of reading.transcripts) {
      transcripts++;
      const one = incomingOf(transcript, settings.assumeModel);
      incoming.set(JSON.stringify([one.dialect, one.model]), one);
    }
  }
  const cells = transcripts * configs.length * settings.samples;
  return { cells, incoming: [...incoming.values()] };
}

/** Names of the models that a run would pay for, each once. */
function paidModels(
  selection: Selection,
  incoming: readonly IncomingModel[],
  variables: Variables,
): readonly string[] {
  const names = askersOf(selection).flatMap(({ choice }) =>
    incoming.map((one) => askedName(choice, one, variables)),
  );
  return [...new Set(names.filter((name) => name !== undefined))].toSorted();
}

/** Throws HarnessError `usage` where `--max-usd` cannot be kept, since a price is not known. */
function checkPrices(models: readonly string[], table: PriceTable): void {
  const unknown = models.filter((model) => table.pricesOf(model, 0) === undefined);
  if (unknown.length === 0) return;
  const hints = unknown.map((model) => {
    const nearest = nearestName(model, knownModels());
    return nearest === undefined ? model : `${model} (the table has ${nearest})`;
  });
  const message = `--max-usd needs the price of every model that is asked, and the table does not know ${hints.join(', ')}: give it in a file with --prices FILE, or leave --max-usd out`;
  throw new HarnessError('usage', message);
}
