import { fitted, pushAll } from '../text/long-lists.ts';
import type { MessageReading } from '../transcript/intern.ts';
import type { Block, Media, Message, Role, ToolResult } from '../transcript/message.ts';
import { canonicalContent, canonicalJson, sortedKeys } from './canonical.ts';
import { createDialect } from './create-dialect.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { elements, member, path, replaceSpans, rootSpan, type Span, slice } from './json-spans.ts';
import { pixelSize } from './media.ts';
import { objectText, replaceText, stringOf } from './parts.ts';

/**
 * Anthropic Messages. Source: the provider's API reference. The top-level `system` stands in the
 * envelope; a `system` entry inside `messages` is a message of its own.
 */
export const anthropic = createDialect({
  name: 'anthropic',
  listKey: 'messages',
  systemKey: 'system',
  read: readMessage,
  write: writeMessage,
  replaceResult,
});

function readMessage(raw: string, items: readonly JsonObject[]): MessageReading {
  const value = items[0] ?? {};
  const content = value.content;
  const blocks: Block[] = [];
  if (typeof content === 'string') blocks.push({ kind: 'text', text: content });
  else if (Array.isArray(content)) {
    const spans = contentSpans(raw);
    for (const [index, block] of content.entries())
      blocks.push(readBlock(raw, spans[index], block));
  }
  return {
    role: roleOf(value.role),
    blocks,
    canonical: canonicalJson(raw, canonicalValue(value)),
  };
}

function roleOf(role: unknown): Role {
  return role === 'assistant' || role === 'system' || role === 'tool' ? role : 'user';
}

/** The wire's entries of `content`, in order. */
function contentSpans(raw: string): Span[] {
  const content = path(raw, ['content']);
  return content === undefined ? [] : elements(raw, content);
}

function readBlock(raw: string, span: Span | undefined, block: unknown): Block {
  const text = span === undefined ? '' : slice(raw, span);
  if (!isObject(block)) return { kind: 'other', type: typeof block, raw: text };
  const type = stringOf(block.type);
  switch (type) {
    case 'text':
      return { kind: 'text', text: stringOf(block.text) };
    case 'thinking':
      return {
        kind: 'thinking',
        text: stringOf(block.thinking),
        ...(typeof block.signature === 'string' ? { signature: block.signature } : {}),
        raw: text,
      };
    case 'redacted_thinking':
      return { kind: 'thinking', text: '', signature: stringOf(block.data), raw: text };
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const input = span === undefined ? undefined : member(raw, span, 'input');
      return {
        kind: 'tool-call',
        id: stringOf(block.id),
        name: stringOf(block.name),
        arguments: input === undefined ? '{}' : slice(raw, input),
        ...(type === 'tool_use' ? {} : { server: true }),
      };
    }
    case 'image':
    case 'document':
      return readMedia(type, block, text);
    default:
      if (type === 'tool_result' || type.endsWith('_tool_result'))
        return readResult(type, block, raw, span);
      return { kind: 'other', type, raw: text };
  }
}

function readResult(
  type: string,
  block: JsonObject,
  raw: string,
  span: Span | undefined,
): ToolResult {
  const content = block.content;
  const texts: string[] = [];
  const media: Media[] = [];
  if (typeof content === 'string') texts.push(content);
  else if (Array.isArray(content)) {
    const list = span === undefined ? undefined : member(raw, span, 'content');
    const spans = list === undefined ? [] : elements(raw, list);
    for (const [index, part] of content.entries()) {
      const partSpan = spans[index];
      const partRaw = partSpan === undefined ? '' : slice(raw, partSpan);
      if (!isObject(part)) continue;
      if (part.type === 'text') texts.push(stringOf(part.text));
      else if (part.type === 'image' || part.type === 'document') {
        media.push(readMedia(part.type, part, partRaw));
      } else pushAll(texts, textsOf(part));
    }
  } else if (isObject(content)) pushAll(texts, textsOf(content));
  return {
    kind: 'tool-result',
    id: stringOf(block.tool_use_id),
    texts: fitted(texts),
    media,
    isError: block.is_error === true,
    ...(type === 'tool_result' ? {} : { server: true }),
  };
}

/** Readable strings of a result part that has its own shape (a search hit, a code execution result). */
function textsOf(part: JsonObject): string[] {
  const texts: string[] = [];
  for (const key of ['title', 'url', 'stdout', 'stderr', 'text', 'content']) {
    const value = part[key];
    if (typeof value === 'string' && value !== '') texts.push(value);
    else if (Array.isArray(value)) {
      for (const inner of value) if (isObject(inner)) pushAll(texts, textsOf(inner));
    }
  }
  return texts;
}

