import { expect, test } from 'vitest';
import { outline, readFiles } from '../support.ts';
import { sweAgentOldRun, sweAgentRun } from './samples.ts';

const read = async (value: unknown) => {
  const { transcripts, losses, problems } = await readFiles({
    'task-1.traj': JSON.stringify(value),
  });
  return { transcripts, transcript: transcripts[0], loss: losses[0], problems };
};

test('a step with its query is the request as it was sent', async () => {
  const { transcript, loss } = await read(sweAgentRun);
  expect(transcript).toMatchObject({
    task: 'task-1',
    agent: 'swe-agent',
    model: 'claude-x',
    cost: 0.5,
    dialect: 'openai-chat',
  });
  expect(outline(transcript, 1)).toEqual([
    's:shell',
    'u:an example',
    'u:fix it',
    'a:I open it|call c1',
    't:result c1 text of a.py',
  ]);
  expect(loss).toMatchObject({ found: 7, read: 2 });
  expect(loss?.merged.get('turns that the queries repeat')).toBe(5);
});

test('the action is the turn that follows in the next query; of the last step its response', async () => {
  const { transcript } = await read(sweAgentRun);
  const [first, last] = transcript?.requests ?? [];
  expect(first?.action?.blocks.map(({ kind }) => kind)).toEqual(['text', 'tool-call']);
  expect(last?.action?.raw).toBe('{"role":"assistant","content":"done now"}');
});

test("the agent's own words about a turn are not sent", async () => {
  const { transcript } = await read(sweAgentRun);
  for (const { raw } of transcript?.requests[1]?.messages ?? []) {
    expect(raw).not.toMatch(/"(?:agent|is_demo|action|tool_call_ids)"/);
  }
});

test('a query that got shorter starts a segment', async () => {
  const [first, second] = sweAgentRun.trajectory;
  const { transcript } = await read({ ...sweAgentRun, trajectory: [second, first] });
  expect(transcript?.requests.map(({ segment }) => segment)).toEqual([0, 1]);
});

test('older files: commands are text, demonstrations no actions, each agent a lineage', async () => {
  const { transcripts, loss } = await read(sweAgentOldRun);
  expect(transcripts.map(({ lineage, task }) => [lineage, task])).toEqual([
    ['main', 'task-1'],
    ['agent-1', 'task-1'],
  ]);
  expect(transcripts[0]?.requests).toHaveLength(1);
  expect(outline(transcripts[0], 0)).toEqual([
    's:shell',
    'u:an example',
    'a:an example answer',
    'u:fix it',
  ]);
  expect(transcripts[0]?.requests[0]?.action?.blocks).toEqual([
    { kind: 'text', text: 'look\n```\nls\n```' },
  ]);
  expect(loss).toMatchObject({ found: 10, read: 7 });
  expect(loss?.merged.get('steps that the history repeats')).toBe(2);
});

test('a step that no query stands for asked no model', async () => {
  const step = { action: '', observation: '', response: 'gave up', query: [] };
  const { transcript, loss } = await read({
    ...sweAgentRun,
    trajectory: [...sweAgentRun.trajectory, step],
  });
  expect(transcript?.requests).toHaveLength(2);
  expect([...(loss?.skipped.values() ?? [])]).toEqual([1]);
});
