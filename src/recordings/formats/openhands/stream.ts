import type { MessageTable } from '../../../transcript/intern.ts';
import type { Block, Role, ToolResult } from '../../../transcript/message.ts';
import type { Envelope, Request } from '../../../transcript/transcript.ts';
import { Conversation, type Facts, type Turn } from '../../conversation.ts';

/** A turn of the list, and the events that it was read from. */
interface Part {
  readonly turn: Turn;
  readonly events: readonly (string | undefined)[];
}

/**
 * A conversation whose agent may forget events of it: it keeps turns with the events that they came
 * from, so that a condensation can take some away and put its summary in their place. A call that never
 * got its result is not sent again, and neither is a result without a call.
 */
export class Stream {
  readonly #conversation: Conversation;
  #parts: Part[] = [];
  /** Calls of the list that wait for their result. */
  #open = new Set<string>();

  constructor(table: MessageTable) {
    this.#conversation = new Conversation('openai-chat', table);
  }

  get requests(): readonly Request[] {
    return this.#conversation.requests;
  }

  surround(envelope: Envelope | undefined): void {
    this.#conversation.surround(envelope);
  }

  /** True for a call that stands in the list and has no result yet. */
  isOpen(call: string): boolean {
    return this.#open.has(call);
  }

  say(role: 'system' | 'user', blocks: readonly Block[], event: string | undefined): void {
    this.#dropOpenCalls();
    this.#add(role, blocks, [event]);
  }

  /** @returns false where the call is not in the list or has its result, so that this one is not sent. */
  addResult(result: ToolResult, event: string | undefined): boolean {
    if (!this.#open.delete(result.id)) return false;
    this.#add('tool', [result], [event]);
    return true;
  }

  /** @param events those of the answer: one for each of its calls */
  answer(blocks: readonly Block[], facts: Facts, events: readonly (string | undefined)[]): void {
    this.#dropOpenCalls();
    this.#conversation.answer(blocks, facts);
    this.#parts.push({ turn: { role: 'assistant', blocks }, events });
    for (const block of blocks) if (block.kind === 'tool-call') this.#open.add(block.id);
  }

  #add(role: Role, blocks: readonly Block[], events: readonly (string | undefined)[]): void {
    this.#conversation.say(role, blocks);
    this.#parts.push({ turn: { role, blocks }, events });
  }

  #dropOpenCalls(): void {
    if (this.#open.size === 0) return;
    this.#open = new Set();
    this.#parts = withoutOrphans(this.#parts);
    this.#conversation.rewrite(this.#parts.map(({ turn }) => turn));
  }

  /**
   * The agent's own compaction.
   * @param offset number of turns in front of the summary
   */
  condense(
    isForgotten: (event: string | undefined) => boolean,
    summary: string,
    offset: number | undefined,
  ): void {
    const kept = this.#parts.filter(({ events }) => !events.some(isForgotten));
    const first = this.#parts.findIndex(({ events }) => events.some(isForgotten));
    if (kept.length === this.#parts.length && summary === '') return;
    if (summary !== '') {
      const turn: Turn = { role: 'user', blocks: [{ kind: 'text', text: summary }] };
      const place = Math.min(offset ?? Math.max(first, 0), kept.length);
      kept.splice(place, 0, { turn, events: [] });
    }
    this.#open = new Set();
    this.#parts = withoutOrphans(kept);
    this.#conversation.restart(this.#parts.map(({ turn }) => turn));
  }
}

/** Results whose call was forgotten go with it, as do calls whose result was. */
function withoutOrphans(parts: readonly Part[]): Part[] {
  const ids = (kind: 'tool-call' | 'tool-result') =>
    new Set(
      parts.flatMap(({ turn }) =>
        turn.blocks.flatMap((block) => (block.kind === kind && 'id' in block ? [block.id] : [])),
      ),
    );
  const [calls, results] = [ids('tool-call'), ids('tool-result')];
  return parts.flatMap((part) => {
    const blocks = part.turn.blocks.filter(
      (block) =>
        (block.kind !== 'tool-result' || calls.has(block.id)) &&
        (block.kind !== 'tool-call' || results.has(block.id)),
    );
    if (blocks.length === part.turn.blocks.length) return [part];
    return blocks.length === 0 ? [] : [{ ...part, turn: { ...part.turn, blocks } }];
  });
}

/** True for what events are named by; anything else in a list of them names none. */
export function isEventId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
