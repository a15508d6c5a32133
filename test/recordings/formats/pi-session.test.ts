import { describe, expect, test } from 'vitest';
import { hasShared, jsonl, needsShared, outline, readAll, readFiles, shared } from '../support.ts';

const header = { type: 'session', id: 's1', timestamp: '2026-01-01T00:00:00Z', cwd: '/w' };
const message = (fields: object, entry: object = {}) => ({
  type: 'message',
  timestamp: '2026-01-01T00:01:00Z',
  message: fields,
  ...entry,
});
const text = (value: string) => ({ type: 'text', text: value });
const user = (value: string, entry: object = {}) =>
  message({ role: 'user', content: [text(value)] }, entry);
const call = (id: string) => ({
  type: 'toolCall',
  id,
  name: 'read',
  arguments: { path: `${id}.ts` },
});
const usage = { input: 7, output: 3, cacheRead: 50, cacheWrite: 9, cost: { total: 0.25 } };
const answer = (content: readonly object[], fields: object = {}, entry: object = {}) =>
  message(
    {
      role: 'assistant',
      content,
      api: 'anthropic-messages',
      provider: 'anthropic',
      model: 'claude-x',
      usage,
      stopReason: 'stop',
      ...fields,
    },
    entry,
  );
const result = (id: string, fields: object = {}) =>
  message({
    role: 'toolResult',
    toolCallId: id,
    content: [text(`out ${id}`)],
    isError: false,
    ...fields,
  });

const read = (...entries: readonly object[]) => readFiles({ 's.jsonl': jsonl(header, ...entries) });

test('answers are requests with usage, cost, model and time; parallel results are one message', async () => {
  const { transcripts, problems } = await read(
    ...[user('go'), answer([text('look'), call('a'), call('b')]), result('a')],
    ...[result('b', { isError: true }), answer([text('done')])],
  );
  expect(problems).toEqual([]);
  expect(transcripts[0]).toMatchObject({ dialect: 'anthropic', agent: 'pi', model: 'claude-x' });
  expect(outline(transcripts[0], 1)).toEqual([
    'u:go',
    'a:look|call a|call b',
    'u:result a out a|result b out b',
  ]);
  expect(transcripts[0]?.requests[0]).toMatchObject({
    usage: { inputTokens: 7, outputTokens: 3, cacheReadTokens: 50, cacheWriteTokens: 9 },
    cost: 0.25,
    time: Date.parse('2026-01-01T00:01:00Z'),
  });
  expect(transcripts[0]?.requests[1]?.messages[2]?.raw).toContain('"is_error":true');
});

describe('aborted turns', () => {
  test('an empty one is no request', async () => {
    const { transcripts, losses } = await read(
      ...[user('go'), answer([], { stopReason: 'aborted' }), user('go on'), answer([text('ok')])],
    );
    expect(transcripts[0]?.requests).toHaveLength(1);
    expect(losses[0]?.skipped.get('ended before any answer')).toBe(1);
  });

  test('calls that were not run are not sent again; what was said is', async () => {
    const { transcripts } = await read(
      ...[user('go'), answer([text('let me'), call('a')], { stopReason: 'aborted' }), user('no')],
      ...[answer([call('b')], { stopReason: 'error' }), user('so'), answer([text('ok')])],
    );
    expect(transcripts[0]?.requests).toHaveLength(3);
    expect(outline(transcripts[0], 2)).toEqual(['u:go', 'a:let me', 'u:no', 'u:so']);
    expect(transcripts[0]?.requests[1]?.action).toBeUndefined();
  });
});

