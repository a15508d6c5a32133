import type { MessageTable } from '../../../transcript/intern.ts';
import type { Block, DialectName, Message } from '../../../transcript/message.ts';
import type { Envelope, Usage } from '../../../transcript/transcript.ts';
import { dialectOf } from '../../../wire/catalog.ts';
import { isObject } from '../../../wire/json-object.ts';
import { contentBlocks, toolCall, toolResult } from '../../content-parts.ts';
import { Conversation } from '../../conversation.ts';
import { hasSystemApart, writeEnvelope } from '../../written-envelope.ts';
import type { SampleCall, SampleMessage } from './sample.ts';

/**
 * The wire of a call: that of the provider before the model's name, `openai-chat` for any that speaks
 * it; the request that was logged tells OpenAI's two apart.
 */
export function dialectOfCall({ model, call }: SampleCall): DialectName {
  const provider = (model ?? '').split('/')[0];
  if (provider === 'anthropic') return 'anthropic';
  if (provider === 'google') return 'gemini';
  if (provider === 'bedrock') return 'bedrock';
  const request = isObject(call?.request) ? call.request : {};
  return provider === 'openai' && 'input' in request && !('messages' in request)
    ? 'openai-responses'
    : 'openai-chat';
}

export interface Written {
  readonly messages: readonly Message[];
  readonly envelope: Envelope;
}

/** A list of the log's messages, with the tools that were declared, as the wire has them. */
export function writeRequest(
  list: readonly SampleMessage[],
  tools: SampleCall['tools'],
  model: string | undefined,
  dialect: DialectName,
  table: MessageTable,
): Written {
  const isApart = hasSystemApart(dialect);
  const lead = isApart ? list.findIndex(({ role }) => role !== 'system') : 0;
  const apart = list.slice(0, lead < 0 ? list.length : lead);
  const conversation = new Conversation(dialect, table);
  for (const message of list.slice(apart.length)) {
    const isLate = isApart && message.role === 'system';
    conversation.say(isLate ? 'user' : message.role, blocksOf(message, dialect));
  }
  const system = apart.map(({ content }) => textOf(content)).join('\n\n');
  const head = {
    model,
    system: system === '' ? undefined : system,
    tools: tools?.map(({ name, description, parameters }) => ({
      name,
      description: typeof description === 'string' ? description : undefined,
      parameters,
    })),
  };
  const envelope = writeEnvelope(dialect, head, table) ?? emptyEnvelope(dialect, table);
  return { messages: conversation.messages, envelope };
}

function emptyEnvelope(name: DialectName, table: MessageTable): Envelope {
  const dialect = dialectOf(name);
  return dialect.parse(`{"${dialect.listKey}":[]}`, table).envelope;
}

/** The model's answer as one message; undefined where the wire would carry nothing of it. */
export function writeAnswer(
  message: SampleMessage,
  dialect: DialectName,
  table: MessageTable,
): Message | undefined {
  const conversation = new Conversation(dialect, table);
  conversation.say('assistant', blocksOf(message, dialect));
  return conversation.messages[0];
}

function blocksOf(message: SampleMessage, dialect: DialectName): readonly Block[] {
  const content = dialect === 'anthropic' ? asAnthropic(message.content) : message.content;
  const blocks = contentBlocks(content);
  if (message.role === 'tool') {
    const error = errorOf(message);
    const result = error === undefined ? message.content : said(error, dialect);
    return [toolResult(message.tool_call_id ?? '', result ?? '', error !== undefined)];
  }
  const calls = (message.tool_calls ?? []).map((call) =>
    toolCall(call.id ?? '', call.function ?? '', call.arguments),
  );
  return [...blocks, ...calls];
}

/** The log's reasoning as the provider spells it, which it takes back only so. */
function asAnthropic(content: SampleMessage['content']): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown) => {
    if (!isObject(part) || part.type !== 'reasoning') return part;
    const { reasoning, signature } = part;
    if (part.redacted === true) return { type: 'redacted_thinking', data: reasoning };
    return { type: 'thinking', thinking: reasoning, signature };
  });
}

function errorOf({ error, tool_error: older }: SampleMessage): string | undefined {
  if (isObject(error) && typeof error.message === 'string') return error.message;
  return typeof older === 'string' ? older : undefined;
}

/** A wire without a flag for errors says it in words. */
function said(error: string, dialect: DialectName): string {
  return dialect === 'openai-chat' || dialect === 'openai-responses' ? `Error: ${error}` : error;
}

function textOf(content: unknown): string {
  return contentBlocks(content)
    .flatMap((block) => (block.kind === 'text' ? [block.text] : []))
    .join('\n');
}

/**
 * Tokens of a call. Some providers' input holds what came from the cache and some not: the total tells.
 */
export function usageOf({ output }: SampleCall): Usage | undefined {
  const usage = output?.usage;
  if (usage === null || usage === undefined) return undefined;
  const { input_tokens: input, output_tokens: written, total_tokens: total } = usage;
  const read = usage.input_tokens_cache_read ?? undefined;
  const stored = usage.input_tokens_cache_write ?? undefined;
  const cached = (read ?? 0) + (stored ?? 0);
  const isInside = typeof input === 'number' && input >= cached && total === input + (written ?? 0);
  const fresh = isInside ? input - cached : input;
  const found: Record<string, number> = {};
  const counts = {
    inputTokens: fresh,
    outputTokens: written,
    cacheReadTokens: read,
    cacheWriteTokens: stored,
  };
  for (const [key, count] of Object.entries(counts)) {
    if (typeof count === 'number' && count >= 0) found[key] = count;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}
