import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageTable } from '../../src/transcript/intern.ts';
import { type Message, sameMessage } from '../../src/transcript/message.ts';
import { bedrock } from '../../src/wire/bedrock.ts';
import { blockTexts } from '../../src/wire/bedrock-turns.ts';
import { absent, hasShared, shapeCases } from './shared-files.ts';
import {
  PIXEL,
  spelledAs,
  unknownMembers,
  wireArguments,
  wireText,
  withValueAt,
} from './wire-text.ts';

const toolUseId = fc.constantFrom('tooluse_1', 'tooluse_2');
const text = wireText.map((value) => ({ text: value }));
const image = { image: { format: 'png', source: { bytes: PIXEL } } };
const cachePoint = { cachePoint: { type: 'default' } };

const resultPart = fc.oneof(
  text,
  wireArguments.map((json) => ({ json })),
  fc.constant(image),
);

const toolResult = fc.record({
  toolResult: fc.record({
    toolUseId,
    content: fc.array(resultPart, { maxLength: 3 }),
    status: fc.constantFrom('success', 'error', undefined),
  }),
});

const block = fc.oneof(
  text,
  fc.constant(image),
  fc.record({
    toolUse: fc.record({ toolUseId, name: fc.constant('shell'), input: wireArguments }),
  }),
  toolResult,
  fc.constant({ reasoningContent: { reasoningText: { text: 'why', signature: 's' } } }),
  fc.constant(cachePoint),
  unknownMembers,
);

const message = fc.record({
  role: fc.constantFrom('user', 'assistant'),
  content: fc.array(block, { maxLength: 4 }),
});

function read(value: object): Message {
  return bedrock.parseMessage(JSON.stringify(value), new MessageTable());
}

describe('bytes', () => {
  test('what is not rewritten is written back as it was read', () => {
    const body = fc.array(message, { maxLength: 6 }).map((messages) => ({
      modelId: 'anthropic.claude-sonnet-4-5',
      system: [{ text: 'be' }, cachePoint],
      messages,
      toolConfig: { tools: [] },
    }));
    fc.assert(
      fc.property(spelledAs(body), (written) => {
        const { messages, envelope, model } = bedrock.parse(written, new MessageTable());
        expect(bedrock.encode(messages, envelope)).toBe(written);
        expect(model).toBe('anthropic.claude-sonnet-4-5');
        expect(JSON.parse(envelope.system ?? '')).toHaveLength(2);
        expect(JSON.parse(envelope.tools ?? '')).toEqual({ tools: [] });
      }),
      { numRuns: 500 },
    );
  });

  test(`the lists of the shape cases come back unchanged${absent}`, () => {
    if (!hasShared) return;
    const cases = shapeCases().filter(({ provider }) => provider === 'bedrock');
    expect(cases.length).toBeGreaterThan(2);
    for (const { list } of cases) {
      const body = `{ "messages": ${list} }`;
      const { messages, envelope } = bedrock.parse(body, new MessageTable());
      expect(bedrock.encode(messages, envelope)).toBe(body);
    }
  });
});

