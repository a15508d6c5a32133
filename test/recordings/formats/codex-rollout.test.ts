import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasShared, jsonl, needsShared, outline, readAll, readFiles, shared } from '../support.ts';

let second = 0;
const at = () => new Date(Date.UTC(2026, 0, 1, 0, 0, ++second)).toISOString();
const record = (type: string, payload: object) => ({ timestamp: at(), type, payload });
const item = (payload: object) => record('response_item', payload);
const event = (type: string, fields: object = {}) => record('event_msg', { type, ...fields });
const user = (text: string) =>
  item({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const says = (text: string) =>
  item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const reasons = (id: string) => item({ type: 'reasoning', summary: [], encrypted_content: id });
const call = (id: string) =>
  item({ type: 'function_call', name: 'shell', arguments: `{"cmd":"${id}"}`, call_id: id });
const output = (id: string) =>
  item({ type: 'function_call_output', call_id: id, output: `out ${id}` });
const meta = (id: string, fields: object = {}) =>
  record('session_meta', { id, cwd: '/w', base_instructions: { text: 'Be brief.' }, ...fields });

let total = 0;
function count(input: number, cached: number, generated: number) {
  total += input + generated;
  const usage = { input_tokens: input, cached_input_tokens: cached, output_tokens: generated };
  const info = { total_token_usage: { total_tokens: total }, last_token_usage: usage };
  return event('token_count', { info });
}

const read = (...records: readonly object[]) => readFiles({ 'rollout-1.jsonl': jsonl(...records) });

describe('one response', () => {
  test('is one request, with its usage, model, instructions and time', async () => {
    const asked = user('go');
    const { transcripts, problems, losses } = await read(
      meta('s1'),
      record('turn_context', { model: 'gpt-x' }),
      asked,
      event('user_message', { message: 'go' }),
      reasons('r1'),
      event('agent_message', { message: 'looking' }),
      says('looking'),
      call('c1'),
      call('c2'),
      output('c1'),
      output('c2'),
      count(100, 40, 9),
      says('done'),
      count(130, 100, 3),
    );
    expect(problems).toEqual([]);
    const [main] = transcripts;
    expect(main).toMatchObject({
      task: 'rollout-1',
      lineage: 'main',
      dialect: 'openai-responses',
      agent: 'codex',
      model: 'gpt-x',
      source: { session: 's1' },
    });
    expect(main?.requests).toHaveLength(2);
    expect(outline(main, 1)).toEqual([
      'u:go',
      'a:thinking|looking|call c1|call c2',
      't:result c1 out c1',
      't:result c2 out c2',
    ]);
    const [first] = main?.requests ?? [];
    expect(first?.usage).toEqual({ inputTokens: 60, cacheReadTokens: 40, outputTokens: 9 });
    expect(first?.time).toBe(Date.parse(asked.timestamp));
    expect(JSON.parse(first?.envelope?.system ?? '')).toBe('Be brief.');
    expect(first?.action).toBe(main?.requests[1]?.messages[1]);
    expect(losses[0]?.merged).toEqual(new Map([['copy of an item', 2]]));
    expect(losses[0]).toMatchObject({ found: 14, read: 12 });
  });

  test('may search the web between its thoughts: still one request', async () => {
    const search = () => item({ type: 'web_search_call', status: 'completed', action: {} });
    const { transcripts } = await read(
      meta('s1'),
      user('go'),
      reasons('r1'),
      search(),
      reasons('r2'),
      search(),
      says('found'),
      count(10, 0, 1),
      user('more'),
      says('end'),
      count(20, 0, 1),
    );
    expect(transcripts[0]?.requests.map(({ messages }) => messages.length)).toEqual([1, 4]);
    const action = transcripts[0]?.requests[0]?.action;
    expect(action?.blocks.map(({ kind }) => kind)).toEqual([
      ...['thinking', 'tool-call', 'thinking', 'tool-call', 'text'],
    ]);
  });

  test('ends at its results where no tokens are counted', async () => {
    const { transcripts } = await read(
      meta('s1'),
      user('go'),
      call('c1'),
      output('c1'),
      says('end'),
    );
    expect(transcripts[0]?.requests.map(({ messages }) => messages.length)).toEqual([1, 3]);
  });

  test('a repeated count, and one of a call that is not recorded, add no usage', async () => {
    const counted = count(10, 0, 1);
    const { transcripts, losses } = await read(
      ...[meta('s1'), user('go'), says('a'), counted, { ...counted }, count(99, 0, 9)],
      ...[user('b'), says('c'), count(20, 0, 2)],
    );
    const usages = transcripts[0]?.requests.map(({ usage }) => usage?.inputTokens);
    expect(usages).toEqual([10, 20]);
    expect([...(losses[0]?.merged ?? [])]).toEqual([
      ['count repeated', 1],
      ['count of a call that is not recorded', 1],
    ]);
  });
});

describe('items', () => {
  test('keep their bytes; other spellings become those of the wire', async () => {
    const odd =
      '{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{ "type":"message","role":"user","content":[{"type":"input_text","text":"\\u00e9"}],"n":1e3}}';
    const lines = [
      JSON.stringify(meta('s1')),
      odd,
      JSON.stringify(
        item({ type: 'function_call', name: 'Read', parameters: '{"path":"a.ts"}', call_id: 'c' }),
      ),
      JSON.stringify(item({ type: 'function_call_output', call_id: 'c', output: { lines: 3 } })),
      JSON.stringify(says('end')),
    ];
    const { transcripts } = await readFiles({ 'a.jsonl': lines.join('\n') });
    const [asked, called, answered] = transcripts[0]?.requests[1]?.messages ?? [];
    expect(asked?.raw).toContain('"\\u00e9"}],"n":1e3}');
    expect(called?.blocks[0]).toMatchObject({ arguments: '{"path":"a.ts"}' });
    expect(answered?.raw).toContain('"output":"{\\"lines\\":3}"');
  });

  test('what is never sent is left out, and told of', async () => {
    const { transcripts, losses } = await read(
      meta('s1'),
      user('go'),
      item({ type: 'ghost_snapshot', ghost_commit: {} }),
      item({ type: 'hologram' }),
      record('inter_agent', {}),
      event('mystery'),
      says('end'),
      user('never answered'),
    );
    expect(outline(transcripts[0], 0)).toEqual(['u:go']);
    expect([...(losses[0]?.skipped ?? [])]).toEqual([
      ['snapshot of the files, not sent', 1],
      ['unknown item "hologram"', 1],
      ['unknown record "inter_agent"', 1],
      ['event "mystery"', 1],
      ['behind the last answer, never sent', 1],
    ]);
  });

  test('a call that was cut off is answered by the agent, an output without a call is not sent', async () => {
    const { transcripts, losses } = await read(
      ...[meta('s1'), user('go'), call('c1'), call('c2'), output('c1'), count(9, 0, 1)],
      event('turn_aborted', { reason: 'interrupted' }),
      ...[user('again'), output('c9'), says('ok'), count(10, 0, 1)],
    );
    expect(outline(transcripts[0], 1)).toEqual([
      'u:go',
      'a:call c1|call c2',
      't:result c1 out c1',
      't:result c2 aborted',
      'u:again',
    ]);
    expect(losses[0]?.skipped.get('result without its call, not sent')).toBe(1);
  });
});

describe('the own compaction', () => {
  const before = [meta('s1'), user('go'), call('c1'), output('c1'), count(9, 0, 1), says('mid')];

  test('puts its list in the place of what was before', async () => {
    const kept = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] },
      { type: 'compaction', encrypted_content: 'xyz' },
    ];
    const { transcripts } = await read(
      ...[...before, count(19, 0, 1)],
      record('compacted', { message: '', replacement_history: kept }),
      ...[event('context_compacted'), user('on'), says('yes'), count(5, 0, 1)],
    );
    const requests = transcripts[0]?.requests ?? [];
    expect(requests.map(({ segment }) => segment)).toEqual([0, 0, 1]);
    expect(outline(transcripts[0], 2)).toEqual(['u:go', 'a:other', 'u:on']);
  });

  test('of a version that records only the summary keeps what the host wrote', async () => {
    const { transcripts } = await read(
      ...[...before, count(19, 0, 1), record('compacted', { message: 'all went well' })],
      ...[user('on'), says('yes'), count(5, 0, 1)],
    );
    const [go, summary, on] = outline(transcripts[0], 2);
    expect([go, on]).toEqual(['u:go', 'u:on']);
    expect(summary).toContain('all went well');
    expect(transcripts[0]?.requests.at(-1)?.segment).toBe(1);
  });
});

