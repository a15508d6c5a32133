import type { MessageTable } from '../../../transcript/intern.ts';
import type { Block } from '../../../transcript/message.ts';
import type { Request } from '../../../transcript/transcript.ts';
import { isObject } from '../../../wire/json-object.ts';
import { stringOf } from '../../../wire/parts.ts';
import { contentBlocks, toolResult } from '../../content-parts.ts';
import { factsOf } from '../../conversation.ts';
import { type Tool, writeEnvelope } from '../../written-envelope.ts';
import { type Fate, merged, SAID, skipped } from '../fates.ts';
import { Stream } from './stream.ts';
import {
  type Event,
  forgottenIds,
  observedText,
  recalledTexts,
  spokenAction,
} from './v0-events.ts';

interface Level {
  readonly name: string;
  readonly stream: Stream;
  /** Events of the response that was read last share its id. */
  response: string | undefined;
}

/** Plays the events of one run; a delegate's stand between the action that starts it and its result. */
export class EventReader {
  model: string | undefined;
  /** Position of the last answer. */
  answered: number | undefined;
  #answers = 0;
  readonly #table: MessageTable;
  readonly #levels: Level[];
  readonly #all: Level[];
  #time: number | undefined;

  constructor(table: MessageTable) {
    this.#table = table;
    const main = { name: 'main', stream: new Stream(table), response: undefined };
    this.#levels = [main];
    this.#all = [main];
  }

  /** The run's own stream is there even without a request, since its outcome hangs on it. */
  lineages(): readonly { readonly name: string; readonly requests: readonly Request[] }[] {
    return this.#all.flatMap(({ name, stream: { requests } }) =>
      requests.length === 0 && name !== 'main' ? [] : [{ name, requests }],
    );
  }

  /** @param position of the event in its run */
  take(event: Event, position: number): Fate {
    const before = this.#answers;
    const fate = event.action === undefined ? this.#observe(event) : this.#act(event, event.action);
    this.#time = event.time ?? this.#time;
    if (this.#answers > before) this.answered = position;
    return fate;
  }

  get #level(): Level {
    return (
      this.#levels.at(-1) ?? { name: 'main', stream: new Stream(this.#table), response: undefined }
    );
  }

  #act(event: Event, action: string): Fate {
    const { args, id } = event;
    const level = this.#level;
    if (action === 'system') {
      level.stream.say('system', contentBlocks(args.content), id);
      level.stream.surround(
        writeEnvelope('openai-chat', { tools: toolsOf(args.tools) }, this.#table),
      );
      return SAID;
    }
    if (action === 'condensation') {
      const offset = args.summary_offset;
      const place = typeof offset === 'number' ? offset : undefined;
      level.stream.condense(forgottenIds(event), stringOf(args.summary), place);
      level.response = undefined;
      return SAID;
    }
    if (UNSENT_ACTIONS.has(action)) return skipped(`action "${action}", not sent`);
    if (event.response !== undefined) return this.#answer(event, event.response);
    if (action === 'message' && event.source !== 'agent') {
      level.stream.say('user', [...contentBlocks(args.content), ...images(args.image_urls)], id);
      level.response = undefined;
      return SAID;
    }
    if (event.source !== 'agent') return skipped(`action "${action}" of the ${event.source}`);
    const said = action === 'message' ? contentBlocks(args.content) : spokenAction(event);
    level.stream.answer(said, factsOf({ time: this.#time }), [id]);
    this.#answers++;
    if (action === 'delegate') this.#enter();
    return SAID;
  }

  #answer(event: Event, response: NonNullable<Event['response']>): Fate {
    const level = this.#level;
    const isKnown = level.response === response.id;
    if (!isKnown) {
      const { blocks, model, usage } = response;
      level.response = response.id;
      this.model ??= model;
      this.#answers++;
      level.stream.answer(blocks, factsOf({ model, usage, time: this.#time }), [event.id]);
    }
    if (event.action === 'delegate') this.#enter();
    return isKnown ? merged('further call of a response') : SAID;
  }

  #observe(event: Event): Fate {
    const { observation = '', id } = event;
    if (observation === 'recall') {
      const texts = recalledTexts(event);
      if (texts.length === 0) return skipped('recall that found nothing');
      this.#level.stream.say('user', contentBlocks(texts.join('\n\n')), id);
      return SAID;
    }
    if (UNSENT_OBSERVATIONS.has(observation))
      return skipped(`observation "${observation}", not sent`);
    if (observation === 'delegate' && this.#levels.length > 1) this.#levels.pop();
    const text = observedText(event);
    const call = event.callId ?? this.#spokenCall(event);
    const isError = observation === 'error';
    if (call === undefined) {
      this.#level.stream.say('user', contentBlocks(text), id);
      return SAID;
    }
    const isSent = this.#level.stream.addResult(toolResult(call, text, isError), id);
    return isSent ? SAID : skipped('result without its call, not sent');
  }

  /** The call that an action without a call of its own was written as. */
  #spokenCall({ cause }: Event): string | undefined {
    if (cause === undefined) return undefined;
    const id = `action_${cause}`;
    return this.#level.stream.isOpen(id) ? id : undefined;
  }

  #enter(): void {
    const name = `agent-${this.#all.length}`;
    const level: Level = { name, stream: new Stream(this.#table), response: undefined };
    this.#levels.push(level);
    this.#all.push(level);
  }
}

/** Actions of the client and the runtime, and the search for knowledge, whose result is an observation. */
const UNSENT_ACTIONS = new Set([
  ...['recall', 'change_agent_state', 'null', 'condensation_request', 'start', 'initialize'],
  ...['pause', 'resume', 'stop', 'loop_recovery', 'send_pr', 'push'],
]);
const UNSENT_OBSERVATIONS = new Set([
  'agent_state_changed',
  'null',
  'server_ready',
  'loop_detection',
]);

function images(urls: unknown): readonly Block[] {
  if (!Array.isArray(urls)) return [];
  return contentBlocks(urls.map((url: unknown) => ({ type: 'image_url', image_url: { url } })));
}

function toolsOf(tools: unknown): readonly Tool[] {
  if (!Array.isArray(tools)) return [];
  return tools.filter(isObject).flatMap((tool) => {
    const body = isObject(tool.function) ? tool.function : tool;
    if (typeof body.name !== 'string') return [];
    const { name, parameters } = body;
    return [{ name, description: stringOf(body.description), parameters }];
  });
}
