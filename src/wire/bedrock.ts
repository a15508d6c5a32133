import { fitted, pushAll } from '../text/long-lists.ts';
import type { MessageReading } from '../transcript/intern.ts';
import type { Block, Message, Role, Thinking, ToolResult } from '../transcript/message.ts';
import { readMedia, writeMedia } from './bedrock-media.ts';
import { appendBlocks, blockTexts, joinText } from './bedrock-turns.ts';
import { canonicalContent, canonicalJson, sortedKeys } from './canonical.ts';
import { createDialect } from './create-dialect.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { elements, member, path, rootSpan, type Span, slice } from './json-spans.ts';
import { objectText, replaceText, stringOf } from './parts.ts';

/**
 * Bedrock Converse. Source: the provider's API reference. A block is an object with one member that
 * names its kind; tool results stand in user turns and roles alternate. `cachePoint` blocks are this
 * wire's cache marks, so they are no part of a message's canonical identity.
 */
export const bedrock = createDialect({
  name: 'bedrock',
  listKey: 'messages',
  systemKey: 'system',
  read: readMessage,
  write: writeMessage,
  replaceResult,
  insertUserText(before, text, after, table) {
    const block = JSON.stringify({ text });
    const last = before.at(-1);
    const next = after[0];
    const follows = next?.role === 'user' ? next : undefined;
    const rest = follows === undefined ? after : after.slice(1);
    const raw =
      last?.role === 'user'
        ? appendBlocks(last.raw, [block, ...(follows === undefined ? [] : blockTexts(follows.raw))])
        : follows === undefined
          ? `{"role":"user","content":[${block}]}`
          : joinText(follows.raw, block);
    const kept = last?.role === 'user' ? before.slice(0, -1) : before;
    return [...kept, bedrock.parseMessage(raw, table), ...rest];
  },
});

function readMessage(raw: string, items: readonly JsonObject[]): MessageReading {
  const value = items[0] ?? {};
  const content = value.content;
  const blocks: Block[] = [];
  if (Array.isArray(content)) {
    const spans = contentSpans(raw);
    for (const [index, block] of content.entries())
      blocks.push(readBlock(raw, spans[index], block));
  }
  return {
    role: value.role === 'assistant' ? 'assistant' : value.role === 'system' ? 'system' : 'user',
    blocks,
    canonical: canonicalJson(raw, canonicalValue(value)),
  };
}

function contentSpans(raw: string): Span[] {
  const content = path(raw, ['content']);
  return content === undefined ? [] : elements(raw, content);
}

/** The member that names a block's kind: the first that is known, else the first. */
function kindOf(block: JsonObject): string {
  const keys = Object.keys(block);
  return keys.find((key) => KINDS.has(key)) ?? keys[0] ?? '';
}

const KINDS = new Set([
  ...['text', 'image', 'document', 'video', 'audio', 'toolUse', 'toolResult', 'reasoningContent'],
  ...['cachePoint', 'guardContent', 'citationsContent', 'searchResult'],
]);

function readBlock(raw: string, span: Span | undefined, block: unknown): Block {
  const text = span === undefined ? '' : slice(raw, span);
  if (!isObject(block)) return { kind: 'other', type: typeof block, raw: text };
  const kind = kindOf(block);
  const body = block[kind];
  if (kind === 'text') return { kind: 'text', text: stringOf(body) };
  if (!isObject(body)) return { kind: 'other', type: kind, raw: text };
  switch (kind) {
    case 'reasoningContent':
      return readThinking(body, text);
    case 'toolUse': {
      const input = span === undefined ? undefined : path(raw, ['toolUse', 'input'], span);
      return {
        kind: 'tool-call',
        id: stringOf(body.toolUseId),
        name: stringOf(body.name),
        arguments: input === undefined ? '{}' : slice(raw, input),
        ...(body.type === 'server_tool_use' ? { server: true } : {}),
      };
    }
    case 'toolResult':
      return readResult(raw, span, body);
    case 'guardContent': {
      const guarded = isObject(body.text) ? body.text.text : undefined;
      if (typeof guarded === 'string') return { kind: 'text', text: guarded };
      return readMedia('image', body.image, text) ?? { kind: 'other', type: kind, raw: text };
    }
    case 'citationsContent':
      return { kind: 'text', text: textsOf(body.content).join('') };
    default:
      return readMedia(kind, body, text) ?? { kind: 'other', type: kind, raw: text };
  }
}

