/** Reasoning items and what they lead to: OR-RSN-1 and OR-RSN-2. */
import { quote } from '../../excerpt.ts';
import type { Finding, ListRule } from '../../rule.ts';
import { KIND, type MessageItems, type PlacedItem, placedItems } from './items.ts';
import { described } from './source.ts';

/** Whether the model wrote the item after its reasoning, in the same step. */
function isLedByReasoning({ item }: PlacedItem): boolean {
  return item.part.kind === 'call' || item.part.kind === 'answer';
}

/** Identity of the reasoning that leads each item with an id: the nearest one of its step. */
function leaders(items: readonly PlacedItem[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [id, { leader }] of ledItems(items)) if (leader !== undefined) found.set(id, leader);
  return found;
}

function* ledItems(
  items: readonly PlacedItem[],
): Generator<
  readonly [string, { readonly placed: PlacedItem; readonly leader: string | undefined }]
> {
  let leader: string | undefined;
  for (const placed of items) {
    const { part, id } = placed.item;
    if (part.kind === 'reasoning') leader = part.identity;
    else if (!isLedByReasoning(placed)) leader = undefined;
    else if (id !== undefined) yield [id, { placed, leader }];
  }
}

export const reasoningRules: readonly ListRule<MessageItems>[] = [
  {
    ...described({
      id: 'OR-RSN-1',
      severity: 'warning',
      explanation: 'A reasoning item keeps the item that follows it.',
      providerError: "Item of type 'reasoning' was provided without its required following item",
      needs: 'list',
      fix: 'Drop the reasoning item together with what it led to.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.reasoning,
    *find(facts, { mode }): Generator<Finding> {
      const items = placedItems(facts);
      for (const [at, placed] of items.entries()) {
        if (placed.item.part.kind !== 'reasoning') continue;
        const next = items[at + 1];
        if (next === undefined ? mode === 'prefix' : isFollower(next)) continue;
        const found = next === undefined ? 'ends the list' : `is followed by ${next.item.type}`;
        yield { message: placed.message, block: placed.block, detail: `a reasoning item ${found}` };
      }
    },
  },
  {
    ...described({
      id: 'OR-RSN-2',
      explanation: 'A call or message item with an id keeps the reasoning item before it.',
      providerError: "Item was provided without its required 'reasoning' item",
      needs: 'pair',
      fix: 'Keep the reasoning item, or drop the id of the item and keep its call_id.',
      rewriteCanBreak: true,
    }),
    *find(facts, { factsBefore }): Generator<Finding> {
      const before = factsBefore();
      if (before === undefined) return;
      const recorded = leaders(placedItems(before));
      for (const [id, { placed, leader }] of ledItems(placedItems(facts))) {
        const expected = recorded.get(id);
        if (expected === undefined || expected === leader) continue;
        const { message, block, item } = placed;
        yield { message, block, detail: `${item.type} ${quote(id)} lost its reasoning item` };
      }
    },
  },
];

function isFollower(placed: PlacedItem): boolean {
  return isLedByReasoning(placed) || placed.item.part.kind === 'reasoning';
}