test('turns that were taken back are not counted', async () => {
  const { transcripts, losses } = await read(
    ...[meta('s1'), user('one'), says('1'), count(9, 0, 1), user('wrong'), says('2')],
    ...[count(9, 0, 1), event('thread_rolled_back', { num_turns: 1 })],
    ...[user('right'), says('3'), count(9, 0, 1)],
  );
  expect(transcripts[0]?.requests).toHaveLength(2);
  expect(outline(transcripts[0], 1)).toEqual(['u:one', 'a:1', 'u:right']);
  expect(losses[0]?.skipped.get('turn taken back')).toBe(3);
});

describe('several files', () => {
  test('a sub-agent has the task of the session that started it', async () => {
    const spawned = { subagent: { thread_spawn: { parent_thread_id: 's1', depth: 1 } } };
    const { transcripts, groups } = await readFiles({
      'b-agent.jsonl': jsonl(meta('s2', { source: spawned }), user('help'), says('found')),
      'a-main.jsonl': jsonl(meta('s1'), user('go'), says('done')),
      'c-other.jsonl': jsonl(meta('s3'), user('go'), says('done')),
    });
    expect(groups).toBe(2);
    expect(transcripts.map(({ task, lineage, source }) => [task, lineage, source.session])).toEqual(
      [
        ['a-main', 'main', 's1'],
        ['a-main', 'agent-1', 's1'],
        ['c-other', 'main', 's3'],
      ],
    );
  });

  test('a fork does not count the requests that it repeats', async () => {
    const shared = [user('go'), says('one'), count(9, 0, 1)];
    const { transcripts, losses } = await readFiles({
      'a.jsonl': jsonl(meta('s1'), ...shared, user('left'), says('two'), count(9, 0, 1)),
      'b.jsonl': jsonl(
        ...[meta('s2', { forked_from_id: 's1' }), meta('s1'), ...shared],
        ...[user('right'), says('three'), count(9, 0, 1)],
      ),
    });
    expect(transcripts.map(({ lineage, requests }) => [lineage, requests.length])).toEqual([
      ['main', 2],
      ['lineage-2', 1],
    ]);
    expect(outline(transcripts[1], 0)).toEqual(['u:go', 'a:one', 'u:right']);
    const copied = losses[1]?.merged.get('copied from the session it was forked from');
    expect(copied).toBeGreaterThan(0);
  });
});

