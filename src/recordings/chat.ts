import type { MessageTable } from '../transcript/intern.ts';
import type { Envelope } from '../transcript/transcript.ts';
import type { Dialect } from '../wire/dialect.ts';
import { members, type Span, slice } from '../wire/json-spans.ts';

/*
 * Messages of recordings that are not in a provider's wire form, spelled as `openai-chat` would send them:
 * each function gives the exact JSON text of one message.
 */

export interface ChatCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** A string, or content parts as the wire has them. */
export type ChatContent = string | readonly object[];

export function chatSystem(content: ChatContent): string {
  return JSON.stringify({ role: 'system', content });
}

/** @param name who speaks, where several do */
export function chatUser(content: ChatContent, name?: string): string {
  return JSON.stringify({ role: 'user', ...(name === undefined ? {} : { name }), content });
}

export function chatAssistant(
  content: ChatContent | null,
  calls: readonly ChatCall[] = [],
  thinking?: string,
): string {
  const toolCalls = calls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  }));
  return JSON.stringify({
    role: 'assistant',
    ...(thinking === undefined || thinking === '' ? {} : { reasoning_content: thinking }),
    content: content === '' && calls.length > 0 ? null : content,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  });
}

export function chatResult(callId: string, content: ChatContent): string {
  return JSON.stringify({ role: 'tool', tool_call_id: callId, content });
}

/**
 * JSON text without white space, strings spelled with as few escapes as may be, numbers as they were: what
 * a client sends of arguments that a recording holds as an object.
 */
export function compactJson(raw: string): string {
  return raw.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g, (token) => {
    if (!token.startsWith('"')) return '';
    return token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token;
  });
}

/** JSON text of the object at `span` with only `keys`, in their recorded order and spelling. */
export function onlyKeys(text: string, span: Span, keys: ReadonlySet<string>): string {
  const kept = members(text, span).filter(({ key }) => keys.has(key));
  const written = kept.map((entry) => `${slice(text, entry.keySpan)}:${slice(text, entry.value)}`);
  return `{${written.join(',')}}`;
}

/** What stands around a request's messages, where a recording holds the parts and no body. */
export function envelopeOf(
  dialect: Dialect,
  parts: {
    readonly model?: string | undefined;
    /** Raw JSON of a top-level system prompt. */
    readonly system?: string | undefined;
    /** Raw JSON of the tool declarations. */
    readonly tools?: string | undefined;
  },
  table: MessageTable,
): Envelope | undefined {
  if (parts.system === undefined && parts.tools === undefined) return undefined;
  const head = [
    parts.model === undefined ? '' : `"model":${JSON.stringify(parts.model)},`,
    parts.system === undefined ? '' : `"system":${parts.system},`,
    parts.tools === undefined ? '' : `"tools":${parts.tools},`,
  ];
  return dialect.parse(`{${head.join('')}"${dialect.listKey}":[]}`, table).envelope;
}
