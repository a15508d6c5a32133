import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exchangePlace, safeCuts } from '../../src/transcript/exchanges.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { Block, Message } from '../../src/transcript/message.ts';
import { conversations, untidyConversations } from '../support/conversations.ts';
import { conversation, parseRaws, type Step, wireDialects } from '../support/wire-steps.ts';

/** Pairs of positions (call, result): each result with the latest unanswered call of its id. */
function pairs(messages: readonly Message[]): [number, number][] {
  const found: [number, number][] = [];
  const used = new Set<Block>();
  for (const [index, message] of messages.entries()) {
    for (const result of message.blocks) {
      if (result.kind !== 'tool-result') continue;
      const callers = messages
        .slice(0, index)
        .flatMap((earlier, position) =>
          earlier.blocks
            .filter((block) => block.kind === 'tool-call' && block.id === result.id)
            .map((block) => ({ key: `${position}`, position, block })),
        );
      const caller = callers.findLast(({ block }) => !used.has(block));
      if (caller === undefined) continue;
      used.add(caller.block);
      found.push([caller.position, index]);
    }
  }
  return found;
}

describe('safeCuts', () => {
  test.each([false, true])(
    'is exactly what the builder of a conversation knows (repeated ids: %s)',
    (repeatedIds) => {
      fc.assert(
        fc.property(conversations({ repeatedIds, unansweredEnd: true }), (given) => {
          const { messages, exchanges } = given;
          const expected = Array.from({ length: messages.length + 1 }, (_, position) =>
            exchanges.every(({ from, to }) => {
              const isPending = to === from + 1;
              return position <= from || (isPending ? position > to : position >= to);
            }),
          );
          expect(safeCuts(messages)).toEqual(expected);
        }),
      );
    },
  );

  test('no safe cut of any list parts a result from its call', () => {
    fc.assert(
      fc.property(untidyConversations(), ({ messages, table, dialect, raws }) => {
        // Each occurrence as an object of its own, since `pairs` tells blocks apart by identity.
        const copies = parseRaws(dialect, raws, table).map((message) => ({
          ...message,
          blocks: message.blocks.map((block) => ({ ...block })),
        }));
        const safe = safeCuts(messages);
        for (const [call, result] of pairs(copies)) {
          for (let cut = call + 1; cut <= result; cut++) expect(safe[cut]).toBe(false);
        }
        expect(safe).toHaveLength(messages.length + 1);
        expect(safe[0]).toBe(true);
      }),
    );
  });

  const cuts = (steps: readonly Step[], dialect: 'anthropic' | 'openai-chat' = 'anthropic') =>
    safeCuts(conversation(dialect, steps).messages)
      .map((safe) => (safe ? '|' : '.'))
      .join('');
  const ask: Step = { kind: 'user', text: 'go' };

  test('an empty list has one cut, a list without calls all', () => {
    expect(cuts([])).toBe('|');
    expect(cuts([ask, { kind: 'assistant', text: 'a' }, ask])).toBe('||||');
  });

  test('results over several messages belong to one exchange', () => {
    const calls = [
      { id: 'x', result: '1' },
      { id: 'y', result: '2' },
    ];
    expect(cuts([ask, { kind: 'exchange', calls, spread: true }, ask])).toBe('||..||');
    expect(cuts([ask, { kind: 'exchange', calls }, ask], 'openai-chat')).toBe('||..||');
  });

  test('nothing after an unanswered last call is safe, also when a text follows it', () => {
    const pending: Step = { kind: 'exchange', calls: [{ id: 'x' }] };
    expect(cuts([ask, pending])).toBe('||.');
    expect(cuts([ask, pending, { kind: 'assistant', text: 'waiting' }])).toBe('||..');
  });

  test('neighbouring assistant messages are one turn, whose results may follow them', () => {
    const table = new MessageTable();
    const raws = ['x', 'y'].map(
      (id) =>
        `{"role":"assistant","content":[{"type":"tool_use","id":"${id}","name":"run","input":{}}]}`,
    );
    const results = ['x', 'y'].map(
      (id) => `{"type":"tool_result","tool_use_id":"${id}","content":"ok"}`,
    );
    raws.push(`{"role":"user","content":[${results.join(',')}]}`);
    expect(safeCuts(parseRaws('anthropic', raws, table))).toEqual([true, false, false, true]);
  });

  test('a result that comes late is still tied to its call', () => {
    const table = new MessageTable();
    const { raws } = conversation('openai-chat', [
      { kind: 'exchange', calls: [{ id: 'slow' }] },
      { kind: 'exchange', calls: [{ id: 'fast', result: 'ok' }] },
    ]);
    const late = '{"role":"tool","tool_call_id":"slow","content":"done"}';
    const safe = safeCuts(parseRaws('openai-chat', [...raws, late], table));
    expect(safe).toEqual([true, false, false, false, true]);
  });

  test('calls that the provider runs itself do not count', () => {
    const raw =
      '{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}}]}';
    expect(safeCuts(parseRaws('anthropic', [raw], new MessageTable()))).toEqual([true, true]);
  });
});

describe('exchangePlace', () => {
  test.each(wireDialects)('names call and result apart, by their ids (%s)', (dialect) => {
    const { messages } = conversation(dialect, [
      { kind: 'user', text: 'go' },
      { kind: 'exchange', calls: [{ id: 'x', result: 'first' }] },
      { kind: 'exchange', calls: [{ id: 'x', result: 'second' }] },
      { kind: 'exchange', calls: [{ id: 'y', result: 'first' }] },
    ]);
    const places = messages.map(exchangePlace);
    expect(places[0]).toBeUndefined();
    expect(places[2]).toBe(places[4]);
    expect(new Set(places).size).toBe(5);
  });
});
