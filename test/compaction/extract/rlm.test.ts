import { afterAll, describe, expect, test, vi } from 'vitest';
import { SandboxPool } from '../../../src/compaction/extract/sandbox/pool.ts';
import { badProgramModel } from '../../../src/model/bad-program.ts';
import { type ScriptedModel, scriptedModel } from '../../../src/model/scripted.ts';
import { stubModel } from '../../../src/model/stub.ts';
import { countTokens } from '../../../src/text/tokens.ts';
import { replayLists } from '../../support/replay-lists.ts';
import { extractWith, keepsLinesWith, logOf, outputsOf, sessionWith } from './extract-support.ts';

const pool = vi.hoisted(() => ({ current: undefined as unknown }));
vi.mock('../../../src/compaction/extract/sandbox-access.ts', () => ({
  sharedSandbox: () => pool.current,
}));
pool.current = new SandboxPool({ size: 1, limits: { steps: 400_000, megabytes: 64 } });
afterAll(() => (pool.current as SandboxPool).close());

const log = logOf(200);
const program = (...lines: readonly string[]) => `\`\`\`javascript\n${lines.join('\n')}\n\`\`\``;

async function explore(model: ScriptedModel | ReturnType<typeof stubModel>, settings: object = {}) {
  const [replayed] = await replayLists([sessionWith('anthropic', [log])], {
    dialect: 'anthropic',
    steps: [extractWith({ strategy: 'rlm', min_tokens: 100, ...settings })],
    model,
  });
  if (replayed === undefined) throw new Error('nothing was replayed');
  return { ...replayed, text: outputsOf(replayed.after)[0] ?? '' };
}

describe('an exploration', () => {
  test('keeps its variables, sees what it printed but never INPUT, and is charged for every round', async () => {
    const model = scriptedModel([
      program('const lines = INPUT.split("\\n");', 'print("lines:", lines.length);'),
      program(
        'const wanted = lines.filter((line) => line.includes("ERROR"));',
        'print(wanted[0]);',
      ),
      program('OUTPUT = wanted.join("\\n");', 'SUMMARY = "errors only";'),
    ]);
    const { report, text } = await explore(model);
    expect(report.kind).toBe('changed');
    expect(text.split('\n').at(-2)).toBe('[errors only]');
    expect(report.calls.map(({ purpose }) => purpose)).toEqual(['explore', 'explore', 'explore']);
    const prompts = model.calls.map(({ prompt }) => prompt);
    expect(prompts[0]).toContain('text, ');
    expect(prompts[0]).toContain('200 lines');
    expect(prompts[1]).toContain('lines: 200');
    expect(prompts[2]).toContain('ERROR worker-0-4 ');
    for (const prompt of prompts) expect(prompt).not.toContain('worker-0-150 ');
  });

  test('sees only the ends of what it printed', async () => {
    const model = scriptedModel([program('print(INPUT);'), keepsLinesWith('ERROR')]);
    await explore(model);
    const shown = model.calls[1]?.prompt ?? '';
    expect(shown).toContain('worker-0-0 ');
    expect(shown).toContain('worker-0-199 ');
    expect(shown).not.toContain('worker-0-100 ');
    expect(shown).toMatch(/\d+ characters are not shown/);
  });

  test('may ask about a piece', async () => {
    const model = scriptedModel((request) =>
      request.prompt.startsWith('<question>')
        ? 'ERROR'
        : program(
            'const word = ask("Which level matters?", INPUT.slice(0, 300));',
            'OUTPUT = INPUT.split("\\n").filter((line) => line.includes(word)).join("\\n");',
          ),
    );
    const { report } = await explore(model);
    expect(report).toMatchObject({ kind: 'changed' });
    expect(report.calls).toHaveLength(2);
    const question = model.calls[1];
    expect(question?.prompt).toContain('Which level matters?');
    expect(question?.prompt).toContain('worker-0-0 ');
    expect(question?.prompt).not.toContain('worker-0-100 ');
  });

  test('goes on after a mistake, which it is told', async () => {
    const model = scriptedModel([
      program('nothing.of.the.kind'),
      program('OUTPUT = (INPUT'),
      keepsLinesWith('ERROR'),
    ]);
    const { report } = await explore(model);
    expect(report.kind).toBe('changed');
    expect(report.refusals).toBeUndefined();
    expect(model.calls[1]?.prompt).toContain('runtime: ');
    expect(model.calls[2]?.prompt).toContain('syntax: ');
  });
});

describe('ends', () => {
  const looks = () => scriptedModel(() => program('print(INPUT.length);'));

  test('after max_rounds, and the last one is told so', async () => {
    const model = looks();
    const { report } = await explore(model, { rlm: { max_rounds: 3 } });
    expect(report).toMatchObject({ kind: 'skipped', refusals: ['step_limit'] });
    expect(model.calls).toHaveLength(3);
    expect(model.calls.map(({ prompt }) => prompt.includes('This is the last round'))).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('after max_calls, questions included', async () => {
    const model = scriptedModel((request) =>
      request.prompt.startsWith('<question>')
        ? 'no'
        : program('for (let n = 0; n < 9; n++) print(ask("is it?", "piece"));'),
    );
    const { report } = await explore(model, { rlm: { max_calls: 5 } });
    expect(report).toMatchObject({ kind: 'skipped', refusals: ['runtime'] });
    expect(model.calls).toHaveLength(5);
  });

  test('before it would read more than max_tokens', async () => {
    const model = looks();
    const { report } = await explore(model, { rlm: { max_tokens: 2000, max_rounds: 50 } });
    expect(report).toMatchObject({ kind: 'skipped', refusals: ['step_limit'] });
    const read = model.calls.map(({ system, prompt }) => countTokens(system) + countTokens(prompt));
    expect(model.calls.length).toBeGreaterThan(1);
    expect(read.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(2000);
  });

  test.each(['empty_reply', 'timeout', 'transport', 'not_contained', 'no_gain'] as const)(
    'with the proof and the refusals of every strategy: %s',
    async (kind) => {
      const { report } = await explore(badProgramModel(kind));
      expect(report).toMatchObject({ kind: 'skipped', refusals: [kind] });
      expect(report.calls).toHaveLength(1);
    },
  );

  test.each(['memory_limit', 'step_limit'] as const)(
    'with the limit that its last round came to: %s',
    async (kind) => {
      const { report } = await explore(badProgramModel(kind), { rlm: { max_rounds: 2 } });
      expect(report).toMatchObject({ kind: 'skipped', refusals: [kind] });
      expect(report.calls).toHaveLength(2);
    },
  );
});

test.each(['javascript', 'starlark'])('the stub explores in %s', async (language) => {
  const { report, text } = await explore(stubModel('stub'), { language });
  expect(report).toMatchObject({ kind: 'changed' });
  expect(report.calls).toHaveLength(2);
  expect(text).toContain('ERROR');
});
