/** Texts and contents that may not be empty or blank: A-EMPTY-1 to A-EMPTY-5. */
import {
  asArray,
  asObject,
  asString,
  isBlank,
  type JsonObject,
  kindOf,
} from '../../json-values.ts';
import type { MessageFinding, MessageRule } from '../../rule.ts';
import { isDirectiveOnly, ROLES } from './facts.ts';
import { partsOf } from './parts.ts';
import { described } from './source.ts';

/** The texts of a message: a string content, text blocks, and text blocks inside tool results. */
function* textsOf(items: readonly JsonObject[]): Generator<{
  readonly text: string;
  readonly index: number | undefined;
  readonly where: string;
}> {
  const content = items[0]?.content;
  if (typeof content === 'string') yield { text: content, index: undefined, where: 'content' };
  for (const { block, index } of partsOf(items)) {
    if (block.type === 'text') {
      yield { text: asString(block.text) ?? '', index, where: 'a text block' };
    } else if (block.type === 'tool_result') {
      for (const inner of asArray(block.content).map(asObject)) {
        if (inner.type !== 'text') continue;
        yield { text: asString(inner.text) ?? '', index, where: 'a text block of a tool_result' };
      }
    }
  }
}

export const emptinessRules: readonly MessageRule[] = [
  {
    ...described({
      id: 'A-EMPTY-1',
      explanation: 'No text block is empty, also inside a tool_result.',
      providerError: 'text content blocks must be non-empty',
      needs: 'list',
      fix: 'Drop the block, or put a short note in its place.',
      rewriteCanBreak: true,
    }),
    *find(items): Generator<MessageFinding> {
      for (const { text, index, where } of textsOf(items)) {
        if (index !== undefined && text === '') yield { block: index, detail: `${where} is empty` };
      }
    },
  },
  {
    ...described({
      id: 'A-EMPTY-2',
      explanation: 'No text consists of white space only.',
      providerError: 'text content blocks must contain non-whitespace text',
      needs: 'list',
      fix: 'Drop the block, or put a short note in its place.',
      rewriteCanBreak: true,
    }),
    *find(items): Generator<MessageFinding> {
      for (const { text, index, where } of textsOf(items)) {
        if (text !== '' && isBlank(text)) yield { block: index, detail: `${where} is blank` };
      }
    },
  },
  {
    ...described({
      id: 'A-EMPTY-3',
      explanation:
        'User and system messages have content; an empty assistant message is taken by some endpoints only.',
      providerError: 'user messages must have non-empty content',
      needs: 'list',
      fix: 'Drop the message, or put a short note in it.',
      rewriteCanBreak: true,
    }),
    *find(items): Generator<MessageFinding> {
      const message = items[0] ?? {};
      const { content } = message;
      const absent = content === undefined || content === null;
      if (!absent && content !== '' && !(Array.isArray(content) && content.length === 0)) return;
      // A role that this wire does not have is A-ROLE-1.
      if (isDirectiveOnly(message) || !ROLES.has(asString(message.role) ?? '')) return;
      const detail = `${String(message.role)} content is ${absent ? kindOf(content) : 'empty'}`;
      // Measured: an empty assistant message is accepted, but not on every platform (shape case 068).
      if (message.role === 'assistant' && !absent) yield { detail, severity: 'warning' };
      else yield { detail };
    },
  },
  {
    ...described({
      id: 'A-EMPTY-4',
      explanation: 'A tool_result with is_error has content.',
      providerError: 'content cannot be empty if is_error is true',
      needs: 'list',
      fix: 'Keep the error text, or drop the flag.',
      rewriteCanBreak: true,
    }),
    *find(items): Generator<MessageFinding> {
      for (const { block, index } of partsOf(items)) {
        if (block.type !== 'tool_result' || block.is_error !== true) continue;
        const content = block.content ?? '';
        if (content === '' || (Array.isArray(content) && content.length === 0)) {
          yield { block: index, detail: 'a tool_result with is_error has no content' };
        }
      }
    },
  },
  {
    ...described({
      id: 'A-EMPTY-5',
      explanation: "The provider's own compaction block is not empty.",
      providerError: "compaction.content: content can't be empty",
      needs: 'list',
      fix: 'Drop the block.',
      rewriteCanBreak: true,
    }),
    *find(items): Generator<MessageFinding> {
      for (const { block, index } of partsOf(items)) {
        if (block.type !== 'compaction') continue;
        const content = block.content ?? '';
        if (content === '' || (Array.isArray(content) && content.length === 0)) {
          yield { block: index, detail: 'a compaction block without content' };
        }
      }
    },
  },
];
