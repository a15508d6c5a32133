/** Calls and their results: A-PAIR-1 to A-PAIR-4. */
import { type Growing, GrowingLists } from '../../../transcript/growing-lists.ts';
import { quote } from '../../excerpt.ts';
import { type Finding, type ListRule, lately, type ShapeMode } from '../../rule.ts';
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
  readonly calls: number;
  readonly results: number;
  readonly calledIn: number;
  readonly answeredIn: number;
}

const UNPAIRED: Paired = { calls: 0, results: 0, calledIn: -1, answeredIn: -1 };

interface PendingCall extends PlacedBlock {
  readonly id: string;
}

/** Where the walk stands behind a message. */
interface Stand {
  readonly role: string;
  readonly turn: number;
  /** The latest assistant turn, and its calls that results right after it may still answer. */
  readonly callingTurn: number;
  readonly pending: readonly PendingCall[];
  readonly answering: boolean;
  /** How much was found, and noted of ids, up to here. */
  readonly unanswered: number;
  readonly unexpected: number;
  readonly repeatedCalls: number;
  readonly repeatedResults: number;
  readonly notes: number;
}

const START: Stand = {
  role: '',
  turn: -1,
  callingTurn: -1,
  pending: [],
  answering: false,
  unanswered: 0,
  unexpected: 0,
  repeatedCalls: 0,
  repeatedResults: 0,
  notes: 0,
};

/**
 * Pairs all calls and results in one walk over the messages, which goes on where the list before it ended
 * or differs. Neighbours of one role are one turn to the provider; messages of settings only stand in
 * no turn.
 */
class Pairs implements Growing<AnthropicFacts> {
  readonly #unanswered: PlacedBlock[] = [];
  readonly #unexpected: PlacedBlock[] = [];
  readonly #repeatedCalls: PlacedBlock[] = [];
  readonly #repeatedResults: PlacedBlock[] = [];
  readonly #known = new Map<string, Paired>();
  /** What was known of ids before it changed, to go back. */
  readonly #notes: { readonly id: string; readonly before: Paired | undefined }[] = [];
  /** Behind each message. */
  readonly #stands: Stand[] = [];

  #role = '';
  #turn = -1;
  #callingTurn = -1;
  #pending: readonly PendingCall[] = [];
  #answering = false;

  get length(): number {
    return this.#stands.length;
  }

  append({ role, directiveOnly, blocks, kinds }: AnthropicFacts): void {
    const message = this.#stands.length;
    if (!directiveOnly) {
      if (role !== this.#role) this.#enterTurn(role, message);
      if (role === 'assistant') this.#call(blocks, kinds, message);
      else if (role === 'user') this.#answer(blocks, message);
    }
    this.#stands.push({
      role: this.#role,
      turn: this.#turn,
      callingTurn: this.#callingTurn,
      pending: this.#pending,
      answering: this.#answering,
      unanswered: this.#unanswered.length,
      unexpected: this.#unexpected.length,
      repeatedCalls: this.#repeatedCalls.length,
      repeatedResults: this.#repeatedResults.length,
      notes: this.#notes.length,
    });
  }

  cut(length: number): void {
    this.#stands.length = length;
    const stand = this.#stands.at(-1) ?? START;
    this.#role = stand.role;
    this.#turn = stand.turn;
    this.#callingTurn = stand.callingTurn;
    this.#pending = stand.pending;
    this.#answering = stand.answering;
    this.#unanswered.length = stand.unanswered;
    this.#unexpected.length = stand.unexpected;
    this.#repeatedCalls.length = stand.repeatedCalls;
    this.#repeatedResults.length = stand.repeatedResults;
    while (this.#notes.length > stand.notes) {
      const note = this.#notes.pop();
      if (note?.before === undefined) this.#known.delete(note?.id ?? '');
      else this.#known.set(note.id, note.before);
    }
  }

  pairing(mode: ShapeMode): Pairing {
    // What ends the list in flight may still be answered.
    const open = mode === 'sendable' ? this.#open() : [];
    return {
      unanswered: [...this.#unanswered, ...open],
      unexpected: [...this.#unexpected],
      repeatedCalls: [...this.#repeatedCalls],
      surplusResults: surplus(this.#repeatedResults, this.#known),
    };
  }

  #enterTurn(role: string, message: number): void {
    // Only a user turn right behind the calls can answer them.
    if (role === 'user' && this.#role === 'assistant') this.#answering = true;
    else this.#settle();
    this.#role = role;
    this.#turn = message;
    if (role === 'assistant') this.#callingTurn = message;
  }

  #call(blocks: readonly BlockFacts[], kinds: number, message: number): void {
    if ((kinds & KIND.call) === 0 && this.#pending.length === 0) return;
    for (const block of blocks) {
      const { id } = block;
      if (block.type === 'tool_use' && id !== undefined) {
        const paired = this.#known.get(id) ?? UNPAIRED;
        if (paired.calls > 0) this.#repeatedCalls.push({ block, message });
        this.#note(id, { ...paired, calls: paired.calls + 1, calledIn: this.#turn });
        this.#pending = [...this.#pending, { block, message, id }];
      } else if (endsCalls(block)) this.#settle();
    }
  }

  #answer(blocks: readonly BlockFacts[], message: number): void {
    for (const block of blocks) {
      if (block.type !== 'tool_result') {
        if (this.#answering) this.#settle();
        continue;
      }
      const id = block.answers;
      if (id === undefined) continue;
      const paired = this.#known.get(id) ?? UNPAIRED;
      if (paired.calledIn < 0 || paired.calledIn !== this.#callingTurn)
        this.#unexpected.push({ block, message });
      if (paired.results > 0) this.#repeatedResults.push({ block, message });
      const answeredIn = this.#answering ? this.#callingTurn : paired.answeredIn;
      this.#note(id, { ...paired, results: paired.results + 1, answeredIn });
    }
  }

  #note(id: string, paired: Paired): void {
    this.#notes.push({ id, before: this.#known.get(id) });
    this.#known.set(id, paired);
  }

  #open(): readonly PendingCall[] {
    return this.#pending.filter(({ id }) => this.#known.get(id)?.answeredIn !== this.#callingTurn);
  }

  #settle(): void {
    for (const call of this.#open()) this.#unanswered.push(call);
    this.#pending = [];
    this.#answering = false;
  }
}

const pairs = new GrowingLists<AnthropicFacts, Pairs>(() => new Pairs());

const pairingOf = lately(
  (facts: readonly AnthropicFacts[], mode: ShapeMode): Pairing => pairs.of(facts).pairing(mode),
);

/** The last results of each call, as many as there are more results than calls of that id. */
function surplus(
  repeated: readonly PlacedBlock[],
  known: ReadonlyMap<string, Paired>,
): readonly PlacedBlock[] {
  if (repeated.length === 0) return [];
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
