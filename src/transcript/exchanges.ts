import { type Growing, GrowingLists } from './growing-lists.ts';
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
  return exchanges.of(messages).safeCuts();
}

/** The exchanges of a list that mostly grows; where it is cut back it is walked anew. */
class Exchanges implements Growing<Message> {
  /**
   * For each message the position that it is tied to, itself where to none: no cut behind that position
   * and up to the message is safe.
   */
  #ties: number[] = [];
  /** Positions of the calls without a result, by id: ids repeat within real transcripts. */
  #unanswered = new Map<string, number[]>();
  /** First message with calls of the latest assistant turn, or -1, and the ids that it waits for. */
  #turn = -1;
  #waiting: string[] = [];
  #previous: Message | undefined;
  /** Whether the assistant turn so far holds what the rest of it depends on. */
  #leads = false;
  /** Positions of the calls that the provider executes, by id; a program's result may come turns later. */
  #programs = new Map<string, number>();

  get length(): number {
    return this.#ties.length;
  }

  safeCuts(): readonly boolean[] {
    const end = this.#ties.length;
    const safe = new Array<boolean>(end + 1).fill(true);
    let tied = this.#waiting.length > 0 ? this.#turn : end;
    safe[end] = tied === end;
    for (let position = end - 1; position >= 0; position--) {
      tied = Math.min(tied, this.#ties[position] ?? position);
      if (tied < position) safe[position] = false;
    }
    return safe;
  }

  append(message: Message): void {
    const index = this.#ties.length;
    let tie = index;
    for (const block of message.blocks) {
      if (block.kind === 'tool-call' && block.server === true) this.#programs.set(block.id, index);
      if (block.kind !== 'tool-result' || block.server !== true) continue;
      tie = Math.min(tie, this.#programs.get(block.id) ?? index);
      this.#programs.delete(block.id);
    }
    for (const id of toolIds(message, 'tool-result')) {
      const called = id === '' ? undefined : this.#unanswered.get(id)?.pop();
      const start = this.#turn < 0 ? called : Math.min(this.#turn, called ?? this.#turn);
      if (start !== undefined) tie = Math.min(tie, start);
      const position = this.#waiting.indexOf(id);
      if (position >= 0) this.#waiting.splice(position, 1);
    }
    const calls = toolIds(message, 'tool-call');
    const isNewTurn = message.role !== 'assistant' || this.#previous?.role !== 'assistant';
    // Thinking and a program belong to what follows in the turn: the one is refused without the other.
    this.#leads = (!isNewTurn && this.#leads) || message.blocks.some(isLead);
    if (!isNewTurn && this.#leads) tie = Math.min(tie, index - 1);
    if (isNewTurn && (calls.length > 0 || message.role === 'assistant')) {
      this.#turn = -1;
      this.#waiting = [];
    }
    if (calls.length > 0 && this.#turn < 0) this.#turn = index;
    for (const id of calls) {
      this.#waiting.push(id);
      const positions = this.#unanswered.get(id);
      if (positions === undefined) this.#unanswered.set(id, [index]);
      else positions.push(index);
    }
    this.#previous = message;
    this.#ties.push(tie);
  }

  cut(): void {
    this.#ties = [];
    this.#unanswered = new Map();
    this.#turn = -1;
    this.#waiting = [];
    this.#previous = undefined;
    this.#leads = false;
    this.#programs = new Map();
  }
}

const exchanges = new GrowingLists<Message, Exchanges>(() => new Exchanges());

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
  let place = places.get(message);
  if (place === undefined) {
    const calls = toolIds(message, 'tool-call');
    const results = toolIds(message, 'tool-result');
    const isNamed = calls.some((id) => id !== '') || results.some((id) => id !== '');
    place = isNamed ? JSON.stringify([message.role, calls, results]) : '';
    places.set(message, place);
  }
  return place === '' ? undefined : place;
}

const places = new WeakMap<Message, string>();
