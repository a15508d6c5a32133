import { expect, test } from 'vitest';
import { outline, readFiles } from '../support.ts';
import { atifRun } from './samples.ts';

const read = async (files: Readonly<Record<string, unknown>>) =>
  readFiles(
    Object.fromEntries(Object.entries(files).map(([name, value]) => [name, JSON.stringify(value)])),
  );

test('steps are messages; results answer their calls, others are what the user says', async () => {
  const { transcripts, losses } = await read({ 't.json': atifRun });
  expect(transcripts).toHaveLength(1);
  const [walk] = transcripts;
  expect(walk).toMatchObject({
    task: 't',
    agent: 'walker',
    model: 'openai/gpt-x',
    dialect: 'openai-chat',
  });
  expect(outline(walk, 0)).toEqual(['s:walk well', 'u:go home']);
  expect(outline(walk, 1)).toEqual([
    's:walk well',
    'u:go home',
    'a:thinking|call t1',
    't:result t1 walked',
  ]);
  expect(walk?.requests).toHaveLength(2);
  expect(losses[0]).toMatchObject({ found: 5, read: 4, unit: 'steps' });
  expect(losses[0]?.skipped.get('behind the last answer, never sent')).toBe(1);
});

test('tools, time, usage and cost', async () => {
  const { transcripts } = await read({ 't.json': atifRun });
  const [first] = transcripts[0]?.requests ?? [];
  expect(first).toMatchObject({
    model: 'openai/gpt-x',
    time: Date.parse('2026-01-01T00:00:00Z'),
    usage: { inputTokens: 40, outputTokens: 9, cacheReadTokens: 60 },
    cost: 0.125,
  });
  expect(first?.envelope?.tools).toContain('"walk"');
});

test('long numbers in arguments keep their digits', async () => {
  const text = JSON.stringify(atifRun).replace('"steps":3', '"steps": 12345678901234567890');
  const { transcripts } = await readFiles({ 't.json': text });
  expect(transcripts[0]?.requests[0]?.action?.raw).toContain('12345678901234567890');
});

const copied = { is_copied_context: true };
const first = {
  ...atifRun,
  steps: [
    { step_id: 1, source: 'user', message: 'task' },
    {
      step_id: 2,
      source: 'agent',
      message: 'working',
      observation: { results: [{ content: 'out' }] },
    },
    {
      step_id: 3,
      source: 'system',
      message: 'Handed over.',
      observation: {
        results: [
          {
            subagent_trajectory_ref: [
              { session_id: 'session-s', trajectory_path: 'trajectory.summary.json' },
            ],
          },
        ],
      },
      extra: { context_management: { type: 'compaction', boundary: 'replace' } },
    },
  ],
  continued_trajectory_ref: 'trajectory.cont-1.json',
};
const next = {
  ...atifRun,
  steps: [
    { step_id: 1, source: 'user', message: 'a summary', ...copied },
    { step_id: 2, source: 'agent', message: 'a question', ...copied },
    { step_id: 3, source: 'user', message: 'an answer', ...copied },
    { step_id: 4, source: 'agent', message: 'going on' },
  ],
};
const summary = {
  ...atifRun,
  session_id: 'session-s',
  steps: [
    { step_id: 1, source: 'user', message: 'summarize' },
    { step_id: 2, source: 'agent', message: 'a summary' },
  ],
};

test('a continuation is the next segment, copied answers are not counted again', async () => {
  const { transcripts, losses } = await read({
    'x.trajectory.json': first,
    'x.trajectory.cont-1.json': next,
  });
  expect(transcripts).toHaveLength(1);
  const [whole] = transcripts;
  expect(whole?.requests.map(({ segment, messages }) => [segment, messages.length])).toEqual([
    [0, 1],
    [1, 3],
  ]);
  expect(outline(whole, 1)).toEqual(['u:a summary', 'a:a question', 'u:an answer']);
  expect(losses.map(({ found, read }) => [found, read])).toEqual([
    [4, 4],
    [3, 2],
  ]);
});

test("a trajectory that another refers to is its sub-agent, with the parent's task", async () => {
  const { transcripts } = await read({
    'trajectory.json': first,
    'trajectory.summary.json': summary,
  });
  expect(transcripts.map(({ task, lineage }) => [task, lineage])).toEqual([
    ['trajectory', 'main'],
    ['trajectory', 'agent-1'],
  ]);
});

test('sub-agents in the same file', async () => {
  const { transcripts, losses } = await read({
    't.json': { ...atifRun, subagent_trajectories: [summary] },
  });
  expect(transcripts.map(({ lineage }) => lineage)).toEqual(['main', 'agent-1']);
  expect(losses[0]?.found).toBe(7);
});

test('parts of a multi-modal message', async () => {
  const message = [
    { type: 'text', text: 'see' },
    { type: 'image', source: { media_type: 'image/png', path: 'images/a.png' } },
  ];
  const steps = [
    { step_id: 1, source: 'user', message },
    { step_id: 2, source: 'agent', message: 'seen' },
  ];
  const { transcripts } = await read({ 't.json': { ...atifRun, steps } });
  expect(transcripts[0]?.requests[0]?.messages[0]?.blocks).toMatchObject([
    { kind: 'text', text: 'see' },
    { kind: 'media', type: 'image', reference: 'images/a.png' },
  ]);
});
