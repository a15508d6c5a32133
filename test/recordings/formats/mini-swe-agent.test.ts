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

test('responses as they came, of a model that speaks openai-responses', async () => {
  const call = { type: 'function_call', call_id: 'c', name: 'bash', arguments: '{}' };
  const said = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'x' }],
  };
  const response = (output: readonly object[], tokens: number) => ({
    object: 'response',
    model: 'gpt-x',
    output,
    usage: { input_tokens: tokens, output_tokens: 2 },
    extra: { cost: 0.5, timestamp: 1_767_225_602 },
  });
  const messages = [
    { role: 'system', content: 'shell' },
    { role: 'user', content: 'go' },
    response([{ type: 'reasoning', id: 'r', summary: [] }, call], 10),
    { type: 'function_call_output', call_id: 'c', output: 'out', extra: { returncode: 0 } },
    response([], 11),
    response([said], 20),
    { role: 'exit', content: '' },
  ];
  const run = { trajectory_format: 'mini-swe-agent-1.1', info: {}, messages };
  const { transcript, loss, problems } = await read(run);
  expect(problems).toEqual([]);
  expect(transcript?.dialect).toBe('openai-responses');
  expect(transcript?.requests).toMatchObject([
    { model: 'gpt-x', usage: { inputTokens: 10, outputTokens: 2 }, cost: 0.5 },
    { model: 'gpt-x', usage: { inputTokens: 20, outputTokens: 2 }, cost: 0.5 },
  ]);
  expect(outline(transcript, -1)).toEqual([
    's:shell',
    'u:go',
    'a:thinking|call c',
    't:result c out',
  ]);
  expect(transcript?.requests[1]?.messages[3]?.raw).not.toContain('extra');
  expect(loss).toMatchObject({ found: 7, read: 5 });
  expect(loss?.skipped.get('an empty response')).toBe(1);
});
