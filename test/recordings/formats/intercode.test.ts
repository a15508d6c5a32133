import { expect, test } from 'vitest';
import { outline, readFiles } from '../support.ts';
import { intercodeRun } from './samples.ts';

test('thought and action are what the agent wrote, the observation what it read', async () => {
  const { transcripts, losses } = await readFiles({ 'r.json': JSON.stringify(intercodeRun) });
  expect(transcripts).toHaveLength(1);
  const [episode] = transcripts;
  expect(episode).toMatchObject({ task: '12', reward: 0.5, dialect: 'openai-chat' });
  expect(outline(episode, -1)).toEqual([
    'u:count the files',
    'a:look first\nexecute[ls]',
    'u:a.txt',
  ]);
  expect(episode?.requests).toHaveLength(2);
  expect(losses[0]).toMatchObject({ found: 6, read: 4 });
  expect([...(losses[0]?.skipped ?? [])]).toEqual([
    ['behind the last answer, never sent', 1],
    ['no model call', 1],
  ]);
});

test('an observation that is missing, and one that is a table', async () => {
  const episode = {
    query: 'list',
    turn_history: { actions: ['SELECT 1', 'submit'], observations: [[[1]]] },
  };
  const { transcripts } = await readFiles({ 'r.json': JSON.stringify({ 4: episode }) });
  expect(transcripts[0]?.task).toBe('4');
  expect(outline(transcripts[0], -1)).toEqual(['u:list', 'a:SELECT 1', 'u:[[1]]']);
});

test('a broken episode is told of, and the others are read', async () => {
  const value = {
    9: { query: 5, turn_history: { actions: [], observations: [] } },
    ...intercodeRun,
  };
  const { transcripts, problems } = await readFiles({ 'r.json': JSON.stringify(value) });
  expect(transcripts).toHaveLength(1);
  expect(problems).toMatchObject([
    { code: 'input.schema', at: { key: 'query', line: 1 } },
    { code: 'input.empty', severity: 'notice', message: expect.stringContaining("task '1'") },
  ]);
});
