import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeCuts } from '../../src/transcript/exchanges.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import { type Message, sameMessage } from '../../src/transcript/message.ts';
import { gemini } from '../../src/wire/gemini.ts';
import { absent, hasShared, shapeCases } from './shared-files.ts';
import {
  PIXEL,
  spelledAs,
  unknownMembers,
  wireArguments,
  wireText,
  withValueAt,
} from './wire-text.ts';

const name = fc.constantFrom('read_file', 'shell');
const signature = fc.option(fc.constantFrom('sig1', 'sig2'), { nil: undefined });
const image = { inlineData: { mimeType: 'image/png', data: PIXEL } };

const response = fc.oneof(
  wireText.map((output) => ({ output })),
  wireText.map((result) => ({ exit: 0, result })),
  wireText.map((error) => ({ error })),
  wireArguments,
);

const part = fc.oneof(
  fc.record({ text: wireText, thoughtSignature: signature }),
  wireText.map((text) => ({ text, thought: true })),
  fc.record({
    functionCall: fc.record({ name, args: wireArguments }),
    thoughtSignature: signature,
  }),
  fc.record({ functionResponse: fc.record({ name, response }) }),
  fc.constant(image),
  fc.constant({ fileData: { mimeType: 'application/pdf', fileUri: 'gs://a/b.pdf' } }),
  fc.constant({ executableCode: { language: 'PYTHON', code: 'print(1)' } }),
  fc.constant({ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }),
  unknownMembers,
);

const content = fc
  .tuple(
    fc.record({
      role: fc.constantFrom('user', 'model', 'function', undefined),
      parts: fc.array(part, { maxLength: 4 }),
    }),
    unknownMembers,
  )
  .map(([value, more]) => ({ ...value, ...more }));

function read(value: object): Message {
  return gemini.parseMessage(JSON.stringify(value), new MessageTable());
}

