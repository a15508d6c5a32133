import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MessageTable } from '../../src/transcript/intern.ts';
import { sameMessage } from '../../src/transcript/message.ts';
import { anthropic } from '../../src/wire/anthropic.ts';
import { openaiChat } from '../../src/wire/openai-chat.ts';
import { jsonText, stringText } from '../support/json-text.ts';

const message = (raw: string, table = new MessageTable()) => openaiChat.parseMessage(raw, table);

function same(a: string, b: string): boolean {
  const table = new MessageTable();
  return sameMessage(message(a, table), message(b, table));
}

test('a body is written back as it was read, whatever its spelling', () => {
  const value = jsonText.map((text) => text.trim());
  const entry = fc.oneof(
    fc
      .tuple(fc.constantFrom('user', 'assistant', 'system', 'developer'), stringText)
      .map(([role, text]) => `{"content" : ${text},"role":"${role}"}`),
    fc
      .tuple(stringText, stringText, value)
      .map(
        ([id, text, extra]) =>
          `{"role":"tool", "tool_call_id":${id},"content":${text},"x":${extra}}`,
      ),
    fc
      .tuple(stringText, stringText)
      .map(
        ([id, input]) =>
          `{"role":"assistant","content":null,"tool_calls":[{"id":${id},"type":"function","function":{"name":"f","arguments":${input}}}]}`,
      ),
  );
  const body = fc
    .tuple(fc.array(entry, { maxLength: 5 }), fc.constantFrom(',', ' ,\n\t', ', '), value)
    .map(
      ([entries, gap, tail]) => `{"model": "m", "messages":[${entries.join(gap)}], "y" :${tail} }`,
    );
  fc.assert(
    fc.property(body, (text) => {
      const parsed = openaiChat.parse(text, new MessageTable());
      expect(openaiChat.encode(parsed.messages, parsed.envelope)).toBe(text);
      expect(parsed.model).toBe('m');
    }),
    { numRuns: 300 },
  );
});

test('a string is one text part; arguments count as spelled', () => {
  fc.assert(
    fc.property(stringText, (text) => {
      const parts = `{"content":[{"type":"text","text":${text}}],"role":"user"}`;
      expect(same(`{"role":"user","content":${text}}`, parts)).toBe(true);
    }),
  );
  const call = (input: string) =>
    `{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${JSON.stringify(input)}}}]}`;
  expect(same(call('{"a":1}'), call('{"a": 1}'))).toBe(false);
});

test('calls keep their arguments as recorded, and results their id', () => {
  const table = new MessageTable();
  const raw =
    '{"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"arguments":"{\\"a\\":1.0","name":"f"},"type":"function"}]}';
  expect(message(raw, table).blocks).toEqual([
    { kind: 'tool-call', id: 'c1', name: 'f', arguments: '{"a":1.0' },
  ]);
  expect(message('{"role":"tool","tool_call_id":"c1","content":"out"}', table).blocks).toEqual([
    { kind: 'tool-result', id: 'c1', texts: ['out'], media: [], isError: false },
  ]);
});

test('replaceResult touches only the string', () => {
  const table = new MessageTable();
  const replaced = (raw: string, text: string) =>
    openaiChat.replaceResult(message(raw, table), 0, text, table).raw;
  fc.assert(
    fc.property(stringText, fc.string({ unit: 'grapheme' }), (one, text) => {
      const raw = (content: string) =>
        `{"name":"f", "role":"tool","content" :${content}, "tool_call_id":"c","n":1e3}`;
      expect(replaced(raw(one), text)).toBe(raw(JSON.stringify(text)));
    }),
  );
  expect(
    replaced(
      '{"role":"tool","tool_call_id":"c","content":[ {"type":"text","text":"a"}, {"type":"text","text":"b"} ]}',
      'c',
    ),
  ).toBe('{"role":"tool","tool_call_id":"c","content":[ {"type":"text","text":"c"} ]}');
});

test('blocks of anthropic become chat messages: results one by one, media behind them', () => {
  const table = new MessageTable();
  const source = { type: 'base64', media_type: 'image/png', data: 'AA==' };
  const answer = anthropic.parseMessage(
    JSON.stringify({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'one' },
        {
          type: 'tool_result',
          tool_use_id: 'b',
          is_error: true,
          content: [
            { type: 'text', text: 'two' },
            { type: 'image', source },
          ],
        },
        { type: 'text', text: 'go on' },
      ],
    }),
    table,
  );
  const written = openaiChat.write(answer.role, answer.blocks, table);
  expect(written.map(({ role }) => role)).toEqual(['tool', 'tool', 'user']);
  expect(written[0]?.blocks).toMatchObject([{ id: 'a', texts: ['one'] }]);
  expect(written[1]?.blocks).toMatchObject([{ id: 'b', texts: ['Error: two'] }]);
  expect(written[2]?.blocks.map(({ kind }) => kind)).toEqual(['text', 'media']);
});

test('what is no list of messages is refused with a code', () => {
  const table = new MessageTable();
  const code = (body: string) => {
    try {
      openaiChat.parse(body, table);
      return 'read';
    } catch (error) {
      return error instanceof Error && 'code' in error ? error.code : error;
    }
  };
  expect(code('{"messages":')).toBe('input.syntax');
  expect(code('{"input":"hi"}')).toBe('input.schema');
  expect(code('{"messages":"hi"}')).toBe('input.schema');
  expect(code('{"messages":[1]}')).toBe('input.schema');
  expect(code('[]')).toBe('input.schema');
});