function readMedia(type: 'image' | 'document', block: JsonObject, raw: string): Media {
  const source = isObject(block.source) ? block.source : {};
  const mimeType = source.media_type;
  const data = source.data;
  const reference = source.url ?? source.file_id;
  const isText = source.type === 'text';
  return {
    kind: 'media',
    type,
    ...(type === 'image' && typeof data === 'string' ? pixelSize(data) : {}),
    ...(typeof mimeType === 'string' ? { mimeType } : {}),
    ...(typeof data === 'string' ? (isText ? { text: data } : { data }) : {}),
    ...(typeof reference === 'string' ? { reference } : {}),
    raw,
  };
}

/** String content, also of a tool result, spelled as one text block. */
function canonicalValue(value: JsonObject): JsonObject {
  const content = canonicalContent(value.content, (block) =>
    'content' in block ? { ...block, content: canonicalContent(block.content) } : block,
  );
  return sortedKeys({ ...value, content });
}

function replaceResult(message: Message, blockIndex: number, text: string): string {
  const { raw } = message;
  const span = contentSpans(raw)[blockIndex];
  if (span === undefined) return raw;
  const content = member(raw, span, 'content');
  if (content === undefined) {
    const end = { start: span.end - 1, end: span.end - 1 };
    return replaceSpans(raw, [{ span: end, text: `,"content":${JSON.stringify(text)}` }]);
  }
  const parts = elements(raw, content);
  if (parts.length === 0) return replaceSpans(raw, [{ span: content, text: JSON.stringify(text) }]);
  return replaceText(raw, content, text, {
    isText: (part) => {
      const type = member(raw, part, 'type');
      return type === undefined || !MEDIA_TYPES.has(slice(raw, type));
    },
    textSpan: (part) => member(raw, part, 'text'),
    write: (part) => JSON.stringify({ type: 'text', text: part }),
  });
}

const MEDIA_TYPES = new Set(['"image"', '"document"']);

function writeMessage(role: Role, blocks: readonly Block[]): readonly string[] {
  const written: string[] = [];
  for (const block of blocks) {
    const raw = writeBlock(block);
    if (raw !== undefined) written.push(raw);
  }
  const wireRole = role === 'tool' ? 'user' : role;
  const [only] = blocks;
  const content =
    blocks.length === 1 && only?.kind === 'text'
      ? JSON.stringify(only.text)
      : `[${written.join(',')}]`;
  return [`{"role":${JSON.stringify(wireRole)},"content":${content}}`];
}

function writeBlock(block: Block): string | undefined {
  switch (block.kind) {
    case 'text':
      return JSON.stringify({ type: 'text', text: block.text });
    case 'thinking':
      return isAnthropicBlock(block.raw) ? block.raw : undefined;
    case 'tool-call':
      return block.server === true
        ? undefined
        : `{"type":"tool_use","id":${JSON.stringify(block.id)},"name":${JSON.stringify(block.name)},"input":${objectText(block.arguments)}}`;
    case 'tool-result': {
      if (block.server === true) return undefined;
      const parts = [
        ...block.texts.map((text) => JSON.stringify({ type: 'text', text })),
        ...block.media.flatMap((medium) => writeMedia(medium) ?? []),
      ];
      const content =
        block.media.length === 0 && block.texts.length <= 1
          ? JSON.stringify(block.texts[0] ?? '')
          : `[${parts.join(',')}]`;
      const isError = block.isError ? ',"is_error":true' : '';
      return `{"type":"tool_result","tool_use_id":${JSON.stringify(block.id)},"content":${content}${isError}}`;
    }
    case 'media':
      return writeMedia(block);
    case 'other':
      return isAnthropicBlock(block.raw) ? block.raw : undefined;
  }
}

function writeMedia(block: Media): string | undefined {
  if (block.type !== 'image' && block.type !== 'document') return undefined;
  if (block.text !== undefined) {
    const source = { type: 'text', media_type: 'text/plain', data: block.text };
    return JSON.stringify({ type: 'document', source });
  }
  if (block.data !== undefined) {
    const source = { type: 'base64', media_type: block.mimeType ?? 'image/png', data: block.data };
    return JSON.stringify({ type: block.type, source });
  }
  if (block.reference === undefined) return undefined;
  return JSON.stringify({ type: block.type, source: { type: 'url', url: block.reference } });
}

/** A block that this wire wrote: it has a `type` and is not another provider's part. */
function isAnthropicBlock(raw: string): boolean {
  const span = rootSpan(raw);
  const type = member(raw, span, 'type');
  if (type === undefined) return false;
  return ANTHROPIC_TYPES.has(slice(raw, type).slice(1, -1));
}

const ANTHROPIC_TYPES = new Set(['thinking', 'redacted_thinking', 'search_result', 'compaction']);
