import { describe, expect, test } from 'vitest';
import type { Config } from '../../src/compaction/config.ts';
import type { StepReport } from '../../src/compaction/pipeline.ts';
import { cacheReadPrice, callPrice, offlinePrices, pricesFrom } from '../../src/model/prices.ts';
import type { Charge, CostReplay, RequestCharges } from '../../src/replay/cost-ledger.ts';
import type { RequestReplay } from '../../src/replay/result.ts';
import { type CellCharges, chargesOf, tierTotals } from '../../src/rows/charges.ts';
import { priced } from '../../src/rows/spend.ts';
import { summarizeWith } from '../support/replay-lists.ts';

const config = (...settings: object[]): Config => ({
  name: 'c',
  about: '',
  steps: settings.map(summarizeWith),
  text: '',
  hash: '',
  source: '',
});

const call = (inputTokens: number, outputTokens: number, model = 'stub'): StepReport => ({
  component: 'summarize',
  kind: 'changed',
  reused: false,
  tokensBefore: 0,
  tokensAfter: 0,
  calls: [{ model, purpose: 'summarize', inputTokens, outputTokens }],
});

const request = (before: Charge, after: readonly Charge[] = [before]): RequestCharges => ({
  before,
  after,
  bust: 0,
});

const fresh = (tokens: number, model = 'gpt-4.1'): Charge => ({
  model,
  fresh: tokens,
  cacheRead: 0,
  output: 0,
});

/** The charges of a cell whose requests made these component calls. */
function cell(
  requests: readonly RequestCharges[],
  calls: readonly (readonly StepReport[])[],
  { ratio = 1, unique = 0, own = config({}) } = {},
): CellCharges {
  const cost: CostReplay = { requests, ratio, assumed: [] };
  const replays = requests.map(
    (_, index) => ({ index, steps: calls[index] ?? [] }) as unknown as RequestReplay,
  );
  const savings = { gross: 0, unique, peakBefore: 0, peakAfter: 0 };
  return chargesOf(own, { cost, requests: replays, savings });
}

describe('component calls', () => {
  // Published prices of gpt-4.1: 2 USD a million tokens in, 0.50 from the cache, 8 out.
  test('of a stub have the price of the request’s model, which is assumed', () => {
    const charges = cell(
      [request(fresh(0)), request(fresh(0))],
      [[call(1_000_000, 100_000)], [call(0, 100_000)]],
    );
    const spend = priced({ ...charges, uniqueSaved: 20_000 });
    expect(spend.usdModel).toBeCloseTo(2 + 0.8 + 0.8, 9);
    expect(spend.priceBasis).toBe(
      'genai-prices 0.1.8 of 2026-11-30: gpt-4.1; assumed: component calls priced as gpt-4.1',
    );
    expect(spend.breakEvenRequests).toBeCloseTo(3.6 / (20_000 * 0.5e-6), 6);
  });

  test('of a stub are in the harness’s tokens, and scaled as the recording’s are', () => {
    const charges = cell([request(fresh(0))], [[call(1_000_000, 0)]], { ratio: 1.5 });
    expect(priced(charges).usdModel).toBeCloseTo(3, 9);
  });

  test('have the price of the block’s own model, which is not assumed', () => {
    const own = config({ model: { source: 'config', model: 'gpt-4.1-mini' } });
    const spend = priced(cell([request(fresh(0))], [[call(1_000_000, 0)]], { own }));
    expect(spend.usdModel).toBeCloseTo(0.4, 9);
    expect(spend.priceBasis).not.toContain('assumed');
  });

  test('of a live model have its own price and are what it counted', () => {
    const live = call(1_000_000, 0, 'gpt-4.1-nano');
    const spend = priced(cell([request(fresh(0))], [[live]], { ratio: 2 }));
    expect(spend.usdModel).toBeCloseTo(0.1, 9);
  });

  test('without a price leave the figures empty, never 0; no call costs nothing', () => {
    const unknown = request(fresh(10, 'nobodys-model-7'));
    const spend = priced(cell([unknown], [[call(10, 10)]]));
    expect(spend).toMatchObject({ usdModel: undefined, usdBefore: undefined, usdNet: undefined });
    expect(spend.priceBasis).toContain('no price of nobodys-model-7');
    const unnamed = priced(cell([request({ fresh: 10, cacheRead: 0 })], [[call(10, 10)]]));
    expect(unnamed.usdAfter).toBeUndefined();
    expect(unnamed.priceBasis).toContain('no price of a model that is not named');
    expect(priced(cell([request(fresh(10))], [])).usdModel).toBe(0);
  });

  test('of what saves nothing are never earned', () => {
    expect(priced(cell([request(fresh(10))], [[call(10, 10)]])).breakEvenRequests).toBeUndefined();
  });
});

