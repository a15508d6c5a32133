import { fitted, pushAll } from '../text/long-lists.ts';
import type { Block, Media, Thinking, ToolCall, ToolResult } from '../transcript/message.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { elements, member, type Span, slice } from './json-spans.ts';
import { dataUrl, mediaType, pixelSize } from './media.ts';
import { stringOf } from './parts.ts';

/** Text of a JSON array of items, and where each of them stands. */
export interface SourceText {
  readonly text: string;
  readonly items: readonly Span[];
}

/**
 * The member that holds what a call asks for. Calls of the lower half are run by the provider, and
 * their item may hold the result too.
 */
const ARGUMENTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    function_call: 'arguments',
    custom_tool_call: 'input',
    tool_search_call: 'arguments',
    apply_patch_call: 'operation',
    local_shell_call: 'action',
    shell_call: 'action',
    computer_call: 'action',
    web_search_call: 'action',
    file_search_call: 'queries',
    code_interpreter_call: 'code',
    image_generation_call: 'revised_prompt',
    mcp_call: 'arguments',
  }),
);

const SERVER_CALLS = new Set([
  ...['web_search_call', 'file_search_call', 'code_interpreter_call', 'image_generation_call'],
  'mcp_call',
]);

/** Blocks of one item. */
export function readItem(source: SourceText, index: number, item: JsonObject): Block[] {
  const span = source.items[index];
  if (span === undefined) return [];
  const type = item.type === undefined ? 'message' : stringOf(item.type);
  if (type === 'message')
    return readContent(source.text, member(source.text, span, 'content'), item.content);
  if (type === 'reasoning') return [readReasoning(item, slice(source.text, span))];
  const key = ARGUMENTS.get(type);
  if (key !== undefined) return readCall(source.text, span, type, key, item);
  if (type.endsWith('_output')) return [readOutput(source.text, span, item)];
  return [{ kind: 'other', type, raw: slice(source.text, span) }];
}

function readContent(text: string, list: Span | undefined, content: unknown): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (!Array.isArray(content) || list === undefined) return [];
  const spans = elements(text, list);
  return content.map((part: unknown, index) => {
    const span = spans[index];
    return readPart(part, span === undefined ? '' : slice(text, span));
  });
}

function readPart(part: unknown, raw: string): Block {
  if (!isObject(part)) return { kind: 'other', type: typeof part, raw };
  const type = stringOf(part.type);
  if (type === 'input_text' || type === 'output_text' || type === 'text') {
    return { kind: 'text', text: stringOf(part.text) };
  }
  if (type === 'refusal') return { kind: 'text', text: stringOf(part.refusal) };
  return readMedia(type, part, raw) ?? { kind: 'other', type, raw };
}

function readMedia(type: string, part: JsonObject, raw: string): Media | undefined {
  switch (type) {
    case 'input_image':
    case 'computer_screenshot': {
      const url = isObject(part.image_url) ? part.image_url.url : part.image_url;
      const inline = dataUrl(stringOf(url));
      if (inline === undefined) {
        return { kind: 'media', type: 'image', reference: stringOf(url ?? part.file_id), raw };
      }
      return { kind: 'media', type: 'image', ...pixelSize(inline.data), ...inline, raw };
    }
    case 'input_file': {
      const inline = dataUrl(stringOf(part.file_data));
      if (inline !== undefined) {
        return { kind: 'media', type: mediaType(inline.mimeType), ...inline, raw };
      }
      const data = stringOf(part.file_data);
      if (data !== '') return { kind: 'media', type: 'document', data, raw };
      const reference = stringOf(part.file_url ?? part.file_id);
      return { kind: 'media', type: 'document', reference, raw };
    }
    case 'input_audio': {
      const audio = isObject(part.input_audio) ? part.input_audio : part;
      const mimeType = `audio/${stringOf(audio.format)}`;
      return { kind: 'media', type: 'audio', mimeType, data: stringOf(audio.data), raw };
    }
    default:
      return undefined;
  }
}

