import { type Block, type Message, resultText } from '../../transcript/message.ts';

/** What stands in a block, as text; of media what they are, of other blocks their JSON. */
export function blockText(block: Block): string {
  switch (block.kind) {
    case 'text':
    case 'thinking':
      return block.text;
    case 'tool-call':
      return `${block.name}\n${block.arguments}`;
    case 'tool-result':
      return [
        resultText(block),
        ...block.media.map(({ type, mimeType }) => `(${mimeType ?? type})`),
      ]
        .filter((text) => text !== '')
        .join('\n');
    case 'media':
      return block.text ?? `(${block.mimeType ?? block.type})`;
    case 'other':
      return block.raw;
  }
}

/** The message in one text: its calls by name and arguments, its results, its words. */
export function messageText({ blocks }: Message): string {
  return blocks.map(blockText).join('\n');
}
