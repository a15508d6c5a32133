import { describe, expect, test } from 'vitest';
import {
  type CellThresholds,
  type GateCell,
  judgeAgainstSnapshot,
  judgeGone,
  judgeRewards,
  judgeShapes,
} from '../../src/report/gate.ts';

const thresholds: CellThresholds = {
  violations_recorded: 0,
  violations_added: 0,
  reverted_by_shape: 0,
  pooled_points: 1,
  cell_points: 3,
  evidence_points: 1,
  reward_points: 2,
};

function cell(facts: Partial<GateCell> = {}): GateCell {
  return {
    task: 'task',
    unit: facts.task ?? 'task',
    dialect: 'anthropic',
    config: 'config',
    before: 1000,
    after: 500,
    recorded: [],
    added: [],
    reverted: [],
    evidenceKept: 10,
    evidenceTotal: 10,
    reward: 1,
    ...facts,
  };
}

describe('judgeShapes', () => {
  test('finds nothing in clean cells', () => {
    expect(judgeShapes([cell(), cell({ task: 'other' })], thresholds)).toEqual([]);
  });

  test.each([
    ['violations_recorded', { recorded: ['A-PAIR-1', 'A-PAIR-1'] }],
    ['violations_added', { added: ['A-PAIR-1', 'A-PAIR-1'] }],
    ['reverted_by_shape', { reverted: ['A-PAIR-1', 'A-PAIR-1'] }],
  ] as const)('%s: names the cell, the rule and how often', (check, facts) => {
    const findings = judgeShapes([cell(), cell({ task: 'broken', ...facts })], thresholds);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ severity: 'fail', check, cell: { task: 'broken' } });
    expect(findings[0]?.message).toContain('A-PAIR-1 (2×)');
    expect(judgeShapes([cell(facts)], { ...thresholds, [check]: 2 })).toEqual([]);
  });
});

describe('judgeAgainstSnapshot', () => {
  const judge = (now: GateCell[], then: GateCell[]) =>
    judgeAgainstSnapshot(now, then, thresholds).map(({ check }) => check);

  test('the same figures, and better ones, pass', () => {
    expect(judge([cell()], [cell()])).toEqual([]);
    expect(judge([cell({ after: 100 })], [cell()])).toEqual([]);
  });

  test('a fall within the margins passes, one beyond them does not', () => {
    expect(judge([cell({ after: 509 })], [cell()])).toEqual([]);
    expect(judge([cell({ after: 520 })], [cell()])).toEqual(['pooled_points']);
    expect(judge([cell({ after: 540 })], [cell()])).toEqual(['cell_points', 'pooled_points']);
  });

  test('one bad cell among many is found even when the pooled figure hardly moves', () => {
    const then = Array.from({ length: 50 }, (_, index) => cell({ task: `task ${index}` }));
    const now = then.map((known, index) => (index === 7 ? { ...known, after: 600 } : known));
    expect(judge(now, then)).toEqual(['cell_points']);
  });

  test('lost evidence fails; unmeasured evidence is no figure', () => {
    expect(judge([cell({ evidenceKept: 9 })], [cell()])).toEqual(['evidence_points']);
    const unmeasured = { evidenceKept: undefined, evidenceTotal: undefined };
    expect(judge([cell(unmeasured)], [cell()])).toEqual([]);
  });

  test('cells that the snapshot does not know are a notice', () => {
    expect(judge([cell(), cell({ task: 'new' })], [cell()])).toEqual(['snapshot']);
  });
});

describe('judgeGone', () => {
  test('what is measured, and what is new, is no finding', () => {
    expect(judgeGone([cell(), cell({ task: 'new' })], [cell()])).toEqual([]);
  });

  test.each([
    ['a recording', { task: 'gone' }],
    ['a config', { config: 'gone' }],
    ['a dialect', { dialect: 'gemini' }],
  ] as const)('%s that is gone is inconclusive, and named', (_, facts) => {
    const [finding, ...others] = judgeGone([cell()], [cell(), cell(facts)]);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: 'inconclusive', check: 'snapshot' });
    expect(finding?.message).toMatch(/^1 of 2 cells .*gone|^1 of 2 cells .*gemini/);
  });
});

