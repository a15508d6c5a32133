/** Rules of OpenAI Responses: ids, the compaction trigger, and the rules of pairs and of reasoning. */
import { quote } from '../excerpt.ts';
import { asString, type JsonObject } from '../json-values.ts';
import {
  dialectRules,
  type Finding,
  type ListRule,
  type MessageFinding,
  type MessageRule,
  type Rule,
} from '../rule.ts';
import { wellFormed } from './any.ts';
import {
  ID_PREFIXES,
  KIND,
  type MessageItems,
  messageItems,
  placedItems,
} from './openai-responses/items.ts';
import { pairRules } from './openai-responses/pairs.ts';
import { reasoningRules } from './openai-responses/reasoning.ts';
import { described } from './openai-responses/source.ts';

const LONGEST_CALL_ID = 64;

function blockOf(items: readonly JsonObject[], index: number): number | undefined {
  return items.length > 1 ? index : undefined;
}

const messageRules: readonly MessageRule[] = [
  {
    ...described({
      id: 'OR-ID-1',
      explanation: "An item's id begins with the letters of its kind.",
      providerError: "Invalid 'input[N].id'. Expected an ID that begins with 'fc'",
      needs: 'list',
      fix: 'Drop the id and keep the call_id.',
      rewriteCanBreak: true,
    }),
    *find(items): Generator<MessageFinding> {
      for (const [index, item] of items.entries()) {
        const type = asString(item.type) ?? 'message';
        const prefix = ID_PREFIXES.get(type);
        const id = asString(item.id);
        if (prefix === undefined || id === undefined || id.startsWith(prefix)) continue;
        const detail = `the id of ${type} is ${quote(id)}; expected ${prefix}…`;
        yield { block: blockOf(items, index), detail };
      }
    },
  },
  {
    ...described({
      id: 'OR-ID-2',
      explanation: `A call_id has at most ${LONGEST_CALL_ID} characters.`,
      providerError: "Invalid 'input[N].call_id': string too long. Expected maximum length 64",
      needs: 'list',
      fix: 'Shorten the id in the call and in its output by one map.',
      rewriteCanBreak: true,
    }),
    *find(items): Generator<MessageFinding> {
      for (const [index, item] of items.entries()) {
        const length = [...(asString(item.call_id) ?? '')].length;
        if (length <= LONGEST_CALL_ID) continue;
        yield { block: blockOf(items, index), detail: `a call_id of ${length} characters` };
      }
    },
  },
];

const listRules: readonly ListRule<MessageItems>[] = [
  {
    ...described({
      id: 'OR-DUP-1',
      explanation: 'Item ids are unique.',
      providerError: 'Duplicate item found with id',
      needs: 'list',
      fix: 'Drop the repeated item, or its id.',
      rewriteCanBreak: true,
    }),
    *find(facts): Generator<Finding> {
      const seen = new Set<string>();
      for (const { item, message, block } of placedItems(facts)) {
        // A reference and a shell output name another item by its id.
        const names = item.type === 'item_reference' || item.type === 'local_shell_call_output';
        if (item.id === undefined || names) continue;
        if (seen.has(item.id)) {
          yield { message, block, detail: `id ${quote(item.id)} occurred before` };
        }
        seen.add(item.id);
      }
    },
  },
  {
    ...described({
      id: 'OR-TRIG-1',
      explanation: 'A compaction trigger is the last item.',
      providerError: "The 'compaction_trigger' item must be the final input item",
      needs: 'list',
      fix: 'Move the trigger to the end, or drop it.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.trigger,
    *find(facts): Generator<Finding> {
      const items = placedItems(facts);
      for (const { item, message, block } of items.slice(0, -1)) {
        if (item.part.kind !== 'trigger') continue;
        yield { message, block, detail: 'a compaction trigger is not the last item' };
      }
    },
  },
];

export const openaiResponsesRules: readonly Rule[] = dialectRules({
  facts: messageItems,
  message: [...messageRules, wellFormed],
  list: [...pairRules, ...reasoningRules, ...listRules],
});
