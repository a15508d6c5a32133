import type { Block, Message } from './message.ts';

/**
 * Where a message list may be cut without tearing an exchange (an assistant message with tool calls and
 * all its results) apart.
 *
 * What the provider executes itself mostly stands in one message with its result; a program that calls the
 * client's tools ends in a later turn, and what lies between belongs to it.
 *
 * A result belongs to the latest unanswered call of its id, and also to the calls of the assistant turn
 * before it, which is all there is to go by where the wire has no ids. Neighbouring assistant messages
 * are one turn.
 *
 * @returns for each position 0…n whether a cut before message `position` leaves every exchange whole.
 * Position n is not safe while a call of the last turn still waits for its result.
 */
export function safeCuts(messages: readonly Message[]): readonly boolean[] {
  const safe = new Array<boolean>(messages.length + 1).fill(true);
  const forbid = (after: number, through: number) => {
    for (let position = after + 1; position <= through; position++) safe[position] = false;
  };
  /** Positions of the calls without a result, by id: ids repeat within real transcripts. */
  const unanswered = new Map<string, number[]>();
  /** First message with calls of the latest assistant turn, or -1, and the ids that it waits for. */
  let turn = -1;
  let waiting: string[] = [];
  let previous: Message | undefined;
  /** Whether the assistant turn so far holds what the rest of it depends on. */
  let leads = false;
  /** Positions of the calls that the provider executes, by id; a program's result may come turns later. */
  const programs = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    for (const block of message.blocks) {
      if (block.kind === 'tool-call' && block.server === true) programs.set(block.id, index);
      if (block.kind !== 'tool-result' || block.server !== true) continue;
      forbid(programs.get(block.id) ?? index, index);
      programs.delete(block.id);
    }
    for (const id of toolIds(message, 'tool-result')) {
      const called = id === '' ? undefined : unanswered.get(id)?.pop();
      const start = turn < 0 ? called : Math.min(turn, called ?? turn);
      if (start !== undefined) forbid(start, index);
      const position = waiting.indexOf(id);
      if (position >= 0) waiting.splice(position, 1);
    }
    const calls = toolIds(message, 'tool-call');
    const isNewTurn = message.role !== 'assistant' || previous?.role !== 'assistant';
    // Thinking and a program belong to what follows in the turn: the one is refused without the other.
    leads = (!isNewTurn && leads) || message.blocks.some(isLead);
    if (!isNewTurn && leads) forbid(index - 1, index);
    if (isNewTurn && (calls.length > 0 || message.role === 'assistant')) {
      turn = -1;
      waiting = [];
    }
    if (calls.length > 0 && turn < 0) turn = index;
    for (const id of calls) {
      waiting.push(id);
      const positions = unanswered.get(id);
      if (positions === undefined) unanswered.set(id, [index]);
      else positions.push(index);
    }
    previous = message;
  }
  if (waiting.length > 0) forbid(turn, messages.length);
  return safe;
}

function isLead(block: Block): boolean {
  return block.kind === 'thinking' || (block.kind === 'tool-call' && block.server === true);
}

/** Ids of the message's calls or results, in order; those that the provider executes are left out. */
function toolIds(message: Message, kind: 'tool-call' | 'tool-result'): string[] {
  const ids: string[] = [];
  for (const block of message.blocks) {
    if (block.kind !== kind || block.server === true) continue;
    ids.push(block.id);
  }
  return ids;
}

/**
 * Names the place of a message in its exchange: its role and the ids of its calls and results. A message
 * whose content was rewritten keeps it. Undefined where there are no ids.
 */
export function exchangePlace(message: Message): string | undefined {
  const calls = toolIds(message, 'tool-call');
  const results = toolIds(message, 'tool-result');
  if (!calls.some((id) => id !== '') && !results.some((id) => id !== '')) return undefined;
  return JSON.stringify([message.role, calls, results]);
}
