import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ShapeMode } from '../../src/shape/rule.ts';
import { validate } from '../../src/shape/validate.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { Block, DialectName, Message, ToolCall } from '../../src/transcript/message.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import { translate } from '../../src/wire/translate.ts';
import { onWire, type Step, steps } from './neutral-steps.ts';
import {
  absent,
  hasShared,
  shapeCases,
  transcriptFile,
  transcriptFiles,
  transcriptLines,
} from './shared-files.ts';
import { PIXEL } from './wire-text.ts';

const dialects: readonly DialectName[] = [
  'anthropic',
  'openai-chat',
  'openai-responses',
  'gemini',
  'bedrock',
];
const pairs = dialects.flatMap((from) =>
  dialects.filter((to) => to !== from).map((to) => [from, to] as const),
);

function errors(dialect: DialectName, messages: readonly Message[], mode: ShapeMode = 'sendable') {
  const context = dialect === 'gemini' ? { model: 'gemini-3-pro' } : {};
  return validate({ dialect, messages, context }, { mode }).filter(
    ({ severity }) => severity === 'error',
  );
}

/** Without the context: a recorded Gemini list may be older than signatures. */
function errorsOfSource(
  from: DialectName,
  messages: readonly Message[],
  mode: ShapeMode = 'sendable',
) {
  return validate({ dialect: from, messages }, { mode }).filter(
    ({ severity }) => severity === 'error',
  );
}

function blocksOf(messages: readonly Message[]): Block[] {
  return messages.flatMap(({ blocks }) => blocks);
}

function callsOf(messages: readonly Message[]): ToolCall[] {
  return blocksOf(messages).flatMap((block) =>
    block.kind === 'tool-call' && block.server !== true ? [block] : [],
  );
}

function read(dialect: DialectName, list: readonly object[]) {
  const table = new MessageTable();
  const messages = dialectOf(dialect).parseList(JSON.stringify(list), table);
  return {
    into: (to: DialectName) => {
      const translation = translate(messages, dialect, to, table);
      return {
        ...translation,
        list: translation.messages.map(({ raw }) => JSON.parse(`[${raw}]`)),
      };
    },
  };
}

