import { pushAll } from '../../../text/long-lists.ts';
import type { MessageTable } from '../../../transcript/intern.ts';
import type { Block } from '../../../transcript/message.ts';
import type { Request } from '../../../transcript/transcript.ts';
import { stringOf } from '../../../wire/parts.ts';
import { factsOf } from '../../conversation.ts';
import { writeEnvelope } from '../../written-envelope.ts';
import { type Fate, merged, SAID, skipped } from '../fates.ts';
import { isEventId, Stream } from './stream.ts';
import {
  actionBlocks,
  type Event,
  messageBlocks,
  resultOf,
  systemBlocks,
  timeOf,
  toolsOf,
} from './v1-events.ts';

/** Plays the events of one conversation. */
export class EventReader {
  /** Position of the last answer. */
  answered: number | undefined;
  readonly #table: MessageTable;
  readonly #stream: Stream;
  /** The calls of one response are events that share its id: they are one answer. */
  #response:
    | { readonly id: string; readonly events: string[]; readonly blocks: Block[] }
    | undefined;
  #responseTime: number | undefined;
  #waiting: { readonly result: ReturnType<typeof resultOf>; readonly event: string }[] = [];
  #time: number | undefined;

  constructor(table: MessageTable) {
    this.#table = table;
    this.#stream = new Stream(table);
  }

  get requests(): readonly Request[] {
    this.#endResponse();
    return this.#stream.requests;
  }

  take(event: Event, position: number): Fate {
    const fate = this.#fateOf(event);
    if (ANSWERS.has(event.kind) && event.source === 'agent') this.answered = position;
    this.#time = timeOf(event) ?? this.#time;
    return fate;
  }

  #fateOf(event: Event): Fate {
    const id = event.id ?? '';
    switch (event.kind) {
      case 'SystemPromptEvent':
        this.#stream.say('system', systemBlocks(event), id);
        this.#stream.surround(writeEnvelope('openai-chat', { tools: toolsOf(event) }, this.#table));
        return SAID;
      case 'MessageEvent':
        return this.#message(event, id);
      case 'ActionEvent':
        return this.#act(event, id);
      case 'ObservationEvent':
      case 'UserRejectObservation':
      case 'AgentErrorEvent':
        return this.#observe(event, id);
      case 'Condensation':
        this.#condense(event);
        return SAID;
      case 'CondensationSummaryEvent':
        return merged('summary of a condensation');
      default:
        return UNSENT.has(event.kind)
          ? skipped(`${event.kind}, not sent`)
          : skipped(`unknown event "${event.kind}"`);
    }
  }

  #message(event: Event, id: string): Fate {
    this.#endResponse();
    const blocks = messageBlocks(event);
    if (event.source === 'agent' || event.llm_message?.role === 'assistant') {
      this.#stream.answer(blocks, factsOf({ time: this.#time }), [id]);
    } else this.#stream.say(event.llm_message?.role === 'system' ? 'system' : 'user', blocks, id);
    return SAID;
  }

  #act(event: Event, id: string): Fate {
    const blocks = actionBlocks(event);
    const response = event.llm_response_id ?? id;
    if (this.#response?.id === response) {
      pushAll(this.#response.blocks, blocks);
      this.#response.events.push(id);
      return merged('further call of a response');
    }
    this.#endResponse();
    this.#response = { id: response, events: [id], blocks: [...blocks] };
    this.#responseTime = this.#time;
    return SAID;
  }

  /** Results of parallel calls may come between the calls: they stand behind all of them. */
  #observe(event: Event, id: string): Fate {
    const result = resultOf(event);
    const isOwn = this.#response?.blocks.some(
      (block) => block.kind === 'tool-call' && block.id === result.id,
    );
    if (isOwn === true) {
      this.#waiting.push({ result, event: id });
      return SAID;
    }
    this.#endResponse();
    return this.#stream.addResult(result, id) ? SAID : skipped('result without its call, not sent');
  }

  #condense(event: Event): void {
    this.#endResponse();
    const listed: readonly unknown[] = Array.isArray(event.forgotten_event_ids)
      ? event.forgotten_event_ids
      : [];
    const ids = new Set(listed.filter(isEventId).map(String));
    const offset = typeof event.summary_offset === 'number' ? event.summary_offset : undefined;
    const isForgotten = (id: string | undefined) => id !== undefined && ids.has(id);
    this.#stream.condense(isForgotten, stringOf(event.summary), offset);
  }

  #endResponse(): void {
    if (this.#response === undefined) return;
    const { blocks, events } = this.#response;
    this.#response = undefined;
    this.#stream.answer(textFirst(blocks), factsOf({ time: this.#responseTime }), events);
    for (const { result, event } of this.#waiting) this.#stream.addResult(result, event);
    this.#waiting = [];
  }
}

/** Calls stand behind what was said with them. */
function textFirst(blocks: readonly Block[]): readonly Block[] {
  const isCall = (block: Block) => block.kind === 'tool-call';
  return [...blocks.filter((block) => !isCall(block)), ...blocks.filter(isCall)];
}

const ANSWERS = new Set(['MessageEvent', 'ActionEvent']);

/** Events of the client and the runtime. */
const UNSENT = new Set([
  ...['ConversationStateUpdateEvent', 'PauseEvent', 'CondensationRequest', 'TokenEvent'],
  ...['ConversationErrorEvent', 'LLMCompletionLogEvent', 'StreamingDeltaEvent'],
]);
