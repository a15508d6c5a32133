import { expect, test } from 'vitest';
import { outline, readFiles } from '../support.ts';
import { miniBareRun, miniRun } from './samples.ts';

const read = async (value: unknown) => {
  const { transcripts, losses, problems } = await readFiles({
    'one.traj.json': JSON.stringify(value),
  });
  return { transcript: transcripts[0], loss: losses[0], problems };
};

test('messages with info: model, time, usage; how the run ended is not sent', async () => {
  const { transcript, loss } = await read(miniRun);
  expect(transcript).toMatchObject({
    task: 'one',
    agent: 'mini-swe-agent',
    model: 'claude-x',
    cost: 0.75,
  });
  expect(transcript?.requests).toMatchObject([
    { time: 1767225601000, usage: { inputTokens: 30, outputTokens: 4 } },
  ]);
  expect(transcript?.requests[0]?.messages[1]?.raw).toBe('{"role":"user","content":"solve it"}');
  expect(loss).toMatchObject({ found: 5, read: 3 });
  expect(loss?.skipped.get('how the run ended')).toBe(1);
});

test('a bare list, known by the words around a command', async () => {
  const { transcript } = await read(miniBareRun);
  expect(transcript?.source.format).toBe('mini-swe-agent');
  expect(outline(transcript, 0)).toEqual(['s:one command', 'u:solve it']);
});

test('calls and results of newer versions', async () => {
  const messages = [
    { role: 'user', content: 'go' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'bash', arguments: '{}' } }],
      extra: { cost: 0.5, timestamp: 1767225605 },
    },
    { role: 'tool', tool_call_id: 'c', content: '<returncode>0', extra: { raw_output: '' } },
    { role: 'assistant', content: 'end' },
  ];
  const { transcript } = await read({ ...miniRun, messages });
  expect(outline(transcript, -1)).toEqual(['u:go', 'a:call c', 't:result c <returncode>0']);
  expect(transcript?.requests[0]).toMatchObject({ cost: 0.5, time: 1767225605000 });
  // What the calls cost one by one is not said of the run again.
  expect(transcript).not.toHaveProperty('cost');
});
