import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageTable } from '../../src/transcript/intern.ts';
import { commonPrefix, sameMessage } from '../../src/transcript/message.ts';
import { conversations } from '../support/conversations.ts';
import { conversation, parseRaws, withCacheMark } from '../support/wire-steps.ts';

describe('MessageTable', () => {
  test('the same bytes are one object, in any order of reading', () => {
    fc.assert(
      fc.property(conversations(), ({ dialect, raws, messages, table }) => {
        const again = parseRaws(dialect, [...raws].reverse(), table);
        expect(again.toReversed().every((message, index) => message === messages[index])).toBe(
          true,
        );
      }),
    );
  });

  test('nothing of a message can be changed', () => {
    const kinds = new Set<string>();
    const check = (value: unknown) => {
      if (typeof value !== 'object' || value === null || value instanceof Map) return;
      expect(Object.isFrozen(value)).toBe(true);
      for (const inner of Object.values(value)) check(inner);
    };
    fc.assert(
      fc.property(conversations(), ({ messages }) => {
        for (const message of messages) {
          check(message);
          for (const { kind } of message.blocks) kinds.add(kind);
        }
      }),
    );
    expect([...kinds]).toEqual(expect.arrayContaining(['text', 'tool-call', 'tool-result']));
  });

  test('a moved cache mark or a respelled string is another object of the same identity', () => {
    fc.assert(
      fc.property(conversations({ minTurns: 1 }), ({ dialect, raws, messages, table }) => {
        const marked = parseRaws(dialect, raws.map(withCacheMark), table);
        for (const [index, message] of messages.entries()) {
          expect(marked[index]?.identity).toBe(message.identity);
          expect(marked[index]?.raw).toBe(withCacheMark(message.raw));
        }
        expect(commonPrefix(messages, marked)).toBe(messages.length);
      }),
    );
  });

  test('messages of two tables are the same message by their hash', () => {
    const steps = [{ kind: 'user', text: 'hello 🎉' }] as const;
    const [a] = conversation('anthropic', steps).messages;
    const [b] = conversation('anthropic', steps).messages;
    if (a === undefined || b === undefined) throw new Error('no message');
    expect(a).not.toBe(b);
    expect(a.identity).not.toBe(b.identity);
    expect(sameMessage(a, b)).toBe(true);
  });

  test('another text, another role or another wire is another message', () => {
    const table = new MessageTable();
    const read = (dialect: 'anthropic' | 'openai-chat', role: string, content: string) =>
      parseRaws(dialect, [JSON.stringify({ role, content })], table)[0];
    const messages = [
      read('anthropic', 'user', 'a'),
      read('anthropic', 'user', 'b'),
      read('anthropic', 'assistant', 'a'),
      read('openai-chat', 'user', 'a'),
      read('anthropic', 'user', 'a\ud83d'),
      read('anthropic', 'user', 'a\ud83e'),
    ];
    expect(new Set(messages.map((message) => message?.identity.hash)).size).toBe(messages.length);
  });

  test('numbers that JavaScript would respell keep messages apart', () => {
    const table = new MessageTable();
    const call = (input: string) =>
      `{"role":"assistant","content":[{"type":"tool_use","id":"x","name":"run","input":${input}}]}`;
    const raws = ['{"n":12345678901234567890}', '{"n":12345678901234567891}', '{"n":1e3}'].map(
      call,
    );
    const hashes = parseRaws('anthropic', raws, table).map(({ identity }) => identity.hash);
    expect(new Set(hashes).size).toBe(3);
  });

  test('what is computed once is shared by all spellings of a message', () => {
    const { messages, raws, table } = conversation('anthropic', [{ kind: 'user', text: 'x' }]);
    messages[0]?.identity.memo.set('fact', 42);
    const [marked] = parseRaws('anthropic', raws.map(withCacheMark), table);
    expect(marked?.identity.memo.get('fact')).toBe(42);
  });
});
