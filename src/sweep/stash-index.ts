import { z } from 'zod';
import type { StashEntry } from '../compaction/stash.ts';
import { HarnessError } from '../errors.ts';
import type { TranscriptReplay } from '../replay/result.ts';
import { appendLines } from '../text/append-lines.ts';
import { wholeText } from '../text/whole-file.ts';
import { sharedStart } from '../transcript/growing-lists.ts';
import { type Message, resultText } from '../transcript/message.ts';
import type { Request, Transcript } from '../transcript/transcript.ts';
import { encodeList } from '../wire/dialect.ts';
import type { Cell } from './cells.ts';

const origin = {
  key: z.string(),
  cell: z.string(),
  config: z.string(),
  file: z.string(),
  format: z.string(),
  session: z.string(),
  task: z.string(),
  trial: z.string(),
  lineage: z.string(),
};

/**
 * Where the content behind one stash key is found again: messages `from` to `to` (exclusive) of a
 * recorded request, the text of one of its tool results, or, of what no recording holds, the text itself.
 */
export const stashReference = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('messages'),
    ...origin,
    request: z.int(),
    from: z.int(),
    to: z.int(),
  }),
  z.object({
    kind: z.literal('result'),
    ...origin,
    request: z.int(),
    message: z.int(),
    block: z.int(),
  }),
  z.object({
    kind: z.literal('text'),
    ...origin,
    text: z.string(),
    /** What the text is: `messages` where it is the JSON array of some. */
    form: z.enum(['text', 'messages']).default('text'),
  }),
]);

export type StashReference = z.output<typeof stashReference>;

/** One line of the index for each key that the replay of a cell stashed. */
export function stashReferences(cell: Cell, replay: TranscriptReplay): StashReference[] {
  const { transcript, config, id } = cell;
  const { file, format, session } = transcript.source;
  const { task, trial, lineage } = transcript;
  const labels = { cell: id, config: config.name, file, format, session, task, trial, lineage };
  let results: ReadonlyMap<string, ResultPlace> | undefined;
  let lists: RecordedLists | undefined;
  return [...replay.stash.entries()].map(([key, entry]): StashReference => {
    if (entry.kind === 'messages') {
      const { from, to, list } = entry;
      lists ??= new RecordedLists(transcript);
      const request = lists.find(entry);
      if (request >= 0) return { kind: 'messages', key, ...labels, request, from, to };
      // A component after the first sees a rewritten list, which no recording holds.
      const text = encodeList(list.slice(from, to));
      return { kind: 'text', key, ...labels, text, form: 'messages' };
    }
    results ??= recordedResults(cell);
    const place = results.get(entry.text);
    if (place !== undefined) return { kind: 'result', key, ...labels, ...place };
    return { kind: 'text', key, ...labels, text: entry.text, form: 'text' };
  });
}

interface ResultPlace {
  readonly request: number;
  readonly message: number;
  readonly block: number;
}

/** Where the text of each tool result first stands. */
function recordedResults({ transcript }: Cell): ReadonlyMap<string, ResultPlace> {
  const places = new Map<string, ResultPlace>();
  const seen = new Set<Message>();
  let before: readonly Message[] = [];
  for (const [request, { messages }] of transcript.requests.entries()) {
    const shared = sharedStart(before, messages);
    before = messages;
    for (const [offset, message] of messages.slice(shared).entries()) {
      const index = shared + offset;
      if (seen.has(message)) continue;
      seen.add(message);
      for (const [block, content] of message.blocks.entries()) {
        if (content.kind !== 'tool-result') continue;
        const text = resultText(content);
        if (!places.has(text)) places.set(text, { request, message: index, block });
      }
    }
  }
  return places;
}

type MessagesEntry = StashEntry & { readonly kind: 'messages' };

/**
 * Finds the request whose recorded list an entry was cut from, else the first that holds the very messages at
 * their place. Lists are looked at once for all entries: those of a long session are made anew each time.
 */
class RecordedLists {
  readonly #requests: readonly Request[];
  /** Requests by the last message of their list. */
  readonly #byLast = new Map<Message, number[]>();

  constructor({ requests }: Transcript) {
    this.#requests = requests;
    for (const [index, { messages }] of requests.entries()) {
      const last = messages.at(-1);
      if (last === undefined) continue;
      const known = this.#byLast.get(last);
      if (known === undefined) this.#byLast.set(last, [index]);
      else known.push(index);
    }
  }

  /** Number of the request, or −1. */
  find(entry: MessagesEntry): number {
    const last = entry.list.at(-1);
    const alike = last === undefined ? [] : (this.#byLast.get(last) ?? []);
    const same = alike.find((index) => {
      const messages = this.#requests[index]?.messages ?? [];
      return messages.length === entry.list.length && holds(messages, entry);
    });
    return same ?? this.#requests.findIndex(({ messages }) => holds(messages, entry));
  }
}

function holds(messages: readonly Message[], { list, from, to }: MessagesEntry): boolean {
  for (let index = from; index < to; index++) {
    if (messages[index] !== list[index]) return false;
  }
  return true;
}

/** Appends to the index, whole lines in one write. Rejects with `output.write`. */
export async function appendReferences(
  file: string,
  references: readonly StashReference[],
): Promise<void> {
  await appendLines(file, references.map((reference) => `${JSON.stringify(reference)}\n`).join(''));
}

/** The index of a run. Rejects with `input.missing` or `input.schema`. */
export async function readReferences(file: string): Promise<StashReference[]> {
  const text = await wholeText(file, { what: 'the stash index', advice: 'run the sweep again' });
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines.slice(0, -1).map((line, index) => {
    try {
      return stashReference.parse(JSON.parse(line));
    } catch (cause) {
      const message = 'not a line of a stash index; run the sweep again';
      throw new HarnessError('input.schema', message, { cause, at: { file, line: index + 1 } });
    }
  });
}