test('files of the first versions: bare items, or one object', async () => {
  const said = (role: string, text: string) => ({
    type: 'message',
    role,
    content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
  });
  const bare = [
    { id: 's1', timestamp: '2025-05-01T00:00:00Z', instructions: 'rules' },
    { record_type: 'state' },
    said('user', 'go'),
    said('assistant', 'done'),
  ];
  const whole = { session: { id: 's2', timestamp: '2025-05-01T00:00:00Z' }, items: bare.slice(2) };
  const { transcripts, problems } = await readFiles({
    'bare.jsonl': jsonl(...bare),
    'whole.json': JSON.stringify(whole),
  });
  expect(problems).toEqual([]);
  expect(transcripts.map(({ source }) => source.session)).toEqual(['s1', 's2']);
  for (const transcript of transcripts) expect(outline(transcript, 0)).toEqual(['u:go']);
});

test('a broken line is told with its place, and the others are read', async () => {
  const lines = [meta('s1'), user('go'), says('done')].map((entry) => JSON.stringify(entry));
  const { transcripts, problems, losses } = await readFiles({
    'a.jsonl': [
      lines[0],
      '{"type":"response_item","payload":7}',
      lines[1],
      '{broken',
      lines[2],
    ].join('\n'),
  });
  expect(problems.map(({ code, at: place }) => [code, place.file, place.line])).toEqual([
    ['input.schema', 'a.jsonl', 2],
    ['input.syntax', 'a.jsonl', 4],
  ]);
  expect(transcripts[0]?.requests).toHaveLength(1);
  expect(losses[0]?.skipped.get('broken line')).toBe(2);
});

