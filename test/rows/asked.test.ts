import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AskedFigures } from '../../src/replay/asking.ts';
import { askedFigures } from '../../src/rows/asked.ts';
import { scoreInterval } from '../../src/rows/score-interval.ts';

const figures: AskedFigures = {
  plan: 'per_cell=5;seed=1;tools=recorded;model=stub',
  agreement: {
    eligible: 9,
    sampled: 5,
    scores: [1, 0.5, 0],
    answers: 1,
    notReproduced: 1,
    unparsed: 1,
    unparsedReasons: new Map([['arguments', 1]]),
    expands: 2,
    tools: 'recorded',
  },
  probes: {
    spans: 2,
    dropped: 1,
    plain: { answered: 4, right: 1, unanswered: 2, unparsed: 1 },
    withExpand: { answered: 5, right: 5, unanswered: 0, unparsed: 0 },
  },
  calls: {
    model: 'stub',
    calls: 20,
    shareable: 7,
    inputTokens: 1000,
    outputTokens: 50,
    usages: [
      { inputTokens: 600, outputTokens: 20 },
      { inputTokens: 400, outputTokens: 30 },
    ],
  },
};

describe('the row', () => {
  it('has the mean of what was scored, and counts what was not', () => {
    const row = askedFigures(figures);
    expect(row).toMatchObject({
      agreement: 0.5,
      agreementCount: 3,
      agreementSampled: 5,
      agreementNotReproduced: 1,
      agreementUnparsed: 1,
      probeScore: 0.25,
      probeCount: 4,
      probeScoreExpand: 1,
      agreementCalls: 20,
      usdAgreement: undefined,
    });
    expect(row.agreementLow).toBeGreaterThan(0);
    expect(row.agreementHigh).toBeLessThan(1);
  });

  it('has no figure that was not measured', () => {
    expect(askedFigures(undefined)).toEqual({});
    const none = { ...figures, agreement: undefined, probes: undefined };
    expect(Object.keys(askedFigures(none)).filter((key) => key.startsWith('probe'))).toEqual([]);
    if (figures.agreement === undefined) throw new Error('no figures');
    const empty = { ...figures, agreement: { ...figures.agreement, scores: [] } };
    expect(askedFigures(empty)).toMatchObject({ agreement: undefined, agreementCount: 0 });
  });

  it('prices the calls of a model that the table knows', () => {
    const calls = { ...figures.calls, model: 'claude-sonnet-4-5' };
    expect(askedFigures({ ...figures, calls }).usdAgreement).toBeCloseTo(0.00375, 6);
    const cached = { inputTokens: 1000, outputTokens: 0, cacheReadTokens: 1000 };
    const read = { ...calls, usages: [cached] };
    expect(askedFigures({ ...figures, calls: read }).usdAgreement).toBeCloseTo(0.0003, 6);
    const none = { ...calls, calls: 0, model: 'stub', usages: [] };
    expect(askedFigures({ ...figures, calls: none }).usdAgreement).toBe(0);
  });
});

describe('the score interval', () => {
  it('is Wilson’s for yes and no', () => {
    // 95 % interval of 7 of 10, as in Newcombe, Statistics in Medicine 17, 1998.
    const interval = scoreInterval(7, 10);
    expect(interval?.low).toBeCloseTo(0.3968, 4);
    expect(interval?.high).toBeCloseTo(0.8922, 4);
  });

  it('holds the mean, stays in [0, 1] and has a width', () => {
    const scores = fc.array(fc.constantFrom(0, 0.5, 1), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(scores, (values) => {
        const total = values.reduce<number>((sum, value) => sum + value, 0);
        const interval = scoreInterval(total, values.length);
        if (interval === undefined) throw new Error('no interval');
        const mean = total / values.length;
        expect(interval.low).toBeLessThanOrEqual(mean);
        expect(interval.high).toBeGreaterThanOrEqual(mean);
        expect(interval.low).toBeGreaterThanOrEqual(0);
        expect(interval.high).toBeLessThanOrEqual(1);
        expect(interval.high - interval.low).toBeGreaterThan(0.05);
      }),
      { seed: 3 },
    );
  });

  it('covers the mean of scores of 0, 0.5 and 1 at least as often as it says', () => {
    let state = 12345;
    const next = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
    let covered = 0;
    const runs = 2000;
    for (let run = 0; run < runs; run++) {
      let total = 0;
      for (let draw = 0; draw < 12; draw++) {
        const chance = next();
        total += chance < 0.5 ? 1 : chance < 0.8 ? 0.5 : 0;
      }
      const interval = scoreInterval(total, 12);
      if (interval !== undefined && interval.low <= 0.65 && interval.high >= 0.65) covered++;
    }
    expect(covered / runs).toBeGreaterThan(0.95);
  });

  it('is none of nothing, and refuses an impossible sum', () => {
    expect(scoreInterval(0, 0)).toBeUndefined();
    expect(() => scoreInterval(2, 1)).toThrow(RangeError);
    expect(() => scoreInterval(Number.NaN, 1)).toThrow(RangeError);
  });
});
