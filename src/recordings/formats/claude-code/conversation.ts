import type { MessageTable } from '../../../transcript/intern.ts';
import { requestOfView } from '../../../transcript/list-views.ts';
import { hasToolResult, isUserTurn, type Message } from '../../../transcript/message.ts';
import type { Request } from '../../../transcript/transcript.ts';
import { anthropic } from '../../../wire/anthropic.ts';
import { readUsage } from '../../responses.ts';
import { READ } from '../fates.ts';
import { COMPACTION, type RecordFates, SAME_RESPONSE } from './losses.ts';
import type { RecordedMessage, SessionRecord } from './records.ts';

/** One entry of the message list: a message, and the records that it was read from. */
interface Entry {
  readonly records: SessionRecord[];
  readonly parts: RecordedMessage[];
  message: Message;
  /** Whether a call had it in its list, or it is the answer of one. */
  sent: boolean;
}

/** A message that the model wrote, and the list that it was given. */
interface Call {
  readonly entry: Entry;
  /** The list began with the first `count` of these; more may have come later. */
  readonly list: readonly Entry[];
  readonly count: number;
  readonly segment: number;
}

/**
 * Replays a conversation's records as the requests that were sent: one for each response of the model.
 *
 * Records of one response (same message id) are one message, of the exact bytes of their blocks; results
 * that came in between, while the response still ran, stand behind it. `compact_boundary` empties the
 * list, so that the summary after it starts a segment; `microcompact_boundary` clears old results; the
 * command `/clear` ends the conversation, and what follows is a conversation of its own. A compaction
 * may keep a part of the list, which then stands behind its summary.
 *
 * @param fates is told what became of each record that a request was made of
 * @returns the requests of each conversation, in order
 */
export function requestsOfConversation(
  records: readonly SessionRecord[],
  table: MessageTable,
  fates: RecordFates = new Map(),
): readonly (readonly Request[])[] {
  const conversations: Request[][] = [];
  for (const part of splitAtClear(records)) {
    const requests = new Conversation(table, fates).play(part);
    if (requests.length > 0) conversations.push(requests);
  }
  return conversations;
}

const CLEAR =
  /^\s*(?:<command-message>[^<]*<\/command-message>\s*)?<command-name>\/clear<\/command-name>/;

function splitAtClear(records: readonly SessionRecord[]): readonly (readonly SessionRecord[])[] {
  const parts: SessionRecord[][] = [[]];
  for (const record of records) {
    if (isClear(record)) {
      const before = parts.at(-1)?.at(-1);
      // The client's caveat about local commands stands before the command and belongs to it.
      const caveat = before?.isMeta === true ? (parts.at(-1)?.splice(-1) ?? []) : [];
      parts.push(caveat);
    }
    parts.at(-1)?.push(record);
  }
  return parts;
}

function isClear({ message }: SessionRecord): boolean {
  if (message?.role !== 'user' || !message.content.startsWith('"')) return false;
  if (!message.content.includes('/clear<')) return false;
  const content: unknown = JSON.parse(message.content);
  return typeof content === 'string' && CLEAR.test(content);
}

/** In the place of a result that the client cleared; its own words are not recorded. */
const CLEARED = '[tool result cleared by the agent]';

/** The model name of messages that the client wrote in the assistant's name. */
const SYNTHETIC = '<synthetic>';

class Conversation {
  readonly #table: MessageTable;
  readonly #fates: RecordFates;
  readonly #entries: Entry[] = [];
  #list: Entry[] = [];
  /** The entry of the list that a response is read into, by its id. */
  readonly #byId = new Map<string, Entry>();
  #segment = 0;
  readonly #calls: Call[] = [];
  /** What a compaction keeps, until the record behind which it then stands. */
  #kept: { readonly behind: string | undefined; readonly entries: readonly Entry[] } | undefined;

  constructor(table: MessageTable, fates: RecordFates) {
    this.#table = table;
    this.#fates = fates;
  }

