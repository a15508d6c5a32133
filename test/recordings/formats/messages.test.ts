import { expect, test } from 'vitest';
import { jsonl, outline, readFiles } from '../support.ts';

const list = [
  { role: 'system', content: 'be kind' },
  { role: 'user', content: 'go' },
  { role: 'assistant', content: 'one' },
  { role: 'user', content: 'on' },
  { role: 'assistant', content: 'two' },
];

test('an object that holds what was said, and nothing of a request, is no request', async () => {
  const { transcripts, losses, problems } = await readFiles({
    'chat.json': JSON.stringify({ id: 1, tools: [], messages: list }),
  });
  expect(problems).toEqual([]);
  expect(transcripts[0]?.source.format).toBe('messages');
  expect(transcripts[0]?.requests).toHaveLength(2);
  expect(outline(transcripts[0], -1)).toEqual(['s:be kind', 'u:go', 'a:one', 'u:on']);
  expect(losses[0]).toMatchObject({ found: 5, read: 5 });
  const request = await readFiles({ 'r.json': JSON.stringify({ model: 'x', messages: list }) });
  expect(request.transcripts[0]?.source.format).toBe('llm-request-log');
});

test('such an object a line: a transcript each; a broken line is told', async () => {
  const text = `${jsonl({ messages: list }, { messages: list.slice(0, 3) })}{"messages": [\n`;
  const { transcripts, losses, problems } = await readFiles({ 'set.jsonl': text });
  expect(transcripts.map(({ task, requests }) => [task, requests.length])).toEqual([
    ['set 1', 2],
    ['set 2', 1],
  ]);
  expect(problems).toMatchObject([{ code: 'input.syntax', at: { file: 'set.jsonl', line: 3 } }]);
  expect(losses[0]).toMatchObject({ found: 9, read: 8 });
});

test("chats that gemini's client saved: the bare list, and the list with what it was saved with", async () => {
  const history = [
    { role: 'user', parts: [{ text: 'go' }] },
    { role: 'model', parts: [{ functionCall: { id: 'c', name: 'f', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'f', response: {} } }] },
    { role: 'model', parts: [{ text: 'done' }] },
  ];
  for (const value of [history, { authType: 'key', history }]) {
    const { transcripts, problems } = await readFiles({ 'chat.json': JSON.stringify(value) });
    expect(problems).toEqual([]);
    expect(transcripts[0]).toMatchObject({ dialect: 'gemini', source: { format: 'messages' } });
    expect(transcripts[0]?.requests.map(({ messages }) => messages.length)).toEqual([1, 3]);
  }
});

test("gemini's turns a line each are a chat too, and a broken line is told of", async () => {
  const turns = [
    { role: 'user', parts: [{ text: 'go' }] },
    { role: 'model', parts: [{ text: 'one' }] },
    { role: 'user', parts: [{ text: 'on' }] },
    { role: 'model', parts: [{ text: 'two' }] },
  ];
  const whole = await readFiles({ 'chat.jsonl': jsonl(...turns) });
  expect(whole.problems).toEqual([]);
  expect(whole.transcripts[0]?.requests.map(({ messages }) => messages.length)).toEqual([1, 3]);
  const broken = await readFiles({ 'chat.jsonl': `${jsonl(...turns)}{"role":\n` });
  expect(broken.transcripts[0]?.requests).toHaveLength(2);
  expect(broken.problems).toMatchObject([{ code: 'input.syntax', at: { line: 5 } }]);
});
