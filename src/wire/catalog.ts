import type { DialectName } from '../transcript/message.ts';
import { anthropic } from './anthropic.ts';
import type { Dialect } from './dialect.ts';
import { openaiChat } from './openai-chat.ts';

/** The dialects that can be read and written. */
const dialects: Partial<Record<DialectName, Dialect>> = {
  anthropic,
  'openai-chat': openaiChat,
};

/** @throws Error for a dialect that this build cannot read: readers never produce one. */
export function dialectOf(name: DialectName): Dialect {
  const dialect = dialects[name];
  if (dialect === undefined) throw new Error(`no dialect ${name}`);
  return dialect;
}
