/** Where a list may begin and end, and the limits of the whole request: A-END-1/2, A-FIRST-1, A-MIN-1, A-IMG-1. */
import { prefillOf } from '../../models.ts';
import type { Finding, ListRule } from '../../rule.ts';
import {
  type AnthropicFacts,
  blocksOf,
  isServerResult,
  KIND,
  type Turn,
  turnsFromEnd,
} from './facts.ts';
import { described } from './source.ts';

const MANY_IMAGES = 20;
const LARGEST_SIDE_OF_MANY = 2000;

/** The last turn and the one before it. */
function lastTurns(facts: readonly AnthropicFacts[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const turn of turnsFromEnd(facts)) if (turns.push(turn) === 2) break;
  return turns;
}

/** Index of the last message with something to say, where the list ends in an assistant turn for the model. */
function finalAssistant(facts: readonly AnthropicFacts[]): number | undefined {
  const [last, before] = lastTurns(facts);
  const turn = last?.role === 'system' && before?.role === 'assistant' ? before : last;
  if (turn?.role !== 'assistant') return undefined;
  const final = [...blocksOf(facts, turn)].at(-1);
  // A system message may follow what a server tool returned.
  if (turn !== last && final !== undefined && isServerResult(final.block.type)) return undefined;
  return turn.messages.at(-1);
}

export const endRules: readonly ListRule<AnthropicFacts>[] = [
  {
    ...described({
      id: 'A-END-1',
      explanation:
        'On newer models the list ends in a user turn, or in a system message that is legal there.',
      providerError: 'This model does not support assistant message prefill',
      needs: 'request',
      fix: 'End the list in a user turn: send a summary or a note with role user.',
      rewriteCanBreak: true,
    }),
    *find(facts, { context, mode }): Generator<Finding> {
      if (mode === 'prefix' || prefillOf(context.model) !== 'refused') return;
      const message = finalAssistant(facts);
      if (message !== undefined) yield { message, detail: 'the list ends in an assistant turn' };
    },
  },
  {
    ...described({
      id: 'A-END-2',
      explanation: 'On older models a final assistant turn does not end in white space.',
      providerError: 'final assistant content cannot end with trailing whitespace',
      needs: 'request',
      fix: 'Trim the end of the final assistant text, and of no other.',
      rewriteCanBreak: true,
    }),
    *find(facts, { context, mode }): Generator<Finding> {
      if (mode === 'prefix' || prefillOf(context.model) !== 'accepted') return;
      const [turn] = lastTurns(facts);
      if (turn?.role !== 'assistant') return;
      const final = [...blocksOf(facts, turn)].at(-1);
      if (final?.block.endsInSpace !== true) return;
      const detail = 'the final assistant turn ends in white space';
      yield { message: final.message, block: final.block.index, detail };
    },
  },
  {
    ...described({
      id: 'A-FIRST-1',
      severity: 'warning',
      explanation: 'The first message is a user turn.',
      source: 'shape case 073: many logs of refusals, and a probe that was accepted',
      providerError: 'first message must use the "user" role',
      needs: 'list',
      fix: 'Keep the first user turn, or put a user message in front.',
      rewriteCanBreak: true,
    }),
    *find(facts): Generator<Finding> {
      const message = facts.findIndex(
        ({ role, directiveOnly }) => role !== 'system' && !directiveOnly,
      );
      const first = facts[message];
      if (first === undefined || first.role === 'user') return;
      yield { message, detail: `the first turn has role '${first.role}'` };
    },
  },
  {
    ...described({
      id: 'A-MIN-1',
      explanation: 'The list has at least one message.',
      providerError: 'messages: at least one message is required',
      needs: 'list',
      fix: 'Keep the first user turn.',
      rewriteCanBreak: true,
    }),
    *find(facts): Generator<Finding> {
      if (facts.length === 0) yield { message: 0, detail: 'the list is empty' };
    },
  },
  {
    ...described({
      id: 'A-IMG-1',
      explanation: `Where a list holds over ${MANY_IMAGES} images, each has at most ${LARGEST_SIDE_OF_MANY} pixels a side.`,
      providerError: 'image dimensions exceed max allowed size for many-image requests',
      needs: 'request',
      fix: 'Drop the oldest images, or scale the large ones down.',
      rewriteCanBreak: false,
    }),
    concerns: KIND.image,
    *find(facts, { context }): Generator<Finding> {
      const sizes = context.image_dims;
      if (sizes === undefined) return;
      const images = facts.flatMap(({ blocks }, message) =>
        blocks.flatMap(({ images, index }) =>
          Array.from({ length: images }, () => ({ message, block: index })),
        ),
      );
      if (images.length <= MANY_IMAGES) return;
      for (const [at, image] of images.entries()) {
        const [width = 0, height = 0] = sizes[at] ?? [];
        if (Math.max(width, height) <= LARGEST_SIDE_OF_MANY) continue;
        yield { ...image, detail: `${width}×${height} pixels, one of ${images.length} images` };
      }
    },
  },
];