describe.each(pairs)('%s → %s', (from, to) => {
  test('a valid list is valid, and an exchange that is under way stays so', () => {
    fc.assert(
      fc.property(steps, fc.nat(3), (list, cut) => {
        const table = new MessageTable();
        const messages = onWire(from, list, table);
        expect(errorsOfSource(from, messages)).toEqual([]);
        expect(errors(to, translate(messages, from, to, table).messages)).toEqual([]);
        const open = messages.slice(0, messages.length - cut);
        fc.pre(open.length > 0 && errorsOfSource(from, open, 'prefix').length === 0);
        expect(errors(to, translate(open, from, to, table).messages, 'prefix')).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('calls, results and what was said are all there, under ids that occur once', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const table = new MessageTable();
        const messages = onWire(from, list, table);
        const { messages: written, system = '' } = translate(messages, from, to, table);
        const before = callsOf(messages);
        const after = callsOf(written);
        expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name));
        expect(after.map((call) => JSON.parse(call.arguments))).toEqual(
          before.map((call) => JSON.parse(call.arguments)),
        );
        if (to !== 'gemini') expect(new Set(after.map(({ id }) => id)).size).toBe(after.length);
        const said = `${system}\n${blocksOf(written)
          .flatMap((block) =>
            block.kind === 'text' ? [block.text] : block.kind === 'tool-result' ? block.texts : [],
          )
          .join('\n')}`;
        for (const block of blocksOf(messages)) {
          const texts =
            block.kind === 'text' ? [block.text] : block.kind === 'tool-result' ? block.texts : [];
          for (const text of texts) expect(said).toContain(text.trim());
        }
      }),
      { numRuns: 30 },
    );
  });

  test('each result says what the result of that call said', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const table = new MessageTable();
        const tagged = list.map(
          (step, index): Step =>
            step.kind === 'exchange'
              ? {
                  ...step,
                  calls: step.calls.map((call, at) => ({
                    ...call,
                    path: `${index}.${at}`,
                    result: `of ${index}.${at}`,
                    image: false,
                  })),
                }
              : step,
        );
        const messages = onWire(from, tagged, table);
        const { messages: written } = translate(messages, from, to, table);
        for (const [call, text] of answersOf(written, to)) {
          const { path } = JSON.parse(call.arguments);
          // Two calls of one tool on a wire without ids: the recorded order is all there is.
          if (from !== 'gemini') expect(text).toContain(`of ${path}`);
          else expect(text).toContain(`of ${String(path).split('.')[0]}`);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('the same list gives the same bytes, and a longer one begins with them', () => {
    fc.assert(
      fc.property(steps, steps, (list, more) => {
        const written = (value: readonly Step[]) => {
          const table = new MessageTable();
          return translate(onWire(from, value, table), from, to, table).messages.map(
            ({ raw }) => raw,
          );
        };
        const shorter = written(list);
        expect(written(list)).toEqual(shorter);
        // The last message may be joined with what follows.
        expect(written([...list, ...more]).slice(0, shorter.length - 1)).toEqual(
          shorter.slice(0, -1),
        );
      }),
      { numRuns: 20 },
    );
  });
});

/** Calls with the text of their results, by id, or on Gemini by position. */
function answersOf(messages: readonly Message[], dialect: DialectName): [ToolCall, string][] {
  const calls = callsOf(messages);
  const results = blocksOf(messages).flatMap((block) =>
    block.kind === 'tool-result' && block.server !== true ? [block] : [],
  );
  expect(results).toHaveLength(calls.length);
  return calls.map((call, index) => {
    const byId = results.find(({ id }) => id === call.id);
    const result = dialect === 'gemini' ? results[index] : byId;
    return [call, result?.texts.join('\n') ?? 'no result'];
  });
}

test.each(dialects)('%s into itself is the same messages', (dialect) => {
  const messages = onWire(dialect, [{ kind: 'user', text: 'a', image: true }]);
  const translated = translate(messages, dialect, dialect, new MessageTable());
  expect(translated.messages).toBe(messages);
  expect(translated.notes).toEqual([]);
});

describe('what a target asks for', () => {
  test('Bedrock: neighbours of one role are one message, and the first is a user turn', () => {
    const { list } = read('openai-chat', [
      { role: 'assistant', content: 'hello' },
      { role: 'assistant', content: 'again' },
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
    ]).into('bedrock');
    expect(list.flat()).toEqual([
      { role: 'user', content: [{ text: '(start of the conversation)' }] },
      { role: 'assistant', content: [{ text: 'hello' }, { text: 'again' }] },
      { role: 'user', content: [{ text: 'a' }, { text: 'b' }] },
    ]);
  });

  test.each(['anthropic', 'gemini', 'bedrock'] as const)(
    '%s: leading system messages stand apart, a later one is said by the user',
    (to) => {
      const { list, system } = read('openai-chat', [
        { role: 'system', content: 'be' },
        { role: 'developer', content: 'kind' },
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
        { role: 'system', content: 'now' },
        { role: 'user', content: 'c' },
      ]).into(to);
      expect(system).toBe('be\n\nkind');
      expect(JSON.stringify(list)).toContain('"[system] now"');
      expect(JSON.stringify(list)).not.toContain('"role":"system"');
    },
  );

  test('ids that repeat are renamed in both halves, and ids that are refused too', () => {
    const turn = (id: string, content: string) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: id, content },
    ];
    const { list, notes } = read('openai-chat', [
      { role: 'user', content: 'a' },
      ...turn('call.1', 'first'),
      ...turn('call.1', 'second'),
      ...turn('y'.repeat(80), 'third'),
    ]).into('anthropic');
    const results = list
      .flat()
      .filter(({ role }) => role === 'user')
      .slice(1);
    expect(results.map(({ content }) => [content[0].tool_use_id, content[0].content])).toEqual([
      ['call_1', 'first'],
      ['call_1_2', 'second'],
      [expect.stringMatching(/^y{47}_[0-9a-f]{16}$/), 'third'],
    ]);
    expect(notes).toContain('tool ids renamed: 3');
  });

  test('a result far from its call moves to it, and what was said between comes after', () => {
    const { list } = read('openai-responses', [
      { role: 'user', content: 'a' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { role: 'user', content: 'wait' },
      { type: 'function_call_output', call_id: 'c', output: 'x' },
    ]).into('openai-chat');
    expect(list.flat().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  });

  test('Gemini: responses stand in the order of the calls and carry their names', () => {
    const call = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} });
    const result = (id: string, content: string) => ({
      type: 'tool_result',
      tool_use_id: id,
      content,
    });
    const { list } = read('anthropic', [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [call('1', 'f'), call('2', 'g')] },
      { role: 'user', content: [result('2', 'of g'), result('1', 'of f')] },
    ]).into('gemini');
    expect(list.flat()[2].parts).toEqual([
      { functionResponse: { name: 'f', response: { output: 'of f' } } },
      { functionResponse: { name: 'g', response: { output: 'of g' } } },
    ]);
  });

  test('a result without a call is said by the user', () => {
    const { list, notes } = read('openai-chat', [
      { role: 'user', content: 'a' },
      { role: 'tool', tool_call_id: 'gone', content: 'x' },
    ]).into('anthropic');
    expect(list.flat()[1]).toEqual({ role: 'user', content: '[tool result] x' });
    expect(notes).toEqual(['results without a call written as text: 1']);
  });

  test('a call that nobody answered stays', () => {
    const { list } = read('anthropic', [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'f', input: { n: 1 } }] },
    ]).into('openai-chat');
    expect(list.flat()[1].tool_calls[0]).toMatchObject({
      id: '1',
      function: { arguments: '{"n":1}' },
    });
  });

  test('blank texts go, and a message of nothing else says so', () => {
    const { list } = read('openai-chat', [
      {
        role: 'user',
        content: [
          { type: 'text', text: ' \n' },
          { type: 'text', text: 'a' },
        ],
      },
      { role: 'assistant', content: '' },
      { role: 'user', content: ' ' },
    ]).into('bedrock');
    expect(list.flat().map(({ content }) => content)).toEqual([
      [{ text: 'a' }],
      [{ text: '(empty)' }],
      [{ text: '(empty)' }],
    ]);
  });

  test('blank texts of a result go, and where it may not be empty it says so', () => {
    const call = { type: 'function_call', name: 'f', arguments: '{}' };
    const parts = (...said: string[]) => said.map((text) => ({ type: 'input_text', text }));
    const results = read('openai-responses', [
      { role: 'user', content: 'a' },
      { ...call, call_id: '1' },
      { ...call, call_id: '2' },
      { type: 'function_call_output', call_id: '1', output: parts(' ', 'x', '') },
      { type: 'function_call_output', call_id: '2', output: ' ' },
    ]);
    const contents = (to: DialectName) => results.into(to).list.flat()[2].content;
    expect(contents('anthropic')).toMatchObject([{ content: 'x' }, { content: '' }]);
    expect(contents('bedrock')).toMatchObject([
      { toolResult: { content: [{ text: 'x' }] } },
      { toolResult: { content: [{ text: '(empty)' }] } },
    ]);
  });

  test('a result answers the latest call of its id, also where an earlier one got none', () => {
    const called = { role: 'assistant', content: null };
    const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const { list } = read('openai-chat', [
      { role: 'user', content: 'a' },
      { ...called, tool_calls: calls },
      { role: 'user', content: 'stopped' },
      { ...called, tool_calls: calls },
      { role: 'tool', tool_call_id: 'c', content: 'x' },
    ]).into('anthropic');
    expect(list.flat().at(-1)).toMatchObject({ content: [{ tool_use_id: 'c_2' }] });
    expect(list).toHaveLength(5);
  });

  test('what an assistant said beside its calls stands before them', () => {
    const { list } = read('openai-responses', [
      { role: 'user', content: 'a' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'message', role: 'assistant', content: 'waiting' },
      { type: 'function_call_output', call_id: 'c', output: 'x' },
    ]).into('anthropic');
    expect(list.flat()[1].content.map(({ type }: { type: string }) => type)).toEqual([
      'text',
      'tool_use',
    ]);
  });
});

