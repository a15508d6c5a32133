import { expect, test } from 'vitest';
import { MessageTable } from '../../src/transcript/intern.ts';
import { dialectOf } from '../../src/wire/catalog.ts';

const message = {
  anthropic: '{"role":"user","content":"a"}',
  'openai-chat': '{"role":"user","content":"a"}',
  'openai-responses': '{"role":"user","content":"a"}',
  gemini: '{"role":"user","parts":[{"text":"a"}]}',
  bedrock: '{"role":"user","content":[{"text":"a"}]}',
} as const;
const names = ['anthropic', 'openai-chat', 'openai-responses', 'gemini', 'bedrock'] as const;

test.each(names)('%s: nothing is no message, and two are not one', (name) => {
  const dialect = dialectOf(name);
  const read = (raw: string) => dialect.parseMessage(raw, new MessageTable());
  expect(read(message[name]).role).toBe('user');
  for (const raw of ['', ' \n']) expect(() => read(raw)).toThrow(/expected a message object/);
  const two = `${message[name]},${message[name]}`;
  // Items of Responses are one message together; which, its list says.
  if (name === 'openai-responses') expect(read(two).raw).toBe(two);
  else expect(() => read(two)).toThrow(/expected a message object/);
});
