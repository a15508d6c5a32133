import { expect, test } from 'vitest';
import { eventStreamAnswer } from '../../src/recordings/event-stream.ts';

const stream = (...events: readonly object[]) =>
  events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('');

test('anthropic: blocks from their pieces, usage from start and end', () => {
  const text = stream(
    {
      type: 'message_start',
      message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 9 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 't', name: 'f', input: {} },
    },
    {
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '{"a"' },
    },
    {
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: ':1}' },
    },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 4 } },
  );
  expect(eventStreamAnswer(text)).toEqual({
    id: 'm',
    role: 'assistant',
    stop_reason: 'tool_use',
    usage: { input_tokens: 9, output_tokens: 4 },
    content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
    ],
  });
});

test('openai-chat: text, calls and the usage of the last piece', () => {
  const piece = (delta: object) => ({ id: 'c', usage: null, choices: [{ index: 0, delta }] });
  const text = stream(
    piece({
      role: 'assistant',
      tool_calls: [{ index: 0, id: 'k', function: { name: 'f', arguments: '' } }],
    }),
    piece({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
    { id: 'c', choices: [], usage: { prompt_tokens: 3 } },
  );
  expect(eventStreamAnswer(`${text}data: [DONE]\n\n`)).toEqual({
    id: 'c',
    usage: { prompt_tokens: 3 },
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'k', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
      },
    ],
  });
});

test('openai-responses and gemini', () => {
  const response = { id: 'r', output: [] };
  expect(eventStreamAnswer(stream({ type: 'response.completed', response }))).toEqual(response);
  const part = (text: string) => ({ candidates: [{ content: { parts: [{ text }] } }] });
  expect(eventStreamAnswer(stream(part('a'), { ...part('b'), usageMetadata: {} }))).toEqual({
    usageMetadata: {},
    candidates: [{ content: { role: 'model', parts: [{ text: 'a' }, { text: 'b' }] } }],
  });
});

test('what is no such stream, and one that was cut off', () => {
  expect(eventStreamAnswer('<html>data: {}</html>')).toBeUndefined();
  expect(eventStreamAnswer('data: {"a":1}\n')).toBeUndefined();
  const cut = stream({ type: 'message_start', message: { content: [] } });
  expect(eventStreamAnswer(`${cut}data: {"type":"content`)).toEqual({
    role: 'assistant',
    content: [],
  });
});
