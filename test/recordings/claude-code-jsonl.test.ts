import { describe, expect, test } from 'vitest';
import { jsonl, outline, readFiles } from './support.ts';

const SESSION = 'session-1';

interface Fields {
  readonly [key: string]: unknown;
}

let minute = 0;
function record(uuid: string, parentUuid: string | null, type: string, fields: Fields = {}) {
  minute++;
  const timestamp = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  return { type, uuid, parentUuid, sessionId: SESSION, isSidechain: false, timestamp, ...fields };
}

const user = (uuid: string, parent: string | null, content: unknown, fields: Fields = {}) =>
  record(uuid, parent, 'user', { message: { role: 'user', content }, ...fields });

const result = (id: string) => [{ type: 'tool_result', tool_use_id: id, content: `out ${id}` }];
const text = (value: string) => ({ type: 'text', text: value });
const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { id } });

function assistant(
  uuid: string,
  parent: string | null,
  id: string,
  block: object,
  fields: Fields = {},
) {
  const usage = {
    input_tokens: 7,
    output_tokens: fields.tokens ?? 1,
    cache_read_input_tokens: 100,
  };
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [block],
    usage,
  };
  return record(uuid, parent, 'assistant', { message, ...fields });
}

const read = (...records: readonly object[]) => readFiles({ 'main.jsonl': jsonl(...records) });

describe('one response over several records', () => {
  test('is one message of the exact bytes of its blocks, its usage counted once', async () => {
    const odd = '{"type":"tool_use","id":"t1","name":"Bash","input":{"n":1e3,"s":"\\u00e9"}}';
    const lines = [
      JSON.stringify(user('u1', null, 'go')),
      JSON.stringify(assistant('a1', 'u1', 'm1', text('first'))),
      JSON.stringify(assistant('a2', 'a1', 'm1', call('t1'), { tokens: 30 })).replace(
        JSON.stringify(call('t1')),
        odd,
      ),
      JSON.stringify(user('r1', 'a2', result('t1'))),
      JSON.stringify(assistant('a3', 'r1', 'm2', text('end'))),
    ];
    const { transcripts, problems } = await readFiles({ 'main.jsonl': lines.join('\n') });
    expect(problems).toEqual([]);
    const [main] = transcripts;
    expect(transcripts).toHaveLength(1);
    expect(main).toMatchObject({
      task: 'main',
      lineage: 'main',
      agent: 'claude-code',
      model: 'claude-x',
    });
    expect(main?.requests).toHaveLength(2);
    expect(main?.requests[0]?.action?.raw).toBe(
      `{"role":"assistant","content":[{"type":"text","text":"first"},${odd}]}`,
    );
    expect(main?.requests[0]?.usage).toEqual({
      inputTokens: 7,
      outputTokens: 30,
      cacheReadTokens: 100,
    });
    expect(outline(main, -1)).toEqual(['u:go', 'a:first|call t1', 'u:result t1 out t1']);
  });

  test('results that came while it still ran stand behind it', async () => {
    const { transcripts } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', call('t1')),
      user('r1', 'a1', result('t1')),
      assistant('a2', 'r1', 'm1', call('t2')),
      user('r2', 'a2', result('t2')),
      assistant('a3', 'r2', 'm2', text('end')),
    );
    expect(outline(transcripts[0], -1)).toEqual([
      'u:go',
      'a:call t1|call t2',
      'u:result t1 out t1',
      'u:result t2 out t2',
    ]);
    expect(transcripts[0]?.requests).toHaveLength(2);
  });

  test('results of parallel calls hang beside the path, and none is lost', async () => {
    const { transcripts } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', call('t1')),
      assistant('a2', 'a1', 'm1', call('t2')),
      assistant('a3', 'a2', 'm1', call('t3')),
      record('p1', 'a1', 'progress', { data: { type: 'hook_progress' } }),
      user('r1', 'p1', result('t1')),
      user('r2', 'a2', result('t2')),
      user('r3', 'a3', result('t3')),
      record('p2', 'r3', 'progress', { data: { type: 'hook_progress' } }),
      assistant('a4', 'p2', 'm2', text('end')),
    );
    const messages = outline(transcripts[0], -1);
    expect(messages[1]).toBe('a:call t1|call t2|call t3');
    expect([...messages.slice(2)].sort()).toEqual([
      'u:result t1 out t1',
      'u:result t2 out t2',
      'u:result t3 out t3',
    ]);
  });

  test('when the newest record is one of the parallel results, the others are kept too', async () => {
    const { transcripts } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', call('t1')),
      assistant('a2', 'a1', 'm1', call('t2')),
      user('r2', 'a2', result('t2')),
      user('r1', 'a1', result('t1')),
      assistant('a3', 'r1', 'm2', text('end')),
    );
    expect(outline(transcripts[0], -1)).toEqual([
      'u:go',
      'a:call t1|call t2',
      'u:result t2 out t2',
      'u:result t1 out t1',
    ]);
  });

  test('a user text that was recorded between results stands behind them', async () => {
    const { transcripts } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', call('t1')),
      assistant('a2', 'a1', 'm1', call('t2')),
      user('r1', 'a2', result('t1')),
      user('x', 'r1', 'by the way'),
      user('r2', 'x', result('t2')),
      assistant('a3', 'r2', 'm2', text('end')),
    );
    expect(outline(transcripts[0], -1).slice(2)).toEqual([
      'u:result t1 out t1',
      'u:result t2 out t2',
      'u:by the way',
    ]);
  });
});

