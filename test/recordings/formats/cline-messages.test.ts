import { expect, test } from 'vitest';
import { outline, readFiles } from '../support.ts';
import { clineRun } from './samples.ts';

test('attached files and lists of results are sent as text', async () => {
  const { transcripts, problems } = await readFiles({ 's.json': JSON.stringify(clineRun) });
  expect(problems).toEqual([]);
  const [session] = transcripts;
  expect(session).toMatchObject({
    dialect: 'anthropic',
    agent: 'cline',
    model: 'anthropic/claude-x',
    source: { session: 's-1' },
  });
  expect(outline(session, -1)).toEqual([
    'u:change it|<file_content path="/x/a.ts">\nconst a = 1;\n</file_content>',
    'a:call u1',
    'u:result u1 [{"query":"/x/a.ts","result":"const a = 1;","success":true}]',
  ]);
});

test('system prompt, time, usage (the cache is inside the input) and cost', async () => {
  const { transcripts } = await readFiles({ 's.json': JSON.stringify(clineRun) });
  const [first] = transcripts[0]?.requests ?? [];
  expect(first?.envelope?.system).toBe('"You are an agent."');
  expect(first).toMatchObject({
    time: 1767225600000,
    usage: { inputTokens: 30, outputTokens: 7, cacheReadTokens: 60, cacheWriteTokens: 10 },
    cost: 0.5,
  });
});

test('the messages alone, with their metrics', async () => {
  const { transcripts } = await readFiles({ 's.json': JSON.stringify(clineRun.messages) });
  expect(transcripts[0]?.source.format).toBe('cline-messages');
  expect(transcripts[0]?.requests).toHaveLength(2);
});

test('usage of newer files: the cache is inside the prompt', async () => {
  const metrics = { tokens: { prompt: 100, completion: 5, cached: 20 }, cost: 0.5 };
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'x' }],
      modelInfo: { modelId: 'm' },
      metrics,
    },
  ];
  const { transcripts } = await readFiles({ 's.json': JSON.stringify(messages) });
  expect(transcripts[0]?.requests[0]).toMatchObject({
    model: 'm',
    usage: { inputTokens: 80, outputTokens: 5, cacheReadTokens: 20 },
    cost: 0.5,
  });
});