function readThinking(body: JsonObject, raw: string): Thinking {
  const reasoning = body.reasoningText;
  if (!isObject(reasoning)) {
    return { kind: 'thinking', text: '', signature: stringOf(body.redactedContent), raw };
  }
  const signature = reasoning.signature;
  return {
    kind: 'thinking',
    text: stringOf(reasoning.text),
    ...(typeof signature === 'string' ? { signature } : {}),
    raw,
  };
}

function readResult(raw: string, span: Span | undefined, body: JsonObject): ToolResult {
  const list = span === undefined ? undefined : path(raw, ['toolResult', 'content'], span);
  const spans = list === undefined ? [] : elements(raw, list);
  const parts: readonly unknown[] = Array.isArray(body.content) ? body.content : [];
  const texts: string[] = [];
  const media: ToolResult['media'][number][] = [];
  for (const [index, part] of parts.entries()) {
    const partSpan = spans[index];
    if (!isObject(part) || partSpan === undefined) continue;
    const kind = kindOf(part);
    const medium = readMedia(kind, part[kind], slice(raw, partSpan));
    if (medium !== undefined) media.push(medium);
    else if (typeof part.text === 'string') texts.push(part.text);
    else {
      const json = member(raw, partSpan, 'json');
      if (json !== undefined) texts.push(slice(raw, json));
      else pushAll(texts, textsOf(isObject(part[kind]) ? [part[kind]] : []));
    }
  }
  return {
    kind: 'tool-result',
    id: stringOf(body.toolUseId),
    texts: fitted(texts),
    media,
    isError: body.status === 'error',
    ...(typeof body.type === 'string' && body.type !== 'tool_result' ? { server: true } : {}),
  };
}

/** Texts of citations and search results, which nest them under `content`. */
function textsOf(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) => {
    if (!isObject(part)) return [];
    return typeof part.text === 'string' ? [part.text] : textsOf(part.content);
  });
}

function canonicalValue(value: JsonObject): JsonObject {
  const content = value.content;
  if (!Array.isArray(content)) return value;
  const blocks = content.filter((block: unknown) => !isObject(block) || !('cachePoint' in block));
  return sortedKeys({ ...value, content: canonicalContent(blocks) });
}

function replaceResult(message: Message, blockIndex: number, text: string): string {
  const { raw } = message;
  const block = contentSpans(raw)[blockIndex];
  const result = block === undefined ? undefined : member(raw, block, 'toolResult');
  if (result === undefined) return raw;
  const part = JSON.stringify({ text });
  const content = member(raw, result, 'content');
  if (content === undefined) {
    const at = result.end - 1;
    const comma = raw.slice(result.start + 1, at).trim() === '' ? '' : ',';
    return `${raw.slice(0, at)}${comma}"content":[${part}]${raw.slice(at)}`;
  }
  const textSpan = (span: Span) => member(raw, span, 'text');
  return replaceText(raw, content, text, {
    isText: (span) => textSpan(span) !== undefined || member(raw, span, 'json') !== undefined,
    textSpan,
    write: () => part,
  });
}

function writeMessage(role: Role, blocks: readonly Block[]): readonly string[] {
  const written = blocks.flatMap((block) => writeBlock(block) ?? []);
  const wireRole = role === 'assistant' ? role : 'user';
  return [`{"role":"${wireRole}","content":[${written.join(',')}]}`];
}

function writeBlock(block: Block): string | undefined {
  switch (block.kind) {
    case 'text':
      return JSON.stringify({ text: block.text });
    case 'thinking':
      return isBedrockBlock(block.raw, 'reasoningContent') ? block.raw : undefined;
    case 'tool-call':
      return block.server === true
        ? undefined
        : `{"toolUse":{"toolUseId":${JSON.stringify(block.id)},"name":${JSON.stringify(block.name)},"input":${objectText(block.arguments)}}}`;
    case 'tool-result': {
      if (block.server === true) return undefined;
      const content = [
        ...block.texts.map((text) => JSON.stringify({ text })),
        ...block.media.flatMap((medium) => writeMedia(medium) ?? []),
      ];
      return `{"toolResult":{"toolUseId":${JSON.stringify(block.id)},"content":[${content.join(',')}],"status":"${block.isError ? 'error' : 'success'}"}}`;
    }
    case 'media':
      return writeMedia(block);
    case 'other':
      return isBedrockBlock(block.raw, block.type) && KINDS.has(block.type) ? block.raw : undefined;
  }
}

/** Whether the block is this wire's: its member names its kind. */
function isBedrockBlock(raw: string, kind: string): boolean {
  return member(raw, rootSpan(raw), kind) !== undefined;
}
