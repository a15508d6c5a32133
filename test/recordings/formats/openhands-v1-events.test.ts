import { expect, test } from 'vitest';
import { hasShared, jsonl, needsShared, outline, readAll, readFiles, shared } from '../support.ts';

let number = 0;
const event = (kind: string, fields: object) => ({
  id: `e${++number}`,
  timestamp: '2026-01-28T12:46:49.123902',
  kind,
  ...fields,
});
const text = (value: string) => ({ type: 'text', text: value, cache_prompt: false });
const message = (source: 'user' | 'agent', said: string, fields: object = {}) =>
  event('MessageEvent', {
    source,
    llm_message: { role: source === 'user' ? 'user' : 'assistant', content: [text(said)] },
    ...fields,
  });
const act = (id: string, response: string, thought = '') =>
  event('ActionEvent', {
    source: 'agent',
    thought: thought === '' ? [] : [text(thought)],
    action: { command: id, kind: 'TerminalAction' },
    tool_name: 'terminal',
    tool_call_id: id,
    tool_call: { id, name: 'terminal', arguments: `{"command": "${id}"}` },
    llm_response_id: response,
  });
const observe = (id: string, observation: object = {}) =>
  event('ObservationEvent', {
    source: 'environment',
    tool_call_id: id,
    observation: {
      content: [text(`out ${id}`)],
      is_error: false,
      metadata: { suffix: ' [exit 0]' },
      kind: 'TerminalObservation',
      ...observation,
    },
  });
const system = event('SystemPromptEvent', {
  source: 'agent',
  system_prompt: text('be good'),
  tools: [{ title: 'terminal', description: 'runs', kind: 'TerminalTool' }],
});

/** One event a file, as the agent writes them. */
const files = (name: string, events: readonly object[]) =>
  Object.fromEntries(
    events.map((entry, index) => [
      `${name}event-${String(index).padStart(5, '0')}-4a85ce69-8df5-42b0-9987-a782f294f782.json`,
      JSON.stringify(entry),
    ]),
  );
const run = [
  system,
  message('user', 'go'),
  act('a', 'r1', 'hm'),
  observe('a'),
  message('agent', 'done'),
];

test('files of one conversation are told by the name before the event', async () => {
  const { transcripts, problems, groups } = await readFiles({
    ...files('one__', run),
    ...files('two__', [message('user', 'hi'), message('agent', 'hello')]),
    ...files('three/events/', [message('user', 'hi'), message('agent', 'hello')]),
  });
  expect(problems).toEqual([]);
  expect(groups).toBe(3);
  expect(transcripts.map(({ task, requests }) => [task, requests.length]).sort()).toEqual([
    ['one', 2],
    ['three', 1],
    ['two', 1],
  ]);
  const one = transcripts.find(({ task }) => task === 'one');
  expect(outline(one, 1)).toEqual([
    's:be good',
    'u:go',
    'a:hm|call a',
    't:result a out a [exit 0]',
  ]);
  expect(one?.requests[0]?.envelope?.tools).toContain('"terminal"');
  expect(one?.requests[0]?.action?.raw).toContain('"arguments":"{\\"command\\": \\"a\\"}"');
});

test('an array of events, an event a line, and a line a task', async () => {
  const { transcripts } = await readFiles({
    'array.json': JSON.stringify(run),
    'lines.jsonl': jsonl(...run),
    'tasks.jsonl': jsonl({ instance_id: 't1', history: run }, { instance_id: 't2', history: run }),
  });
  expect(transcripts.map(({ task, requests }) => [task, requests.length]).sort()).toEqual([
    ['array', 2],
    ['lines', 2],
    ['t1', 2],
    ['t2', 2],
  ]);
});

test('parallel calls share a response, and results stand behind all of them', async () => {
  const { transcripts, losses } = await readFiles({
    'run.jsonl': jsonl(
      ...[
        message('user', 'go'),
        act('a', 'r1', 'both'),
        observe('a'),
        act('b', 'r1'),
        observe('b'),
      ],
      message('agent', 'done'),
    ),
  });
  expect(transcripts[0]?.requests).toHaveLength(2);
  expect(outline(transcripts[0], 1)).toEqual([
    'u:go',
    'a:both|call a|call b',
    't:result a out a [exit 0]',
    't:result b out b [exit 0]',
  ]);
  expect(losses[0]?.merged.get('further call of a response')).toBe(1);
});

test('errors and refusals are results; what the agent adds to a message is sent', async () => {
  const { transcripts } = await readFiles({
    'run.jsonl': jsonl(
      message('user', 'go', { extended_content: [text('skill text')] }),
      ...[
        act('a', 'r1'),
        event('AgentErrorEvent', { source: 'agent', tool_call_id: 'a', error: 'bad' }),
      ],
      act('b', 'r2'),
      event('UserRejectObservation', {
        source: 'environment',
        tool_call_id: 'b',
        rejection_reason: 'no',
      }),
      message('agent', 'ok'),
    ),
  });
  expect(outline(transcripts[0], 2)).toEqual([
    'u:go\nskill text',
    'a:call a',
    't:result a bad',
    'a:call b',
    't:result b no',
  ]);
});

test('a condensation forgets events and puts its summary in, in a new segment', async () => {
  const events = [
    message('user', 'go'),
    act('a', 'r1'),
    observe('a'),
    act('b', 'r2'),
    observe('b'),
  ];
  const forgotten_event_ids = events.slice(1, 3).map(({ id }) => id);
  const { transcripts } = await readFiles({
    'run.jsonl': jsonl(
      ...events,
      event('Condensation', {
        source: 'environment',
        forgotten_event_ids,
        summary: 'did a',
        summary_offset: 1,
      }),
      message('agent', 'done'),
    ),
  });
  expect(transcripts[0]?.requests.map(({ segment }) => segment)).toEqual([0, 0, 1]);
  expect(outline(transcripts[0], 2)).toEqual([
    'u:go',
    'u:did a',
    'a:call b',
    't:result b out b [exit 0]',
  ]);
});

test('events of the client, unknown and broken ones are told of', async () => {
  const { losses, problems } = await readFiles({
    'run.jsonl': jsonl(
      ...[
        message('user', 'go'),
        event('PauseEvent', { source: 'user' }),
        event('RuneEvent', { source: 'x' }),
      ],
      ...[{ kind: 7, source: 'x' }, message('agent', 'done'), observe('zz')],
    ),
  });
  expect([...(losses[0]?.skipped ?? [])]).toEqual([
    ['PauseEvent, not sent', 1],
    ['unknown event "RuneEvent"', 1],
    ['broken event', 1],
    ['result without its call, not sent', 1],
  ]);
  expect(problems.map(({ at }) => at.line)).toEqual([4]);
});

test.skipIf(!hasShared)(`the public files are two conversations${needsShared}`, async () => {
  const { transcripts, losses } = await readAll(['openhands-v1-events'], { cwd: shared });
  expect(transcripts.map(({ task, requests }) => [task, requests.length])).toEqual([
    ['creating_agent_plan', 3],
    ['simple_echo_hello_world', 2],
  ]);
  expect(losses).toHaveLength(12);
});
