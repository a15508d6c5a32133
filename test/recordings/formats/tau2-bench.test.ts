import { expect, test } from 'vitest';
import { outline, readFiles } from '../support.ts';
import { tau2Run } from './samples.ts';

const read = async (value: unknown) => {
  const { transcripts, losses, problems } = await readFiles({ 'r.json': JSON.stringify(value) });
  return { transcript: transcripts[0], transcripts, loss: losses[0], problems };
};

test('reward, trial, model, agent and the policy as system prompt', async () => {
  const { transcript } = await read(tau2Run);
  expect(transcript).toMatchObject({
    task: '7',
    trial: '2',
    reward: 1,
    model: 'gpt-x',
    agent: 'llm_agent',
    dialect: 'openai-chat',
    source: { session: 'sim-1' },
  });
  expect(outline(transcript, 0)).toEqual([
    's:Follow the rules.',
    'a:Hi! How can I help?',
    'u:my order',
  ]);
});

test('the greeting is no model call; parallel calls are answered one by one', async () => {
  const { transcript } = await read(tau2Run);
  expect(transcript?.requests).toHaveLength(3);
  expect(outline(transcript, 1).slice(3)).toEqual([
    'a:call a|call b',
    't:result a one',
    't:result b two',
  ]);
  expect(transcript?.requests[0]?.action?.raw).toContain(
    String.raw`"arguments":"{\"id\":\"R_1\"}"`,
  );
});

test("the simulated user's own calls are not shown to the agent, and counted", async () => {
  const { transcript, loss } = await read(tau2Run);
  expect(outline(transcript, -1).slice(-2)).toEqual(['a:check your phone', 'u:it works']);
  expect([...(loss?.skipped ?? [])]).toEqual([
    ["a tool call of the simulated user's, or its result", 2],
    ['behind the last answer, never sent', 1],
  ]);
  expect(loss).toMatchObject({ found: 11, read: 8, unit: 'messages' });
});

test('time, usage and cost of a call', async () => {
  const { transcript } = await read(tau2Run);
  expect(transcript?.requests[0]).toMatchObject({
    time: Date.parse('2026-01-01T00:00:10Z'),
    usage: { inputTokens: 50, outputTokens: 6 },
    cost: 0.25,
  });
});

test('results of parallel calls in one message', async () => {
  const [simulation] = tau2Run.simulations;
  const messages = [
    ...(simulation?.messages.slice(0, 3) ?? []),
    {
      role: 'tool',
      tool_messages: [
        { id: 'a', content: 'one' },
        { id: 'b', content: 'two' },
      ],
    },
    { role: 'assistant', content: 'end' },
  ];
  const { transcript } = await read({ ...tau2Run, simulations: [{ ...simulation, messages }] });
  expect(outline(transcript, -1).slice(-2)).toEqual(['t:result a one', 't:result b two']);
});

test('a broken simulation is told of with its line, and the others are read', async () => {
  const [simulation] = tau2Run.simulations;
  const value = {
    ...tau2Run,
    simulations: [{ task_id: '1', messages: [{ role: 'robot' }] }, simulation],
  };
  const { transcripts, losses, problems } = await readFiles({
    'r.json': JSON.stringify(value, null, 1),
  });
  expect(transcripts.map(({ task }) => task)).toEqual(['7']);
  expect(problems).toMatchObject([
    { code: 'input.schema', severity: 'error', at: { file: 'r.json', key: 'messages.0.role' } },
  ]);
  expect(problems[0]?.at.line).toBeGreaterThan(1);
  expect(losses[0]?.skipped.get('of a recording that cannot be read')).toBe(1);
});

test('long numbers in arguments keep their digits', async () => {
  const text = JSON.stringify(tau2Run).replace('"id":"R_1"', '"id": 12345678901234567890');
  const { transcripts } = await readFiles({ 'r.json': text });
  const [call] = transcripts[0]?.requests[0]?.action?.blocks ?? [];
  expect(call).toMatchObject({ kind: 'tool-call', arguments: '{"id":12345678901234567890}' });
});

test('one simulation in a file of its own', async () => {
  const simulation = {
    id: 's',
    task_id: 7,
    trial: 1,
    termination_reason: 'user_stop',
    reward_info: { reward: 0.5 },
    messages: [
      { role: 'user', content: 'help' },
      { role: 'assistant', content: 'yes' },
    ],
  };
  const { transcripts, problems } = await readFiles({ 'one.json': JSON.stringify(simulation) });
  expect(problems).toEqual([]);
  expect(transcripts).toMatchObject([
    { task: '7', trial: '1', reward: 0.5, source: { format: 'tau2-bench', session: 's' } },
  ]);
  expect(transcripts[0]?.requests).toHaveLength(1);
});
