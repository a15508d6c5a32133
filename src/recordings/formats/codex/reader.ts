import type { MessageTable } from '../../../transcript/intern.ts';
import type { Envelope, Usage } from '../../../transcript/transcript.ts';
import { isObject, type JsonObject } from '../../../wire/json-object.ts';
import { stringOf } from '../../../wire/parts.ts';
import { writeEnvelope } from '../../written-envelope.ts';
import { type Fate, Fates, merged, READ, SAID, skipped } from '../fates.ts';
import { History, summaryItem } from './history.ts';
import { unsentReason } from './items.ts';
import { type RolloutRecord, replacementItems, wireItem } from './records.ts';

/** What a rollout says of its session. */
export interface Meta {
  readonly id: string | undefined;
  /** The session that this one works for or was forked from. */
  readonly parent: string | undefined;
  readonly isAgent: boolean;
}

export function metaOf(payload: JsonObject): Meta {
  const agent = isObject(payload.source) ? payload.source.subagent : undefined;
  const spawn = isObject(agent) && isObject(agent.thread_spawn) ? agent.thread_spawn : {};
  const parent = spawn.parent_thread_id ?? payload.parent_thread_id ?? payload.forked_from_id;
  return {
    id: typeof payload.id === 'string' ? payload.id : undefined,
    parent: typeof parent === 'string' ? parent : undefined,
    isAgent: agent !== undefined && agent !== null,
  };
}

/** Plays the records of one file. */
export class RolloutReader {
  readonly history: History;
  readonly fates = new Fates();
  meta: Meta | undefined;
  readonly #table: MessageTable;
  /** Whether counts of tokens tell where a response ends; else the host's next word does. */
  readonly #hasCounts: boolean;
  readonly #envelopes = new Map<string, Envelope | undefined>();
  #model: string | undefined;
  #instructions: string | undefined;
  #totals = '';

  constructor(hasCounts: boolean, table: MessageTable) {
    this.#hasCounts = hasCounts;
    this.#table = table;
    this.history = new History(table);
  }

  take(record: RolloutRecord | undefined): void {
    const position = this.fates.next;
    this.fates.add(skipped('broken line'));
    if (record !== undefined) this.fates.set(position, this.#fateOf(record, position));
  }

  #fateOf(record: RolloutRecord, position: number): Fate {
    const { type, payload } = record;
    switch (type) {
      case 'session_meta':
        return this.#readMeta(payload);
      case 'turn_context':
        this.#model = textIn(payload, 'model') ?? this.#model;
        this.#instructions ??= instructionsIn(payload);
        return READ;
      case 'response_item':
      case 'request_item':
        return this.#readItem(record, position);
      case 'compacted':
        for (const unsent of this.history.unsent) this.fates.reviseSaid(unsent, COMPACTED);
        this.#compact(record);
        return SAID;
      case 'event_msg':
        return this.#readEvent(payload, position);
      case 'state':
        return skipped('state of the client');
      default:
        return skipped(`unknown record "${type}"`);
    }
  }

  #readMeta(payload: JsonObject): Fate {
    if (this.meta !== undefined) return merged('the session repeated');
    this.meta = metaOf(payload);
    this.#model = textIn(payload, 'model') ?? this.#model;
    this.#instructions = instructionsIn(payload);
    return READ;
  }

  #readItem({ payload, raw, time }: RolloutRecord, record: number): Fate {
    const unsent = unsentReason(payload);
    if (unsent !== undefined) return skipped(unsent);
    const state = { model: this.#model, envelope: this.#envelope() };
    const item = wireItem(payload, raw);
    const isSent = this.history.add(payload, item, { record, time }, state);
    if (!isSent) return skipped('result without its call, not sent');
    const answers = stringOf(payload.type).endsWith('_output');
    if (!this.#hasCounts && answers) this.history.closeResponse();
    return SAID;
  }

  #readEvent(payload: JsonObject, position: number): Fate {
    const type = stringOf(payload.type);
    switch (type) {
      case 'token_count':
        return this.#readCount(payload);
      case 'turn_aborted':
      case 'task_started':
      case 'task_complete':
      case 'turn_started':
      case 'turn_complete':
      case 'context_compacted':
        this.history.closeResponse();
        return READ;
      case 'thread_rolled_back': {
        const turns = typeof payload.num_turns === 'number' ? payload.num_turns : 1;
        const start = this.history.rollBack(turns);
        if (start !== undefined) this.fates.revise(start, position, skipped('turn taken back'));
        return READ;
      }
      default:
        return COPIES.test(type) ? merged('copy of an item') : skipped(`event "${type}"`);
    }
  }

  #readCount(payload: JsonObject): Fate {
    const info = isObject(payload.info) ? payload.info : {};
    const totals = JSON.stringify(info.total_token_usage ?? info.last_token_usage ?? null);
    const usage = usageOf(info.last_token_usage ?? info.total_token_usage);
    if (usage === undefined) return skipped('count without usage');
    if (totals === this.#totals) return merged('count repeated');
    this.#totals = totals;
    const counted = this.history.isResponding;
    this.history.closeResponse(usage);
    return counted ? READ : merged('count of a call that is not recorded');
  }

  #compact({ payload, raw }: RolloutRecord): void {
    const recorded = replacementItems(raw);
    const summary = stringOf(payload.message);
    const kept = recorded ?? [
      ...this.history.hostMessages().map((message) => message.raw),
      summaryItem(summary),
    ];
    const items = kept.flatMap((text) => {
      const item: unknown = JSON.parse(text);
      if (!isObject(item) || unsentReason(item) !== undefined) return [];
      return [{ item, raw: wireItem(item, text) }];
    });
    this.history.replace(items);
  }

  #envelope(): Envelope | undefined {
    const key = this.#model ?? '';
    if (!this.#envelopes.has(key)) {
      const head = { model: this.#model, system: this.#instructions };
      this.#envelopes.set(key, writeEnvelope('openai-responses', head, this.#table));
    }
    return this.#envelopes.get(key);
  }
}

/** What is in no request before a compaction went into it alone. */
const COMPACTED = merged("the agent's own compaction");

/** Events that tell again, for a viewer, what items say. */
const COPIES =
  /^(?:user_message|agent_(?:message|reasoning)\w*|\w+_(?:begin|end|delta)|raw_response_item|item_(?:started|completed)|plan_update)$/;

/** True for a count of tokens, which stands behind each response. */
export function isUsageCount(record: RolloutRecord | undefined): boolean {
  return (
    record?.type === 'event_msg' &&
    record.payload.type === 'token_count' &&
    isObject(record.payload.info)
  );
}

/** The input of this provider's counts holds what was read from the cache. */
function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = value;
  if (typeof input !== 'number' || typeof output !== 'number') return undefined;
  const read = typeof cached === 'number' ? Math.min(cached, input) : undefined;
  return {
    inputTokens: input - (read ?? 0),
    outputTokens: output,
    ...(read === undefined ? {} : { cacheReadTokens: read }),
  };
}

function textIn(payload: JsonObject, key: string): string | undefined {
  const value = payload[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function instructionsIn({ base_instructions: base }: JsonObject): string | undefined {
  const text = isObject(base) ? base.text : base;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