describe('messages', () => {
  test.each([
    [{ text: 'a' }, { kind: 'text', text: 'a' }],
    [image, { kind: 'media', type: 'image', width: 1, height: 1, mimeType: 'image/png' }],
    [
      { document: { format: 'txt', name: 'd', source: { text: 'a' } } },
      { kind: 'media', type: 'document', text: 'a' },
    ],
    [
      { video: { format: 'mp4', source: { s3Location: { uri: 's3://a' } } } },
      { kind: 'media', type: 'video', reference: 's3://a' },
    ],
    [
      { reasoningContent: { reasoningText: { text: 'why', signature: 's' } } },
      { kind: 'thinking', text: 'why', signature: 's' },
    ],
    [
      { reasoningContent: { redactedContent: 'AAAA' } },
      { kind: 'thinking', text: '', signature: 'AAAA' },
    ],
    [{ guardContent: { text: { text: 'a' } } }, { kind: 'text', text: 'a' }],
    [
      { citationsContent: { content: [{ text: 'a' }, { text: 'b' }], citations: [] } },
      { kind: 'text', text: 'ab' },
    ],
    [
      { toolUse: { toolUseId: 'a', name: 'f', input: { n: 1 } } },
      { kind: 'tool-call', id: 'a', name: 'f', arguments: '{"n":1}' },
    ],
    [
      { toolUse: { toolUseId: 'a', name: 'f', input: {}, type: 'server_tool_use' } },
      { kind: 'tool-call', server: true },
    ],
    [
      {
        toolResult: {
          toolUseId: 'a',
          content: [{ text: 'x' }, { json: { n: 1 } }],
          status: 'error',
        },
      },
      { kind: 'tool-result', id: 'a', texts: ['x', '{"n":1}'], isError: true },
    ],
    [cachePoint, { kind: 'other', type: 'cachePoint' }],
  ])('%j', (value, expected) => {
    expect(read({ role: 'user', content: [value] }).blocks).toMatchObject([expected]);
  });

  test('cache points are no part of the identity, and stay in the bytes', () => {
    const bare = { role: 'user', content: [{ text: 'a' }] };
    const marked = { role: 'user', content: [{ text: 'a' }, cachePoint] };
    expect(sameMessage(read(bare), read(marked))).toBe(true);
    expect(read(marked).raw).toBe(JSON.stringify(marked));
    expect(sameMessage(read(bare), read({ role: 'user', content: [{ text: 'b' }] }))).toBe(false);
  });
});