describe('branches', () => {
  test('an edited turn leaves the older branch out', async () => {
    const { transcripts } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', text('well')),
      user('u2', 'a1', 'left'),
      assistant('a2', 'u2', 'm2', text('went left')),
      user('u3', 'a1', 'right'),
      assistant('a3', 'u3', 'm3', text('went right')),
    );
    expect(transcripts).toHaveLength(1);
    expect(outline(transcripts[0], -1)).toEqual(['u:go', 'a:well', 'u:right']);
    expect(transcripts[0]?.requests).toHaveLength(2);
  });

  test('a retried answer leaves the first one out, its calls and results too', async () => {
    const { transcripts } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', call('t1')),
      user('r1', 'a1', result('t1')),
      assistant('b1', 'u1', 'm2', text('differently')),
      user('u2', 'b1', 'on'),
      assistant('b2', 'u2', 'm3', text('end')),
    );
    expect(outline(transcripts[0], -1)).toEqual(['u:go', 'a:differently', 'u:on']);
  });

  test('records without links stand in file order', async () => {
    const { transcripts } = await read(
      user('u1', null, 'go'),
      assistant('a1', null, 'm1', text('well')),
      user('u2', null, 'on'),
      assistant('a2', null, 'm2', text('end')),
    );
    expect(outline(transcripts[0], -1)).toEqual(['u:go', 'a:well', 'u:on']);
  });

  test('a broken line is reported, and what follows it is still of the conversation', async () => {
    const lines = [
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', text('well')),
      user('u2', 'a1', 'on'),
      assistant('a2', 'u2', 'm2', text('end')),
    ].map((entry) => JSON.stringify(entry));
    lines[2] = lines[2]?.slice(0, 40) ?? '';
    const { transcripts, problems } = await readFiles({ 'main.jsonl': lines.join('\n') });
    expect(problems).toMatchObject([
      { code: 'input.syntax', severity: 'error', at: { file: 'main.jsonl', line: 3, column: 41 } },
    ]);
    expect(outline(transcripts[0], -1)).toEqual(['u:go', 'a:well']);
    expect(transcripts[0]?.requests).toHaveLength(2);
  });

  test('a ring of parents ends', async () => {
    const { transcripts } = await read(
      user('u1', 'a1', 'go'),
      assistant('a1', 'u1', 'm1', text('well')),
    );
    expect(transcripts.flatMap(({ requests }) => requests)).toHaveLength(1);
  });
});

describe('what is sent', () => {
  test('meta texts are, errors of the client and notes are not', async () => {
    const { transcripts } = await read(
      { type: 'summary', summary: 'Earlier', leafUuid: 'x' },
      { type: 'file-history-snapshot', messageId: 'y', snapshot: {} },
      user('u1', null, 'go'),
      user('u2', 'u1', [text('hidden words')], { isMeta: true }),
      assistant('e1', 'u2', 'm0', text('API Error: 529'), { isApiErrorMessage: true }),
      user('n1', 'e1', 'only shown', { isVisibleInTranscriptOnly: true }),
      record('s1', 'n1', 'system', { subtype: 'turn_duration' }),
      assistant('a1', 's1', 'm1', text('well')),
    );
    expect(outline(transcripts[0], -1)).toEqual(['u:go', 'u:hidden words']);
    expect(transcripts[0]?.requests).toHaveLength(1);
  });

  test('what follows the last answer was not sent', async () => {
    const { transcripts } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', text('well')),
      user('u2', 'a1', 'unanswered'),
    );
    expect(transcripts[0]?.requests).toHaveLength(1);
  });

  test('a call starts when the last message before it was recorded', async () => {
    const question = user('u1', null, 'go');
    const { transcripts } = await read(question, assistant('a1', 'u1', 'm1', text('well')));
    expect(transcripts[0]?.requests[0]?.time).toBe(Date.parse(question.timestamp));
  });
});

