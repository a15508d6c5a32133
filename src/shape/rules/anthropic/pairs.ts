/** Calls and their results: A-PAIR-1 to A-PAIR-4. */
import { quote } from '../../excerpt.ts';
import { type Finding, type ListRule, once, type ShapeMode } from '../../rule.ts';
import { type AnthropicFacts, type BlockFacts, KIND, type PlacedBlock } from './facts.ts';
import { described } from './source.ts';

interface Pairing {
  readonly unanswered: readonly PlacedBlock[];
  readonly unexpected: readonly PlacedBlock[];
  readonly repeatedCalls: readonly PlacedBlock[];
  readonly surplusResults: readonly PlacedBlock[];
}

/** What is known of an id while the list is walked; turns are numbered by their first message. */
interface Paired {
  calls: number;
  results: number;
  calledIn: number;
  answeredIn: number;
}

/**
 * Pairs all calls and results in one walk over the messages. Neighbours of one role are one turn to the provider;
 * messages of settings only stand in no turn.
 */
const pairingOf = once((facts: readonly AnthropicFacts[], mode: ShapeMode): Pairing => {
  const unanswered: PlacedBlock[] = [];
  const unexpected: PlacedBlock[] = [];
  const repeatedCalls: PlacedBlock[] = [];
  const repeatedResults: PlacedBlock[] = [];
  const known = new Map<string, Paired>();
  const pairedOf = (id: string): Paired => {
    const paired = known.get(id);
    if (paired !== undefined) return paired;
    const fresh = { calls: 0, results: 0, calledIn: -1, answeredIn: -1 };
    known.set(id, fresh);
    return fresh;
  };

  let role = '';
  let turn = -1;
  // The latest assistant turn: its number, and its calls that results right after it may still answer.
  let callingTurn = -1;
  let pending: (PlacedBlock & { readonly paired: Paired })[] = [];
  let answering = false;
  const settle = () => {
    for (const call of pending) {
      if (call.paired.answeredIn !== callingTurn) unanswered.push(call);
    }
    pending = [];
    answering = false;
  };

  for (const [message, { role: current, directiveOnly, blocks, kinds }] of facts.entries()) {
    if (directiveOnly) continue;
    if (current !== role) {
      // Only a user turn right behind the calls can answer them.
      if (current === 'user' && role === 'assistant') answering = true;
      else settle();
      role = current;
      turn = message;
      if (current === 'assistant') callingTurn = turn;
    }
    if (current === 'assistant') {
      if ((kinds & KIND.call) === 0 && pending.length === 0) continue;
      for (const block of blocks) {
        if (block.type === 'tool_use' && block.id !== undefined) {
          const paired = pairedOf(block.id);
          if (paired.calls > 0) repeatedCalls.push({ block, message });
          paired.calls++;
          paired.calledIn = turn;
          pending.push({ block, message, paired });
        } else if (endsCalls(block)) settle();
      }
    } else if (current === 'user') {
      for (const block of blocks) {
        if (block.type !== 'tool_result') {
          if (answering) settle();
          continue;
        }
        if (block.answers === undefined) continue;
        const paired = pairedOf(block.answers);
        if (paired.calledIn < 0 || paired.calledIn !== callingTurn)
          unexpected.push({ block, message });
        if (paired.results > 0) repeatedResults.push({ block, message });
        paired.results++;
        if (answering) paired.answeredIn = callingTurn;
      }
    }
  }
  // What ends the list in flight may still be answered.
  if (mode === 'sendable') settle();
  return { unanswered, unexpected, repeatedCalls, surplusResults: surplus(repeatedResults, known) };
});

/** The last results of each call, as many as there are more results than calls of that id. */
function surplus(
  repeated: readonly PlacedBlock[],
  known: ReadonlyMap<string, Paired>,
): readonly PlacedBlock[] {
  const left = new Map<string, number>();
  return repeated
    .toReversed()
    .filter(({ block }) => {
      const id = block.answers ?? '';
      const { calls = 0, results = 0 } = known.get(id) ?? {};
      const more = left.get(id) ?? (calls === 0 ? 0 : results - calls);
      left.set(id, more - 1);
      return more > 0;
    })
    .toReversed();
}

/** Text of the assistant after its calls cuts them off from their results. */
function endsCalls({ type }: BlockFacts): boolean {
  return type === 'text' || type === 'image' || type === 'document';
}

function place({ block, message }: PlacedBlock, detail: string): Finding {
  return { message, block: block.index, detail };
}

export const pairRules: readonly ListRule<AnthropicFacts>[] = [
  {
    ...described({
      id: 'A-PAIR-1',
      explanation:
        'Every tool_use is answered in the run of tool_result blocks right after its turn; any text ends the run.',
      providerError: 'tool_use ids were found without tool_result blocks immediately after',
      needs: 'list',
      fix: 'Keep or drop a call together with its result, and put text after the last result.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.call,
    *find(facts, { mode }) {
      for (const call of pairingOf(facts, mode).unanswered) {
        yield place(call, `tool_use ${quote(call.block.id ?? '')} has no result right after it`);
      }
    },
  },
  {
    ...described({
      id: 'A-PAIR-2',
      explanation: 'A tool_result answers a tool_use of the previous assistant turn.',
      providerError: 'unexpected tool_use_id found in tool_result blocks',
      needs: 'list',
      fix: 'Drop the result together with its call.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.result,
    *find(facts, { mode }) {
      for (const result of pairingOf(facts, mode).unexpected) {
        const id = quote(result.block.answers ?? '');
        yield place(
          result,
          `tool_result for ${id}, which the previous assistant turn did not call`,
        );
      }
    },
  },
  {
    ...described({
      id: 'A-PAIR-3',
      explanation: 'tool_use ids are unique in the whole list.',
      providerError: 'tool_use ids must be unique',
      needs: 'list',
      fix: 'Drop the repeated call, or rename it and its result.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.call,
    *find(facts, { mode }) {
      for (const call of pairingOf(facts, mode).repeatedCalls) {
        yield place(call, `tool_use ${quote(call.block.id ?? '')} occurred before`);
      }
    },
  },
  {
    ...described({
      id: 'A-PAIR-4',
      explanation: 'A call has one result.',
      providerError: 'each tool_use must have a single result',
      needs: 'list',
      fix: 'Replace a result in place instead of adding another.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.result,
    *find(facts, { mode }) {
      for (const result of pairingOf(facts, mode).surplusResults) {
        yield place(result, `a second result for tool_use ${quote(result.block.answers ?? '')}`);
      }
    },
  },
];
