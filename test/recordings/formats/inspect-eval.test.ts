import { zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { outline, readFiles } from '../support.ts';
import { inspectLog, inspectSample } from './samples.ts';

const read = async (sample: unknown, log: object = inspectLog) => {
  const value = { ...log, samples: [sample] };
  const { transcripts, losses, problems } = await readFiles({ 'log.json': JSON.stringify(value) });
  return { transcript: transcripts[0], transcripts, loss: losses[0], problems };
};

test('the model calls are the requests; attachments are resolved; the judge is left out', async () => {
  const { transcripts, transcript, loss } = await read(inspectSample);
  expect(transcripts).toHaveLength(1);
  expect(transcript).toMatchObject({
    task: 'q1',
    trial: '2',
    lineage: 'main',
    reward: 1,
    model: 'gpt-x-1',
    dialect: 'openai-chat',
  });
  expect(outline(transcript, -1)).toEqual(['u:a long question', 'a:call k', 't:result k seen']);
  expect(transcript?.requests[0]).toMatchObject({
    time: Date.parse('2026-01-01T00:00:00Z'),
    usage: { inputTokens: 50, outputTokens: 5, cacheReadTokens: 40 },
  });
  expect(transcript?.requests[0]?.envelope?.tools).toContain('"look"');
  expect(transcript?.requests[1]?.action?.raw).toBe('{"role":"assistant","content":"yes"}');
  expect(loss).toMatchObject({ found: 7, read: 2 });
  expect(loss?.skipped.get("a scorer's model call")).toBe(1);
});

test('a pool of messages that calls refer to', async () => {
  const { messages, events } = inspectSample;
  const pooled = events.map((event, index) =>
    'input' in event && event.span_id === 's1'
      ? {
          ...event,
          input: [],
          input_refs:
            index === 1
              ? [[0, 1]]
              : [
                  [0, 2],
                  [2, 3],
                ],
        }
      : event,
  );
  const { transcript } = await read({ ...inspectSample, message_pool: messages, events: pooled });
  expect(outline(transcript, 0)).toEqual(['u:a long question']);
  expect(outline(transcript, 1)).toEqual(['u:a long question', 'a:call k', 't:result k seen']);
});

test('older logs: steps, `transcript` and tc:// references', async () => {
  const older = {
    ...inspectSample,
    events: undefined,
    attachments: undefined,
    transcript: {
      content: { aaaa: 'a long question' },
      events: [
        {
          event: 'model',
          model: 'openai/gpt-x',
          input: [{ role: 'user', content: 'tc://aaaa' }],
          output: { choices: [{ message: { role: 'assistant', content: 'yes' } }] },
        },
        { event: 'step', action: 'begin', type: 'scorer', name: 'x' },
        { event: 'model', model: 'openai/judge', input: [{ role: 'user', content: 'right?' }] },
        { event: 'step', action: 'end', type: 'scorer', name: 'x' },
      ],
    },
  };
  const { transcript, loss } = await read(older);
  expect(transcript?.requests).toHaveLength(1);
  expect(outline(transcript, 0)).toEqual(['u:a long question']);
  expect(loss?.skipped.get("a scorer's model call")).toBe(1);
});

test('without calls the messages are played', async () => {
  const { transcript, loss } = await read({ ...inspectSample, events: [] });
  expect(transcript?.requests.map(({ messages }) => messages.length)).toEqual([1, 3]);
  expect(transcript?.model).toBe('openai/gpt-x');
  expect(loss).toMatchObject({ found: 4, read: 4 });
});

test("a sub-agent's calls are a lineage with the parent's task, and without its reward", async () => {
  const agent = {
    event: 'model',
    model: 'openai/gpt-x',
    input: [
      { role: 'system', content: 'you search' },
      { role: 'user', content: 'search it' },
    ],
    output: { choices: [{ message: { role: 'assistant', content: 'found' } }] },
  };
  const events = [...inspectSample.events.slice(0, 2), agent, ...inspectSample.events.slice(2)];
  const { transcripts } = await read({ ...inspectSample, events });
  expect(transcripts.map(({ task, lineage, reward }) => [task, lineage, reward])).toEqual([
    ['q1', 'main', 1],
    ['q1', 'agent-1', undefined],
  ]);
});

test.each([
  [{ a: { value: 'C' } }, 1],
  [{ a: { value: 'P' } }, 0.5],
  [{ a: { value: 'I' } }, 0],
  [{ a: { value: 0.25 } }, 0.25],
  [{ a: { value: true } }, 1],
  [{ a: { value: { part: 'C' } }, b: { value: '0.75' } }, 0.75],
  [{ a: { value: 'well done' } }, undefined],
  [null, undefined],
])('score %j is reward %j', async (scores, reward) => {
  const { transcript } = await read({ ...inspectSample, scores });
  expect(transcript?.reward).toBe(reward);
});

test("the wire is the provider's: system prompt and tools apart, results joined, errors marked", async () => {
  const call = {
    event: 'model',
    model: 'anthropic/claude-x',
    input: [
      { role: 'system', content: 'be kind' },
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', reasoning: 'hm', signature: 'sig' },
          { type: 'text', text: 'two' },
        ],
        tool_calls: [
          { id: 'x', function: 'f', arguments: {} },
          { id: 'y', function: 'f', arguments: {} },
        ],
      },
      { role: 'tool', tool_call_id: 'x', content: 'one' },
      {
        role: 'tool',
        tool_call_id: 'y',
        content: '',
        error: { type: 'timeout', message: 'too slow' },
      },
    ],
    tools: [{ name: 'f', description: 'd', parameters: { type: 'object' } }],
    output: { choices: [{ message: { role: 'assistant', content: 'ok' } }] },
  };
  const { transcript } = await read({ ...inspectSample, events: [call] });
  expect(transcript?.dialect).toBe('anthropic');
  const [request] = transcript?.requests ?? [];
  expect(request?.envelope?.system).toBe('"be kind"');
  expect(request?.envelope?.tools).toContain('input_schema');
  expect(request?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(request?.messages[1]?.blocks.map(({ kind }) => kind)).toEqual([
    'thinking',
    'text',
    'tool-call',
    'tool-call',
  ]);
  expect(request?.messages[2]?.blocks).toMatchObject([
    { id: 'x', texts: ['one'], isError: false },
    { id: 'y', texts: ['too slow'], isError: true },
  ]);
});

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

