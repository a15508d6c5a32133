import { expect, test } from 'vitest';
import { dialectOf } from '../../../src/wire/catalog.ts';
import { jsonl, readFiles } from '../support.ts';

const bodies = {
  'openai-responses': [
    {
      model: 'gpt-x',
      instructions: 'be kind',
      input: [{ role: 'user', content: 'go' }],
      tools: [],
    },
    {
      model: 'gpt-x',
      instructions: 'be kind',
      input: [
        { role: 'user', content: 'go' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'out' },
      ],
      tools: [],
    },
  ],
  gemini: [
    { contents: [{ role: 'user', parts: [{ text: 'go' }] }] },
    {
      contents: [
        { role: 'user', parts: [{ text: 'go' }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'out' } } }] },
      ],
    },
  ],
  bedrock: [
    {
      modelId: 'claude-x',
      messages: [{ role: 'user', content: [{ text: 'go' }] }],
      inferenceConfig: {},
    },
    {
      modelId: 'claude-x',
      messages: [
        { role: 'user', content: [{ text: 'go' }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'c', name: 'f', input: {} } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: 'c', content: [{ text: 'out' }] } }] },
      ],
      inferenceConfig: {},
    },
  ],
} as const;

const answers = {
  'openai-responses': {
    output: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'end' }] },
    ],
    usage: { input_tokens: 30, output_tokens: 2, input_tokens_details: { cached_tokens: 10 } },
  },
  gemini: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'end' }] } }],
    usageMetadata: {
      promptTokenCount: 30,
      cachedContentTokenCount: 10,
      candidatesTokenCount: 1,
      thoughtsTokenCount: 1,
    },
  },
  bedrock: {
    output: { message: { role: 'assistant', content: [{ text: 'end' }] } },
    usage: { inputTokens: 20, outputTokens: 2, cacheReadInputTokens: 10 },
  },
};

const names = ['openai-responses', 'gemini', 'bedrock'] as const;

test.each(names)('bare %s bodies: one lineage, written back byte for byte', async (name) => {
  const { transcripts, problems, losses } = await readFiles({
    'log.jsonl': jsonl(...bodies[name]),
  });
  expect(problems).toEqual([]);
  expect(transcripts.map(({ dialect, source }) => [dialect, source.format])).toEqual([
    [name, 'llm-request-log'],
  ]);
  const requests = transcripts[0]?.requests ?? [];
  expect(requests.map(({ messages }) => messages.length)).toEqual([1, 3]);
  for (const [index, { messages, envelope }] of requests.entries()) {
    const body = JSON.stringify(bodies[name][index]);
    expect(dialectOf(name).encode(messages, envelope)).toBe(body);
  }
  // The assistant message that the next request adds is the first one's action.
  expect(requests[0]?.action?.blocks).toMatchObject([{ kind: 'tool-call', name: 'f' }]);
  expect(losses[0]).toMatchObject({ unit: 'calls', found: 2, read: 2 });
});

test.each(names)('captures of %s with a response: answer and usage', async (name) => {
  const capture = { body: bodies[name][0], response: answers[name], cost: 0.5 };
  const { transcripts } = await readFiles({ 'log.json': JSON.stringify(capture) });
  const [request] = transcripts[0]?.requests ?? [];
  expect(request?.action?.blocks).toMatchObject([{ kind: 'text', text: 'end' }]);
  expect(request).toMatchObject({
    usage: { inputTokens: 20, outputTokens: 2, cacheReadTokens: 10 },
    cost: 0.5,
  });
});

test('Responses with a text for input', async () => {
  const { transcripts } = await readFiles({ 'a.json': '{"model":"gpt-x","input":"go"}' });
  expect(transcripts[0]?.requests[0]?.messages[0]?.blocks).toEqual([{ kind: 'text', text: 'go' }]);
});

test('retries, lines without a body and broken ones are counted', async () => {
  const body = { model: 'gpt-x', messages: [{ role: 'user', content: 'go' }] };
  const log = `${jsonl(body, body, { note: 1 })}{"model":\n`;
  const { losses } = await readFiles({ 'log.jsonl': log });
  expect(losses[0]).toMatchObject({ found: 4, read: 1 });
  expect([...(losses[0]?.merged ?? [])]).toEqual([['a retry of a call', 1]]);
  expect([...(losses[0]?.skipped ?? [])]).toEqual([
    ['no request body', 1],
    ['a broken call', 1],
  ]);
});
