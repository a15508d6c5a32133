import { describe, expect, test } from 'vitest';
import { jsonl, outline, readFiles } from './support.ts';

const body = (...texts: readonly string[]) => ({
  model: 'claude-x',
  max_tokens: 9,
  messages: texts.map((content, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
  })),
});
const answer = (text: string) => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
  usage: { input_tokens: 5, output_tokens: 6 },
});
const sse = `data: ${JSON.stringify({ type: 'message_start', message: answer('two') })}\n\n`;
const url = 'https://api.anthropic.com/v1/messages';

const logs: Readonly<Record<string, string>> = {
  'bodies as objects, one answer as a stream': jsonl(
    {
      request: { timestamp: 1_700_000_000, url, headers: {}, body: body('go') },
      response: { status_code: 200, headers: {}, body: answer('one') },
    },
    {
      request: { timestamp: 1_700_000_002, url, headers: {}, body: body('go', 'one', 'on') },
      response: { headers: {}, body_raw: sse },
    },
  ),
  'bodies as texts': jsonl(
    {
      url,
      timestamp: 1_700_000_000,
      body: JSON.stringify(body('go')),
      response: JSON.stringify(answer('one')),
    },
    {
      url,
      timestamp: 1_700_000_002,
      request_body: JSON.stringify(body('go', 'one', 'on')),
      response_body: sse,
    },
  ),
  'saved by a browser, among other requests': JSON.stringify({
    log: {
      entries: [
        {
          startedDateTime: '2023-11-14T22:13:20Z',
          request: { url, headers: [], postData: { text: JSON.stringify(body('go')) } },
          response: { headers: [], content: { text: JSON.stringify(answer('one')) } },
        },
        { request: { url: 'https://x.test/', headers: [] }, response: { headers: [] } },
        {
          request: { url: `${url}/count_tokens`, postData: { text: JSON.stringify(body('go')) } },
          response: { content: { text: '{"input_tokens":5}' } },
        },
        {
          startedDateTime: '2023-11-14T22:13:22Z',
          request: {
            url,
            headers: [{ name: 'x-session-id', value: 's' }],
            postData: { text: JSON.stringify(body('go', 'one', 'on')) },
          },
          response: { content: { text: sse } },
        },
      ],
    },
  }),
};

describe.each(Object.entries(logs))('%s', (name, text) => {
  test('are captures of the bodies', async () => {
    const file = text.startsWith('{"log"') ? 'log.json' : 'log.jsonl';
    const { transcripts, problems, losses } = await readFiles({ [file]: text });
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const requests = transcripts.flatMap((transcript) => transcript.requests);
    expect(requests).toHaveLength(2);
    expect(transcripts[0]).toMatchObject({ dialect: 'anthropic', model: 'claude-x' });
    expect(outline(transcripts.at(-1), -1)).toEqual(['u:go', 'a:one', 'u:on']);
    expect(requests.map(({ action }) => action?.raw)).toEqual([
      expect.stringContaining('"one"'),
      expect.stringContaining('"two"'),
    ]);
    expect(requests.map(({ time, usage }) => [time, usage?.outputTokens])).toEqual([
      [1_700_000_000_000, 6],
      [1_700_000_002_000, 6],
    ]);
    expect(losses[0]).toMatchObject({ found: name.startsWith('saved') ? 4 : 2, read: 2 });
  });
});

test('a model that stands in the address, and an exchange that is no call', async () => {
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const host = 'https://generativelanguage.googleapis.com/v1beta/models';
  const { transcripts } = await readFiles({
    'a.jsonl': jsonl({
      request: { url: `${host}/gemini-x:generateContent`, body: { contents } },
      response: { body: {} },
    }),
  });
  expect(transcripts[0]).toMatchObject({ dialect: 'gemini', model: 'gemini-x' });
  const other = await readFiles({ 'a.json': '{"request":{"body":{"a":1}},"response":{}}' }, [
    'a.json',
  ]);
  expect(other.problems[0]?.code).toBe('input.format');
});