describe('what a target cannot carry', () => {
  const signed = { type: 'thinking', thinking: 'why', signature: 's' };
  const redacted = { type: 'redacted_thinking', data: 'd' };
  const thinking = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: [signed, redacted, { type: 'text', text: 'so' }] },
    { role: 'user', content: 'b' },
  ];

  test('signed thinking goes between Anthropic and Bedrock, and comes back as it was', () => {
    const table = new MessageTable();
    const messages = dialectOf('anthropic').parseList(JSON.stringify(thinking), table);
    const there = translate(messages, 'anthropic', 'bedrock', table);
    expect(JSON.parse(there.messages[1]?.raw ?? '').content).toEqual([
      { reasoningContent: { reasoningText: { text: 'why', signature: 's' } } },
      { reasoningContent: { redactedContent: 'd' } },
      { text: 'so' },
    ]);
    const back = translate(there.messages, 'bedrock', 'anthropic', table);
    expect(JSON.parse(back.messages[1]?.raw ?? '').content).toEqual([
      signed,
      redacted,
      { type: 'text', text: 'so' },
    ]);
  });

  test.each(['openai-chat', 'openai-responses', 'gemini'] as const)(
    'no thinking goes to %s',
    (to) => {
      const { list, notes } = read('anthropic', thinking).into(to);
      expect(JSON.stringify(list)).not.toContain('why');
      expect(notes).toEqual(['thinking left out: 2']);
    },
  );

  test('a final turn does not end in thinking', () => {
    const reasoning = { reasoningContent: { reasoningText: { text: 'why', signature: 's' } } };
    const { list } = read('bedrock', [
      { role: 'user', content: [{ text: 'a' }] },
      { role: 'assistant', content: [{ text: 'so' }, reasoning] },
    ]).into('anthropic');
    expect(list.flat()[1]).toEqual({ role: 'assistant', content: 'so' });
  });

  test('the provider’s own tools become text', () => {
    const { list } = read('anthropic', [
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
          {
            type: 'web_search_tool_result',
            tool_use_id: 's',
            content: [{ type: 'web_search_result', title: 'found', url: 'https://a' }],
          },
        ],
      },
      { role: 'user', content: 'b' },
    ]).into('openai-chat');
    expect(list.flat()[1].content).toBe('[web_search] {"query":"q"}\n[result]\nfound\nhttps://a');
  });

  test('an image goes to every wire, one in an error follows it where errors are text', () => {
    const image = { image: { format: 'png', source: { bytes: PIXEL } } };
    const failed = { toolUseId: 't', content: [{ text: 'no' }, image], status: 'error' };
    const conversation = read('bedrock', [
      { role: 'user', content: [{ text: 'a' }, image] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'f', input: {} } }] },
      { role: 'user', content: [{ toolResult: failed }] },
    ]);
    for (const to of ['anthropic', 'openai-chat', 'openai-responses', 'gemini'] as const) {
      expect(JSON.stringify(conversation.into(to).list).split(PIXEL)).toHaveLength(3);
    }
    const results = conversation.into('anthropic').list.flat().slice(2);
    expect(results.map(({ content }) => content[0].type)).toEqual(['tool_result', 'image']);
  });

  test('other media are named in a text', () => {
    const { list, notes } = read('gemini', [
      { role: 'user', parts: [{ fileData: { mimeType: 'video/mp4', fileUri: 'gs://a' } }] },
    ]).into('anthropic');
    expect(list.flat()).toEqual([{ role: 'user', content: '[video video/mp4 gs://a]' }]);
    expect(notes).toEqual(['media written as text: 1']);
  });

  test('over twenty images none is larger than Anthropic takes', () => {
    const wide = Buffer.from(PIXEL, 'base64');
    wide.writeUInt32BE(3000, 16);
    const parts = Array.from({ length: 21 }, (_, index) => ({
      inlineData: { mimeType: 'image/png', data: index === 0 ? wide.toString('base64') : PIXEL },
    }));
    const { list } = read('gemini', [{ role: 'user', parts }]).into('anthropic');
    const types = list.flat()[0].content.map(({ type }: { type: string }) => type);
    expect(types).toEqual(['text', ...Array.from({ length: 20 }, () => 'image')]);
  });
});

