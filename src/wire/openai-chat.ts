import { fitted, pushAll } from '../text/long-lists.ts';
import type { MessageReading } from '../transcript/intern.ts';
import {
  type Block,
  type Media,
  type Message,
  type Role,
  resultText,
  type ToolCall,
} from '../transcript/message.ts';
import { canonicalContent, canonicalJson, sortedKeys } from './canonical.ts';
import { createDialect } from './create-dialect.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { elements, path, replaceSpans, type Span, slice } from './json-spans.ts';
import { dataUrl, mediaType, pixelSize } from './media.ts';
import { replaceText, stringOf } from './parts.ts';

/** OpenAI Chat Completions. Source: the provider's API reference. */
export const openaiChat = createDialect({
  name: 'openai-chat',
  listKey: 'messages',
  read: readMessage,
  write: writeMessage,
  replaceResult,
});

function readMessage(raw: string, items: readonly JsonObject[]): MessageReading {
  const value = items[0] ?? {};
  const role = roleOf(value.role);
  const content = value.content;
  const blocks: Block[] = [];
  if (role === 'tool') {
    const parts = readParts(raw, content);
    blocks.push({
      kind: 'tool-result',
      id: stringOf(value.tool_call_id),
      texts: fitted(parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []))),
      media: parts.flatMap((part) => (part.kind === 'media' ? [part] : [])),
      isError: false,
    });
  } else {
    const thinking = value.reasoning_content ?? value.reasoning;
    if (typeof thinking === 'string' && thinking !== '') {
      blocks.push({ kind: 'thinking', text: thinking, raw: JSON.stringify(thinking) });
    }
    pushAll(blocks, readParts(raw, content));
    if (typeof value.refusal === 'string') blocks.push({ kind: 'text', text: value.refusal });
    pushAll(blocks, readCalls(raw, value));
  }
  return { role, blocks, canonical: canonicalJson(raw, canonicalValue(value)) };
}

function roleOf(role: unknown): Role {
  if (role === 'assistant' || role === 'tool') return role;
  if (role === 'function') return 'tool';
  return role === 'system' || role === 'developer' ? 'system' : 'user';
}

function readParts(
  raw: string,
  content: unknown,
): (Block & { kind: 'text' | 'media' | 'other' })[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  const list = path(raw, ['content']);
  const spans = list === undefined ? [] : elements(raw, list);
  return content.map((part: unknown, index) => {
    const span = spans[index];
    const text = span === undefined ? '' : slice(raw, span);
    if (!isObject(part)) return { kind: 'other', type: typeof part, raw: text };
    const type = stringOf(part.type);
    if (type === 'text') return { kind: 'text', text: stringOf(part.text) };
    if (type === 'refusal') return { kind: 'text', text: stringOf(part.refusal) };
    return readMedia(type, part, text) ?? { kind: 'other', type, raw: text };
  });
}

function readMedia(type: string, part: JsonObject, raw: string): Media | undefined {
  if (type === 'image_url') {
    const holder = part.image_url;
    const url = stringOf(isObject(holder) ? holder.url : holder);
    const inline = dataUrl(url);
    if (inline === undefined) return { kind: 'media', type: 'image', reference: url, raw };
    return { kind: 'media', type: 'image', ...pixelSize(inline.data), ...inline, raw };
  }
  if (type === 'input_audio') {
    const audio = isObject(part.input_audio) ? part.input_audio : {};
    const mimeType = `audio/${stringOf(audio.format)}`;
    return { kind: 'media', type: 'audio', mimeType, data: stringOf(audio.data), raw };
  }
  if (type === 'file') {
    const file = isObject(part.file) ? part.file : {};
    const inline = dataUrl(stringOf(file.file_data));
    if (inline !== undefined)
      return { kind: 'media', type: mediaType(inline.mimeType), ...inline, raw };
    return { kind: 'media', type: 'document', reference: stringOf(file.file_id), raw };
  }
  return undefined;
}

