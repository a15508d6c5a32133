import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CapturedRequest } from '../../src/recordings/captured.ts';
import { PrefixIndex } from '../../src/recordings/prefix-index.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import { commonPrefix } from '../../src/transcript/message.ts';
import { anthropic } from '../../src/wire/anthropic.ts';

test('goesOn tells what a comparison with every later request would', () => {
  const lists = fc.array(fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 10,
  });
  fc.assert(
    fc.property(lists, (texts) => {
      const table = new MessageTable();
      const requests = texts.map((list): CapturedRequest => {
        const messages = list.map((text) => anthropic.userText(text, table));
        const envelope = { head: '', separator: ',', tail: '' };
        return { file: 'x', dialect: 'anthropic', messages, envelope };
      });
      const index = new PrefixIndex(requests);
      for (const { messages } of requests) {
        for (let position = 0; position < requests.length; position++) {
          const later = requests.slice(position + 1);
          const expected = later.some(
            (other) => commonPrefix(messages, other.messages) === messages.length,
          );
          expect(index.goesOn(messages, position)).toBe(expected);
        }
      }
    }),
  );
});