describe('judgeRewards', () => {
  const tasks = (count: number, reward: (index: number) => number | undefined) =>
    Array.from({ length: count }, (_, index) =>
      ['anthropic', 'openai-chat'].map((dialect) =>
        cell({ task: `task ${index}`, dialect, reward: reward(index) }),
      ),
    ).flat();
  const judge = (now: readonly GateCell[], then: readonly GateCell[]) =>
    judgeRewards(now, then, thresholds).map(({ severity, check }) => `${severity} ${check}`);
  const renamed = (cells: readonly GateCell[], config: string) =>
    cells.map((one) => ({ ...one, config }));

  test('rewards that all fall fail, with difference and bound', () => {
    const findings = judgeRewards(
      tasks(10, () => 0),
      tasks(10, () => 1),
      thresholds,
    );
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ severity: 'fail', subject: 'config' });
    expect(findings[0]?.message).toMatch(/−100\.0 points \[−\d+\.\d, −\d+\.\d\] over 10 tasks/);
  });

  test('a few unmoved tasks are inconclusive: one line for all configs that says what they exclude', () => {
    const cells = tasks(10, (index) => index % 2);
    const both = [...cells, ...renamed(cells, 'other')];
    const findings = judgeRewards(both, both, thresholds);
    expect(findings).toHaveLength(1);
    expect(findings[0]?.severity).toBe('inconclusive');
    expect(findings[0]?.message).toMatch(
      /^no grounded reward moved; 2 of 2 configs are inconclusive at 2 points: .* −27\.1$/,
    );
  });

  test('repeated recordings and sub-agents of a task are one unit, however many there are', () => {
    const trials = Array.from({ length: 250 }, (_, index) =>
      cell({ task: `task/${index}`, unit: 'task', reward: index % 2 }),
    );
    const [finding] = judgeRewards(trials, trials, thresholds);
    expect(finding).toMatchObject({ severity: 'inconclusive' });
    expect(finding?.message).toMatch(/do not exclude a change of −100\.0$/);
  });

  test('many unmoved tasks are no more than a notice', () => {
    const cells = tasks(250, (index) => index % 2);
    expect(judge(cells, cells)).toEqual(['notice reward_points']);
  });

  test('one task that moved is told, and a better reward never fails', () => {
    const then = tasks(10, () => 0);
    const [finding] = judgeRewards(
      tasks(10, (index) => (index === 3 ? 1 : 0)),
      then,
      thresholds,
    );
    expect(finding).toMatchObject({ severity: 'inconclusive' });
    expect(finding?.message).toMatch(/reward of 1 tasks moved/);
    expect(
      judge(
        tasks(10, () => 1),
        then,
      ),
    ).toEqual([]);
  });

  test('dialects are trials of one task, not tasks of their own', () => {
    const then = tasks(4, () => 1);
    const now = tasks(4, () => 0);
    const apart = (cells: readonly GateCell[]) =>
      cells.map((one) => ({ ...one, unit: `${one.task} ${one.dialect}` }));
    expect(judge(now, then)).toEqual(['inconclusive reward_points']);
    expect(judge(apart(now), apart(then))).toEqual(['fail reward_points']);
  });

  test('a reward that is gone is a loss; cells without one in the snapshot are not judged', () => {
    const unrewarded = tasks(10, () => undefined);
    expect(judge(unrewarded, unrewarded)).toEqual([]);
    expect(
      judge(
        tasks(10, () => 1),
        unrewarded,
      ),
    ).toEqual([]);
    expect(
      judge(
        unrewarded,
        tasks(10, () => 1),
      ),
    ).toEqual(['fail reward_points']);
  });
});