test('each response is one request, and their usage adds up to the totals', async () => {
  const step = fc.record({
    isTurn: fc.boolean(),
    calls: fc.integer({ min: 0, max: 3 }),
    input: fc.integer({ min: 1, max: 999 }),
    cached: fc.integer({ min: 0, max: 999 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const records = steps.flatMap(({ isTurn, calls, input, cached }, index) => {
        const ids = Array.from({ length: calls }, (_, number) => `c${index}-${number}`);
        return [
          ...(isTurn || index === 0 ? [user(`turn ${index}`)] : []),
          ...[reasons(`r${index}`), says(`step ${index}`), ...ids.map(call), ...ids.map(output)],
          count(input, Math.min(cached, input), 1),
        ];
      });
      const { transcripts } = await read(meta('s1'), ...records);
      const requests = transcripts[0]?.requests ?? [];
      expect(requests).toHaveLength(steps.length);
      const sum = (values: readonly (number | undefined)[]) =>
        values.reduce<number>((all, value) => all + (value ?? 0), 0);
      const inputs = requests.map(
        ({ usage }) => (usage?.inputTokens ?? 0) + (usage?.cacheReadTokens ?? 0),
      );
      expect(sum(inputs)).toBe(sum(steps.map(({ input }) => input)));
      for (const [index, { messages }] of requests.entries()) {
        const next = requests[index + 1]?.messages;
        if (next !== undefined) expect(next.slice(0, messages.length)).toEqual([...messages]);
      }
    }),
    { numRuns: 60, seed: 11 },
  );
});

test.skipIf(!hasShared)(
  `the public files: usage equals the recorded totals${needsShared}`,
  async () => {
    const { transcripts } = await readAll(['codex-rollout'], { cwd: shared });
    const sums = transcripts.map(({ requests }) => {
      const all = { input: 0, cached: 0, output: 0 };
      for (const { usage } of requests) {
        all.input += (usage?.inputTokens ?? 0) + (usage?.cacheReadTokens ?? 0);
        all.cached += usage?.cacheReadTokens ?? 0;
        all.output += usage?.outputTokens ?? 0;
      }
      return [requests.length, all.input, all.cached, all.output];
    });
    expect(sums).toEqual([
      [11, 266714, 230656, 2958],
      [55, 2786413, 2481792, 22838],
      [61, 3044675, 2806144, 15834],
      [4, 0, 0, 0],
      [4, 0, 0, 0],
    ]);
  },
);

test('an output behind the last response went into the compaction, and is said to', async () => {
  const history = [user('short').payload];
  const { transcripts, losses } = await read(
    meta('s1'),
    user('go'),
    call('c1'),
    output('c1'),
    record('compacted', { message: 'S', replacement_history: history }),
    user('on'),
    says('end'),
  );
  expect(JSON.stringify(transcripts)).not.toContain('out c1');
  expect(losses[0]?.merged).toEqual(new Map([["the agent's own compaction", 1]]));
  expect(losses[0]).toMatchObject({ found: 7, read: 6 });
});