  play(records: readonly SessionRecord[]): Request[] {
    for (const record of records) {
      if (record.subtype === 'compact_boundary') this.#compact(record);
      else if (record.subtype === 'microcompact_boundary') this.#clearResults(record.clearedIds);
      else if (record.message !== undefined) this.#add(record, record.message);
      if (record.subtype?.endsWith('compact_boundary') === true)
        this.#fates.set(record, COMPACTION);
      if (record.uuid !== undefined && record.uuid === this.#kept?.behind) this.#putBack();
    }
    for (const { records: own, sent } of this.#entries) {
      if (!sent) continue;
      for (const [index, record] of own.entries()) {
        this.#fates.set(record, index === 0 ? READ : SAME_RESPONSE);
      }
    }
    const lists = new Map<readonly Entry[], readonly Message[]>();
    return this.#calls.map((call) => {
      const messages = lists.get(call.list) ?? call.list.map(({ message }) => message);
      lists.set(call.list, messages);
      return toRequest(call, messages);
    });
  }

  #compact(record: SessionRecord): void {
    const { kept } = record;
    const from = this.#positionOf(kept?.head);
    const to = this.#positionOf(kept?.tail);
    const entries = from < 0 || to < from ? [] : this.#list.slice(from, to + 1);
    this.#startSegment();
    this.#kept = entries.length === 0 ? undefined : { behind: kept?.behind, entries };
  }

  #positionOf(uuid: string | undefined): number {
    if (uuid === undefined) return -1;
    return this.#list.findIndex(({ records }) => records.some((record) => record.uuid === uuid));
  }

  #putBack(): void {
    const entries = this.#kept?.entries ?? [];
    this.#list = this.#list.concat(entries);
    this.#noteIds(entries);
    this.#kept = undefined;
  }

  #startSegment(): void {
    if (this.#list.length > 0) this.#segment++;
    this.#list = [];
    this.#byId.clear();
  }

  #noteIds(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const id = entry.parts[0]?.id;
      if (id !== undefined) this.#byId.set(id, entry);
    }
  }

  #clearResults(ids: readonly string[]): void {
    const cleared = new Set(ids);
    let changed = false;
    const list = this.#list.map((entry) => {
      let { message } = entry;
      for (const [index, block] of message.blocks.entries()) {
        if (block.kind !== 'tool-result' || !cleared.has(block.id)) continue;
        message = anthropic.replaceResult(message, index, CLEARED, this.#table);
        changed = true;
      }
      if (message === entry.message) return entry;
      const own = { ...entry, message };
      this.#entries.push(own);
      return own;
    });
    if (!changed) return;
    this.#list = list;
    this.#noteIds(list);
    this.#segment++;
  }

  #add(record: SessionRecord, part: RecordedMessage): void {
    if (record.isCompactSummary && this.#list.some(({ message }) => message.role === 'assistant')) {
      this.#startSegment();
    }
    const started = part.id === undefined ? undefined : this.#byId.get(part.id);
    if (started !== undefined) {
      started.records.push(record);
      started.parts.push(part);
      started.message = this.#compose(started.parts);
      return;
    }
    const message = this.#compose([part]);
    const entry = { records: [record], parts: [part], message, sent: false };
    this.#entries.push(entry);
    this.#noteIds([entry]);
    if (part.role === 'assistant') {
      if (part.model !== SYNTHETIC) {
        for (const earlier of this.#list) earlier.sent = true;
        entry.sent = true;
        const list = this.#list;
        this.#calls.push({ entry, list, count: list.length, segment: this.#segment });
      }
      this.#list.push(entry);
      return;
    }
    const place = this.#placeOf(entry.message);
    // Calls refer to the list, so what they had in it stays.
    if (place < this.#list.length) this.#list = this.#list.slice();
    this.#list.splice(place, 0, entry);
  }

  /** Results stand before any other user message that was recorded while they were still awaited. */
  #placeOf(message: Message): number {
    const end = this.#list.length;
    if (!hasToolResult(message) || isUserTurn(message)) return end;
    const answer = this.#list.findLastIndex((entry) => entry.message.role === 'assistant');
    for (let index = answer + 1; index < end; index++) {
      const entry = this.#list[index];
      if (entry !== undefined && !hasToolResult(entry.message)) return index;
    }
    return end;
  }

  #compose(parts: readonly RecordedMessage[]): Message {
    const [first] = parts;
    const role = first?.role ?? 'user';
    if (first !== undefined && parts.length === 1) {
      const { raw, value } = first;
      if (value === undefined) return anthropic.parseMessage(raw, this.#table);
      return anthropic.parsedMessage(raw, { role, content: value }, this.#table);
    }
    // A block that a second copy of its record repeats is one block.
    const blocks = [...new Set(parts.flatMap((part) => part.blocks))];
    const raw = `{"role":"${role}","content":[${blocks.join(',')}]}`;
    return anthropic.parseMessage(raw, this.#table);
  }
}

/** @param messages of the whole list that the call's list is the beginning of */
function toRequest({ entry, list, count, segment }: Call, messages: readonly Message[]): Request {
  const model = entry.parts.find((part) => part.model !== undefined)?.model;
  // The counts are repeated on each record of a response; the last one has the whole output.
  const usage = readUsage(entry.parts.findLast((part) => part.usage !== undefined)?.usage);
  // A call starts when the last message before it was there; a response is recorded when it came.
  const times = [...(list[count - 1]?.records.slice(-1) ?? []), ...entry.records];
  const time = times.find((record) => record.time !== undefined)?.time;
  return requestOfView(messages, count, {
    segment,
    action: entry.message,
    ...(model === undefined ? {} : { model }),
    ...(time === undefined ? {} : { time }),
    ...(usage === undefined ? {} : { usage }),
  });
}