function readCalls(raw: string, value: JsonObject): ToolCall[] {
  const calls: ToolCall[] = [];
  const list = value.tool_calls;
  if (Array.isArray(list)) {
    for (const [index, call] of list.entries()) {
      if (!isObject(call)) continue;
      const custom = call.custom;
      const body = isObject(custom) ? custom : call.function;
      const key = isObject(custom) ? 'input' : 'arguments';
      if (!isObject(body)) continue;
      const recorded = body[key];
      const place = ['tool_calls', index, isObject(custom) ? 'custom' : 'function', key];
      const span = typeof recorded === 'string' ? undefined : path(raw, place);
      calls.push({
        kind: 'tool-call',
        id: stringOf(call.id),
        name: stringOf(body.name),
        arguments:
          typeof recorded === 'string' ? recorded : span === undefined ? '' : slice(raw, span),
      });
    }
  }
  const legacy = value.function_call;
  if (isObject(legacy)) {
    const name = stringOf(legacy.name);
    calls.push({ kind: 'tool-call', id: '', name, arguments: stringOf(legacy.arguments) });
  }
  return calls;
}

function canonicalValue(value: JsonObject): JsonObject {
  const calls = value.tool_calls;
  return sortedKeys({
    ...value,
    content: canonicalContent(value.content),
    ...(Array.isArray(calls)
      ? { tool_calls: calls.map((call: unknown) => (isObject(call) ? canonicalCall(call) : call)) }
      : {}),
  });
}

function canonicalCall(call: JsonObject): JsonObject {
  const body = call.function;
  return sortedKeys(isObject(body) ? { ...call, function: sortedKeys(body) } : call);
}

function replaceResult(message: Message, _blockIndex: number, text: string): string {
  const { raw } = message;
  const content = path(raw, ['content']);
  if (content === undefined) return raw;
  const parts = elements(raw, content);
  if (parts.length === 0) return replaceSpans(raw, [{ span: content, text: JSON.stringify(text) }]);
  const textSpan = (part: Span) => path(raw, ['text'], part);
  return replaceText(raw, content, text, {
    isText: (part) => textSpan(part) !== undefined,
    textSpan,
    write: (part) => JSON.stringify({ type: 'text', text: part }),
  });
}

function writeMessage(role: Role, blocks: readonly Block[]): readonly string[] {
  const results = blocks.flatMap((block) =>
    block.kind === 'tool-result' && block.server !== true ? [block] : [],
  );
  const written = results.map((result) =>
    JSON.stringify({
      role: 'tool',
      tool_call_id: result.id,
      content:
        result.isError && resultText(result) !== ''
          ? `Error: ${resultText(result)}`
          : resultText(result),
    }),
  );
  // Chat cannot carry media in a tool message, so they follow in a user turn, as hosts do it.
  const media = results.flatMap((result) => result.media);
  const rest = blocks.filter((block) => block.kind !== 'tool-result');
  if (rest.length > 0 || media.length > 0 || written.length === 0) {
    const own = writeOwn(role === 'tool' ? 'user' : role, [...media, ...rest]);
    if (own !== undefined) written.push(own);
  }
  return written;
}

function writeOwn(role: Role, blocks: readonly Block[]): string | undefined {
  const calls = blocks.flatMap((block) =>
    block.kind === 'tool-call' && block.server !== true ? [block] : [],
  );
  const texts = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []));
  const media = blocks.flatMap((block) =>
    block.kind === 'media' ? (writeMedia(block) ?? []) : [],
  );
  const text = texts.join('\n');
  if (role === 'assistant') {
    if (calls.length === 0)
      return texts.length === 0 ? undefined : JSON.stringify({ role, content: text });
    const toolCalls = calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    }));
    return JSON.stringify({ role, content: text === '' ? null : text, tool_calls: toolCalls });
  }
  if (media.length === 0)
    return texts.length === 0 ? undefined : JSON.stringify({ role, content: text });
  const parts = [...texts.map((part) => ({ type: 'text', text: part })), ...media];
  return JSON.stringify({ role, content: parts });
}

function writeMedia(block: Media): object | undefined {
  if (block.text !== undefined) return { type: 'text', text: block.text };
  if (block.type === 'image') {
    const url =
      block.data === undefined
        ? block.reference
        : `data:${block.mimeType ?? 'image/png'};base64,${block.data}`;
    return url === undefined ? undefined : { type: 'image_url', image_url: { url } };
  }
  if (block.type === 'document' && block.data !== undefined) {
    const url = `data:${block.mimeType ?? 'application/pdf'};base64,${block.data}`;
    return { type: 'file', file: { filename: 'document', file_data: url } };
  }
  return undefined;
}
