import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countTokens } from '../../src/text/tokens.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import {
  type Counting,
  listTokens,
  messageCounter,
  messageTokens,
  type ThinkingKept,
} from '../../src/transcript/message-tokens.ts';
import { conversations } from '../support/conversations.ts';
import { conversation, parseRaws, type Step, withCacheMark } from '../support/wire-steps.ts';

const counting = (thinking: ThinkingKept, tokenizer: Counting['tokenizer'] = 'o200k_base') =>
  ({ tokenizer, dialect: 'anthropic', thinking }) satisfies Counting;

const thoughtful: readonly Step[] = [
  { kind: 'user', text: 'first question' },
  { kind: 'assistant', text: 'answer', thinking: 'early thoughts of mine' },
  { kind: 'user', text: 'second question' },
  {
    kind: 'exchange',
    thinking: 'late thoughts about the call',
    calls: [{ id: 'x', name: 'read', input: '{"path": "a"}', result: 'the file' }],
  },
];

describe('listTokens', () => {
  const early = countTokens('early thoughts of mine');
  const late = countTokens('late thoughts about the call');
  const rest = ['first question', 'answer', 'second question', 'read', '{"path": "a"}', 'the file']
    .map((text) => countTokens(text))
    .reduce((sum, tokens) => sum + tokens, 0);

  test.each([
    ['all', early + late],
    ['loop', late],
    ['none', 0],
  ] as const)('thinking: %s', (thinking, thoughts) => {
    const { messages } = conversation('anthropic', thoughtful);
    expect(listTokens(messages, counting(thinking))).toBe(rest + thoughts);
  });

  test('the current loop begins after the last user turn, not at a tool result or a note', () => {
    const { messages } = conversation('anthropic', [
      ...thoughtful,
      { kind: 'note', text: 'note' },
      { kind: 'assistant', text: 'end', thinking: 'last' },
    ]);
    const all = listTokens(messages, counting('all'));
    expect(listTokens(messages, counting('loop'))).toBe(all - early);
  });

  test('without any user turn the loop is the whole list', () => {
    const { messages } = conversation('anthropic', thoughtful.slice(3));
    expect(listTokens(messages, counting('loop'))).toBe(listTokens(messages, counting('all')));
  });

  test('is the sum of its messages, each by its place', () => {
    const kinds = fc.constantFrom<ThinkingKept[]>('all', 'loop', 'none');
    fc.assert(
      fc.property(conversations(), kinds, ({ messages }, thinking) => {
        const tokensOf = messageCounter(messages, counting(thinking));
        // A message that stands before and after the last user turn has two counts.
        fc.pre(new Set(messages).size === messages.length);
        const sum = messages.reduce((total, message) => total + tokensOf(message), 0);
        expect(listTokens(messages, counting(thinking))).toBe(sum);
      }),
    );
  });

  test('grows with what the model keeps, and never with a cache mark or a spelling', () => {
    fc.assert(
      fc.property(conversations(), ({ messages, raws, dialect, table }) => {
        const tokens = (['none', 'loop', 'all'] as const).map((thinking) =>
          listTokens(messages, counting(thinking)),
        );
        expect(tokens).toEqual([...tokens].sort((a, b) => a - b));
        const marked = parseRaws(dialect, raws.map(withCacheMark), table);
        expect(listTokens(marked, counting('all'))).toBe(tokens[2]);
      }),
    );
  });
});

describe('messageTokens', () => {
  test('counts media inside a result by the provider, beside its text', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } };
    const content = [{ type: 'text', text: 'a picture' }, image];
    const raw = JSON.stringify({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'x', content }],
    });
    const [message] = parseRaws('anthropic', [raw], new MessageTable());
    if (message === undefined) throw new Error('no message');
    expect(messageTokens(message, counting('all')).content).toBe(countTokens('a picture') + 1600);
  });

  test('the tokenizers are kept apart', () => {
    const text = 'Grüße aus Köln, 北京 and Ελλάδα';
    const { messages } = conversation('anthropic', [{ kind: 'user', text }]);
    for (const tokenizer of ['o200k_base', 'cl100k_base', 'o200k_base'] as const) {
      expect(listTokens(messages, counting('all', tokenizer))).toBe(countTokens(text, tokenizer));
    }
    expect(countTokens(text, 'o200k_base')).not.toBe(countTokens(text, 'cl100k_base'));
  });
});
