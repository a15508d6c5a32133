import { pushAll } from '../../../text/long-lists.ts';
import type { MessageTable } from '../../../transcript/intern.ts';
import type { Message } from '../../../transcript/message.ts';
import type { Envelope, Request, Usage } from '../../../transcript/transcript.ts';
import type { JsonObject } from '../../../wire/json-object.ts';
import { openaiResponses } from '../../../wire/openai-responses.ts';
import { stringOf } from '../../../wire/parts.ts';
import { factsOf } from '../../conversation.ts';
import { isModelItem, isOutput, isUserInput } from './items.ts';

/** One response of the model while it is read. */
interface Response {
  readonly before: readonly Message[];
  readonly segment: number;
  readonly time: number | undefined;
  readonly model: string | undefined;
  readonly envelope: Envelope | undefined;
  readonly items: string[];
  usage: Usage | undefined;
  /** How many of the records that the model did not write were in the list that it answers. */
  readonly sent: number;
  /** Position of the record that ends it, for what is taken back or was copied. */
  end: number;
}

/** A turn of the person: where list and responses stood before it. */
interface TurnStart {
  readonly messages: readonly Message[];
  readonly responses: number;
  readonly record: number;
}

/**
 * The list that the agent keeps and sends: items are added as they were recorded, and each response of
 * the model is one request. The agent itself answers calls that were cut off before it sends the list
 * again, and leaves out outputs whose call it no longer has.
 */
export class History {
  readonly #table: MessageTable;
  #messages: Message[] = [];
  /** Items of the step that is being read: reasoning, text and calls, which are one message. */
  #step: string[] = [];
  #segment = 0;
  #open: Response | undefined;
  readonly #responses: Response[] = [];
  #turns: TurnStart[] = [];
  /** Calls in the list, by id, with their type until they are answered. */
  #calls = new Map<string, string>();
  #lastTime: number | undefined;
  /** Positions of the records that the model did not write, and how many of them came before a compaction. */
  #added: number[] = [];
  #compacted = 0;

  constructor(table: MessageTable) {
    this.#table = table;
  }

  /** Number of responses so far. */
  get responses(): number {
    return this.#responses.length;
  }

  /** Positions of the records in the list that are in no request yet: those behind the last response's. */
  get unsent(): readonly number[] {
    return this.#added.slice(Math.max(this.#compacted, this.#responses.at(-1)?.sent ?? 0));
  }

