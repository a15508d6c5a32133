import { pushAll } from '../text/long-lists.ts';
import type { MessageTable } from '../transcript/intern.ts';
import type { Block, DialectName, Message, Role } from '../transcript/message.ts';
import type { Envelope, Request, Usage } from '../transcript/transcript.ts';
import { dialectOf } from '../wire/catalog.ts';

/** One turn before it is written in a dialect. */
export interface Turn {
  readonly role: Role;
  readonly blocks: readonly Block[];
}

/** What a recording says of one model call. */
export type Facts = Pick<Request, 'model' | 'time' | 'usage' | 'cost'>;

/** The facts that are known. */
export function factsOf(facts: {
  readonly model?: string | undefined;
  readonly time?: number | undefined;
  readonly usage?: Usage | undefined;
  readonly cost?: number | undefined;
}): Facts {
  const { model, time, usage, cost } = facts;
  return {
    ...(model === undefined ? {} : { model }),
    ...(time === undefined ? {} : { time }),
    ...(usage === undefined ? {} : { usage }),
    ...(cost === undefined ? {} : { cost }),
  };
}

/** Wires that take all results of a step as one message of the user. */
const JOINS_RESULTS: ReadonlySet<DialectName> = new Set(['anthropic', 'gemini', 'bedrock']);
/** Wires without a flag for failed calls: what their hosts sent is the text as it was recorded. */
const NO_ERROR_FLAG: ReadonlySet<DialectName> = new Set(['openai-chat', 'openai-responses']);

/**
 * Rebuilds a conversation that was recorded turn by turn as the requests that were sent: one for each
 * answer of the model, with what stood before it. Messages are written in `dialect`; a turn of which the
 * wire carries nothing is left out.
 */
export class Conversation {
  readonly dialect: DialectName;
  readonly #table: MessageTable;
  /** Grows in place: what was sent has a copy. */
  #messages: Message[] = [];
  #sent: readonly Message[] | undefined;
  #requests: Request[] = [];
  #segment = 0;
  #envelope: Envelope | undefined;
  #last: { readonly turn: Turn; readonly start: number } | undefined;
  readonly #toolNames = new Map<string, string>();

  constructor(dialect: DialectName, table: MessageTable, envelope?: Envelope) {
    this.dialect = dialect;
    this.#table = table;
    this.#envelope = envelope;
  }

  /** The list as it stands. */
  get messages(): readonly Message[] {
    this.#sent ??= this.#messages.slice();
    return this.#sent;
  }

  get requests(): readonly Request[] {
    return this.#requests;
  }

  /** What stands around the list from the next request on. */
  surround(envelope: Envelope | undefined): void {
    this.#envelope = envelope;
  }

  /** Adds a turn that is no answer of the model to a request of this conversation. */
  say(role: Role, blocks: readonly Block[]): void {
    const turn = { role, blocks: this.#fitting(blocks) };
    for (const block of blocks) {
      if (block.kind === 'tool-call') this.#toolNames.set(block.id, block.name);
    }
    const joined = this.#last !== undefined && this.#joins(this.#last.turn, turn);
    const start = joined ? (this.#last?.start ?? 0) : this.#messages.length;
    const whole = joined
      ? {
          role: wider(this.#last?.turn.role, role),
          blocks: [...(this.#last?.turn.blocks ?? []), ...turn.blocks],
        }
      : turn;
    const written = writeTurn(this.dialect, whole, this.#table, this.#toolNames);
    if (written.length === 0) return;
    this.#messages.length = Math.min(start, this.#messages.length);
    pushAll(this.#messages, written);
    this.#sent = undefined;
    this.#last = { turn: whole, start };
  }

  /** The model's answer to what stands in the list. */
  answer(blocks: readonly Block[], facts: Facts): void {
    const [own, ...rest] = writeTurn(
      this.dialect,
      { role: 'assistant', blocks },
      this.#table,
      this.#toolNames,
    );
    this.call(facts, rest.length === 0 ? own : undefined);
    this.say('assistant', blocks);
  }

  /** A call of the model with what stands in the list, whose answer, if any, does not join the list. */
  call(facts: Facts, action?: Message): void {
    this.#requests.push({
      segment: this.#segment,
      messages: this.messages,
      ...(this.#envelope === undefined ? {} : { envelope: this.#envelope }),
      ...(action === undefined ? {} : { action }),
      ...facts,
    });
  }

  /** The agent's own compaction: the list begins anew with `turns`, in a new segment. */
  restart(turns: readonly Turn[]): void {
    if (this.#messages.length > 0) this.#segment++;
    this.rewrite(turns);
  }

  /** From here on the list is that of `turns`; what was sent before stays as it was. */
  rewrite(turns: readonly Turn[]): void {
    this.#messages = [];
    this.#sent = undefined;
    this.#last = undefined;
    for (const { role, blocks } of turns) this.say(role, blocks);
  }

  #joins(before: Turn, next: Turn): boolean {
    if (before.role === 'tool' && next.role === 'tool') return JOINS_RESULTS.has(this.dialect);
    if (this.dialect !== 'bedrock') return false;
    return (before.role === 'assistant') === (next.role === 'assistant');
  }

  #fitting(blocks: readonly Block[]): readonly Block[] {
    if (!NO_ERROR_FLAG.has(this.dialect)) return blocks;
    return blocks.map((block) =>
      block.kind === 'tool-result' && block.isError ? { ...block, isError: false } : block,
    );
  }
}

function wider(before: Role | undefined, next: Role): Role {
  return before === 'tool' && next === 'user' ? 'user' : (before ?? next);
}

/** The messages of one turn; none where the wire carries nothing of it. */
function writeTurn(
  name: DialectName,
  { role, blocks }: Turn,
  table: MessageTable,
  toolNames: ReadonlyMap<string, string>,
): readonly Message[] {
  const said = blocks.filter((block) => block.kind !== 'text' || block.text !== '');
  const dialect = dialectOf(name);
  if (said.length === 0) {
    // An empty answer is resent where the wire takes one.
    if (name !== 'openai-chat' || role !== 'assistant') return [];
    return [dialect.parseMessage('{"role":"assistant","content":""}', table)];
  }
  return dialect.write(role, said, table, toolNames).filter((message) => message.blocks.length > 0);
}
