import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CaptureReader } from '../../src/recordings/capture-reader.ts';
import { documentOf } from '../../src/recordings/document.ts';
import type { ReadContext } from '../../src/recordings/formats/format.ts';
import { logSessions } from '../../src/recordings/log-sessions.ts';
import { LossReport } from '../../src/recordings/loss.ts';
import type { Problem } from '../../src/recordings/problem.ts';
import { NewText } from '../../src/recordings/repeated-lines.ts';
import { sessionLikeIds } from '../../src/recordings/session-id.ts';
import { MessageTable } from '../../src/transcript/intern.ts';

function contextOf(problems: Problem[] = []): ReadContext {
  let table = new MessageTable();
  return {
    get table() {
      return table;
    },
    renew() {
      table = new MessageTable();
    },
    report: (problem) => problems.push(problem),
    loss: new LossReport('log'),
  };
}

const texts = fc.array(fc.constantFrom('a', 'é"]},', '\\n', '{"messages":['), { maxLength: 6 });

const heads = [
  '"model":"m","messages":',
  '"messages" : ',
  '"system":"s","messages":',
  '"messages":[],"messages":',
];
const tails = [
  '',
  ',"system":"s"',
  ' ,"tools":[{"name":"f","input_schema":{}}] ',
  ',"metadata":{"user_id":"user_1_session_abc"}',
  ',"messages":[{"role":"user","content":"a"}]',
  ',"kwargs":{}',
];

const bodies = fc
  .record({
    head: fc.constantFrom(...heads),
    gap: fc.constantFrom(',', ', ', ',\t'),
    odd: fc.boolean(),
    texts,
    mark: fc.boolean(),
    tail: fc.constantFrom(...tails),
  })
  .map(({ head, gap, odd, texts: said, mark, tail }) => {
    const messages = said.map((text, index) => {
      const block = { type: 'text', text, ...(mark ? { cache_control: {} } : {}) };
      const role = index % 2 === 0 ? 'user' : 'assistant';
      return JSON.stringify({ role, content: index === said.length - 1 ? [block] : text });
    });
    const list = messages.map((message, index) =>
      index === 0 ? message : `${odd && index === 2 ? ' ,' : gap}${message}`,
    );
    return `{${head}[${list.join('')}]${tail}}`;
  });

/** Captures, exchanges, lone bodies, and what is broken. */
const lines = fc.array(
  fc.record({
    body: bodies,
    form: fc.constantFrom(
      (body: string, time: number) =>
        `{"timestamp":${time},"provider":"anthropic","body":${body},"response":{"role":"assistant","content":"r${time}"}}`,
      (body: string, time: number) => `{"provider":"anthropic","request":${body},"time":${time}}`,
      (body: string) => body,
      (body: string, time: number) =>
        `{"request":{"url":"https://api.anthropic.com","body":${body}},"timestamp":${time}}`,
      (body: string) => `{"body":${body},"request":{"body":${body}}}`,
      (body: string) => `{"body":${body},"body":{"messages":[]}}`,
      (body: string) => body.slice(0, -1),
      (body: string) => `{"body":${body}} x`,
    ),
    time: fc.nat(20),
  }),
  { minLength: 2, maxLength: 8 },
);

describe('the lines of a request log', () => {
  test('are read as each would be by itself', () => {
    fc.assert(
      fc.property(lines, (log) => {
        const problems: [Problem[], Problem[]] = [[], []];
        const table = new MessageTable();
        const readers = problems.map((list) => new CaptureReader({ ...contextOf(list), table }));
        for (const { form, body, time } of log) {
          const text = form(body, time);
          const entry = { line: 1 };
          const inBytes = readers[0]?.read('f', { ...entry, json: Buffer.from(text) }, 'anthropic');
          const alone = readers[1]?.read('f', { ...entry, json: text.trim() }, 'anthropic');
          expect(inBytes).toEqual(alone);
          const same = alone?.messages.every((one, index) => one === inBytes?.messages[index]);
          expect(same ?? true).toBe(true);
        }
        expect(problems[0]).toEqual(problems[1]);
      }),
      { numRuns: 1000, seed: 8 },
    );
  });

  test('that go on from one another become text only where they are new', () => {
    const context = contextOf();
    const reader = new CaptureReader(context);
    const message = (index: number) =>
      JSON.stringify({
        role: index % 2 ? 'assistant' : 'user',
        content: [{ type: 'text', text: `${index} ${'x'.repeat(500)}` }],
      });
    const known = Array.from({ length: 50 }, (_, index) => message(index));
    let seen = '';
    for (let count = 1; count <= 50; count += 2) {
      const body = `{"system":"s","messages":[${known.slice(0, count).join(',')}],"tools":[]}`;
      const json = Buffer.from(`{"timestamp":${count},"body":${body}}`);
      const whole = json.toString;
      json.toString = (...range) => {
        const text = whole.apply(json, range);
        seen += text;
        return text;
      };
      expect(reader.read('f', { json, line: count }, undefined)?.messages).toHaveLength(count);
    }
    const all = known.join('').length;
    expect(seen.length).toBeLessThan(3 * all);
  });

  test('hold no session id that what is new of them does not', () => {
    fc.assert(
      fc.property(lines, (log) => {
        const texts = log.map(({ form, body, time }) => form(body, time));
        const parts = new NewText();
        const found = texts.flatMap((text) => sessionLikeIds(parts.of(Buffer.from(text))));
        expect(new Set(found)).toEqual(new Set(texts.flatMap(sessionLikeIds)));
      }),
      { numRuns: 300 },
    );
  });
});

describe('the sessions of a log', () => {
  test('are the same where they are read again one by one', () => {
    const call = fc.record({
      session: fc.constantFrom('s', 't', 'u', undefined),
      count: fc.nat(6),
    });
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 20 }), fc.nat(2000), (calls, most) => {
        const text = calls.map(({ session, count }) => {
          const messages = Array.from({ length: count + 1 }, (_, index) => ({
            role: index % 2 === 0 ? 'user' : 'assistant',
            content: `${session} ${index} ${'x'.repeat(50)}`,
          }));
          return `${JSON.stringify({ session_id: session, body: { model: 'm', messages } })}\n`;
        });
        const file = { path: 'f', absolute: '/f', named: true };
        const document = documentOf(file, Buffer.from(`${text.join('')}{"body":{"model":1}}\n`));
        const read = (held: number) => {
          const problems: Problem[] = [];
          const context = contextOf(problems);
          const sessions = [...logSessions([document], context, { held, seen: held / 4 })];
          return { sessions, problems };
        };
        expect(read(most)).toEqual(read(1e9));
      }),
      { numRuns: 200 },
    );
  });
});