test('an .eval archive: header, samples in natural order, and what repeats them left alone', async () => {
  const { samples: _, ...header } = inspectLog;
  const archive = zipSync({
    '_journal/start.json': bytes({ version: 2, eval: header.eval, plan: {} }),
    'samples/q10_epoch_1.json': bytes({ ...inspectSample, id: 'q10' }),
    'samples/q2_epoch_1.json': bytes({ ...inspectSample, id: 'q2' }),
    'summaries.json': bytes([{ id: 'q2' }]),
    'header.json': bytes(header),
  });
  const { transcripts, losses, problems } = await readFiles({ 'run.eval': archive }, ['run.eval']);
  expect(problems).toEqual([]);
  expect(transcripts.map(({ task }) => task)).toEqual(['q2', 'q10']);
  expect(transcripts[0]?.source).toMatchObject({
    file: 'run.eval!/samples/q2_epoch_1.json',
    session: 'questions/q2/2',
  });
  expect(losses.map(({ file }) => file)).toEqual([
    'run.eval!/_journal/start.json',
    'run.eval!/header.json',
    'run.eval!/samples/q2_epoch_1.json',
    'run.eval!/samples/q10_epoch_1.json',
  ]);
});

test('a broken sample of an archive is told of with its entry', async () => {
  const archive = zipSync({
    'samples/a_epoch_1.json': bytes(inspectSample),
    'samples/b_epoch_1.json': new TextEncoder().encode('{"id": 1,\n "epoch": '),
  });
  const { transcripts, problems } = await readFiles({ 'run.eval': archive });
  expect(transcripts).toHaveLength(1);
  expect(problems).toMatchObject([
    {
      code: 'input.syntax',
      severity: 'error',
      at: { file: 'run.eval!/samples/b_epoch_1.json', line: 2 },
    },
  ]);
});
