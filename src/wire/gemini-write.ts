import { pushAll } from '../text/long-lists.ts';
import type { Block, Media, Role, ToolResult } from '../transcript/message.ts';
import { member, rootSpan } from './json-spans.ts';
import { objectText } from './parts.ts';

/**
 * Stands for the signature of a call that another provider made: Gemini 3 refuses the first call of a
 * step without one. Source: "Thought signatures", transferring history from other models.
 */
const FOREIGN_CALL_SIGNATURE = 'skip_thought_signature_validator';

/** Responses stand in a content of their own, as many as there were calls; what else there is follows. */
export function writeContents(
  role: Role,
  blocks: readonly Block[],
  toolNames: ReadonlyMap<string, string>,
): readonly string[] {
  const wireRole = role === 'assistant' ? 'model' : 'user';
  const responses: string[] = [];
  const rest: string[] = [];
  let isSigned = false;
  for (const block of blocks) {
    if (block.kind === 'tool-result') {
      if (block.server === true) continue;
      responses.push(writeResponse(block, toolNames.get(block.id) ?? block.id));
      for (const medium of block.media) pushAll(rest, writePart(medium, isSigned));
    } else {
      pushAll(rest, writePart(block, isSigned));
      if (block.kind === 'tool-call' && block.server !== true) isSigned = true;
    }
  }
  const contents = responses.length === 0 ? [] : [responses];
  if (rest.length > 0 || responses.length === 0) contents.push(rest);
  return contents.map((parts) => `{"role":"${wireRole}","parts":[${parts.join(',')}]}`);
}

function writeResponse(result: ToolResult, name: string): string {
  const text = result.texts.join('\n');
  const response = result.isError ? { error: text } : { output: text };
  return JSON.stringify({ functionResponse: { name, response } });
}

/** `isSigned`: a call of this step stands before, so that the block needs no signature. */
function writePart(block: Block, isSigned: boolean): string[] {
  switch (block.kind) {
    case 'text':
      return [JSON.stringify({ text: block.text })];
    case 'thinking':
      return isGeminiThought(block.raw) ? [block.raw] : [];
    case 'tool-call': {
      if (block.server === true) return [];
      const call = `"functionCall":{"name":${JSON.stringify(block.name)},"args":${objectText(block.arguments)}}`;
      const signature = isSigned ? '' : `,"thoughtSignature":"${FOREIGN_CALL_SIGNATURE}"`;
      return [`{${call}${signature}}`];
    }
    case 'media':
      return writeMedia(block);
    case 'tool-result':
    case 'other':
      return [];
  }
}

function isGeminiThought(raw: string): boolean {
  const root = rootSpan(raw);
  return member(raw, root, 'thought') !== undefined && member(raw, root, 'text') !== undefined;
}

function writeMedia(media: Media): string[] {
  if (media.text !== undefined) return [JSON.stringify({ text: media.text })];
  const fallback = media.type === 'image' ? 'image/png' : 'application/pdf';
  const mimeType = media.mimeType ?? fallback;
  if (media.data !== undefined) {
    return [JSON.stringify({ inlineData: { mimeType, data: media.data } })];
  }
  if (media.reference === undefined) return [];
  return [JSON.stringify({ fileData: { mimeType, fileUri: media.reference } })];
}
