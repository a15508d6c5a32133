/** Calls that the provider executes itself, and the programs that make calls: A-SRV-1 and A-SRV-2. */
import { quote } from '../../excerpt.ts';
import type { Finding, ListRule, ShapeMode } from '../../rule.ts';
import {
  type AnthropicFacts,
  blocksOf,
  isServerCall,
  isServerResult,
  KIND,
  type PlacedBlock,
  turnsOf,
} from './facts.ts';
import { described } from './source.ts';

/**
 * Server calls and results that lost their other half. A result stands in the assistant turn of its call; or in a
 * later one, when the call is a program that waited for results of the client's tools. So a call stays
 * open across user turns of tool results only. At the end of the list it may be open while a call that its program
 * made is being answered, or as the very last block, which is how a paused turn is resumed.
 */
function* halves(facts: readonly AnthropicFacts[], mode: ShapeMode): Generator<Finding> {
  const open = new Map<string, PlacedBlock>();
  const waiting = new Map<string, PlacedBlock>();
  const callers = new Set<string>();
  const turns = turnsOf(facts);
  let lastBlock: PlacedBlock | undefined;
  for (const turn of turns) {
    const placed = [...blocksOf(facts, turn)];
    lastBlock = placed.at(-1);
    if (turn.role === 'user') {
      const continues = placed.some(({ block }) => block.type === 'tool_result');
      for (const [id, call] of open) {
        if (callers.has(id)) waiting.set(id, call);
        else yield withoutResult(call);
      }
      open.clear();
      if (continues) continue;
      for (const call of waiting.values()) yield withoutResult(call);
      waiting.clear();
    }
    if (turn.role !== 'assistant') continue;
    for (const { block, message } of placed) {
      if (block.caller !== undefined) callers.add(block.caller);
      if (isServerCall(block.type) && block.id !== undefined) {
        open.set(block.id, { block, message });
      } else if (isServerResult(block.type) && block.answers !== undefined) {
        if (open.delete(block.answers) || waiting.delete(block.answers)) continue;
        const detail = `${block.type} for ${quote(block.answers)}, whose server_tool_use is not before it`;
        yield { message, block: block.index, detail };
      }
    }
  }
  for (const [id, call] of open) {
    const resumed = lastBlock?.block === call.block;
    const inFlight = mode === 'prefix' && turns.at(-1)?.role === 'assistant';
    if (!resumed && !inFlight && !callers.has(id)) yield withoutResult(call);
  }
}

function withoutResult({ block, message }: PlacedBlock): Finding {
  const detail = `${block.type} ${quote(block.id ?? '')} has no result block in its turn`;
  return { message, block: block.index, detail };
}

export const serverToolRules: readonly ListRule<AnthropicFacts>[] = [
  {
    ...described({
      id: 'A-SRV-1',
      explanation: "A server tool's call and its result block stay together.",
      providerError: 'server_tool_use was found without a corresponding tool_result block',
      needs: 'list',
      fix: 'Keep both blocks or drop both.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.server,
    find: (facts, { mode }) => halves(facts, mode),
  },
  {
    ...described({
      id: 'A-SRV-2',
      explanation: 'The block that a caller.tool_id names is still in the list.',
      providerError: 'source tool was not found',
      needs: 'list',
      fix: 'Keep the program that made the call, or drop the call and its result with it.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.server,
    *find(facts) {
      const known = new Set<string>();
      for (const [message, { blocks }] of facts.entries()) {
        for (const block of blocks) if (isServerCall(block.type)) known.add(block.id ?? '');
        for (const { caller, type, index } of blocks) {
          if (caller === undefined || known.has(caller)) continue;
          yield {
            message,
            block: index,
            detail: `${type} was called by ${quote(caller)}, which is gone`,
          };
        }
      }
    },
  },
];
