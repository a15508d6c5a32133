/** Placement of system messages inside the list: A-SYS-1 to A-SYS-3. Settings without content are exempt. */
import type { ListRule } from '../../rule.ts';
import {
  type AnthropicFacts,
  blocksOf,
  isServerResult,
  KIND,
  type Turn,
  turnsOf,
} from './facts.ts';
import { described } from './source.ts';

/** Runs of system messages with the turns around them; the run at the head of the list is apart. */
function* systemRuns(facts: readonly AnthropicFacts[]): Generator<{
  readonly first: number;
  readonly last: number;
  readonly before: Turn;
  readonly after: Turn | undefined;
}> {
  const turns = turnsOf(facts);
  for (const [position, turn] of turns.entries()) {
    const before = turns[position - 1];
    const first = turn.messages[0];
    const last = turn.messages.at(-1);
    if (turn.role !== 'system' || before === undefined) continue;
    if (first === undefined || last === undefined) continue;
    yield { first, last, before, after: turns[position + 1] };
  }
}

function endsInServerResult(facts: readonly AnthropicFacts[], turn: Turn): boolean {
  const last = [...blocksOf(facts, turn)].at(-1);
  return last !== undefined && isServerResult(last.block.type);
}

export const systemRules: readonly ListRule<AnthropicFacts>[] = [
  {
    ...described({
      id: 'A-SYS-1',
      explanation:
        "A run of system messages follows a user turn, or an assistant turn that ends in a server tool's result.",
      providerError: "role 'system' must follow a 'user' message",
      needs: 'list',
      fix: 'Move the system message behind the next user turn, or send its text with role user.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.system,
    *find(facts) {
      for (const { first, before } of systemRuns(facts)) {
        if (before.role === 'user') continue;
        if (before.role === 'assistant' && endsInServerResult(facts, before)) continue;
        yield { message: first, detail: `a system message follows role '${before.role}'` };
      }
    },
  },
  {
    ...described({
      id: 'A-SYS-2',
      explanation: 'A run of system messages precedes an assistant turn or ends the list.',
      providerError: "role 'system' must precede an 'assistant' message or end the array",
      needs: 'list',
      fix: 'Move the system message to just before the next assistant turn, or send its text with role user.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.system,
    *find(facts) {
      for (const { last, after } of systemRuns(facts)) {
        if (after === undefined || after.role === 'assistant') continue;
        yield { message: last, detail: `a system message precedes role '${after.role}'` };
      }
    },
  },
  {
    ...described({
      id: 'A-SYS-3',
      explanation:
        'A system message with content is not first in the list: it belongs to the top-level prompt.',
      providerError: "use the top-level 'system' parameter",
      needs: 'list',
      fix: 'Move it to the top-level system prompt, or keep the first user turn before it.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.system,
    *find(facts, { context }) {
      const head = turnsOf(facts)[0];
      if (head?.role !== 'system' || context.system_hoisted === true) return;
      const first = head.messages.find((message) => facts[message]?.empty === false);
      if (first !== undefined) yield { message: first, detail: 'the list begins with role system' };
    },
  },
];
