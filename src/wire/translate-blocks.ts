import { pushAll } from '../text/long-lists.ts';
import type {
  Block,
  DialectName,
  Media,
  Thinking,
  ToolCall,
  ToolResult,
} from '../transcript/message.ts';
import { isObject } from './json-object.ts';
import type { Target } from './translate-targets.ts';
import type { Turn } from './translate-turns.ts';

/** Stands where a message would otherwise be empty. */
const PLACEHOLDER = '(empty)';

/** What was left out or respelled, and how often. */
export class Notes {
  readonly #counts = new Map<string, number>();

  add(what: string, count = 1): void {
    if (count > 0) this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  list(): readonly string[] {
    return [...this.#counts].map(([what, count]) => `${what}: ${count}`);
  }
}

export interface Conversion {
  readonly from: DialectName;
  readonly to: DialectName;
  readonly target: Target;
  readonly notes: Notes;
  /** Whether this medium may be sent as such. */
  carries(media: Media): boolean;
}

/** The turns that carry what the target can carry of a turn: none, one, or for some results two. */
export function convertTurn(turn: Turn, conversion: Conversion): readonly Turn[] {
  if (turn.role === 'tool') return convertResults(turn, conversion);
  const { notes } = conversion;
  const blocks: Block[] = [];
  let hadText = turn.blocks.length === 0;
  for (const block of turn.blocks) {
    if (block.kind === 'text') hadText = true;
    pushAll(blocks, convertBlock(block, turn, conversion));
  }
  if (blocks.length > 0) return [{ ...turn, blocks }];
  if (!hadText || turn.role === 'system') {
    notes.add('messages without content left out');
    return [];
  }
  notes.add('empty messages given a placeholder');
  return [{ ...turn, blocks: [{ kind: 'text', text: PLACEHOLDER }] }];
}

function convertBlock(block: Block, turn: Turn, conversion: Conversion): Block[] {
  const { notes, to, carries } = conversion;
  switch (block.kind) {
    case 'text':
      if (block.text.trim() !== '') return [block];
      notes.add('blank texts left out');
      return [];
    case 'thinking': {
      const raw = convertThinking(block, conversion);
      if (raw !== undefined) return [{ ...block, raw }];
      notes.add('thinking left out');
      return [];
    }
    case 'tool-call':
      if (block.server !== true && turn.role === 'assistant') return [block];
      notes.add('calls of the provider’s tools written as text');
      return [callText(block)];
    case 'tool-result':
      notes.add('results of the provider’s tools written as text');
      return [
        { kind: 'text', text: ['[result]', ...block.texts].join('\n') },
        ...block.media.flatMap((medium) => convertBlock(medium, turn, conversion)),
      ];
    case 'media': {
      const fits = turn.role === 'user' || (turn.role === 'assistant' && to === 'gemini');
      return [fits && carries(block) ? block : mediaText(block, notes)];
    }
    case 'other':
      notes.add(`${block.type} left out`);
      return [];
  }
}

function callText(call: ToolCall): Block {
  return { kind: 'text', text: `[${call.name}] ${call.arguments}` };
}

function mediaText(media: Media, notes: Notes): Block {
  notes.add('media written as text');
  if (media.text !== undefined && media.text.trim() !== '')
    return { kind: 'text', text: media.text };
  const said = [media.type, media.mimeType, media.reference].filter((part) => part !== undefined);
  return { kind: 'text', text: `[${said.join(' ')}]` };
}

function convertResults(turn: Turn, conversion: Conversion): readonly Turn[] {
  const moved: Block[] = [];
  const blocks = turn.blocks.flatMap((block): Block[] => {
    if (block.kind !== 'tool-result') return [];
    const { result, media } = convertResult(block, turn, conversion);
    pushAll(moved, media);
    return [result];
  });
  const turns: Turn[] = [{ role: 'tool', blocks }];
  return moved.length === 0 ? turns : [...turns, { role: 'user', blocks: moved }];
}

/** The result, and media that may not stand in it: they follow in a user turn. */
function convertResult(
  block: ToolResult,
  turn: Turn,
  { target, notes, carries }: Conversion,
): { readonly result: ToolResult; readonly media: readonly Media[] } {
  const mustMove = !target.resultsHoldMedia || (block.isError && target.errorsAreText);
  const isCarried = (medium: Media) => !(mustMove && turn.isPartial === true) && carries(medium);
  const carried = block.media.filter(isCarried);
  const described = block.media.filter((medium) => !isCarried(medium));
  const texts = [
    ...block.texts,
    ...described.flatMap((medium) => {
      const part = mediaText(medium, notes);
      return part.kind === 'text' ? [part.text] : [];
    }),
  ];
  const kept = target.blankResults === 'taken' ? texts : texts.filter((text) => text.trim() !== '');
  const media = mustMove ? [] : carried;
  const mayBeEmpty = target.blankResults !== 'refused' && !block.isError;
  const isEmpty = media.length === 0 && kept.every((text) => text.trim() === '');
  if (isEmpty && !mayBeEmpty) notes.add('empty results given a placeholder');
  return {
    result: { ...block, texts: isEmpty && !mayBeEmpty ? [PLACEHOLDER] : kept, media },
    media: mustMove ? carried : [],
  };
}

/**
 * Claude's signatures are good on all platforms that serve it, so signed thinking goes between Anthropic
 * and Bedrock, respelled; a thinking block goes nowhere else. Source: provider documentation of extended
 * thinking, "signature values are compatible across platforms".
 */
function convertThinking(block: Thinking, { from, to }: Conversion): string | undefined {
  const value: unknown = JSON.parse(block.raw);
  if (!isObject(value) || block.signature === undefined || block.signature === '') return undefined;
  const { text, signature } = block;
  if (from === 'anthropic' && to === 'bedrock') {
    const isRedacted = value.type === 'redacted_thinking';
    const reasoning = isRedacted
      ? { redactedContent: signature }
      : { reasoningText: { text, signature } };
    return JSON.stringify({ reasoningContent: reasoning });
  }
  if (from === 'bedrock' && to === 'anthropic') {
    const { reasoningContent } = value;
    const isRedacted = isObject(reasoningContent) && 'redactedContent' in reasoningContent;
    return JSON.stringify(
      isRedacted
        ? { type: 'redacted_thinking', data: signature }
        : { type: 'thinking', thinking: text, signature },
    );
  }
  return undefined;
}
