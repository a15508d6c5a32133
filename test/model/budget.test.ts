import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Attempt, attemptOf, type CallUsage, gated } from '../../src/model/attempt.ts';
import { Budget, highestPrice, type PriceOf } from '../../src/model/budget.ts';
import type { ModelRequest } from '../../src/model/model.ts';

const never = new AbortController().signal;

/** USD a million tokens. */
const PRICES: Readonly<Record<string, { input: number; written: number; output: number }>> = {
  dear: { input: 3, written: 3.75, output: 15 },
  cheap: { input: 0.1, written: 0.1, output: 0.4 },
};

const priceOf: PriceOf = (model, usage) => {
  const price = PRICES[model];
  if (price === undefined) return undefined;
  const written = usage.cacheWriteTokens ?? 0;
  const fresh = usage.inputTokens - written;
  return (fresh * price.input + written * price.written + usage.outputTokens * price.output) / 1e6;
};

function attempt(changes: Partial<Attempt> = {}): Attempt {
  return {
    model: 'dear',
    inputBytes: 1000,
    addedTokens: 0,
    maxOutputTokens: 100,
    hasHourMarks: false,
    ...changes,
  };
}

const usage = (inputTokens: number, outputTokens: number): CallUsage => ({
  inputTokens,
  outputTokens,
});

const ask = fc.record({
  model: fc.constantFrom('dear', 'cheap'),
  bytes: fc.nat(20_000),
  maxOutputTokens: fc.integer({ min: 1, max: 4000 }),
  /** Shares of what is possible. */
  input: fc.double({ min: 0, max: 1, noNaN: true }),
  written: fc.double({ min: 0, max: 1, noNaN: true }),
  output: fc.double({ min: 0, max: 1, noNaN: true }),
  turns: fc.nat(4),
  end: fc.constantFrom('usage', 'usage', 'unknown', 'unknown', 'unbilled', 'aborted'),
});
type Ask = typeof ask extends fc.Arbitrary<infer T> ? T : never;

/** What a provider bills: of an attempt that was lost, all that it could have been. */
function billed(one: Ask): number {
  if (one.end === 'unbilled') return 0;
  const inputTokens = Math.floor(one.bytes * (one.end === 'usage' ? one.input : 1));
  const outputTokens = Math.floor(one.maxOutputTokens * (one.end === 'usage' ? one.output : 1));
  const cacheWriteTokens = Math.floor(inputTokens * (one.end === 'usage' ? one.written : 1));
  return priceOf(one.model, { inputTokens, outputTokens, cacheWriteTokens }) ?? 0;
}