describe('insertUserText', () => {
  /** User and assistant turns in alternation; a user turn answers the calls before it. */
  const turns = fc.array(
    fc.record({
      said: fc.array(fc.oneof(text, fc.constant(cachePoint)), { minLength: 1, maxLength: 3 }),
      call: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  );
  const raws = turns.chain((list) => {
    const messages = list.map(({ said, call }, index) => {
      const isUser = index % 2 === 0;
      const answers = isUser && index > 0 && list[index - 1]?.call === true;
      const result = { toolResult: { toolUseId: `t${index - 1}`, content: [{ text: 'x' }] } };
      const use = { toolUse: { toolUseId: `t${index}`, name: 'f', input: {} } };
      return {
        role: isUser ? 'user' : 'assistant',
        content: [...(answers ? [result] : []), ...said, ...(!isUser && call ? [use] : [])],
      };
    });
    return fc.tuple(...messages.map((value) => spelledAs(fc.constant(value))));
  });

  test('roles alternate, blocks keep their bytes and their order, and the text stands at the cut', () => {
    fc.assert(
      fc.property(raws, fc.nat(8), fc.nat(8), (list, first, second) => {
        const table = new MessageTable();
        const messages = list.map((raw) => bedrock.parseMessage(raw, table));
        const from = first % (messages.length + 1);
        const to = Math.max(from, second % (messages.length + 1));
        const before = messages.slice(0, from);
        const after = messages.slice(to);
        const written = bedrock.insertUserText(before, 'the summary', after, table);
        const roles = written.map(({ role }) => role);
        // Between two user turns there was an assistant, and neighbours of the cut are joined.
        const seam = before.at(-1)?.role === 'assistant' && after[0]?.role === 'assistant';
        expect(roles.some((role, index) => role === roles[index - 1])).toBe(false);
        if (seam) expect(written).toHaveLength(before.length + 1 + after.length);
        const inserted = '{"text":"the summary"}';
        const blocks = written.flatMap(({ raw }) => blockTexts(raw));
        const old = [...before, ...after].flatMap(({ raw }) => blockTexts(raw));
        expect(blocks.filter((value) => value !== inserted)).toEqual(old);
        expect(blocks).toHaveLength(old.length + 1);
        const earlier = before.flatMap(({ raw }) => blockTexts(raw)).length;
        const results = after[0]?.blocks.findIndex(({ kind }) => kind !== 'tool-result') ?? 0;
        const isJoined = before.at(-1)?.role !== 'user' && after[0]?.role === 'user';
        expect(blocks.indexOf(inserted)).toBe(earlier + (isJoined ? results : 0));
        // What is not joined is the same object.
        const kept = written.filter((value) => messages.includes(value)).length;
        expect(kept).toBeGreaterThanOrEqual(written.length - 1);
      }),
      { numRuns: 300 },
    );
  });

  test('a text behind the first user turn joins it and the turn that follows', () => {
    const table = new MessageTable();
    const a = bedrock.parseMessage('{"role":"user","content":[ {"text": "a"} ], "x": 1}', table);
    const b = bedrock.parseMessage(
      '{"content":[{ "text":"b" } , {"text":"c"}],"role":"user"}',
      table,
    );
    const [joined, ...more] = bedrock.insertUserText([a], 's', [b], table);
    expect(more).toEqual([]);
    expect(joined?.raw).toBe(
      '{"role":"user","content":[ {"text": "a"},{"text":"s"},{ "text":"b" },{"text":"c"} ], "x": 1}',
    );
  });
});

describe('replaceResult', () => {
  test('replaces the text of one result; its media and all other blocks keep their bytes', () => {
    const values = fc
      .tuple(fc.array(block, { maxLength: 2 }), toolResult, fc.array(block, { maxLength: 2 }))
      .map(([before, result, after]) => ({
        index: before.length,
        value: { role: 'user', content: [...before, result, ...after] },
      }));
    const spelled = values.chain(({ index, value }) =>
      fc.tuple(fc.constant(index), spelledAs(fc.constant(value))),
    );
    fc.assert(
      fc.property(spelled, wireText, ([index, raw], written) => {
        const table = new MessageTable();
        const before = bedrock.parseMessage(raw, table);
        const after = bedrock.replaceResult(before, index, written, table);
        const [old, now] = [before.blocks[index], after.blocks[index]];
        expect(now).toMatchObject({ kind: 'tool-result', texts: [written] });
        if (old?.kind === 'tool-result') {
          expect(now).toMatchObject({ id: old.id, media: old.media, isError: old.isError });
        }
        const others = (value: Message) => blockTexts(value.raw).filter((_, at) => at !== index);
        expect(others(after)).toEqual(others(before));
      }),
      { numRuns: 300 },
    );
  });

  test('of a result with one text only that string changes', () => {
    const value = wireText.map((old) => ({
      role: 'user',
      content: [{ toolResult: { toolUseId: 'a', content: [{ text: old }] } }],
    }));
    fc.assert(
      fc.property(spelledAs(value), wireText, (raw, written) => {
        const table = new MessageTable();
        const after = bedrock.replaceResult(bedrock.parseMessage(raw, table), 0, written, table);
        const place = ['content', 0, 'toolResult', 'content', 0, 'text'];
        expect(after.raw).toBe(withValueAt(raw, place, JSON.stringify(written)));
      }),
    );
  });

  test('a result without content gets one', () => {
    const table = new MessageTable();
    const raw = '{"role":"user","content":[{"toolResult":{"toolUseId":"a"}}]}';
    const after = bedrock.replaceResult(bedrock.parseMessage(raw, table), 0, 'x', table);
    expect(after.blocks).toMatchObject([{ id: 'a', texts: ['x'] }]);
  });
});

describe('write', () => {
  test('results and text are blocks of one user turn', () => {
    const table = new MessageTable();
    const result = {
      kind: 'tool-result',
      id: 'a',
      texts: ['x'],
      media: [],
      isError: true,
    } as const;
    const written = bedrock.write('user', [result, { kind: 'text', text: 'go on' }], table);
    expect(written.map(({ raw }) => JSON.parse(raw))).toEqual([
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'a', content: [{ text: 'x' }], status: 'error' } },
          { text: 'go on' },
        ],
      },
    ]);
  });

  test('arguments that are no object are wrapped', () => {
    const table = new MessageTable();
    const calls = ['{"n": 1.0}', '[1]', 'cut {', ''].map(
      (text) => ({ kind: 'tool-call', id: 'a', name: 'f', arguments: text }) as const,
    );
    const [written] = bedrock.write('assistant', calls, table);
    expect(written?.blocks).toMatchObject([
      { arguments: '{"n": 1.0}' },
      { arguments: '{"input":"[1]"}' },
      { arguments: '{"input":"cut {"}' },
      { arguments: '{}' },
    ]);
  });
});
