import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Conversation, type Turn } from '../../src/recordings/conversation.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { DialectName } from '../../src/transcript/message.ts';

const dialects: readonly DialectName[] = ['anthropic', 'openai-chat', 'gemini', 'bedrock'];
const step = fc.oneof(
  fc.record({ kind: fc.constant('say' as const), text: fc.string({ minLength: 1 }) }),
  fc.record({ kind: fc.constant('answer' as const), text: fc.string({ minLength: 1 }) }),
  fc.record({ kind: fc.constant('result' as const), text: fc.string({ minLength: 1 }) }),
  fc.record({ kind: fc.constant('restart' as const), text: fc.string({ minLength: 1 }) }),
);

test('property: what was sent stays what it was, however the list goes on', () => {
  fc.assert(
    fc.property(fc.constantFrom(...dialects), fc.array(step, { maxLength: 12 }), (name, steps) => {
      const conversation = new Conversation(name, new MessageTable());
      const lists: string[][] = [];
      for (const { kind, text } of steps) {
        const blocks: Turn['blocks'] = [{ kind: 'text', text }];
        const result: Turn['blocks'] = [
          { kind: 'tool-result', id: 'c', texts: [text], media: [], isError: false },
        ];
        if (kind === 'say') conversation.say('user', blocks);
        else if (kind === 'result') conversation.say('tool', result);
        else if (kind === 'restart') conversation.restart([{ role: 'user', blocks }]);
        else {
          lists.push(conversation.messages.map(({ raw }) => raw));
          conversation.answer(blocks, {});
        }
      }
      expect(conversation.requests.map(({ messages }) => messages.map(({ raw }) => raw))).toEqual(
        lists,
      );
      expect(conversation.messages).toBe(conversation.messages);
    }),
    { seed: 9 },
  );
});