function readReasoning(item: JsonObject, raw: string): Thinking {
  const texts = [item.summary, item.content].flatMap((list: unknown) =>
    Array.isArray(list)
      ? list.map((part: unknown) => (isObject(part) ? stringOf(part.text) : ''))
      : [],
  );
  const signature = item.encrypted_content;
  return {
    kind: 'thinking',
    text: texts.join('\n'),
    ...(typeof signature === 'string' ? { signature } : {}),
    raw,
  };
}

/** The call, and for a call that the provider ran the result that stands in the same item. */
function readCall(text: string, span: Span, type: string, key: string, item: JsonObject): Block[] {
  const given = item[key];
  const place = member(text, span, key);
  const isServer = SERVER_CALLS.has(type) || item.execution === 'server';
  const call: ToolCall = {
    kind: 'tool-call',
    id: stringOf(item.call_id ?? item.id),
    name: typeof item.name === 'string' ? item.name : type.slice(0, -'_call'.length),
    arguments: typeof given === 'string' ? given : place === undefined ? '{}' : slice(text, place),
    ...(isServer ? { server: true } : {}),
  };
  if (!isServer) return [call];
  const texts = serverTexts(item.output ?? item.outputs ?? item.results);
  const image: Media[] =
    typeof item.result === 'string'
      ? [{ kind: 'media', type: 'image', ...pixelSize(item.result), data: item.result, raw: '' }]
      : [];
  const error = stringOf(item.error);
  if (texts.length === 0 && image.length === 0 && error === '') return [call];
  return [
    call,
    {
      kind: 'tool-result',
      id: call.id,
      texts: error === '' ? texts : [...texts, error],
      media: image.map((medium) => ({ ...medium, raw: slice(text, span) })),
      isError: error !== '',
      server: true,
    },
  ];
}

/** Readable strings of a result that the provider wrote: logs, found passages, an output. */
function serverTexts(result: unknown): string[] {
  if (typeof result === 'string') return result === '' ? [] : [result];
  if (!Array.isArray(result)) return [];
  return result.flatMap((part: unknown) => {
    if (!isObject(part)) return [];
    const text = part.logs ?? part.text;
    return typeof text === 'string' ? [text] : [];
  });
}

function readOutput(text: string, span: Span, item: JsonObject): ToolResult {
  const key = outputKey(item);
  const list = member(text, span, key);
  const output = item[key];
  const texts: string[] = [];
  const media: Media[] = [];
  if (typeof output === 'string') texts.push(output);
  else if (Array.isArray(output) && key === 'output') {
    for (const [index, part] of output.entries()) {
      const partSpan = list === undefined ? undefined : elements(text, list)[index];
      const block = readPart(part, partSpan === undefined ? '' : slice(text, partSpan));
      if (block.kind === 'text') texts.push(block.text);
      else if (block.kind === 'media') media.push(block);
      else if (isObject(part)) pushAll(texts, shellTexts(part));
    }
  } else if (isObject(output)) {
    const screenshot = readMedia(
      stringOf(output.type),
      output,
      list === undefined ? '' : slice(text, list),
    );
    if (screenshot !== undefined) media.push(screenshot);
    else if (typeof output.content === 'string') texts.push(output.content);
    else if (list !== undefined) texts.push(slice(text, list));
  } else if (list !== undefined && Array.isArray(output)) texts.push(slice(text, list));
  return {
    kind: 'tool-result',
    // A local shell output names its call by `id`.
    id: stringOf(item.call_id ?? item.id),
    texts: fitted(texts),
    media,
    isError: item.status === 'failed',
    ...(item.execution === 'server' ? { server: true } : {}),
  };
}

/** The tools that a search found are its output. */
function outputKey(item: JsonObject): string {
  return item.output === undefined && item.tools !== undefined ? 'tools' : 'output';
}

/** Texts of one command of a shell output. */
function shellTexts(part: JsonObject): string[] {
  return [stringOf(part.stdout), stringOf(part.stderr)].filter((text) => text !== '');
}
