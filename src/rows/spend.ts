import type { Config } from '../compaction/config.ts';
import type { StepReport } from '../compaction/pipeline.ts';
import { cacheReadPrice, callPrice, PRICE_TABLE } from '../model/prices.ts';

/** What a cell's component calls cost, and when that is earned again. USD. */
export interface Spend {
  readonly usdModel?: number;
  readonly priceBasis?: string;
  /** Requests; empty where a price is unknown or nothing is saved. */
  readonly breakEvenRequests?: number;
}

/**
 * Each call at the price of the `model.model` of its component, else of the transcript's model, which is
 * assumed: under a stub nobody is paid. An unknown price leaves the figure empty.
 *
 * What a rewrite takes out of a request would mostly have been read from the provider's cache, so each
 * later request earns `uniqueSaved` tokens at the price of a cache read.
 *
 * @param model of the transcript, where it is known
 */
export function spendOf(
  config: Config,
  model: string | undefined,
  steps: readonly StepReport[],
  uniqueSaved: number,
): Spend {
  const configured = new Map(config.steps.map(({ key, settings }) => [key, modelOf(settings)]));
  const basis = new Set<string>();
  let usd = 0;
  for (const { component, calls } of steps) {
    for (const call of calls) {
      const own = configured.get(component);
      const name = own ?? model;
      const price = name === undefined ? undefined : callPrice(name, call);
      if (name === undefined || price === undefined) return {};
      usd += price;
      basis.add(own === undefined ? `${name} assumed` : name);
    }
  }
  if (basis.size === 0) return { usdModel: 0 };
  const spend = { usdModel: usd, priceBasis: `${[...basis].join(', ')}; ${PRICE_TABLE}` };
  const read = model === undefined ? undefined : cacheReadPrice(model);
  if (read === undefined || read === 0 || uniqueSaved <= 0) return spend;
  return { ...spend, breakEvenRequests: usd / (uniqueSaved * read) };
}

function modelOf(settings: unknown): string | undefined {
  if (typeof settings !== 'object' || settings === null || !('model' in settings)) return undefined;
  const { model } = settings;
  if (typeof model !== 'object' || model === null || !('model' in model)) return undefined;
  return typeof model.model === 'string' ? model.model : undefined;
}
