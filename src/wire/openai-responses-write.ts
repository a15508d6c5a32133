import {
  type Block,
  type Media,
  type Role,
  resultText,
  type ToolResult,
} from '../transcript/message.ts';
import { rootSpan } from './json-spans.ts';
import { stringAt } from './parts.ts';

/**
 * Writes blocks as items: each tool result is a message of its own, what else there is one message,
 * with the calls of an assistant turn behind its text. Item ids are left out: they are the provider's,
 * and a foreign one is refused.
 */
export function writeItems(role: Role, blocks: readonly Block[]): readonly string[] {
  const results = blocks.flatMap((block) =>
    block.kind === 'tool-result' && block.server !== true ? [writeOutput(block)] : [],
  );
  const rest = blocks.filter((block) => block.kind !== 'tool-result');
  if (rest.length === 0) return results;
  const items = role === 'assistant' ? assistantItems(rest) : [inputItem(role, rest)];
  return items.length === 0 ? results : [...results, items.join(',')];
}

function writeOutput(result: ToolResult): string {
  const text = resultText(result);
  // The wire has no flag for a failed call.
  const said = result.isError && text !== '' ? `Error: ${text}` : text;
  const media = result.media.flatMap((medium) => writeMedia(medium) ?? []);
  const output =
    media.length === 0
      ? said
      : [...(said === '' ? [] : [{ type: 'input_text', text: said }]), ...media];
  return JSON.stringify({ type: 'function_call_output', call_id: result.id, output });
}

function assistantItems(blocks: readonly Block[]): string[] {
  const items: string[] = [];
  let texts: string[] = [];
  const endText = () => {
    if (texts.length === 0) return;
    const content = texts.map((text) => ({ type: 'output_text', text }));
    items.push(JSON.stringify({ type: 'message', role: 'assistant', content }));
    texts = [];
  };
  for (const block of blocks) {
    if (block.kind === 'text') texts.push(block.text);
    else if (block.kind === 'tool-call' && block.server !== true) {
      endText();
      items.push(
        JSON.stringify({
          type: 'function_call',
          call_id: block.id,
          name: block.name,
          arguments: block.arguments,
        }),
      );
    } else if (block.kind === 'thinking' && isReasoningItem(block.raw)) {
      endText();
      items.push(block.raw);
    }
  }
  endText();
  return items;
}

function isReasoningItem(raw: string): boolean {
  return stringAt(raw, rootSpan(raw), 'type') === 'reasoning';
}

function inputItem(role: Role, blocks: readonly Block[]): string {
  const content = blocks.flatMap((block): object[] => {
    if (block.kind === 'text') return [{ type: 'input_text', text: block.text }];
    return block.kind === 'media' ? [writeMedia(block) ?? []].flat() : [];
  });
  const wireRole = role === 'system' ? 'system' : 'user';
  return JSON.stringify({ type: 'message', role: wireRole, content });
}

function writeMedia(media: Media): object | undefined {
  if (media.text !== undefined) return { type: 'input_text', text: media.text };
  const url =
    media.data === undefined
      ? media.reference
      : `data:${media.mimeType ?? DEFAULT_TYPES[media.type]};base64,${media.data}`;
  if (url === undefined) return undefined;
  if (media.type === 'image') return { type: 'input_image', image_url: url };
  if (media.type !== 'document') return undefined;
  if (media.data === undefined) return { type: 'input_file', file_url: url };
  return { type: 'input_file', filename: 'document', file_data: url };
}

const DEFAULT_TYPES: Readonly<Record<Media['type'], string>> = {
  image: 'image/png',
  document: 'application/pdf',
  audio: 'audio/wav',
  video: 'video/mp4',
};