describe('a compaction', () => {
  test('keeps the entries from an index of the file on', async () => {
    const { transcripts } = await read(
      ...[user('go'), answer([text('one')]), user('two'), answer([text('three')])],
      { type: 'compaction', summary: 'did one', firstKeptEntryIndex: 3, tokensBefore: 9 },
      ...[user('four'), answer([text('five')])],
    );
    expect(transcripts[0]?.requests.map(({ segment }) => segment)).toEqual([0, 0, 1]);
    const [summary, ...rest] = outline(transcripts[0], 2);
    expect(summary).toContain('did one');
    expect(rest).toEqual(['u:two', 'a:three', 'u:four']);
  });

  test('keeps the entries from an id on', async () => {
    const { transcripts } = await read(
      user('go', { id: 'a', parentId: null }),
      answer([text('one')], {}, { id: 'b', parentId: 'a' }),
      user('two', { id: 'c', parentId: 'b' }),
      answer([text('three')], {}, { id: 'd', parentId: 'c' }),
      { type: 'compaction', id: 'e', parentId: 'd', summary: 'S', firstKeptEntryId: 'c' },
      user('four', { id: 'f', parentId: 'e' }),
      answer([text('five')], {}, { id: 'g', parentId: 'f' }),
    );
    expect(outline(transcripts[0], 2).slice(1)).toEqual(['u:two', 'a:three', 'u:four']);
  });
});

test('a branch that was left is not counted', async () => {
  const { transcripts, losses } = await read(
    user('go', { id: 'a', parentId: null }),
    answer([text('left')], {}, { id: 'b', parentId: 'a' }),
    user('left turn', { id: 'c', parentId: 'b' }),
    { type: 'branch_summary', id: 'd', parentId: 'a', fromId: 'c', summary: 'tried left' },
    answer([text('right')], {}, { id: 'e', parentId: 'd' }),
  );
  expect(transcripts[0]?.requests).toHaveLength(1);
  expect(outline(transcripts[0], 0)[1]).toContain('tried left');
  expect(losses[0]?.skipped.get('branch that was left')).toBe(2);
});

test('commands of the person are told to the model, unless they are kept from it', async () => {
  const shell = (fields: object) =>
    message({ role: 'bashExecution', command: 'ls', output: 'a.ts', exitCode: 0, ...fields });
  const { transcripts, losses } = await read(
    ...[user('go'), shell({}), shell({ command: 'cat key', excludeFromContext: true })],
    answer([text('ok')]),
  );
  expect(outline(transcripts[0], 0)).toEqual(['u:go', 'u:$ ls\na.ts']);
  expect(losses[0]?.skipped.get('command of the person, kept from the model')).toBe(1);
});

test('the wire is that of most answers; ids of Responses lose their item', async () => {
  const other = { api: 'openai-responses', provider: 'openai', model: 'gpt-x' };
  const { transcripts } = await read(
    ...[
      user('go'),
      answer([call('c1|fc_1')], other),
      result('c1|fc_1'),
      answer([text('x')], other),
    ],
    ...[user('y'), answer([text('z')])],
  );
  expect(transcripts[0]?.dialect).toBe('openai-responses');
  expect(outline(transcripts[0], 1)).toEqual(['u:go', 'a:call c1', 't:result c1 out c1|fc_1']);
});

test('unknown entries and roles are told of, settings are read', async () => {
  const { losses, problems } = await readFiles({
    's.jsonl': `${jsonl(header, { type: 'model_change', modelId: 'm' }, { type: 'rune' }, message({ role: 'oracle' }), user('a'), answer([text('b')]))}{"type":`,
  });
  expect([...(losses[0]?.skipped ?? [])]).toEqual([
    ['unknown entry "rune"', 1],
    ['unknown role "oracle"', 1],
    ['broken line', 1],
  ]);
  expect(losses[0]?.read).toBe(4);
  expect(problems.map(({ at }) => at.line)).toEqual([7]);
});

test.skipIf(!hasShared)(
  `the public file: 439 answers, 14 more are empty${needsShared}`,
  async () => {
    const { transcripts, losses } = await readAll(['pi-session/badlogic__pi-mono/*.jsonl'], {
      cwd: shared,
    });
    expect(transcripts.map(({ requests }) => requests.length)).toEqual([439]);
    expect(losses[0]).toMatchObject({ found: 1019, read: 1005 });
  },
);
