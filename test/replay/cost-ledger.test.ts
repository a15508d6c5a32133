import { describe, expect, test } from 'vitest';
import { expandCallTokens } from '../../src/compaction/expand-tool.ts';
import { costOf, type Part, type Step, tiers } from './cost-support.ts';

const claude = { dialect: 'anthropic', model: 'claude-sonnet-4-5' } as const;
const gpt = { dialect: 'openai-chat', model: 'gpt-4.1' } as const;

const system: readonly Part[] = [['system', 1200]];
const grow = (mark?: '5m'): readonly Step[] => {
  const part = (name: string, tokens: number): Part =>
    mark === undefined ? [name, tokens] : [name, tokens, mark];
  return [
    { system, turns: [[part('u1', 100)]] },
    { system, turns: [[['u1', 100]], [['a1', 50]], [part('u2', 70)]] },
  ];
};

describe('without recorded marks', () => {
  test('they are assumed behind the system prompt and the last message, and labelled', () => {
    const cost = costOf(grow(), claude);
    expect(tiers(cost, 'before')).toEqual([
      [0, 0, 1300, 0],
      [0, 1300, 120, 0],
    ]);
    expect(cost.assumed).toContain('cache marks behind the system prompt and the last message');
    // The assumed mark behind the system prompt: a branch reads it.
    const branch: Step = { system, turns: [[['other', 200]]] };
    expect(tiers(costOf([...grow(), branch], claude), 'before')[2]).toEqual([0, 1200, 200, 0]);
  });

  test('one recorded mark is enough to assume none', () => {
    const [first, second] = grow();
    const marked: Step = { system, turns: [[['u1', 100, '5m']]] };
    const cost = costOf([marked, second ?? marked, first ?? marked], claude);
    expect(tiers(cost, 'before')).toEqual([
      [0, 0, 1300, 0],
      [1420, 0, 0, 0],
      [1300, 0, 0, 0],
    ]);
    expect(cost.assumed.join()).not.toContain('cache marks');
  });

  test('a usage without any cache tokens says that nothing was marked', () => {
    const usage = { inputTokens: 1300, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const cost = costOf(
      grow().map((step) => ({ ...step, usage })),
      claude,
    );
    expect(tiers(cost, 'before').map(([, read, write]) => [read, write])).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(cost.assumed).toContain('no cache marks, as the usage says');
  });

  test('a usage that wrote for an hour gives the assumed marks that lifetime', () => {
    const usage = {
      inputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 1300,
      cacheWrite1hTokens: 1300,
    };
    const [first] = grow();
    const cost = costOf(first === undefined ? [] : [{ ...first, usage }], claude);
    expect(tiers(cost, 'before')).toEqual([[0, 0, 0, 1300]]);
  });
});

test('a mark of the whole request stands behind its last block', () => {
  const cost = costOf(
    grow().map((step): Step => ({ ...step, automatic: '1h' })),
    claude,
  );
  expect(tiers(cost, 'before')).toEqual([
    [0, 0, 0, 1300],
    [0, 1300, 0, 120],
  ]);
  expect(cost.assumed.join()).not.toContain('cache marks');
});

test('the smallest cached prefix is the model’s', () => {
  // 1,300 tokens: below the 4,096 of Opus 4.5 and the 2,048 of Sonnet 4.6.
  for (const model of ['claude-opus-4-5', 'claude-sonnet-4-6', 'claude-haiku-4-5']) {
    const cost = costOf(grow('5m'), { ...claude, model });
    expect(tiers(cost, 'before')[0], model).toEqual([1300, 0, 0, 0]);
  }
  expect(tiers(costOf(grow(), { ...gpt, model: 'gpt-4-turbo' }), 'before')[1]).toEqual([
    1420,
    0,
    undefined,
    undefined,
  ]);
});

describe('output', () => {
  test('is what the usage says, else what the action has, else unknown and labelled', () => {
    const [first, second] = grow();
    if (first === undefined || second === undefined) throw new Error('no steps');
    const cost = costOf([{ ...first, answer: 33 }, second], gpt);
    expect(cost.requests.map(({ before }) => before.output)).toEqual([33, undefined]);
    expect(cost.assumed).toContain('output of 1 not recorded: left out on both sides');
    const usage = { inputTokens: 1300, outputTokens: 77 };
    const recorded = costOf([{ ...first, answer: 33, usage }], gpt);
    expect(recorded.requests[0]?.before.output).toBe(77);
    expect(recorded.requests[0]?.after[0]?.output).toBe(77);
  });
});

describe('the expand tool', () => {
  test('its declaration is billed on every request after compaction, and cached with the prefix', () => {
    const cost = costOf(grow('5m'), { ...claude, declaration: 90 });
    expect(tiers(cost, 'before')).toEqual([
      [0, 0, 1300, 0],
      [0, 1300, 120, 0],
    ]);
    expect(tiers(cost, 'after')).toEqual([
      [0, 0, 1390, 0],
      [0, 1390, 120, 0],
    ]);
    expect(cost.requests.map(({ bust }) => bust)).toEqual([0, 0]);
  });

  test('each round of expansion is a call of its own, which later requests do not have', () => {
    const key = '0123456789abcdef';
    const expansion = { keys: [key], rounds: 1, tokens: 260 };
    const [first, second] = grow('5m');
    if (first === undefined || second === undefined) throw new Error('no steps');
    const cost = costOf([{ ...first, answer: 40, expansion }, second], claude);
    // The call that asks; the call that has the answer, behind the last mark; the next request.
    expect(tiers(cost, 'after')).toEqual([
      [0, 0, 1300, 0],
      [260, 1300, 0, 0],
      [0, 1300, 120, 0],
    ]);
    const outputs = cost.requests[0]?.after.map(({ output }) => output);
    expect(outputs).toEqual([expandCallTokens(key, 'o200k_base'), 40]);
    expect(cost.requests[0]?.before.output).toBe(40);
  });

  test('rounds read one another where caching is automatic', () => {
    const expansion = { keys: ['0123456789abcdef'], rounds: 2, tokens: 600 };
    const [first] = grow();
    if (first === undefined) throw new Error('no steps');
    // 1,300 · 1,600 of which 1,280 are read · 1,900 of which 1,536 of the 1,600 are.
    expect(tiers(costOf([{ ...first, expansion }], gpt), 'after')).toEqual([
      [1300, 0, undefined, undefined],
      [320, 1280, undefined, undefined],
      [364, 1536, undefined, undefined],
    ]);
  });
});

describe('calibration', () => {
  test('with bodies: all counts are scaled by what the provider counted', () => {
    const [first, second] = grow('5m');
    if (first === undefined || second === undefined) throw new Error('no steps');
    // 1.25 × 1,300 = 1,625 and 1.25 × 1,420 = 1,775.
    const cost = costOf(
      [
        { ...first, usage: { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 1625 } },
        { ...second, usage: { inputTokens: 5, cacheReadTokens: 1625, cacheWriteTokens: 145 } },
      ],
      claude,
    );
    expect(cost.ratio).toBeCloseTo(1.25, 9);
    expect(tiers(cost, 'before')).toEqual([
      [0, 0, 1625, 0],
      [0, 1625, 150, 0],
    ]);
    expect(cost.calibration).toMatchObject({
      requests: 2,
      predicted: { fresh: 0, cacheRead: 1625, cacheWrite: 1775 },
      recorded: { fresh: 5, cacheRead: 1625, cacheWrite: 1770 },
    });
    expect(cost.calibration?.error).toBeCloseTo(10 / 3400, 9);
    expect(cost.assumed.join()).not.toContain('estimate');
  });

  test('without bodies: what the recording lacks is found from the usage, and cached', () => {
    const turns: readonly (readonly Part[])[] = [
      [['u1', 100]],
      [['a1', 50]],
      [['u2', 70]],
      [['a2', 30]],
      [['u3', 400]],
    ];
    // 2,000 before the list, then 1.5 × 100, 220, 650.
    const recorded = [2150, 2330, 2975];
    const steps = [1, 3, 5].map(
      (length, index): Step => ({
        turns: turns.slice(0, length),
        usage: { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: recorded[index] ?? 0 },
      }),
    );
    const cost = costOf(steps, { ...claude, bodies: false });
    expect(cost.ratio).toBeCloseTo(1.5, 6);
    expect(cost.calibration?.hidden).toBeCloseTo(2000, 3);
    expect(tiers(cost, 'before')).toEqual([
      [0, 0, 2150, 0],
      [0, 2150, 180, 0],
      [0, 2330, 645, 0],
    ]);
    expect(cost.assumed).toContain('system prompt and tools not recorded: taken from the usage');
  });

  test('without usage: another vendor’s tokens are an estimate, the own vendor’s are not', () => {
    expect(costOf(grow(), claude).assumed).toContain(
      'an estimate: tokens as o200k_base counts them',
    );
    expect(costOf(grow(), gpt).assumed.join()).not.toContain('estimate');
    expect(costOf(grow(), claude).calibration).toBeUndefined();
  });
});

describe('labels', () => {
  test('say what is not recorded: times, the model, the prompt', () => {
    const cost = costOf(grow(), { dialect: 'openai-chat', bodies: false, assumeModel: 'gpt-4.1' });
    expect(cost.assumed).toEqual([
      'model gpt-4.1',
      'system prompt and tools not recorded: left out',
      'no times: caches taken as alive',
      'output of 2 not recorded: left out on both sides',
    ]);
    expect(cost.requests[0]?.before.model).toBe('gpt-4.1');
    const unnamed = costOf(grow(), { dialect: 'gemini' });
    expect(unnamed.requests[0]?.before.model).toBeUndefined();
    expect(unnamed.assumed).toContain('every implicit cache hit of Gemini');
  });

  test('a request without a time follows at once', () => {
    const [first, second] = grow('5m');
    if (first === undefined || second === undefined) throw new Error('no steps');
    const third: Step = { system, turns: [[['u1', 100, '5m']]], minute: 7 };
    const cost = costOf([{ ...first, minute: 0 }, second, third], claude);
    expect(tiers(cost, 'before').map(([, read]) => read)).toEqual([0, 1300, 0]);
    expect(cost.assumed).toContain('1 without a time: caches taken as alive');
  });
});