describe('bytes', () => {
  test('what is not rewritten is written back as it was read', () => {
    const body = fc.array(content, { maxLength: 6 }).map((contents) => ({
      systemInstruction: { parts: [{ text: 'be' }] },
      contents,
      generationConfig: { temperature: 0 },
    }));
    fc.assert(
      fc.property(spelledAs(body), (text) => {
        const { messages, envelope } = gemini.parse(text, new MessageTable());
        expect(gemini.encode(messages, envelope)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test(`the lists of the shape cases come back unchanged${absent}`, () => {
    if (!hasShared) return;
    const cases = shapeCases().filter(({ provider }) => provider === 'gemini');
    expect(cases.length).toBeGreaterThan(1);
    for (const { list } of cases) {
      const body = `{"contents" : ${list}, "tools":[]}`;
      const { messages, envelope } = gemini.parse(body, new MessageTable());
      expect(gemini.encode(messages, envelope)).toBe(body);
    }
  });
});

describe('messages', () => {
  test('each part is one block', () => {
    fc.assert(
      fc.property(spelledAs(content), (raw) => {
        const { blocks } = gemini.parseMessage(raw, new MessageTable());
        expect(blocks).toHaveLength(JSON.parse(raw).parts.length);
      }),
    );
  });

  test.each([
    [{ text: 'a' }, { kind: 'text', text: 'a' }],
    [
      { text: 'why', thought: true },
      { kind: 'thinking', text: 'why' },
    ],
    [{ thoughtSignature: 's' }, { kind: 'thinking', text: '', signature: 's' }],
    [image, { kind: 'media', type: 'image', width: 1, height: 1, data: PIXEL }],
    [
      { fileData: { mimeType: 'video/mp4', fileUri: 'gs://a' } },
      { kind: 'media', type: 'video', reference: 'gs://a' },
    ],
    [
      { executableCode: { language: 'PYTHON', code: '1' } },
      { kind: 'tool-call', name: 'code_execution', server: true },
    ],
    [
      { codeExecutionResult: { outcome: 'OUTCOME_FAILED', output: 'x' } },
      { kind: 'tool-result', texts: ['x'], isError: true, server: true },
    ],
    [{ x_host: 1 }, { kind: 'other', type: 'x_host' }],
  ])('%j', (value, block) => {
    expect(read({ role: 'model', parts: [value] }).blocks).toMatchObject([block]);
  });

  test('a call keeps the text of its arguments, and has its id or else its name', () => {
    const raw =
      '{"role":"model","parts":[{"functionCall":{"name":"f","args":{ "n": 1.0 }}},{"functionCall":{"id":"7","name":"f"}}]}';
    expect(gemini.parseMessage(raw, new MessageTable()).blocks).toEqual([
      { kind: 'tool-call', id: 'f', name: 'f', arguments: '{ "n": 1.0 }' },
      { kind: 'tool-call', id: '7', name: 'f', arguments: '{}' },
    ]);
  });

  test.each([
    [{ output: 'x' }, ['x'], false],
    [{ exit: 0, result: 'x' }, ['x'], false],
    [{ content: 'x' }, ['x'], false],
    [{ error: 'x' }, ['x'], true],
    [{ files: ['a'] }, ['{"files":["a"]}'], false],
  ])('the text of the response %j is %j', (value, texts, isError) => {
    const parts = [{ functionResponse: { name: 'f', response: value } }];
    expect(read({ role: 'user', parts }).blocks).toMatchObject([{ id: 'f', texts, isError }]);
  });

  test('snake case is read as camel case', () => {
    const raw = { role: 'model', parts: [{ function_call: { name: 'f', args: {} } }] };
    expect(read(raw).blocks).toMatchObject([{ kind: 'tool-call', name: 'f' }]);
    const parts = [{ function_response: { name: 'f', response: { output: 'x' } } }];
    const table = new MessageTable();
    const message = gemini.parseMessage(JSON.stringify({ parts }), table);
    expect(gemini.replaceResult(message, 0, 'y', table).raw).toBe(
      JSON.stringify({ parts }).replace('"x"', '"y"'),
    );
    const body = '{"contents":[],"system_instruction":{"parts":[]}}';
    expect(gemini.parse(body, table).envelope.system).toBe('{"parts":[]}');
  });

  test('no cut goes between parallel calls and their responses', () => {
    const call = { functionCall: { name: 'f', args: {} } };
    const answer = { functionResponse: { name: 'f', response: { output: 'x' } } };
    const list = [
      { role: 'user', parts: [{ text: 'a' }] },
      { role: 'model', parts: [call, call] },
      { role: 'user', parts: [answer, answer] },
      { role: 'model', parts: [{ text: 'done' }] },
    ];
    const messages = gemini.parseList(JSON.stringify(list), new MessageTable());
    expect(safeCuts(messages)).toEqual([true, true, false, true, true]);
  });
});

describe('identity', () => {
  test('order of the members of a part does not change a message; a signature does', () => {
    const parts = [{ text: 'a', thoughtSignature: 's' }];
    const turned = [{ thoughtSignature: 's', text: 'a' }];
    const message = read({ role: 'model', parts });
    expect(sameMessage(message, read({ parts: turned, role: 'model' }))).toBe(true);
    expect(sameMessage(message, read({ role: 'model', parts: [{ text: 'a' }] }))).toBe(false);
  });
});

describe('replaceResult', () => {
  const place = (value: object, index: number): readonly (string | number)[] => {
    const at = ['parts', index, 'functionResponse', 'response'];
    const key = ['output', 'result', 'content', 'error'].find(
      (candidate) => typeof Object.getOwnPropertyDescriptor(value, candidate)?.value === 'string',
    );
    return key === undefined ? at : [...at, key];
  };

  test('replaces the string in the response, or the response that has none, and no other byte', () => {
    const message = fc
      .tuple(fc.array(part, { maxLength: 2 }), name, response)
      .map(([before, tool, value]) => ({
        role: 'user',
        parts: [...before, { functionResponse: { name: tool, response: value } }],
      }));
    fc.assert(
      fc.property(spelledAs(message), wireText, (raw, text) => {
        const table = new MessageTable();
        const { parts } = JSON.parse(raw);
        const index = parts.length - 1;
        const steps = place(parts[index].functionResponse.response, index);
        const replaced = gemini.replaceResult(gemini.parseMessage(raw, table), index, text, table);
        const written = JSON.stringify(text);
        expect(replaced.raw).toBe(
          withValueAt(raw, steps, steps.length === 5 ? written : `{"output":${written}}`),
        );
        expect(replaced.blocks[index]).toMatchObject({ kind: 'tool-result', texts: [text] });
      }),
      { numRuns: 300 },
    );
  });

  test('a response that is missing is added, and a server tool’s stays', () => {
    const table = new MessageTable();
    const raw =
      '{"parts":[{"functionResponse":{"name":"f"}},{"codeExecutionResult":{"output":"x"}}]}';
    const message = gemini.parseMessage(raw, table);
    expect(gemini.replaceResult(message, 0, 'y', table).blocks[0]).toMatchObject({ texts: ['y'] });
    expect(gemini.replaceResult(message, 1, 'y', table)).toBe(message);
  });
});

describe('write', () => {
  test('the first call of a step is signed, the others are not', () => {
    const table = new MessageTable();
    const call = { kind: 'tool-call', id: 'a', name: 'f', arguments: '{"n": 1}' } as const;
    const [message] = gemini.write('assistant', [{ kind: 'text', text: 'so' }, call, call], table);
    expect(JSON.parse(message?.raw ?? '')).toEqual({
      role: 'model',
      parts: [
        { text: 'so' },
        {
          functionCall: { name: 'f', args: { n: 1 } },
          thoughtSignature: 'skip_thought_signature_validator',
        },
        { functionCall: { name: 'f', args: { n: 1 } } },
      ],
    });
  });

  test('responses carry the names of their tools and stand alone', () => {
    const table = new MessageTable();
    const result = { kind: 'tool-result', texts: ['x'], media: [], isError: false } as const;
    const written = gemini.write(
      'user',
      [
        { ...result, id: 'a' },
        { kind: 'text', text: 'go on' },
      ],
      table,
      new Map([['a', 'f']]),
    );
    expect(written.map(({ raw }) => JSON.parse(raw))).toEqual([
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'x' } } }] },
      { role: 'user', parts: [{ text: 'go on' }] },
    ]);
  });
});
