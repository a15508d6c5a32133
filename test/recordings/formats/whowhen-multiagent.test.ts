import { expect, test } from 'vitest';
import { outline, readFiles } from '../support.ts';
import { whowhenNamedRun, whowhenRun } from './samples.ts';

const read = async (value: unknown) => {
  const { transcripts, losses } = await readFiles({ 'r.json': JSON.stringify(value) });
  return { transcripts, loss: losses[0] };
};

test('roles that say who speaks to whom: each agent is a lineage, thoughts are its own', async () => {
  const { transcripts, loss } = await read(whowhenRun);
  expect(transcripts.map(({ lineage, agent, reward }) => [lineage, agent, reward])).toEqual([
    ['main', 'Orchestrator', 0],
    ['agent-1', 'WebSurfer', undefined],
  ]);
  expect(outline(transcripts[0], -1)).toEqual([
    'u:how many stops?',
    'a:a plan',
    'a:look it up',
    'u:ten stops',
  ]);
  expect(outline(transcripts[1], 0)).toEqual(['u:how many stops?', 'u:look it up']);
  expect(loss).toMatchObject({ found: 6, read: 5 });
  expect(loss?.skipped.get('a note of the framework')).toBe(1);
});

test('named agents: system prompts, the terminal is no model, what stands first is the task', async () => {
  const { transcripts, loss } = await read(whowhenNamedRun);
  expect(transcripts.map(({ lineage, agent, reward }) => [lineage, agent, reward])).toEqual([
    ['main', 'Coder', 1],
    ['agent-1', 'Judge', undefined],
  ]);
  expect(outline(transcripts[0], 0)).toEqual([
    's:you code',
    'a:You are given a task.',
    'u:please code',
  ]);
  expect(transcripts[0]?.requests).toHaveLength(1);
  expect(transcripts[1]?.requests[0]?.messages[1]?.raw).toContain('"name":"Coder"');
  expect(loss).toMatchObject({ found: 4, read: 3 });
});
