/** Calls and their outputs: OR-PAIR-1 to OR-PAIR-3. They pair by id and order, not by adjacency. */
import { quote } from '../../excerpt.ts';
import { type FactsView, type Finding, type ListRule, once, type ShapeMode } from '../../rule.ts';
import { KIND, type MessageItems, type PairFamily, type PlacedItem, placedItems } from './items.ts';
import { described } from './source.ts';

interface Pairing {
  readonly unanswered: readonly PlacedItem[];
  readonly unexpected: readonly PlacedItem[];
}

interface OpenCall {
  readonly placed: PlacedItem;
  /** Index of the item in the list. */
  readonly at: number;
  answered: boolean;
}

const pairingOf = once((facts: readonly MessageItems[], mode: ShapeMode): Pairing => {
  const items = placedItems(facts);
  const calls: OpenCall[] = [];
  const waiting = new Map<string, OpenCall[]>();
  const unexpected: PlacedItem[] = [];
  for (const [at, placed] of items.entries()) {
    const { part, keys } = placed.item;
    if (part.kind === 'call') {
      const call = { placed, at, answered: keys.length === 0 };
      calls.push(call);
      for (const key of keys) {
        const others = waiting.get(key);
        if (others === undefined) waiting.set(key, [call]);
        else others.push(call);
      }
    } else if (part.kind === 'output') {
      for (const key of keys) {
        const answered = waiting.get(key);
        if (answered === undefined) unexpected.push(placed);
        for (const call of answered?.splice(0) ?? []) call.answered = true;
      }
    }
  }
  const inFlightFrom = mode === 'prefix' ? lastBatch(items) : items.length;
  const unanswered = calls
    .filter(({ answered, at }) => !answered && at < inFlightFrom)
    .map(({ placed }) => placed);
  return { unanswered, unexpected };
});

/** Index of the first item of the last batch: what the model said last, before the outputs that end the list. */
function lastBatch(items: readonly PlacedItem[]): number {
  let at = items.length;
  while (at > 0 && items[at - 1]?.item.part.kind === 'output') at--;
  while (at > 0) {
    const kind = items[at - 1]?.item.part.kind;
    if (kind !== 'call' && kind !== 'reasoning' && kind !== 'answer') break;
    at--;
  }
  return at;
}

function* unanswered(
  facts: readonly MessageItems[],
  mode: ShapeMode,
  family: PairFamily,
): Generator<Finding> {
  for (const { item, message, block } of pairingOf(facts, mode).unanswered) {
    if (item.part.kind !== 'call' || item.part.family !== family) continue;
    yield {
      message,
      block,
      detail: `${item.type} ${quote(item.callId ?? '')} has no output after it`,
    };
  }
}

function* unexpected(
  facts: readonly MessageItems[],
  { mode, context, factsBefore }: FactsView<MessageItems>,
  family: PairFamily,
): Generator<Finding> {
  const found = pairingOf(facts, mode).unexpected;
  if (found.length === 0) return;
  // Where part of the history lies with the provider, only a call that the list had before can be missed.
  const isWhole =
    (context.previous_response_id ?? context.conversation ?? undefined) === undefined &&
    !placedItems(facts).some(({ item }) => item.type === 'item_reference');
  const dropped = isWhole ? undefined : callKeys(factsBefore() ?? []);
  for (const { item, message, block } of found) {
    if (item.part.kind !== 'output' || item.part.family !== family) continue;
    if (dropped !== undefined && !item.keys.some((key) => dropped.has(key))) continue;
    yield {
      message,
      block,
      detail: `${item.type} ${quote(item.callId ?? '')} has no call before it`,
    };
  }
}

function callKeys(facts: readonly MessageItems[]): ReadonlySet<string> {
  return new Set(
    placedItems(facts).flatMap(({ item }) => (item.part.kind === 'call' ? item.keys : [])),
  );
}

const FIX = 'Keep or drop a call together with its output, the call first.';

export const pairRules: readonly ListRule<MessageItems>[] = [
  {
    ...described({
      id: 'OR-PAIR-1',
      explanation: 'Every function call has its output after it.',
      providerError: 'No tool output found for function call',
      needs: 'list',
      fix: FIX,
      rewriteCanBreak: true,
    }),
    concerns: KIND.call,
    find: (facts, { mode }) => unanswered(facts, mode, 'function'),
  },
  {
    ...described({
      id: 'OR-PAIR-2',
      explanation: 'Every function call output has its call before it.',
      providerError: 'No tool call found for function call output',
      needs: 'list',
      fix: FIX,
      rewriteCanBreak: true,
    }),
    concerns: KIND.output,
    find: (facts, list) => unexpected(facts, list, 'function'),
  },
  {
    ...described({
      id: 'OR-PAIR-3',
      explanation:
        'Custom tool, tool search, apply patch, shell and computer calls have their output after them, and outputs their call before them.',
      providerError: 'No tool output found for custom tool call',
      needs: 'list',
      fix: FIX,
      rewriteCanBreak: true,
    }),
    concerns: KIND.call | KIND.output,
    *find(facts, list): Generator<Finding> {
      yield* unanswered(facts, list.mode, 'other');
      yield* unexpected(facts, list, 'other');
    },
  },
];
