import { expect, test } from 'vitest';
import { hasShared, jsonl, needsShared, outline, readAll, readFiles, shared } from '../support.ts';

const of = (type: string, fields: object) => ({ type, session_id: 's1', ...fields });
const init = of('system', { subtype: 'init', model: 'claude-x', tools: ['Bash'] });
const text = (value: string) => ({ type: 'text', text: value });
const call = (id: string, input: object = {}) => ({ type: 'tool_use', id, name: 'Bash', input });
const answer = (id: string, block: object, fields: object = {}) =>
  of('assistant', {
    message: {
      id,
      role: 'assistant',
      model: 'claude-x',
      content: [block],
      usage: { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 50 },
    },
    ...fields,
  });
const user = (content: unknown, fields: object = {}) =>
  of('user', { message: { content }, ...fields });
const result = (id: string) => [{ type: 'tool_result', tool_use_id: id, content: `out ${id}` }];
const end = { type: 'result', subtype: 'success', total_cost_usd: 0.5, duration_ms: 9 };

test('events of one response are one request; results, usage and cost are kept', async () => {
  const events = [
    ...[init, user('go'), answer('m1', text('look')), answer('m1', call('a')), user(result('a'))],
    ...[answer('m2', text('done')), end],
  ];
  for (const files of [{ 'a.json': JSON.stringify(events) }, { 'a.jsonl': jsonl(...events) }]) {
    const { transcripts, problems, losses } = await readFiles(files);
    expect(problems).toEqual([]);
    expect(transcripts[0]).toMatchObject({
      dialect: 'anthropic',
      agent: 'claude-code',
      model: 'claude-x',
      cost: 0.5,
      source: { session: 's1' },
    });
    expect(outline(transcripts[0], 1)).toEqual(['u:go', 'a:look|call a', 'u:result a out a']);
    expect(transcripts[0]?.requests[0]?.usage).toEqual({
      inputTokens: 7,
      outputTokens: 3,
      cacheReadTokens: 50,
    });
    expect(losses[0]).toMatchObject({ found: 7, read: 6 });
  }
});

test('a stream without its prompt has a turn that says so, and a notice', async () => {
  const { transcripts, problems } = await readFiles({
    'a.jsonl': jsonl(init, answer('m1', call('a')), user(result('a')), answer('m2', text('done'))),
  });
  expect(outline(transcripts[0], 0)).toEqual(['u:(the prompt is not recorded)']);
  expect(problems.map(({ severity }) => severity)).toEqual(['notice']);
});

test('a sub-agent names the call that it works for, which has its prompt', async () => {
  const task = call('t1', { prompt: 'find it' });
  const sub = { parent_tool_use_id: 't1' };
  const { transcripts, problems } = await readFiles({
    'a.jsonl': jsonl(
      ...[
        init,
        user('go'),
        answer('m1', task),
        answer('s1', call('x'), sub),
        user(result('x'), sub),
      ],
      ...[answer('s2', text('found'), sub), user(result('t1')), answer('m2', text('done')), end],
    ),
  });
  expect(problems).toEqual([]);
  expect(transcripts.map(({ task: name, lineage }) => [name, lineage])).toEqual([
    ['a', 'main'],
    ['a', 'agent-1'],
  ]);
  expect(outline(transcripts[1], 1)).toEqual(['u:find it', 'a:call x', 'u:result x out x']);
  expect(transcripts[1]?.cost).toBeUndefined();
});

test('a compaction starts a segment; pieces of messages and unknown events are told of', async () => {
  const { transcripts, losses } = await readFiles({
    'a.jsonl': jsonl(
      ...[init, user('go'), of('stream_event', { event: {} }), answer('m1', text('one'))],
      ...[
        of('system', { subtype: 'compact_boundary' }),
        user('summary'),
        answer('m2', text('two')),
      ],
      ...[
        of('system', { subtype: 'status' }),
        of('rune', {}),
        { type: 5 },
        user('never sent'),
        end,
      ],
    ),
  });
  expect(transcripts[0]?.requests.map(({ segment }) => segment)).toEqual([0, 1]);
  expect(outline(transcripts[0], 1)).toEqual(['u:summary']);
  expect(losses[0]?.merged.get('piece of a message that follows')).toBe(1);
  expect([...(losses[0]?.skipped ?? [])]).toEqual([
    ['event "system status"', 1],
    ['event "rune"', 1],
    ['broken event', 1],
    ['behind the last answer, never sent', 1],
  ]);
});

test.skipIf(!hasShared)(`the public file${needsShared}`, async () => {
  const { transcripts } = await readAll(['claude-sdk-stream-json'], { cwd: shared });
  expect(transcripts.map(({ requests, cost }) => [requests.length, cost])).toEqual([[4, 0.0347]]);
});
