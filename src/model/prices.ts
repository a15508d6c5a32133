import { calcPrice } from '@pydantic/genai-prices';
import { bareNames } from './windows.ts';

/** Day of the prices that are taken from the table: it holds changes with their dates. */
const PRICE_DATE = '2026-11-30';

/** Where the prices are from; stands in `price_basis`. */
const PRICE_TABLE = `genai-prices 0.1.8 of ${PRICE_DATE}`;

/** Tokens of one call. Of the input: what was read from the provider's cache or written to it. */
export interface PricedUsage {
  /** All of the input, cache tokens included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  /** Written with any lifetime. */
  readonly cacheWriteTokens?: number;
  /** Of these, those with the lifetime of an hour. */
  readonly cacheWrite1hTokens?: number;
}

/** USD for a million tokens. An absent one is not known. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite5m?: number;
  readonly cacheWrite1h?: number;
}

/** Prices by model, and where they are from. */
export interface PriceTable {
  /** Prices for a call with so many input tokens: long contexts may have prices of their own. */
  pricesOf(model: string, inputTokens: number): ModelPrices | undefined;
  /** Where the prices of this model are from, with their date. */
  sourceOf(model: string): string;
}

/** The built-in table, which needs no network. */
export const offlinePrices: PriceTable = {
  pricesOf(model, inputTokens) {
    const rates = ratesOf(model);
    if (rates === undefined) return undefined;
    const at = (key: string) => rateAt(rates[key], inputTokens);
    const [input, output] = [at('input_mtok'), at('output_mtok')];
    if (input === undefined || output === undefined) return undefined;
    const [cacheRead, cacheWrite5m, cacheWrite1h] = [
      at('cache_read_mtok'),
      at('cache_write_mtok'),
      at('cache_write_1h_mtok'),
    ];
    return {
      input,
      output,
      ...(cacheRead === undefined ? {} : { cacheRead }),
      ...(cacheWrite5m === undefined ? {} : { cacheWrite5m }),
      ...(cacheWrite1h === undefined ? {} : { cacheWrite1h }),
    };
  },
  sourceOf: () => PRICE_TABLE,
};

/** The prices of a file before those of the built-in table. Names are compared as they are, then bare. */
export function pricesFrom(models: ReadonlyMap<string, ModelPrices>, source: string): PriceTable {
  const find = (model: string) => {
    for (const name of bareNames(model)) {
      const prices = models.get(name);
      if (prices !== undefined) return prices;
    }
    return undefined;
  };
  return {
    pricesOf: (model, inputTokens) => find(model) ?? offlinePrices.pricesOf(model, inputTokens),
    sourceOf: (model) => (find(model) === undefined ? offlinePrices.sourceOf(model) : source),
  };
}

/**
 * Price of one call in USD; undefined where the model is not known, or the price of a tier that the call
 * has tokens in: an unknown price is never 0.
 */
export function callPrice(
  model: string,
  usage: PricedUsage,
  table: PriceTable = offlinePrices,
): number | undefined {
  const { inputTokens, outputTokens } = usage;
  const { cacheReadTokens = 0, cacheWriteTokens = 0, cacheWrite1hTokens = 0 } = usage;
  const prices = table.pricesOf(model, inputTokens);
  if (prices === undefined) return undefined;
  const tiers: readonly (readonly [tokens: number, price: number | undefined])[] = [
    [inputTokens - cacheReadTokens - cacheWriteTokens, prices.input],
    [cacheReadTokens, prices.cacheRead],
    [cacheWriteTokens - cacheWrite1hTokens, prices.cacheWrite5m],
    [cacheWrite1hTokens, prices.cacheWrite1h],
    [outputTokens, prices.output],
  ];
  let usd = 0;
  for (const [tokens, price] of tiers) {
    if (tokens === 0) continue;
    if (price === undefined) return undefined;
    usd += (tokens * price) / 1e6;
  }
  return usd;
}

/** USD for each token that is read from the provider's prompt cache; undefined when it is not known. */
export function cacheReadPrice(
  model: string,
  table: PriceTable = offlinePrices,
): number | undefined {
  const price = table.pricesOf(model, 0)?.cacheRead;
  return price === undefined ? undefined : price / 1e6;
}

type Rate = NonNullable<ReturnType<typeof calcPrice>>['model_price'][string];

const known = new Map<string, Readonly<Record<string, Rate>> | undefined>();

function ratesOf(model: string): Readonly<Record<string, Rate>> | undefined {
  if (known.has(model)) return known.get(model);
  let rates: Readonly<Record<string, Rate>> | undefined;
  for (const name of bareNames(model)) {
    const options = { timestamp: new Date(`${PRICE_DATE}T12:00:00Z`) };
    rates ??= calcPrice({ input_tokens: 0, output_tokens: 0 }, name, options)?.model_price;
  }
  known.set(model, rates);
  return rates;
}

/** Above the start of a tier, all tokens of the call have its price. */
function rateAt(rate: Rate, inputTokens: number): number | undefined {
  if (rate === undefined || typeof rate === 'number') return rate;
  let price = rate.base;
  for (const tier of [...rate.tiers].sort((a, b) => a.start - b.start)) {
    if (inputTokens > tier.start) price = tier.price;
  }
  return price;
}
