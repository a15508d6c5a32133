import { describe, expect, test } from 'vitest';
import { hasShared, jsonl, needsShared, outline, readAll, readFiles, shared } from '../support.ts';

let number = 0;
const base = (type: string, fields: object) => ({
  id: `m${++number}`,
  timestamp: new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString(),
  type,
  ...fields,
});
const user = (content: unknown) => base('user', { content });
const model = (content: string, fields: object = {}) =>
  base('gemini', {
    content,
    model: 'gemini-x',
    thoughts: [{ subject: 'Plan', description: 'think' }],
    tokens: { input: 100, output: 5, cached: 40, thoughts: 2, tool: 0, total: 107 },
    ...fields,
  });
const call = (id: string, fields: object = {}) => ({
  id,
  name: 'read_file',
  args: { path: `${id}.ts` },
  status: 'success',
  result: [{ functionResponse: { id, name: 'read_file', response: { output: `out ${id}` } } }],
  ...fields,
});
const chat = (messages: readonly object[], fields: object = {}) =>
  JSON.stringify({ sessionId: 's1', projectHash: 'h', startTime: 'x', messages, ...fields });

test('results stand inside the call: one message of calls, one of results', async () => {
  const { transcripts, problems } = await readFiles({
    'c.json': chat([
      user('go'),
      model('look', { toolCalls: [call('a'), call('b')] }),
      model('done'),
    ]),
  });
  expect(problems).toEqual([]);
  expect(transcripts[0]).toMatchObject({
    dialect: 'gemini',
    agent: 'gemini-cli',
    model: 'gemini-x',
  });
  expect(outline(transcripts[0], 1)).toEqual([
    'u:go',
    'a:look|call a|call b',
    'u:result a out a|result b out b',
  ]);
  expect(transcripts[0]?.requests[0]?.usage).toEqual({
    inputTokens: 60,
    outputTokens: 7,
    cacheReadTokens: 40,
  });
});

test('arguments and results keep their bytes', async () => {
  const spelled = chat([
    user('go'),
    model('', { toolCalls: [call('a', { args: 'ARGS' })] }),
    model('x'),
  ]);
  const { transcripts } = await readFiles({
    'c.json': spelled.replace('"ARGS"', '{"n": 1.0, "s":"\\u00e9"}'),
  });
  expect(transcripts[0]?.requests[1]?.messages[1]?.raw).toContain(
    '"args":{"n": 1.0, "s":"\\u00e9"}',
  );
});

describe('results of other spellings', () => {
  test.each([
    ['a text', { result: 'plain text' }, 'plain text'],
    ['parts of text', { result: [{ text: 'two' }, { text: 'parts' }] }, 'two\nparts'],
    ['none, but one that was shown', { result: undefined, resultDisplay: 'shown' }, 'shown'],
    ['none at all', { result: undefined, id: 'a' }, ''],
  ])('%s', async (_, fields, expected) => {
    const { transcripts } = await readFiles({
      'c.json': chat([user('go'), model('', { toolCalls: [call('a', fields)] }), model('x')]),
    });
    expect(outline(transcripts[0], 1)[2]).toBe(`u:result a ${expected}`);
  });
});

test('calls that were recorded apart belong to the answer before them', async () => {
  const { transcripts, losses } = await readFiles({
    'c.json': chat([
      user('go'),
      model('I will'),
      base('info', { content: 'update available' }),
      model('', {
        toolCalls: [call('a')],
        tokens: { input: 0, output: 0, total: 0 },
        thoughts: [],
      }),
      model('done'),
    ]),
  });
  expect(transcripts[0]?.requests).toHaveLength(2);
  expect(outline(transcripts[0], 1)).toEqual(['u:go', 'a:I will|call a', 'u:result a out a']);
  expect(losses[0]?.merged.get('calls of the answer before it')).toBe(1);
  expect(losses[0]?.skipped.get('info of the client')).toBe(1);
});

test('the client speaks for itself, and what is behind the last answer was never sent', async () => {
  const { losses } = await readFiles({
    'c.json': chat([
      ...['info', 'warning', 'error', 'hologram'].map((type) => base(type, { content: 'x' })),
      ...[user('go'), model('done'), user('bye')],
    ]),
  });
  expect([...(losses[0]?.skipped ?? [])]).toEqual([
    ['info of the client', 1],
    ['warning of the client', 1],
    ['error of the client', 1],
    ['unknown message "hologram"', 1],
    ['behind the last answer, never sent', 1],
  ]);
});

test('content may be parts', async () => {
  const content = [{ text: 'see' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }];
  const { transcripts } = await readFiles({ 'c.json': chat([user(content), model('a cat')]) });
  expect(outline(transcripts[0], 0)).toEqual(['u:see|media']);
});

test('a line a message: later states take the place of earlier ones, turns can be taken back', async () => {
  const first = model('wor');
  const wrong = user('wrong');
  const { transcripts, problems, losses } = await readFiles({
    'c.jsonl': jsonl(
      { sessionId: 's1', projectHash: 'h', kind: 'main' },
      ...[user('go'), first, { ...first, content: 'working', toolCalls: [call('a')] }],
      ...[wrong, model('oops'), { $rewindTo: wrong.id }, { $set: { summary: 'x' } }],
      ...[user('right'), model('done')],
    ),
  });
  expect(problems).toEqual([]);
  expect(transcripts[0]?.requests).toHaveLength(2);
  expect(outline(transcripts[0], 1)).toEqual([
    'u:go',
    'a:working|call a',
    'u:result a out a',
    'u:right',
  ]);
  expect(losses[0]?.skipped.get('turn taken back')).toBe(2);
  expect(losses[0]?.merged.get('earlier state of a message')).toBe(1);
});

test('of two snapshots of one chat the longer counts; a sub-agent has its session’s task', async () => {
  const messages = [user('go'), model('done'), user('more'), model('end')];
  const agent = { sessionId: 's2', kind: 'subagent' };
  const { transcripts, losses } = await readFiles({
    'a.json': chat(messages.slice(0, 2)),
    'b.json': chat(messages),
    's1/x.json': chat([user('help'), model('here')], agent),
  });
  expect(
    transcripts.map(({ task, lineage, requests }) => [task, lineage, requests.length]),
  ).toEqual([
    ['b', 'main', 2],
    ['b', 'agent-1', 1],
  ]);
  expect(losses.find(({ file }) => file === 'a.json')?.merged.size).toBe(1);
});

test('a broken message is told with its place', async () => {
  const { transcripts, problems } = await readFiles({
    'c.json': `{"sessionId":"s","projectHash":"h","messages":[\n${[user('go'), { type: 'gemini', content: 'x', toolCalls: 7 }, model('ok')].map((entry) => JSON.stringify(entry)).join(',\n')}]}`,
  });
  expect(problems.map(({ code, at }) => [code, at.line])).toEqual([['input.schema', 3]]);
  expect(transcripts[0]?.requests).toHaveLength(1);
});

test.skipIf(!hasShared)(`the public files${needsShared}`, async () => {
  const { transcripts } = await readAll(['gemini-cli-chat'], { cwd: shared });
  expect(transcripts.map(({ requests }) => requests.length)).toEqual([2, 10, 2, 1, 1]);
});
