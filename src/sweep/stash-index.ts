import { appendFile, readFile, truncate } from 'node:fs/promises';
import { z } from 'zod';
import type { StashEntry } from '../compaction/stash.ts';
import { HarnessError, messageOf } from '../errors.ts';
import type { TranscriptReplay } from '../replay/result.ts';
import { type Message, resultText } from '../transcript/message.ts';
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
  return [...replay.stash.entries()].map(([key, entry]): StashReference => {
    if (entry.kind === 'messages') {
      const { from, to, list } = entry;
      const request = recordedRequest(cell, entry);
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
  for (const [request, { messages }] of transcript.requests.entries()) {
    for (const [index, message] of messages.entries()) {
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

/** The request whose recorded list holds the very bytes of the entry at its place, or −1. */
function recordedRequest(cell: Cell, entry: StashEntry & { readonly kind: 'messages' }): number {
  const { requests } = cell.transcript;
  const same = requests.findIndex((request) => request.messages === entry.list);
  if (same >= 0) return same;
  return requests.findIndex(({ messages }) => {
    for (let index = entry.from; index < entry.to; index++) {
      if (messages[index] !== entry.list[index]) return false;
    }
    return true;
  });
}

/** Appends to the index, whole lines in one write. Rejects with `output.write`. */
export async function appendReferences(
  file: string,
  references: readonly StashReference[],
): Promise<void> {
  try {
    await appendFile(
      file,
      references.map((reference) => `${JSON.stringify(reference)}\n`).join(''),
    );
  } catch (cause) {
    const message = `cannot write: ${messageOf(cause)}; free space, or choose another --out`;
    throw new HarnessError('output.write', message, { cause, at: { file } });
  }
}

/** Cuts off a last line that a killed writer left unfinished. */
export async function repairReferences(file: string): Promise<void> {
  const bytes = await readFile(file).catch(() => undefined);
  if (bytes !== undefined) await truncate(file, bytes.lastIndexOf(0x0a) + 1);
}

/** The index of a run. Rejects with `input.missing` or `input.schema`. */
export async function readReferences(file: string): Promise<StashReference[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    const message = `cannot read the stash index: ${messageOf(cause)}; run the sweep again`;
    throw new HarnessError('input.missing', message, { cause, at: { file } });
  }
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
