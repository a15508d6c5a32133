import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageTable } from '../../src/transcript/intern.ts';
import { anthropic } from '../../src/wire/anthropic.ts';
import { BodyReader } from '../../src/wire/body-reader.ts';

/** Bodies that grow from, shrink to, or differ from one another anywhere. */
const bodies = fc.array(
  fc
    .record({
      head: fc.constantFrom(
        '{"model":"m","messages":',
        '{"messages" : ',
        '{"messages":[],"messages":',
      ),
      gaps: fc.array(fc.constantFrom(',', ', ', ',\n  '), { minLength: 1, maxLength: 2 }),
      texts: fc.array(fc.constantFrom('a', 'é"]},'), { maxLength: 6 }),
      tail: fc.constantFrom(
        '}',
        ',"system":"s"}',
        ' ,"tools":[{"name":"f"}] }',
        ',"messages":[{"role":"user","content":"a"}]}',
      ),
    })
    .map(({ head, gaps, texts, tail }) => {
      const messages = texts.map((text, index) =>
        JSON.stringify({ role: index % 2 === 0 ? 'user' : 'assistant', content: text }),
      );
      const list = messages
        .map((message, index) => (index === 0 ? message : `${gaps[index % gaps.length]}${message}`))
        .join('');
      return `${head}[${list}]${tail}`;
    }),
  { minLength: 2, maxLength: 8 },
);

describe('BodyReader', () => {
  test('reads each body of a log as the dialect alone would', () => {
    fc.assert(
      fc.property(bodies, (log) => {
        const table = new MessageTable();
        const reader = new BodyReader(anthropic, table);
        for (const body of log) {
          const read = reader.read(body);
          const expected = anthropic.parse(body, table);
          expect(read.messages).toEqual(expected.messages);
          expect(
            read.messages.every((message, index) => message === expected.messages[index]),
          ).toBe(true);
          expect(read.model).toBe(expected.model);
          expect(read.envelope.system).toBe(expected.envelope.system);
          expect(read.envelope.tools).toBe(expected.envelope.tools);
          expect(anthropic.encode(read.messages, read.envelope)).toBe(body);
        }
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['a second list behind the shared one', '[a,b,a]}', '[a,b,a],"messages":[a]}'],
    ['gaps that differ behind the shared text', '[a,b]}', '[a,b,a, b]}'],
  ])('%s', (_, first, second) => {
    const spell = (list: string) =>
      `{"messages":${list}`
        .replaceAll(/\ba\b/g, '{"role":"user","content":"x"}')
        .replaceAll(/\bb\b/g, '{"role":"assistant","content":"y"}');
    const reader = new BodyReader(anthropic, new MessageTable());
    reader.read(spell(first));
    const { messages, envelope } = reader.read(spell(second));
    expect(anthropic.encode(messages, envelope)).toBe(spell(second));
  });

  test('requests with the same surroundings share one envelope', () => {
    const reader = new BodyReader(anthropic, new MessageTable());
    const body = (...texts: string[]) =>
      JSON.stringify({
        messages: texts.map((content) => ({ role: 'user', content })),
        system: 's',
      });
    const envelopes = [body('a', 'b'), body('a', 'b', 'c'), body('x', 'y')].map(
      (text) => reader.read(text).envelope,
    );
    expect(new Set(envelopes).size).toBe(1);
  });

  test('a body that breaks after the shared text is still refused', () => {
    const reader = new BodyReader(anthropic, new MessageTable());
    const body = '{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}';
    reader.read(body);
    expect(() => reader.read(`${body.slice(0, -2)},{"role":"user"`)).toThrowError(/too early/);
    expect(() => reader.read(body.replace(']}', ',]}'))).toThrowError(/expected JSON/);
  });
});
