import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findTranscript } from '../../../src/commands/show/find-transcript.ts';
import { loadConfig } from '../../../src/commands/show/load-config.ts';
import type { Problem } from '../../../src/recordings/problem.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { root } from '../cli.ts';

const environment = { cwd: root, variables: {} };

test('a name of the folder is that config, whatever it needs beside it', async () => {
  const mask = await loadConfig('cg-mask', [], environment);
  expect([mask.config.name, mask.matched]).toEqual(['cg-mask', undefined]);
  const control = await loadConfig('control-random_drop@cg-mask', [], environment);
  expect(control.config.name).toBe('control-random_drop@cg-mask');
  expect(control.matched?.name).toBe('cg-mask');
});

test('one of a matrix is found by its own name, and the matrix alone is refused', async () => {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'grid.yaml');
  const text = 'pipeline: [mask]\nmatrix:\n  components.mask.keep_recent: [1, 2]\n';
  writeFileSync(file, text);
  await expect(loadConfig(file, [], environment)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(/gives 2 configs, expected one of grid:keep_recent=1, grid/),
  });
  const one = { ...environment, variables: { CONTEXT_GURU_CONFIG_YAML: text } };
  await expect(loadConfig('env', [], one)).rejects.toMatchObject({ code: 'usage' });
  const wrong = loadConfig('cg-mask:keep_recent=9', [], environment);
  await expect(wrong).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(/is none of the configs.*--set/),
  });
  const set = ['components.mask.keep_recent=2'];
  const { config } = await loadConfig('cg-mask', set, environment);
  expect(config.name).toContain('keep_recent=2');
});

test('a recording is found by task, trial and lineage; others of the task are told', async () => {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const traj = [
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'Hello.' },
  ];
  const runs = [0, 1].map((trial) => ({ task_id: 7, trial, reward: 1, traj }));
  writeFileSync(join(folder, 'runs.json'), JSON.stringify(runs));
  writeFileSync(join(folder, 'broken.jsonl'), '{"broken');
  const problems: Problem[] = [];
  const find = (task: string, trial?: string) =>
    findTranscript([folder], { task, trial, lineage: undefined }, root, (found) => {
      problems.push(...found);
    });
  const failure = await find('none').catch((error: unknown) => error);
  const task = /expected one of (\S+?)[,;]?( |$)/.exec(String(failure))?.[1] ?? '7';
  expect(problems.length).toBeGreaterThan(0);
  const { transcript, others } = await find(task);
  expect([transcript.trial, others.map(({ trial }) => trial)]).toEqual(['0', ['1']]);
  expect((await find(task, '1')).transcript.trial).toBe('1');
  await expect(find(task, '2')).rejects.toMatchObject({ code: 'input.missing' });
});
