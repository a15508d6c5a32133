import { describe, expect, test } from 'vitest';
import type { Config } from '../../src/compaction/config.ts';
import type { StepReport } from '../../src/compaction/pipeline.ts';
import { cacheReadPrice, callPrice } from '../../src/model/prices.ts';
import { spendOf } from '../../src/rows/spend.ts';
import { summarizeWith } from '../support/replay-lists.ts';

const config = (...settings: object[]): Config => ({
  name: 'c',
  about: '',
  steps: settings.map(summarizeWith),
  text: '',
  hash: '',
  source: '',
});

const step = (inputTokens: number, outputTokens: number): StepReport => ({
  component: 'summarize',
  kind: 'changed',
  reused: false,
  tokensBefore: 0,
  tokensAfter: 0,
  calls: [{ model: 'stub', purpose: 'summarize', inputTokens, outputTokens }],
});

describe('spendOf', () => {
  // Published prices of gpt-4.1: 2 USD a million tokens in, 0.50 from the cache, 8 out.
  test('the calls at the price of the transcript’s model, which is assumed', () => {
    const spend = spendOf(
      config({}),
      'gpt-4.1',
      [step(1_000_000, 100_000), step(0, 100_000)],
      20_000,
    );
    expect(spend.usdModel).toBeCloseTo(2 + 0.8 + 0.8, 9);
    expect(spend.priceBasis).toMatch(/^gpt-4.1 assumed; genai-prices/);
    expect(spend.breakEvenRequests).toBeCloseTo(3.6 / (20_000 * 0.5e-6), 6);
  });

  test('the block’s own model is asked for its price, and is not assumed', () => {
    const own = config({ model: { source: 'config', model: 'gpt-4.1-mini' } });
    const spend = spendOf(own, 'gpt-4.1', [step(1_000_000, 0)], 1);
    expect(spend.usdModel).toBeCloseTo(0.4, 9);
    expect(spend.priceBasis).toMatch(/^gpt-4.1-mini; /);
  });

  test('an unknown price is unknown, never 0; no call costs nothing', () => {
    expect(spendOf(config({}), 'nobodys-model-7', [step(10, 10)], 5)).toEqual({});
    expect(spendOf(config({}), undefined, [step(10, 10)], 5)).toEqual({});
    expect(spendOf(config({}), undefined, [], 5)).toEqual({ usdModel: 0 });
  });

  test('what saves nothing is never earned', () => {
    expect(spendOf(config({}), 'gpt-4.1', [step(10, 10)], 0).breakEvenRequests).toBeUndefined();
  });
});

test('router prefixes are no part of a model’s name', () => {
  // Below the long-context price, which the table has too.
  const usage = { inputTokens: 100_000, outputTokens: 0 };
  expect(callPrice('litellm_proxy/claude-sonnet-4-5', usage)).toBeCloseTo(0.3, 9);
  expect(cacheReadPrice('aws/claude-sonnet-4-5')).toBeCloseTo(0.3e-6, 12);
  expect(cacheReadPrice('nobodys-model-7')).toBeUndefined();
});