describe("the agent's own compaction", () => {
  test('a boundary with its summary starts a segment', async () => {
    const { transcripts } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', text('well')),
      record('c1', null, 'system', { subtype: 'compact_boundary', logicalParentUuid: 'a1' }),
      user('c2', 'c1', 'What was said.', {
        isCompactSummary: true,
        isVisibleInTranscriptOnly: true,
      }),
      user('u2', 'c2', 'on'),
      assistant('a2', 'u2', 'm2', text('end')),
    );
    expect(transcripts).toHaveLength(1);
    expect(transcripts[0]?.requests.map(({ segment }) => segment)).toEqual([0, 1]);
    expect(outline(transcripts[0], -1)).toEqual(['u:What was said.', 'u:on']);
  });

  test('a microcompaction clears the results that it names, and only they make a segment', async () => {
    const cleared = (ids: readonly string[]) =>
      read(
        user('u1', null, 'go'),
        assistant('a1', 'u1', 'm1', call('t1')),
        user('r1', 'a1', result('t1')),
        assistant('a2', 'r1', 'm2', call('t2')),
        user('r2', 'a2', result('t2')),
        record('b1', 'r2', 'system', {
          subtype: 'microcompact_boundary',
          microcompactMetadata: { compactedToolIds: ids },
        }),
        assistant('a3', 'b1', 'm3', text('end')),
      );
    const some = (await cleared(['t1'])).transcripts[0];
    expect(some?.requests.map(({ segment }) => segment)).toEqual([0, 0, 1]);
    expect(outline(some, -1).join()).not.toContain('out t1');
    expect(outline(some, -1).join()).toContain('out t2');
    expect(outline(some, 1).join()).toContain('out t1');
    const none = (await cleared([])).transcripts[0];
    expect(none?.requests.map(({ segment }) => segment)).toEqual([0, 0, 0]);
    expect(outline(none, -1).join()).toContain('out t1');
  });

  test('/clear starts a conversation of its own', async () => {
    const { transcripts } = await read(
      user('u1', null, 'go'),
      assistant('a1', 'u1', 'm1', text('well')),
      user('m', 'a1', 'Caveat: local commands follow.', { isMeta: true }),
      user('c', 'm', '<command-name>/clear</command-name>\n<command-args></command-args>'),
      user('u2', 'c', 'anew'),
      assistant('a2', 'u2', 'm2', text('end')),
    );
    expect(transcripts.map(({ lineage }) => lineage)).toEqual(['main', 'lineage-2']);
    expect(outline(transcripts[1], -1)).toHaveLength(3);
    expect(outline(transcripts[1], -1).at(-1)).toBe('u:anew');
  });
});

describe('sub-agents are transcripts of their own', () => {
  test('inline, in a file of their own, and copied into progress records', async () => {
    const side = { isSidechain: true };
    const progress = (uuid: string, type: string, message: object) =>
      record(uuid, 'a1', 'progress', {
        parentToolUseID: 't1',
        data: {
          type: 'agent_progress',
          agentId: 'copied',
          message: { type, uuid: `inner-${uuid}`, timestamp: '2026-01-01T00:00:00Z', message },
        },
      });
    const { transcripts, groups } = await readFiles({
      'main.jsonl': jsonl(
        user('u1', null, 'go'),
        assistant('a1', 'u1', 'm1', call('t1')),
        user('s1', null, 'inline task', side),
        assistant('s2', 's1', 'm2', text('inline end'), side),
        progress('p1', 'user', { role: 'user', content: 'copied task' }),
        progress('p2', 'assistant', {
          id: 'm3',
          role: 'assistant',
          model: 'small',
          content: [call('x')],
        }),
        progress('p3', 'user', { role: 'user', content: result('x') }),
        progress('p4', 'assistant', {
          id: 'm4',
          role: 'assistant',
          model: 'small',
          content: [text('end')],
        }),
        user('r1', 'a1', result('t1')),
        assistant('a2', 'r1', 'm5', text('end')),
      ),
      'agent-9.jsonl': jsonl(
        user('f1', null, 'filed task', { ...side, agentId: '9' }),
        assistant('f2', 'f1', 'm6', text('filed end'), { ...side, agentId: '9' }),
      ),
    });
    expect(groups).toBe(1);
    expect(new Set(transcripts.map(({ task }) => task))).toEqual(new Set(['main']));
    const main = transcripts.find(({ lineage }) => lineage === 'main');
    expect(outline(main, -1)).toEqual(['u:go', 'a:call t1', 'u:result t1 out t1']);
    const agents = transcripts.filter(({ lineage }) => lineage.startsWith('agent-'));
    expect(agents.map((agent) => outline(agent, 0)[0]).sort()).toEqual([
      'u:copied task',
      'u:filed task',
      'u:inline task',
    ]);
    expect(agents.find(({ model }) => model === 'small')?.requests).toHaveLength(2);
  });

  test('copies of records that are there themselves are not counted twice', async () => {
    const side = { isSidechain: true, agentId: '9' };
    const first = user('f1', null, 'task', side);
    const second = assistant('f2', 'f1', 'm2', call('x'), side);
    const rest = [
      user('f3', 'f2', result('x'), side),
      assistant('f4', 'f3', 'm3', text('end'), side),
    ];
    const progress = (uuid: string, copied: object) =>
      record(uuid, 'a1', 'progress', {
        data: { type: 'agent_progress', agentId: '9', message: copied },
      });
    const { transcripts } = await readFiles({
      'main.jsonl': jsonl(
        user('u1', null, 'go'),
        assistant('a1', 'u1', 'm1', call('t1')),
        progress('p1', first),
        progress('p2', second),
      ),
      'agent-9.jsonl': jsonl(first, second, ...rest),
    });
    const agents = transcripts.filter(({ lineage }) => lineage.startsWith('agent-'));
    expect(agents.map(({ requests }) => requests.length)).toEqual([2]);
    expect(outline(agents[0], -1)).toEqual(['u:task', 'a:call x', 'u:result x out x']);
  });
});

