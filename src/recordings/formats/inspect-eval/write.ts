import type { MessageTable } from '../../../transcript/intern.ts';
import type { Block, DialectName, Message } from '../../../transcript/message.ts';
import type { Envelope, Usage } from '../../../transcript/transcript.ts';
import { isObject } from '../../../wire/json-object.ts';
import { contentBlocks, toolCall, toolResult } from '../../content-parts.ts';
import { Conversation } from '../../conversation.ts';
import { hasSystemApart, type RequestHead, writeBodyEnvelope } from '../../written-envelope.ts';
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

/** A list that was written, for one that goes on from it. */
interface WrittenList {
  readonly list: readonly SampleMessage[];
  /** Number of leading messages that stand apart from the list. */
  readonly apart: number;
  readonly conversation: Conversation;
}

/** Writes the lists of the log's messages, with the tools that were declared, as the wire has them. */
export class RequestWriter {
  readonly #table: MessageTable;
  readonly #last = new Map<DialectName, WrittenList>();
  readonly #envelopes = new Map<string, Envelope>();

  constructor(table: MessageTable) {
    this.#table = table;
  }

  /** A list that begins with the messages of the one before, the same objects, costs what it adds. */
  write(
    list: readonly SampleMessage[],
    tools: SampleCall['tools'],
    model: string | undefined,
    dialect: DialectName,
  ): Written {
    const { apart, conversation } = this.#written(list, dialect);
    const system = list
      .slice(0, apart)
      .map(({ content }) => textOf(content))
      .join('\n\n');
    const head = {
      model,
      system: system === '' ? undefined : system,
      tools: tools?.map(({ name, description, parameters }) => ({
        name,
        description: typeof description === 'string' ? description : undefined,
        parameters,
      })),
    };
    return { messages: conversation.messages, envelope: this.#envelope(dialect, head) };
  }

  #written(list: readonly SampleMessage[], dialect: DialectName): WrittenList {
    const isApart = hasSystemApart(dialect);
    const last = this.#last.get(dialect);
    const goesOn =
      last !== undefined &&
      last.list.length > last.apart &&
      last.list.length <= list.length &&
      last.list.every((message, index) => message === list[index]);
    const lead = isApart ? list.findIndex(({ role }) => role !== 'system') : 0;
    const apart = goesOn ? last.apart : lead < 0 ? list.length : lead;
    const conversation = goesOn ? last.conversation : new Conversation(dialect, this.#table);
    for (const message of list.slice(goesOn ? last.list.length : apart)) {
      const isLate = isApart && message.role === 'system';
      conversation.say(isLate ? 'user' : message.role, blocksOf(message, dialect));
    }
    const written = { list, apart, conversation };
    this.#last.set(dialect, written);
    return written;
  }

  /** One envelope for all requests with the same surroundings. */
  #envelope(dialect: DialectName, head: RequestHead): Envelope {
    const key = JSON.stringify([dialect, head]);
    const known = this.#envelopes.get(key);
    if (known !== undefined) return known;
    const envelope = writeBodyEnvelope(dialect, head, this.#table);
    this.#envelopes.set(key, envelope);
    return envelope;
  }
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