/** Runs `jobs` workers over the asks, as a sweep does; the total that a provider would bill. */
async function spend(
  asks: readonly Ask[],
  jobs: number,
  budget: Pick<Budget, 'gate'>,
): Promise<number> {
  const queue = [...asks];
  let total = 0;
  let open = 0;
  const worker = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      const controller = new AbortController();
      const { model, bytes: inputBytes, maxOutputTokens, turns } = one;
      try {
        const waited = budget.gate(
          attempt({ model, inputBytes, maxOutputTokens }),
          controller.signal,
        );
        if (one.end === 'aborted' && turns === 0) controller.abort(new Error('stopped'));
        const end = await waited;
        open++;
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        open--;
        total += billed(one);
        const inputTokens = Math.floor(inputBytes * one.input);
        if (one.end === 'usage') {
          end({
            kind: 'usage',
            usage: {
              inputTokens,
              outputTokens: Math.floor(maxOutputTokens * one.output),
              cacheWriteTokens: Math.floor(inputTokens * one.written),
            },
          });
        } else end({ kind: one.end === 'unbilled' ? 'unbilled' : 'unknown' });
      } catch {
        // Refused, or stopped while it waited.
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  expect(open).toBe(0);
  return total;
}

describe('a budget', () => {
  test('is never passed, whatever the usages, delays, failures and jobs', async () => {
    let refused = 0;
    const property = fc.asyncProperty(
      fc.array(ask, { maxLength: 40 }),
      fc.integer({ min: 1, max: 8 }),
      fc.double({ min: 0, max: 0.5, noNaN: true }),
      async (asks, jobs, limit) => {
        const budget = new Budget(limit, priceOf);
        const total = await spend(asks, jobs, budget);
        expect(total).toBeLessThanOrEqual(limit);
        expect(total).toBeLessThanOrEqual((budget.spent ?? 0) + 1e-12);
        expect(budget.spent).toBeLessThanOrEqual(limit);
        if (budget.exhausted.aborted) refused++;
      },
    );
    await fc.assert(property, { numRuns: 300, seed: 20261130 });
    expect(refused).toBeGreaterThan(50);
  });

  const faults: readonly [string, (limit: number) => Pick<Budget, 'gate'>][] = [
    [
      'looks only at what is spent',
      (limit) => {
        let spent = 0;
        const gate: Budget['gate'] = async ({ model }) => {
          if (spent > limit) throw new Error('refused');
          return (end) => {
            if (end.kind === 'usage') spent += priceOf(model, end.usage) ?? 0;
          };
        };
        return { gate };
      },
    ],
    [
      'takes a lost attempt for one that is not billed',
      (limit) => {
        const budget = new Budget(limit, priceOf);
        const gate: Budget['gate'] = async (given, signal) => {
          const end = await budget.gate(given, signal);
          return (how) => end(how.kind === 'unknown' ? { kind: 'unbilled' } : how);
        };
        return { gate };
      },
    ],
  ];
  test.each(faults)('a seeded fault: one that %s is passed by such asks', async (_, faulty) => {
    let passed = 0;
    const property = fc.asyncProperty(
      fc.array(ask, { maxLength: 40 }),
      fc.double({ min: 0, max: 0.2, noNaN: true }),
      async (asks, limit) => {
        if ((await spend(asks, 8, faulty(limit))) > limit) passed++;
      },
    );
    await fc.assert(property, { numRuns: 300, seed: 20261130 });
    expect(passed).toBeGreaterThan(3);
  });

  test('lets every call through that fits beside no other', async () => {
    const property = fc.asyncProperty(fc.array(ask, { maxLength: 20 }), async (asks) => {
      const total = asks.reduce((sum, one) => {
        const { bytes: inputTokens, maxOutputTokens: outputTokens, model } = one;
        return sum + (highestPrice(priceOf, model, { inputTokens, outputTokens }) ?? 0);
      }, 0);
      const budget = new Budget(total + 1e-9, priceOf);
      await spend(asks, 8, budget);
      expect(budget.exhausted.aborted).toBe(false);
    });
    await fc.assert(property, { numRuns: 100, seed: 20261130 });
  });

  test('gives back what a call did not cost: the next one waits for that', async () => {
    // Each may cost 0.00375 (all written) + 0.0015, and does cost less than a tenth.
    const budget = new Budget(0.008, priceOf);
    const first = await budget.gate(attempt(), never);
    let isAdmitted = false;
    const second = budget.gate(attempt(), never).then((end) => {
      isAdmitted = true;
      return end;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAdmitted).toBe(false);
    first({ kind: 'usage', usage: usage(100, 10) });
    (await second)({ kind: 'unbilled' });
    expect(budget.spent).toBeCloseTo(0.00045, 12);
    expect(budget.calls).toBe(1);
  });

  test('refuses a call that does not fit alone, and every call after it', async () => {
    const budget = new Budget(0.001, priceOf);
    await expect(budget.gate(attempt(), never)).rejects.toMatchObject({
      code: 'budget.exhausted',
      message: expect.stringMatching(/^\$0 of the \$0.001 .* dear, could cost up to \$0.00525$/),
    });
    expect(budget.exhausted.aborted).toBe(true);
    const small = attempt({ inputBytes: 1, maxOutputTokens: 1 });
    await expect(budget.gate(small, never)).rejects.toMatchObject({ code: 'budget.exhausted' });
  });

  test('under a limit refuses an unknown price; without one adds up what is known', async () => {
    const unknown = attempt({ model: 'own' });
    await expect(new Budget(1, priceOf).gate(unknown, never)).rejects.toThrow(/price of own/);
    const open = new Budget(Number.POSITIVE_INFINITY, priceOf);
    (await open.gate(attempt(), never))({ kind: 'usage', usage: usage(1000, 0) });
    expect(open.spent).toBeCloseTo(0.003, 12);
    (await open.gate(unknown, never))({ kind: 'usage', usage: usage(1000, 0) });
    expect(open.spent).toBeUndefined();
  });

  test('learns from a provider that counts more than a token a byte', async () => {
    const budget = new Budget(0.02, priceOf);
    (await budget.gate(attempt(), never))({ kind: 'usage', usage: usage(3000, 0) });
    // 3 × 1000 tokens, all written, and 100 out: 0.01275 do not fit in the 0.011 that are left.
    await expect(budget.gate(attempt(), never)).rejects.toThrow(/\$0.01275/);
  });

  test('is not held by a call that is stopped while it waits', async () => {
    const budget = new Budget(0.008, priceOf);
    const first = await budget.gate(attempt(), never);
    const controller = new AbortController();
    const second = budget.gate(attempt(), controller.signal);
    const third = budget.gate(attempt({ inputBytes: 1, maxOutputTokens: 1 }), never);
    controller.abort(new Error('stopped'));
    await expect(second).rejects.toThrow('stopped');
    (await third)({ kind: 'unbilled' });
    first({ kind: 'unbilled' });
    expect([budget.spent, budget.exhausted.aborted]).toEqual([0, false]);
  });
});

describe('an attempt', () => {
  const request: ModelRequest = {
    purpose: 'summarize',
    system: 'äö',
    prompt: 'a🙂',
    maxOutputTokens: 7,
    sample: 0,
  };

  test('is bounded by the bytes of what the model reads', () => {
    expect(attemptOf('m', request)).toMatchObject({ inputBytes: 4 + 5, maxOutputTokens: 7 });
    const turn = { ...request, messages: '[{}]', tools: '[]' };
    const { inputBytes, addedTokens } = attemptOf('m', {
      purpose: 'agreement',
      messages: turn.messages,
      tools: turn.tools,
      maxOutputTokens: 7,
      sample: 0,
    });
    expect(inputBytes).toBe(6);
    expect(addedTokens).toBeGreaterThan(attemptOf('m', request).addedTokens);
  });

  test('with a picture is bounded by what the model may read of it, however few its bytes', () => {
    const ask = { purpose: 'agreement', maxOutputTokens: 7, sample: 0 } as const;
    const url = 'https://example.org/a.png';
    const wires = [
      [{ type: 'image', source: { type: 'url', url } }],
      [{ type: 'image_url', image_url: { url } }],
    ];
    for (const content of wires) {
      const none = attemptOf('m', { ...ask, messages: '[]' }).addedTokens;
      const messages = JSON.stringify([{ role: 'user', content: [...content, ...content] }]);
      expect(attemptOf('m', { ...ask, messages }).addedTokens).toBe(none + 10_000);
      expect(attemptOf('gpt-4o-mini', { ...ask, messages }).addedTokens).toBeGreaterThan(70_000);
    }
  });

  test('that may have been billed at a price that is not known leaves the sum unknown', async () => {
    for (const end of ['unknown', 'usage', 'unbilled'] as const) {
      const budget = new Budget(Number.POSITIVE_INFINITY, priceOf);
      const told = await budget.gate(attempt({ model: 'nobody’s' }), never);
      told(end === 'usage' ? { kind: end, usage: usage(10, 1) } : { kind: end });
      expect(budget.spent).toBe(end === 'unbilled' ? 0 : undefined);
    }
  });

  test.each([
    ['an HTTP status', { kind: 'status', status: 529, headers: { get: () => null }, text: '' }, 0],
    ['a server that was never reached', { kind: 'connection', code: 'ECONNREFUSED', text: '' }, 0],
    ['a lost connection', { kind: 'connection', code: 'ECONNRESET', text: '' }, 0.00525],
    ['a reply that was cut', { kind: 'cut' }, 0.00525],
    ['a reply that cannot be read', { kind: 'malformed', text: '' }, 0.00525],
    ['a time limit', { kind: 'timeout' }, 0.00525],
  ] as const)('that ends with %s is charged what it may have cost', async (_, failure, usd) => {
    const budget = new Budget(1, priceOf);
    const fails = () => Promise.reject(new Error('lost'));
    const made = gated(budget.gate, attempt(), never, fails, () => failure);
    await expect(made).rejects.toThrow('lost');
    expect(budget.spent).toBeCloseTo(usd, 12);
  });
});