test('a resumed session whose file repeats the records is read once', async () => {
  const first = [user('u1', null, 'go'), assistant('a1', 'u1', 'm1', text('well'))];
  const later = [user('u2', 'a1', 'on'), assistant('a2', 'u2', 'm2', text('end'))];
  const { transcripts } = await readFiles({
    'a.jsonl': jsonl(...first),
    'b.jsonl': jsonl(...first, ...later),
  });
  expect(transcripts).toHaveLength(1);
  expect(outline(transcripts[0], -1)).toEqual(['u:go', 'a:well', 'u:on']);
  expect(transcripts[0]?.task).toBe('b');
});

describe('loss report', () => {
  test('each line is read, part of a response, not sent, abandoned, broken or behind the last answer', async () => {
    const { losses, problems } = await readFiles({
      'main.jsonl': `${jsonl(
        user('u1', null, 'go'),
        assistant('a1', 'u1', 'm1', text('first')),
        assistant('a2', 'a1', 'm1', call('t1')),
        user('r1', 'a2', result('t1')),
        user('e1', 'r1', 'a first try'),
        assistant('e2', 'e1', 'm2', text('thrown away')),
        user('e3', 'r1', 'a second try'),
        assistant('e4', 'e3', 'm3', text('kept')),
        record('s1', 'e4', 'system', { subtype: 'turn_duration' }),
        user('u9', 'e4', 'never answered'),
      )}{"type": "user", "message": 3}\n`,
    });
    expect(problems).toHaveLength(1);
    expect(losses).toHaveLength(1);
    expect(losses[0]).toMatchObject({ unit: 'lines', found: 11, read: 5 });
    expect([...(losses[0]?.merged ?? [])]).toEqual([['one response over several records', 1]]);
    expect(Object.fromEntries(losses[0]?.skipped ?? [])).toEqual({
      'on a branch that was abandoned': 2,
      'not sent to the model: system turn_duration': 1,
      'behind the last answer, never sent': 1,
      'a broken line': 1,
    });
  });

  test('a record that two files hold is read once and merged once', async () => {
    const first = [user('u1', null, 'go'), assistant('a1', 'u1', 'm1', text('well'))];
    const later = [user('u2', 'a1', 'on'), assistant('a2', 'u2', 'm2', text('end'))];
    const { losses } = await readFiles({
      'a.jsonl': jsonl(...first),
      'b.jsonl': jsonl(...first, ...later),
    });
    expect(losses.map(({ file, read: own }) => [file, own])).toEqual([
      ['a.jsonl', 0],
      ['b.jsonl', 4],
    ]);
    expect(losses[0]?.merged.get('a record that stands elsewhere too')).toBe(2);
  });
});

test('a compaction that keeps a part of the list: it stands behind the summary', async () => {
  const kept = { headUuid: 'u2', tailUuid: 'a2', anchorUuid: 's1' };
  const { transcripts } = await read(
    user('u1', null, 'go'),
    assistant('a1', 'u1', 'm1', text('one')),
    user('u2', 'a1', 'on'),
    assistant('a2', 'u2', 'm2', text('two')),
    record('c1', null, 'system', {
      subtype: 'compact_boundary',
      logicalParentUuid: 'a2',
      compactMetadata: { trigger: 'auto', preTokens: 9, preservedSegment: kept },
    }),
    user('s1', 'c1', 'a summary', { isCompactSummary: true }),
    user('u3', 's1', 'go on'),
    assistant('a3', 'u3', 'm3', text('three')),
  );
  expect(transcripts).toHaveLength(1);
  expect(transcripts[0]?.requests.map(({ segment }) => segment)).toEqual([0, 0, 1]);
  expect(outline(transcripts[0], -1)).toEqual(['u:a summary', 'u:on', 'a:two', 'u:go on']);
});
