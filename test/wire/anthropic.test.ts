import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageTable } from '../../src/transcript/intern.ts';
import { sameMessage } from '../../src/transcript/message.ts';
import { anthropic } from '../../src/wire/anthropic.ts';
import { openaiChat } from '../../src/wire/openai-chat.ts';
import { jsonText, stringText } from '../support/json-text.ts';

const message = (raw: string, table = new MessageTable()) => anthropic.parseMessage(raw, table);

function same(a: string, b: string): boolean {
  const table = new MessageTable();
  return sameMessage(message(a, table), message(b, table));
}

describe('bytes', () => {
  test('a body is written back as it was read, whatever its spelling', () => {
    const value = jsonText.map((text) => text.trim());
    const entry = fc
      .tuple(fc.constantFrom('user', 'assistant', 'system'), stringText, value)
      .map(([role, text, extra]) => `{"extra":${extra},"role" : "${role}",  "content":${text}}`);
    const body = fc
      .tuple(value, fc.array(entry, { maxLength: 5 }), fc.constantFrom(',', ' ,\n\t', ', '), value)
      .map(
        ([head, entries, gap, tail]) =>
          ` {"x":${head}, "messages" : [ ${entries.join(gap)} ],"y":${tail}}\n`,
      );
    fc.assert(
      fc.property(body, (text) => {
        const parsed = anthropic.parse(text, new MessageTable());
        expect(anthropic.encode(parsed.messages, parsed.envelope)).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  test('numbers, escapes, duplicate and unknown keys of a message stay', () => {
    const raw =
      '{"role":"assistant","x":1.0,"x":12345678901234567890,"content":[{"type":"tool_use","id":"t","name":"f","input":{"n":1e3,"s":"\\u00e9\\/"}}]}';
    const read = message(raw);
    expect(read.raw).toBe(raw);
    const [call] = read.blocks;
    expect(call?.kind === 'tool-call' && call.arguments).toBe('{"n":1e3,"s":"\\u00e9\\/"}');
  });

  test('the system prompt and the tools stand in the envelope, raw', () => {
    const body = '{"system":[{"type":"text", "text":"be brief"}],"messages":[],"tools":[ ]}';
    const { envelope, messages } = anthropic.parse(body, new MessageTable());
    expect(messages).toEqual([]);
    expect(envelope.system).toBe('[{"type":"text", "text":"be brief"}]');
    expect(envelope.tools).toBe('[ ]');
    expect(anthropic.encode(messages, envelope)).toBe(body);
  });
});

describe('canonical identity', () => {
  test('a cache mark does not count, wherever it stands', () => {
    const plain =
      '{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}';
    const first = plain.replace('"text":"a"', '"text":"a","cache_control":{"type":"ephemeral"}');
    const second = plain.replace('"text":"b"', '"text":"b","cache_control":{"type":"ephemeral"}');
    expect(same(plain, first)).toBe(true);
    expect(same(first, second)).toBe(true);
    const nested =
      '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}]}';
    expect(same(nested, nested.replace(',"cache_control":{"type":"ephemeral"}', ''))).toBe(true);
  });

  test('a string is one text block, in a message and in a tool result', () => {
    fc.assert(
      fc.property(stringText, (text) => {
        const block = `[{"text":${text},"type":"text"}]`;
        expect(
          same(`{"role":"user","content":${text}}`, `{"content":${block},"role":"user"}`),
        ).toBe(true);
        const result = (content: string) =>
          `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":${content}}]}`;
        expect(same(result(text), result(block))).toBe(true);
      }),
    );
  });

  test('what the model reads does count', () => {
    const call = (input: string) =>
      `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":${input}}]}`;
    expect(same(call('{"a":1}'), call('{"a":2}'))).toBe(false);
    expect(same(call('{"a":1,"b":2}'), call('{"b":2,"a":1}'))).toBe(false);
    expect(same(call('{"a":12345678901234567890}'), call('{"a":12345678901234567891}'))).toBe(
      false,
    );
    expect(same('{"role":"user","content":"a"}', '{"role":"assistant","content":"a"}')).toBe(false);
    const split =
      '{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}';
    expect(same(split, '{"role":"user","content":"ab"}')).toBe(false);
  });

  test('messages with the same bytes are one object', () => {
    const table = new MessageTable();
    const raw = '{"role":"user","content":"a"}';
    expect(message(raw, table)).toBe(message(raw, table));
  });
});

describe('replaceResult', () => {
  const table = new MessageTable();
  const replaced = (raw: string, index: number, text: string) =>
    anthropic.replaceResult(message(raw, table), index, text, table).raw;

  test('touches only the string', () => {
    fc.assert(
      fc.property(stringText, stringText, fc.string({ unit: 'grapheme' }), (one, other, text) => {
        const raw = (content: string) =>
          `{"role" : "user","content":[ {"type":"text","text":${other}} , {"tool_use_id":"t", "content" : ${content},"type":"tool_result","n":1.0}]}`;
        expect(replaced(raw(one), 1, text)).toBe(raw(JSON.stringify(text)));
      }),
    );
  });

  test('of several text parts the first takes the text; images keep their bytes', () => {
    const image =
      '{"type":"image", "source":{"type":"base64","media_type":"image/png","data":"AA=="}}';
    const raw = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[ {"type":"text","text":"a"} , ${image} ,{"type":"text","text":"b"} ]}]}`;
    expect(replaced(raw, 0, 'c')).toBe(
      `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[ {"type":"text","text":"c"} , ${image} ]}]}`,
    );
    const only = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[${image}]}]}`;
    const [result] = message(replaced(only, 0, 'c'), table).blocks;
    expect(result).toMatchObject({ kind: 'tool-result', texts: ['c'] });
    expect(replaced(only, 0, 'c')).toContain(image);
  });

  test('a result without content gets one', () => {
    const raw = '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}';
    const read = message(replaced(raw, 0, 'c'), table);
    expect(read.blocks).toEqual([
      { kind: 'tool-result', id: 't', texts: ['c'], media: [], isError: false },
    ]);
  });
});

