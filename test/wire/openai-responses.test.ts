import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageTable } from '../../src/transcript/intern.ts';
import { type Message, sameMessage } from '../../src/transcript/message.ts';
import { openaiResponses } from '../../src/wire/openai-responses.ts';
import { absent, hasShared, shapeCases } from './shared-files.ts';
import {
  PIXEL,
  spelledAs,
  unknownMembers,
  wireArguments,
  wireText,
  withValueAt,
} from './wire-text.ts';

const callId = fc.constantFrom('call_1', 'call_2', 'call_3');
const image = { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'low' };

const output = fc.oneof(
  wireText,
  fc.array(
    fc.oneof(
      wireText.map((text) => ({ type: 'input_text', text })),
      fc.constant(image),
    ),
    { minLength: 1, maxLength: 3 },
  ),
);

const outputItem = fc.record({
  type: fc.constantFrom('function_call_output', 'custom_tool_call_output'),
  call_id: callId,
  output,
});

const content = (type: string) =>
  fc.oneof(
    wireText,
    fc.array(
      wireText.map((text) => ({ type, text })),
      { maxLength: 2 },
    ),
  );

const items: Readonly<Record<string, fc.Arbitrary<object>>> = {
  U: fc.record({
    type: fc.constantFrom('message', undefined),
    role: fc.constantFrom('user', 'system', 'developer'),
    content: content('input_text'),
  }),
  M: fc.record({
    type: fc.constant('message'),
    role: fc.constant('assistant'),
    content: content('output_text'),
  }),
  r: fc.record({
    type: fc.constant('reasoning'),
    summary: fc.constant([{ type: 'summary_text', text: 'first' }]),
    encrypted_content: fc.constant('enc'),
  }),
  c: fc.record({
    type: fc.constant('function_call'),
    call_id: callId,
    name: fc.constant('read_file'),
    arguments: wireArguments.map((value) => JSON.stringify(value)),
  }),
  x: fc.record({
    type: fc.constant('custom_tool_call'),
    call_id: callId,
    name: fc.constant('patch'),
    input: wireText,
  }),
  o: outputItem,
  w: fc.constant({ type: 'web_search_call', status: 'completed', action: { type: 'search' } }),
  k: fc.constant({ type: 'compaction', encrypted_content: 'enc' }),
};

const item = fc
  .tuple(fc.oneof(...Object.values(items)), unknownMembers)
  .map(([value, more]) => ({ ...value, ...more }));
const list = fc.array(item, { maxLength: 10 });

function parse(body: string, table = new MessageTable()) {
  return openaiResponses.parse(body, table);
}

function read(value: object): Message {
  return openaiResponses.parseMessage(JSON.stringify(value), new MessageTable());
}

