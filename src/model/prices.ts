import { calcPrice } from '@pydantic/genai-prices';
import { bareNames } from './windows.ts';

/** Where the prices are from; stands in `price_basis`. */
export const PRICE_TABLE = 'genai-prices 0.1.8';

/**
 * Price of one call in USD, everything read fresh; undefined when the table does not know the model: an
 * unknown price is never 0.
 */
export function callPrice(
  model: string,
  usage: { readonly inputTokens: number; readonly outputTokens: number },
): number | undefined {
  const { inputTokens, outputTokens } = usage;
  return price(model, { input_tokens: inputTokens, output_tokens: outputTokens })?.total_price;
}

/** USD for each token that is read from the provider's prompt cache; undefined when it is not known. */
export function cacheReadPrice(model: string): number | undefined {
  const found = price(model, { input_tokens: SAMPLE, cache_read_tokens: SAMPLE, output_tokens: 0 });
  return found === undefined ? undefined : found.input_price / SAMPLE;
}

/** Few enough for the first price tier of a model that has several. */
const SAMPLE = 1000;

function price(model: string, usage: Parameters<typeof calcPrice>[0]) {
  for (const name of bareNames(model)) {
    const found = calcPrice(usage, name);
    if (found !== null && found !== undefined) return found;
  }
  return undefined;
}