  /**
   * Adds an item; `record` is its position in the file.
   * @returns false where it is an output without a call, which the agent does not send
   */
  add(
    item: JsonObject,
    raw: string,
    at: { readonly record: number; readonly time: number | undefined },
    state: { readonly model: string | undefined; readonly envelope: Envelope | undefined },
  ): boolean {
    if (isModelItem(item)) {
      const response = this.#open ?? this.#begin(state);
      response.items.push(raw);
      response.end = at.record;
      this.#step.push(raw);
      const id = callId(item);
      if (id !== undefined) this.#calls.set(id, stringOf(item.type));
      return true;
    }
    if (isOutput(item)) {
      const id = stringOf(item.call_id ?? item.id);
      if (!this.#calls.has(id)) return false;
      this.#calls.set(id, ANSWERED);
    } else {
      this.closeResponse();
      if (isUserInput(item)) this.#startTurn(at.record);
    }
    this.#endStep();
    this.#push([raw]);
    this.#added.push(at.record);
    this.#lastTime = at.time ?? this.#lastTime;
    return true;
  }

  /** The response that runs has ended; what the model writes next is another one. */
  closeResponse(usage?: Usage): void {
    this.#endStep();
    if (this.#open !== undefined && usage !== undefined) this.#open.usage = usage;
    this.#open = undefined;
  }

  get isResponding(): boolean {
    return this.#open !== undefined;
  }

  /** The agent's own compaction: these items take the place of the list. */
  replace(items: readonly { readonly item: JsonObject; readonly raw: string }[]): void {
    this.closeResponse();
    if (this.#messages.length > 0) this.#segment++;
    this.#messages = [];
    this.#calls = new Map();
    this.#turns = [];
    this.#compacted = this.#added.length;
    this.#push(items.map(({ raw }) => raw));
    for (const { item } of items) {
      const id = callId(item);
      if (id !== undefined) this.#calls.set(id, stringOf(item.type));
      if (isOutput(item)) this.#calls.set(stringOf(item.call_id ?? item.id), ANSWERED);
    }
  }

  /** What the host wrote, in order: what a compaction without a recorded list keeps beside its summary. */
  hostMessages(): readonly Message[] {
    this.closeResponse();
    return this.#messages.filter(({ role }) => role === 'user' || role === 'system');
  }

  /**
   * Takes back the last `count` turns of the person, with the responses to them.
   * @returns position of the first record that is taken back
   */
  rollBack(count: number): number | undefined {
    this.closeResponse();
    const start = this.#turns.at(-count) ?? this.#turns[0];
    if (start === undefined || count < 1) return undefined;
    this.#messages = [...start.messages];
    this.#responses.splice(start.responses);
    this.#added = this.#added.filter((record) => record < start.record);
    this.#turns = this.#turns.slice(0, this.#turns.indexOf(start));
    return start.record;
  }

  /** The requests, each with the position of the last record of its response. */
  requests(): readonly { readonly request: Request; readonly end: number }[] {
    this.closeResponse();
    return this.#responses.map((response) => ({
      request: {
        segment: response.segment,
        messages: response.before,
        ...(response.envelope === undefined ? {} : { envelope: response.envelope }),
        action: openaiResponses.parseMessage(response.items.join(','), this.#table),
        ...factsOf(response),
      },
      end: response.end,
    }));
  }

  #begin(state: {
    readonly model: string | undefined;
    readonly envelope: Envelope | undefined;
  }): Response {
    this.#endStep();
    this.#answerCutCalls();
    const response: Response = {
      before: this.#messages.slice(),
      segment: this.#segment,
      sent: this.#added.length,
      time: this.#lastTime,
      ...state,
      items: [],
      usage: undefined,
      end: 0,
    };
    this.#open = response;
    this.#responses.push(response);
    return response;
  }

  #startTurn(record: number): void {
    const responses = this.#responses.length;
    this.#turns.push({ messages: this.#messages.slice(), responses, record });
  }

  #endStep(): void {
    if (this.#step.length === 0) return;
    this.#push(this.#step);
    this.#step = [];
  }

  #push(items: readonly string[]): void {
    if (items.length === 0) return;
    pushAll(this.#messages, openaiResponses.parseList(`[${items.join(',')}]`, this.#table));
  }

  /** Puts an output behind each call that has none: the agent was stopped before there was one. */
  #answerCutCalls(): void {
    const cut = [...this.#calls].filter(([, type]) => type !== ANSWERED);
    for (const [id, type] of cut) {
      const at = this.#messages.findLastIndex(({ blocks }) =>
        blocks.some((block) => block.kind === 'tool-call' && block.id === id),
      );
      const raw = JSON.stringify({ type: outputType(type), call_id: id, output: CUT });
      if (at >= 0) {
        const place = this.#messages.findIndex(({ role }, index) => index > at && role !== 'tool');
        const output = openaiResponses.parseMessage(raw, this.#table);
        this.#messages.splice(place < 0 ? this.#messages.length : place, 0, output);
      }
      this.#calls.set(id, ANSWERED);
    }
  }
}

const ANSWERED = '';
/** What the agent sends for a call that was stopped. */
const CUT = 'aborted';

function outputType(call: string): string {
  return call === 'local_shell_call' ? 'function_call_output' : `${call}_output`;
}

/** The id of a call that the host has to answer. */
function callId(item: JsonObject): string | undefined {
  const type = stringOf(item.type);
  if (!type.endsWith('_call') || !isModelItem(item) || item.execution === 'server')
    return undefined;
  if (SERVER_CALLS.has(type)) return undefined;
  const id = item.call_id ?? item.id;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

const SERVER_CALLS = new Set([
  ...['web_search_call', 'file_search_call', 'code_interpreter_call', 'image_generation_call'],
  'mcp_call',
]);

/** A summary as a message of the user, where a compaction recorded only its text. */
export function summaryItem(text: string): string {
  const said = `Summary of the conversation so far:\n${text}`;
  const content = [{ type: 'input_text', text: said }];
  return JSON.stringify({ type: 'message', role: 'user', content });
}