describe('bytes', () => {
  test('what is not rewritten is written back as it was read', () => {
    const body = list.map((input) => ({ model: 'gpt-5', instructions: 'be', input, stream: true }));
    fc.assert(
      fc.property(spelledAs(body), (text) => {
        const { messages, envelope } = parse(text);
        expect(openaiResponses.encode(messages, envelope)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test('a string in the place of the list is one user message, and is written back', () => {
    const body = wireText.map((input) => ({ model: 'gpt-5', input, tools: [] }));
    fc.assert(
      fc.property(spelledAs(body), (text) => {
        const { messages, envelope } = parse(text);
        expect(messages).toHaveLength(1);
        expect(messages[0]?.role).toBe('user');
        expect(openaiResponses.encode(messages, envelope)).toBe(text);
      }),
    );
  });

  test('a list that replaces a string is a list', () => {
    const table = new MessageTable();
    const { messages, envelope } = parse('{"input": "hello", "model": "m"}', table);
    const longer = [...messages, openaiResponses.userText('more', table)];
    const written = openaiResponses.encode(longer, envelope);
    expect(JSON.parse(written)).toMatchObject({ input: [{ content: 'hello' }, {}], model: 'm' });
    expect(parse(written, table).messages).toEqual(longer);
    expect(JSON.parse(openaiResponses.encode([], envelope))).toEqual({ input: [], model: 'm' });
  });

  test(`the lists of the shape cases come back unchanged${absent}`, () => {
    if (!hasShared) return;
    const cases = shapeCases().filter(({ provider }) => provider === 'openai-responses');
    expect(cases.length).toBeGreaterThan(5);
    for (const { list: input } of cases) {
      const body = `{"model":"m", "input" : ${input}}`;
      const { messages, envelope } = parse(body);
      expect(openaiResponses.encode(messages, envelope)).toBe(body);
    }
  });
});

describe('messages', () => {
  const sizesOf = (codes: string): string[] => {
    const values = [...codes].map((code) => fc.sample(items[code] ?? fc.constant({}), 1)[0]);
    return parse(JSON.stringify({ input: values })).messages.map(({ raw }) =>
      String(JSON.parse(`[${raw}]`).length),
    );
  };

  test.each([
    ['UrccooM', '1,3,1,1,1'],
    ['UrMccooU', '1,4,1,1,1'],
    ['UccoorM', '1,2,1,1,2'],
    ['UMMU', '1,1,1,1'],
    ['UMcoM', '1,2,1,1'],
    ['rMrc', '2,2'],
    ['rrM', '3'],
    ['rwrwM', '2,3'],
    ['crco', '3,1'],
    ['cMo', '2,1'],
    ['xoco', '1,1,1,1'],
    ['kUkM', '1,1,1,1'],
  ])('the items %s are messages of %s', (codes, expected) => {
    expect(sizesOf(codes).join(',')).toBe(expected);
  });

  test('a conversation that goes on leaves the messages before it as they were', () => {
    fc.assert(
      fc.property(list, list, (first, more) => {
        const table = new MessageTable();
        const shorter = parse(JSON.stringify({ input: first }), table).messages;
        const longer = parse(JSON.stringify({ input: [...first, ...more] }), table).messages;
        // The last step may go on; what stands before it may not change.
        expect(longer.slice(0, Math.max(0, shorter.length - 1))).toEqual(shorter.slice(0, -1));
        expect(longer.map(({ raw }) => raw).join(',')).toBe(
          [...first, ...more].map((value) => JSON.stringify(value)).join(','),
        );
      }),
    );
  });

  test('a message read by itself is the message of the list', () => {
    fc.assert(
      fc.property(spelledAs(list.map((input) => ({ input }))), (body) => {
        const table = new MessageTable();
        for (const message of parse(body, table).messages) {
          expect(openaiResponses.parseMessage(message.raw, new MessageTable())).toEqual({
            ...message,
            identity: expect.objectContaining({ hash: message.identity.hash }),
          });
        }
      }),
    );
  });

  test('reasoning and the calls it led to are one message with their blocks in order', () => {
    const { messages } = parse(
      JSON.stringify({
        input: [
          {
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: 'why' }],
            encrypted_content: 'e',
          },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'so' }] },
          { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"n": 1.0}' },
        ],
      }),
    );
    expect(messages).toHaveLength(1);
    expect(messages[0]?.role).toBe('assistant');
    expect(messages[0]?.blocks).toMatchObject([
      { kind: 'thinking', text: 'why', signature: 'e' },
      { kind: 'text', text: 'so' },
      { kind: 'tool-call', id: 'a', name: 'f', arguments: '{"n": 1.0}' },
    ]);
  });

  test.each([
    [{ type: 'local_shell_call', call_id: 'a', action: { command: ['ls'] } }, 'local_shell', false],
    [
      { type: 'apply_patch_call', call_id: 'a', operation: { type: 'delete_file' } },
      'apply_patch',
      false,
    ],
    [
      { type: 'tool_search_call', call_id: 'a', execution: 'client', arguments: {} },
      'tool_search',
      false,
    ],
    [
      { type: 'tool_search_call', id: 'a', execution: 'server', arguments: {} },
      'tool_search',
      true,
    ],
    [{ type: 'web_search_call', id: 'a', action: { type: 'search' } }, 'web_search', true],
    [{ type: 'mcp_call', id: 'a', name: 'fetch', arguments: '{}' }, 'fetch', true],
  ])('%j is a call', (value, name, isServer) => {
    const [block] = read(value).blocks;
    expect(block).toMatchObject({ kind: 'tool-call', id: 'a', name });
    expect(block !== undefined && 'server' in block).toBe(isServer);
  });

  test('what a provider’s own tool found is a result in the same message', () => {
    const value = { type: 'mcp_call', id: 'a', name: 'f', arguments: '{}', output: 'found' };
    expect(read(value).blocks[1]).toMatchObject({
      kind: 'tool-result',
      texts: ['found'],
      server: true,
    });
  });

  test.each([
    [{ type: 'function_call_output', call_id: 'a', output: 'x' }, ['x']],
    [{ type: 'local_shell_call_output', id: 'a', output: 'x' }, ['x']],
    [{ type: 'apply_patch_call_output', call_id: 'a', status: 'completed', output: 'x' }, ['x']],
    [
      { type: 'shell_call_output', call_id: 'a', output: [{ stdout: 'x', stderr: 'y' }] },
      ['x', 'y'],
    ],
    [{ type: 'tool_search_output', call_id: 'a', tools: [{ name: 't' }] }, ['[{"name":"t"}]']],
  ])('%j answers its call', (value, texts) => {
    const message = read(value);
    expect(message.role).toBe('tool');
    expect(message.blocks).toMatchObject([{ kind: 'tool-result', id: 'a', texts }]);
  });

  test('the system prompt and the tools are kept apart', () => {
    const { envelope } = parse('{"instructions": "be", "tools": [1], "input": []}');
    expect(envelope).toMatchObject({ system: '"be"', tools: '[1]' });
  });
});

describe('identity', () => {
  const same = (a: object, b: object) => sameMessage(read(a), read(b));

  test('spelling of a message does not change it', () => {
    const parts = [{ type: 'input_text', text: 'a' }];
    expect(
      same({ role: 'user', content: 'a' }, { type: 'message', role: 'user', content: parts }),
    ).toBe(true);
    const answer = [{ annotations: [], type: 'output_text', text: 'a', logprobs: [] }];
    expect(
      same(
        { role: 'assistant', content: 'a' },
        { type: 'message', role: 'assistant', content: answer },
      ),
    ).toBe(true);
  });

  test('another text, role or call id is another message', () => {
    expect(same({ role: 'user', content: 'a' }, { role: 'user', content: 'b' })).toBe(false);
    expect(same({ role: 'user', content: 'a' }, { role: 'system', content: 'a' })).toBe(false);
    const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' };
    expect(same(call, { ...call, call_id: 'b' })).toBe(false);
  });
});

describe('replaceResult', () => {
  test('replaces the text of an output and no other byte', () => {
    const value = fc.record({
      type: fc.constant('function_call_output'),
      call_id: callId,
      output: wireText,
      status: fc.constant('completed'),
    });
    fc.assert(
      fc.property(spelledAs(value), wireText, (raw, text) => {
        const table = new MessageTable();
        const message = openaiResponses.parseMessage(raw, table);
        const replaced = openaiResponses.replaceResult(message, 0, text, table);
        expect(replaced.blocks).toMatchObject([{ kind: 'tool-result', texts: [text], media: [] }]);
        expect(JSON.parse(replaced.raw)).toEqual({ ...JSON.parse(raw), output: text });
        expect(replaced.raw).toBe(withValueAt(raw, ['output'], JSON.stringify(text)));
      }),
    );
  });

  test('of an output in parts the media stay, and one text part', () => {
    fc.assert(
      fc.property(spelledAs(outputItem), wireText, (raw, text) => {
        const table = new MessageTable();
        const message = openaiResponses.parseMessage(raw, table);
        const replaced = openaiResponses.replaceResult(message, 0, text, table);
        const [before] = message.blocks;
        expect(replaced.blocks).toMatchObject([{ kind: 'tool-result', texts: [text] }]);
        if (before?.kind === 'tool-result')
          expect(replaced.blocks).toMatchObject([{ media: before.media }]);
      }),
    );
  });

  test('of several outputs read as one message the right one changes', () => {
    const table = new MessageTable();
    const raw = ['a', 'b'].map(
      (id) => `{"type":"function_call_output","call_id":"${id}","output":"x"}`,
    );
    const message = openaiResponses.parseMessage(raw.join(' , '), table);
    const replaced = openaiResponses.replaceResult(message, 1, 'y', table);
    expect(replaced.raw).toBe(`${raw[0]} , ${raw[1]?.replace('"x"', '"y"')}`);
  });

  test('the first command of a shell output says the text', () => {
    const table = new MessageTable();
    const raw =
      '{"type":"shell_call_output","call_id":"a","output":[{"stdout":"x","stderr":"y"},{"stdout":"z"}]}';
    const message = openaiResponses.parseMessage(raw, table);
    const replaced = openaiResponses.replaceResult(message, 0, 'short', table);
    expect(replaced.blocks).toMatchObject([{ texts: ['short'] }]);
    expect(JSON.parse(replaced.raw).output).toHaveLength(2);
  });

  test.each([
    '{"type":"tool_search_output","call_id":"a","tools":[{"name":"t"}]}',
    '{"type":"computer_call_output","call_id":"a","output":{"type":"computer_screenshot","image_url":"https://a/b.png"}}',
    '{"type":"mcp_call","id":"a","name":"f","arguments":"{}","output":"found"}',
  ])('an output that takes no text stays as it is: %s', (raw) => {
    const table = new MessageTable();
    const message = openaiResponses.parseMessage(raw, table);
    const block = message.blocks.findIndex(({ kind }) => kind === 'tool-result');
    expect(block).toBeGreaterThanOrEqual(0);
    expect(openaiResponses.replaceResult(message, block, 'text', table)).toBe(message);
  });
});

describe('write', () => {
  test('results are messages of their own, the rest follows in one', () => {
    const table = new MessageTable();
    const result = { kind: 'tool-result', texts: ['x'], media: [], isError: false } as const;
    const written = openaiResponses.write(
      'user',
      [
        { ...result, id: 'a' },
        { ...result, id: 'b', isError: true },
        { kind: 'text', text: 'go on' },
      ],
      table,
    );
    expect(written.map(({ raw }) => JSON.parse(raw))).toEqual([
      { type: 'function_call_output', call_id: 'a', output: 'x' },
      { type: 'function_call_output', call_id: 'b', output: 'Error: x' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go on' }] },
    ]);
  });

  test('what an assistant says and calls is one message, without ids of the provider', () => {
    const table = new MessageTable();
    const [message, ...more] = openaiResponses.write(
      'assistant',
      [
        { kind: 'text', text: 'so' },
        { kind: 'tool-call', id: 'a', name: 'f', arguments: '{}' },
        { kind: 'tool-call', id: 'b', name: 'f', arguments: 'cut {' },
      ],
      table,
    );
    expect(more).toEqual([]);
    expect(message?.blocks.map(({ kind }) => kind)).toEqual(['text', 'tool-call', 'tool-call']);
    expect(message?.raw).not.toContain('"id"');
  });
});