describe('requests', () => {
  // claude-sonnet-4-5: 3 in, 0.30 read, 3.75 and 6 written, 15 out; over 200,000 tokens 6, 0.60, 7.50, 12, 22.50.
  const sonnet: Charge = {
    model: 'claude-sonnet-4-5',
    fresh: 1000,
    cacheRead: 100_000,
    cacheWrite5m: 2000,
    cacheWrite1h: 3000,
    output: 400,
  };

  test('have each tier at its price', () => {
    const spend = priced(cell([request(sonnet)], []));
    const usd = (1000 * 3 + 100_000 * 0.3 + 2000 * 3.75 + 3000 * 6 + 400 * 15) / 1e6;
    expect(spend.usdBefore).toBeCloseTo(usd, 12);
    expect(spend.usdAfter).toBeCloseTo(usd, 12);
    expect(spend.usdNet).toBe(0);
  });

  test('over the long-context limit have its prices, all of their tokens', () => {
    const long = { ...sonnet, cacheRead: 200_000 };
    const usd = (1000 * 6 + 200_000 * 0.6 + 2000 * 7.5 + 3000 * 12 + 400 * 22.5) / 1e6;
    expect(priced(cell([request(long)], [])).usdBefore).toBeCloseTo(usd, 12);
  });

  test('net is before − after − component calls, rounds of expansion included', () => {
    const charges = cell(
      [request(fresh(1_000_000), [fresh(300_000), fresh(400_000)])],
      [[call(50_000, 0)]],
    );
    const { usdBefore, usdAfter, usdModel, usdNet } = priced(charges);
    expect([usdBefore, usdAfter, usdModel]).toEqual([2, expect.closeTo(1.4), expect.closeTo(0.1)]);
    expect(usdNet).toBeCloseTo(0.5, 9);
  });

  test('tiers are added up, and one that nobody bills stays empty', () => {
    const cost = (charge: Charge): CostReplay => ({
      requests: [request(charge), request(charge)],
      ratio: 1,
      assumed: [],
    });
    expect(tierTotals(cost(sonnet), 'before')).toEqual({
      fresh: 2000,
      cacheRead: 200_000,
      cacheWrite: 10_000,
      cacheWrite1h: 6000,
      output: 800,
    });
    expect(tierTotals(cost({ fresh: 5, cacheRead: 0 }), 'after')).toEqual({
      fresh: 10,
      cacheRead: 0,
      cacheWrite: undefined,
      cacheWrite1h: undefined,
      output: undefined,
    });
  });
});

describe('the request at which it breaks even', () => {
  const pairs = (...amounts: (readonly [number, number])[]) =>
    amounts.map(([before, after]) => request(fresh(before), [fresh(after)]));

  test('is the first from which on all spent stays below the recording', () => {
    // Ahead by −50, −20, +10, −10, +40.
    const charges = cell(pairs([100, 150], [100, 70], [100, 70], [100, 120], [100, 50]), []);
    expect(priced(charges).breakEvenRequest).toBe(5);
  });

  test('counts component calls where they are made', () => {
    // The call costs what 200 tokens do: ahead by 50, −100, −50, 0, +50.
    const charges = cell(pairs([100, 50], [100, 50], [100, 50], [100, 50], [100, 50]), [
      [],
      [call(200, 0)],
    ]);
    expect(priced(charges).breakEvenRequest).toBe(5);
  });

  test('never comes where nothing is saved, nor where it ends behind', () => {
    expect(priced(cell(pairs([100, 100], [100, 100]), [])).breakEvenRequest).toBeUndefined();
    expect(priced(cell(pairs([100, 50], [100, 151]), [])).breakEvenRequest).toBeUndefined();
  });
});

describe('prices', () => {
  test('of a file go before those of the table, with their date', () => {
    const table = pricesFrom(
      new Map([['gpt-4.1', { input: 20, output: 80 }]]),
      'own.yaml of 2026-10-01',
    );
    const charges = cell([request(fresh(1_000_000))], []);
    const spend = priced(charges, table);
    expect(spend.usdBefore).toBeCloseTo(20, 9);
    expect(spend.priceBasis).toBe('own.yaml of 2026-10-01: gpt-4.1');
    expect(table.pricesOf('claude-sonnet-4-5', 0)).toEqual(
      offlinePrices.pricesOf('claude-sonnet-4-5', 0),
    );
    // The file says nothing of the cache: what is read has no price.
    const read = cell([request({ ...fresh(0), cacheRead: 10 })], []);
    expect(priced(read, table).usdBefore).toBeUndefined();
  });

  test('router prefixes are no part of a model’s name', () => {
    // Below the long-context price, which the table has too.
    const usage = { inputTokens: 100_000, outputTokens: 0 };
    expect(callPrice('litellm_proxy/claude-sonnet-4-5', usage)).toBeCloseTo(0.3, 9);
    expect(cacheReadPrice('aws/claude-sonnet-4-5')).toBeCloseTo(0.3e-6, 12);
    expect(cacheReadPrice('nobodys-model-7')).toBeUndefined();
  });
});