describe.skipIf(!hasShared)(`the shared recordings${absent}`, () => {
  function expectValid(from: DialectName, list: string, mode: ShapeMode): boolean {
    const table = new MessageTable();
    const messages = dialectOf(from).parseList(list, table);
    if (errorsOfSource(from, messages, mode).length > 0) return false;
    for (const to of dialects) {
      if (to === from) continue;
      expect(errors(to, translate(messages, from, to, table).messages, mode)).toEqual([]);
    }
    return true;
  }

  test('shape cases', () => {
    const isDialect = (name: string): name is DialectName =>
      dialects.some((known) => known === name);
    let valid = 0;
    for (const { provider, list, mode } of shapeCases()) {
      if (isDialect(provider) && expectValid(provider, list, mode)) valid++;
    }
    expect(valid).toBeGreaterThan(20);
  });

  test('openai-chat: tau-bench', () => {
    const [file = ''] = transcriptFiles('tau-bench', '.json');
    const recorded = transcriptFile(file);
    const trajectories = Array.isArray(recorded) ? recorded : [];
    const valid = trajectories.filter(({ traj }) =>
      expectValid('openai-chat', JSON.stringify(traj), 'prefix'),
    );
    expect(valid.length).toBeGreaterThan(150);
  });

  test('openai-responses: codex rollouts', () => {
    const valid = transcriptFiles('codex-rollout', '.jsonl').filter((file) => {
      const items = transcriptLines(file).flatMap((line) => {
        if (typeof line !== 'object' || line === null || !('type' in line)) return [];
        return line.type === 'response_item' && 'payload' in line ? [line.payload] : [];
      });
      return expectValid('openai-responses', JSON.stringify(items), 'prefix');
    });
    expect(valid.length).toBeGreaterThan(2);
  });
});
