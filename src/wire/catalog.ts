import type { DialectName } from '../transcript/message.ts';
import { anthropic } from './anthropic.ts';
import { bedrock } from './bedrock.ts';
import type { Dialect } from './dialect.ts';
import { gemini } from './gemini.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

/** The dialects that can be read and written. */
const dialects: { readonly [Name in DialectName]: Dialect } = {
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  gemini,
  bedrock,
};

export function dialectOf(name: DialectName): Dialect {
  return dialects[name];
}
