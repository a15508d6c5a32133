import { cacheReadPrice, callPrice, offlinePrices, type PriceTable } from '../model/prices.ts';
import type { Charge } from '../replay/cost-ledger.ts';
import type { CellCharges, ComponentCharge } from './charges.ts';

/** What a cell costs, in USD. A figure is undefined where a price is not known. */
export interface Spend {
  readonly usdBefore: number | undefined;
  readonly usdAfter: number | undefined;
  /** Component calls. */
  readonly usdModel: number | undefined;
  readonly usdNet: number | undefined;
  readonly priceBasis: string;
  /** Requests that must still come; undefined also where nothing is saved. */
  readonly breakEvenRequests: number | undefined;
  /** 1-based; undefined also where it never comes. */
  readonly breakEvenRequest: number | undefined;
}

/** Prices the charges of a cell. It asks no model and replays nothing, so prices can change at any time. */
export function priced(charges: CellCharges, prices: PriceTable = offlinePrices): Spend {
  const usdOf = (charge: Charge) => chargePrice(charge, prices);
  const before = charges.requests.map((request) => usdOf(request.before));
  const after = charges.requests.map((request) => total(request.after.map(usdOf)));
  const components = charges.components.map((call) => ({
    request: call.request,
    usd: call.model === undefined ? undefined : callPrice(call.model, call, prices),
  }));
  const [usdBefore, usdAfter] = [total(before), total(after)];
  const usdModel = total(components.map(({ usd }) => usd));
  const isKnown = usdBefore !== undefined && usdAfter !== undefined && usdModel !== undefined;
  return {
    usdBefore,
    usdAfter,
    usdModel,
    usdNet: isKnown ? usdBefore - usdAfter - usdModel : undefined,
    priceBasis: basisOf(charges, prices),
    breakEvenRequests: requestsToEarn(charges, usdModel, prices),
    breakEvenRequest: isKnown ? breakEvenAt(before, after, components) : undefined,
  };
}

/** USD of one call; what its output is not known of has none, on either side. */
function chargePrice(charge: Charge, prices: PriceTable): number | undefined {
  const { model, fresh, cacheRead, cacheWrite5m = 0, cacheWrite1h = 0, output = 0 } = charge;
  if (model === undefined) return undefined;
  const cacheWriteTokens = cacheWrite5m + cacheWrite1h;
  return callPrice(
    model,
    {
      inputTokens: fresh + cacheRead + cacheWriteTokens,
      cacheReadTokens: cacheRead,
      cacheWriteTokens,
      cacheWrite1hTokens: cacheWrite1h,
      outputTokens: output,
    },
    prices,
  );
}

/** One unknown part leaves the whole unknown. */
function total(parts: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const part of parts) {
    if (part === undefined) return undefined;
    sum += part;
  }
  return sum;
}

/** Sums of dollars differ in their last digits by the order of adding. */
const SAME = 1e-9;

/** The first request from which on all that was spent stays below what the recording had spent by then. */
function breakEvenAt(
  before: readonly (number | undefined)[],
  after: readonly (number | undefined)[],
  components: readonly { readonly request: number; readonly usd: number | undefined }[],
): number | undefined {
  const spent = before.map(() => 0);
  for (const { request, usd = 0 } of components) spent[request] = (spent[request] ?? 0) + usd;
  let ahead = 0;
  let since: number | undefined;
  for (const [index, usd = 0] of before.entries()) {
    ahead += usd - (after[index] ?? 0) - (spent[index] ?? 0);
    if (ahead <= SAME) since = undefined;
    else since ??= index + 1;
  }
  return since;
}

/**
 * What a rewrite takes out of a request would mostly have been read from the provider's cache, so each later
 * request earns `uniqueSaved` tokens at the price of a cache read.
 */
function requestsToEarn(
  { components, uniqueSaved, requests }: CellCharges,
  usdModel: number | undefined,
  prices: PriceTable,
): number | undefined {
  const model = requests[0]?.before.model;
  const read = model === undefined ? undefined : cacheReadPrice(model, prices);
  if (components.length === 0 || usdModel === undefined) return undefined;
  if (read === undefined || read === 0 || uniqueSaved <= 0) return undefined;
  return usdModel / (uniqueSaved * read);
}

/** Where the prices are from, by model, and what was assumed. */
function basisOf({ requests, components, assumed }: CellCharges, prices: PriceTable): string {
  const models = new Set<string | undefined>();
  for (const { before } of requests) models.add(before.model);
  for (const { model } of components) models.add(model);
  const bySource = new Map<string, string[]>();
  const unknown: string[] = [];
  for (const model of models) {
    if (model === undefined || prices.pricesOf(model, 0) === undefined) {
      unknown.push(model ?? 'a model that is not named');
      continue;
    }
    const source = prices.sourceOf(model);
    bySource.set(source, [...(bySource.get(source) ?? []), model]);
  }
  const parts = [...bySource].map(([source, names]) => `${source}: ${names.join(', ')}`);
  if (unknown.length > 0) parts.push(`no price of ${unknown.join(', ')}`);
  const assumptions = [...standIns(components), ...assumed];
  if (assumptions.length > 0) parts.push(`assumed: ${assumptions.join(', ')}`);
  return parts.join('; ');
}

/** The models that a stub's calls are priced as. */
function standIns(components: readonly ComponentCharge[]): readonly string[] {
  const names = components.flatMap(({ assumed, model }) => (assumed ? [model] : []));
  return [...new Set(names)].map((model) => `component calls priced as ${model ?? 'nobody'}`);
}
