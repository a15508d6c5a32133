import type { Block, Media, ToolCall, ToolResult } from '../transcript/message.ts';
import { isObject, type JsonObject } from '../wire/json-object.ts';
import { dataUrl, mediaType, pixelSize } from '../wire/media.ts';
import { stringOf } from '../wire/parts.ts';

/*
 * Content as agent libraries record it: a string, or parts whose spelling mixes that of the providers
 * with their own. What is said in a part is read, whoever spelled it; bytes are not kept.
 */

/** A tool call; `input` is its arguments as text or as a value. */
export function toolCall(id: string, name: string, input: unknown): ToolCall {
  return { kind: 'tool-call', id, name, arguments: argumentsOf(input) };
}

function argumentsOf(input: unknown): string {
  if (typeof input === 'string') return input;
  return input === undefined || input === null ? '{}' : JSON.stringify(input);
}

/** A tool result whose content is a string, parts, or any other value, which is read as JSON. */
export function toolResult(id: string, content: unknown, isError = false): ToolResult {
  const blocks = contentBlocks(content);
  const texts = blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []));
  const media = blocks.flatMap((block) => (block.kind === 'media' ? [block] : []));
  const isRead = blocks.every(({ kind }) => kind === 'text' || kind === 'media');
  if (isRead && (blocks.length > 0 || !isObject(content))) {
    return { kind: 'tool-result', id, texts, media, isError };
  }
  return { kind: 'tool-result', id, texts: [JSON.stringify(content)], media: [], isError };
}

/** Blocks of a message's content. */
export function contentBlocks(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (typeof content === 'number' || typeof content === 'boolean') {
    return [{ kind: 'text', text: String(content) }];
  }
  if (Array.isArray(content)) return content.flatMap(partBlocks);
  return isObject(content) && typeof content.type === 'string' ? partBlocks(content) : [];
}

function partBlocks(part: unknown): readonly Block[] {
  if (typeof part === 'string') return part === '' ? [] : [{ kind: 'text', text: part }];
  if (!isObject(part)) return part === null ? [] : [other(part, typeof part)];
  const type = stringOf(part.type);
  const spelled = type.replaceAll('-', '_');
  switch (spelled) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'text_plain':
      return [{ kind: 'text', text: stringOf(part.text ?? part.content) }];
    case 'refusal':
      return [{ kind: 'text', text: stringOf(part.refusal) }];
    case 'thinking':
    case 'redacted_thinking':
    case 'reasoning':
      return [thinking(part)];
    case 'tool_use':
    case 'tool_call':
    case 'toolCall':
    case 'function_call':
      return [callOf(part)];
    case 'tool_result':
    case 'tool_call_response':
    case 'tool_response':
      return [resultOf(part)];
    case '':
      return untyped(part);
    default:
      return [mediaOf(spelled, part) ?? other(part, type)];
  }
}

/** A block for thinking; its bytes are the provider's where the part is spelled as the provider does. */
function thinking(part: JsonObject): Block {
  const text = stringOf(part.thinking ?? part.reasoning ?? part.text ?? part.content);
  const signature = part.signature ?? part.thinkingSignature;
  return {
    kind: 'thinking',
    text,
    ...(typeof signature === 'string' ? { signature } : {}),
    raw: JSON.stringify(part),
  };
}

function callOf(part: JsonObject): ToolCall {
  const name = stringOf(part.name ?? part.toolName ?? part.tool_name);
  const id = stringOf(part.call_id ?? part.id ?? part.toolCallId ?? part.tool_call_id);
  return toolCall(id === '' ? name : id, name, part.input ?? part.args ?? part.arguments);
}

function resultOf(part: JsonObject): ToolResult {
  const id = part.tool_use_id ?? part.toolCallId ?? part.tool_call_id ?? part.call_id ?? part.id;
  const given = part.output ?? part.result ?? part.response ?? part.content;
  // A library wraps its outputs: {type: 'text' | 'json' | 'error-text' | …, value}.
  const isWrapped = isObject(given) && 'value' in given && typeof given.type === 'string';
  const failed = part.is_error === true || part.isError === true;
  const isError = failed || (isWrapped && stringOf(given.type).startsWith('error'));
  return toolResult(stringOf(id), isWrapped ? given.value : given, isError);
}

/** Parts without a type: Gemini's and Bedrock's. */
function untyped(part: JsonObject): readonly Block[] {
  if (typeof part.text === 'string') {
    return part.thought === true
      ? [{ kind: 'thinking', text: part.text, raw: JSON.stringify(part) }]
      : [{ kind: 'text', text: part.text }];
  }
  const call = part.functionCall ?? part.function_call ?? part.toolUse;
  if (isObject(call)) {
    const name = stringOf(call.name);
    return [toolCall(stringOf(call.id ?? call.toolUseId ?? name), name, call.args ?? call.input)];
  }
  const response = part.functionResponse ?? part.function_response ?? part.toolResult;
  if (isObject(response)) {
    const id = stringOf(response.id ?? response.toolUseId ?? response.name);
    return [toolResult(id, responseContent(response.response ?? response.content))];
  }
  const inline = part.inlineData ?? part.inline_data;
  if (isObject(inline)) {
    const mimeType = stringOf(inline.mimeType ?? inline.mime_type);
    return [medium(mediaType(mimeType), mimeType, stringOf(inline.data), part)];
  }
  return Object.keys(part).length === 0 ? [] : [other(part, Object.keys(part)[0] ?? '')];
}

function responseContent(response: unknown): unknown {
  if (!isObject(response)) return response;
  const text = ['output', 'result', 'content', 'error'].find(
    (key) => typeof response[key] === 'string' || Array.isArray(response[key]),
  );
  return text === undefined ? response : response[text];
}

function mediaOf(type: string, part: JsonObject): Media | undefined {
  if (type === 'image_url' || type === 'input_image') {
    const url = isObject(part.image_url) ? part.image_url.url : part.image_url;
    return fromUrl('image', stringOf(url), part);
  }
  if (!MEDIA_TYPES.has(type)) return undefined;
  const source = isObject(part.source) ? part.source : part;
  const mime = stringOf(
    source.media_type ?? source.mediaType ?? source.mime_type ?? source.mimeType,
  );
  const kind = type === 'image' ? 'image' : mediaType(mime);
  const data = source.data ?? source.base64 ?? source.image;
  if (typeof data === 'string' && !/^(?:data|https?):/.test(data.slice(0, 8))) {
    return medium(kind, mime, data, part);
  }
  return fromUrl(kind, stringOf(data ?? source.url ?? source.file_id), part);
}

const MEDIA_TYPES = new Set([
  'image',
  'document',
  'file',
  'audio',
  'video',
  'media',
  'blob',
  'uri',
]);

function fromUrl(type: Media['type'], url: string, part: JsonObject): Media {
  const inline = dataUrl(url);
  if (inline !== undefined) return medium(type, inline.mimeType, inline.data, part);
  return { kind: 'media', type, reference: url, raw: JSON.stringify(part) };
}

function medium(type: Media['type'], mimeType: string, data: string, part: JsonObject): Media {
  return {
    kind: 'media',
    type,
    ...(type === 'image' ? pixelSize(data) : {}),
    ...(mimeType === '' ? {} : { mimeType }),
    data,
    raw: JSON.stringify(part),
  };
}

function other(part: unknown, type: string): Block {
  return { kind: 'other', type, raw: JSON.stringify(part) ?? 'null' };
}