describe('blocks', () => {
  test('every kind is read', () => {
    const raw = JSON.stringify({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'redacted_thinking', data: 'd' },
        { type: 'server_tool_use', id: 's1', name: 'web_search', input: { q: 'x' } },
        { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ title: 'T', url: 'u' }] },
        { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hello' } },
        { type: 'novelty', x: 1 },
      ],
    });
    expect(message(raw).blocks).toMatchObject([
      { kind: 'thinking', text: 'hm', signature: 's' },
      { kind: 'thinking', text: '', signature: 'd' },
      { kind: 'tool-call', id: 's1', name: 'web_search', server: true },
      { kind: 'tool-result', id: 's1', texts: ['T', 'u'], server: true },
      { kind: 'media', type: 'image', reference: 'https://example.org/a.png' },
      { kind: 'media', type: 'document', text: 'hello' },
      { kind: 'other', type: 'novelty', raw: '{"type":"novelty","x":1}' },
    ]);
  });
});

describe('write', () => {
  test('blocks of openai-chat become anthropic messages with the same content', () => {
    const table = new MessageTable();
    const call = openaiChat.parseMessage(
      '{"role":"assistant","content":"look","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\\"p\\": 1.0}"}}]}',
      table,
    );
    const result = openaiChat.parseMessage(
      '{"role":"tool","tool_call_id":"c1","content":"out"}',
      table,
    );
    const [written] = anthropic.write(call.role, call.blocks, table);
    expect(written?.raw).toBe(
      '{"role":"assistant","content":[{"type":"text","text":"look"},{"type":"tool_use","id":"c1","name":"read","input":{"p": 1.0}}]}',
    );
    expect(written?.blocks).toEqual(call.blocks);
    const [answer] = anthropic.write(result.role, result.blocks, table);
    expect(answer?.role).toBe('user');
    expect(answer?.blocks).toEqual(result.blocks);
  });

  test('what is read back is what was written', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.string(),
        fc.boolean(),
        (text, id, isError) => {
          const table = new MessageTable();
          const blocks = [
            { kind: 'tool-result' as const, id, texts: [text], media: [], isError },
            { kind: 'text' as const, text },
          ];
          const [written] = anthropic.write('user', blocks, table);
          expect(written?.blocks).toEqual(blocks);
        },
      ),
    );
  });
});
