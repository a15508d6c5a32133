import { z } from 'zod';
import type { Transcript } from '../../transcript/transcript.ts';
import { isObject } from '../../wire/json-object.ts';
import { elements, member, rootSpan, slice } from '../../wire/json-spans.ts';
import { openaiChat } from '../../wire/openai-chat.ts';
import { roles } from '../dialects.ts';
import { type Entry, lengthOf, readEntries, readEntryLines } from '../entries.ts';
import { schemaError } from '../schema.ts';
import { countList, requestsOfList, toTranscript } from '../transcripts.ts';
import type { Format, ReadContext } from './format.ts';

const entrySchema = z.looseObject({
  task_id: z.union([z.number(), z.string()]),
  trial: z.union([z.number(), z.string()]).nullish(),
  reward: z.number().nullish(),
  traj: z.array(z.looseObject({ role: z.enum(roles) })),
});

/** tau-bench results: `[{task_id, trial, reward, info, traj: [message]}]`, or an entry a line; openai-chat. */
export const tauBench: Format = {
  name: 'tau-bench',
  about: 'an array of {task_id, trial, reward, traj: [message]}, or one a line',

  detect({ kind, sample }) {
    const [value] = sample;
    // One broken entry is told with its line, and the others are read.
    const entries = kind === 'jsonl' ? sample : value;
    return Array.isArray(entries) && entries.some(isEntry);
  },

  detectsList: (entries) => entries.some(isEntry),

  groupKeys: () => [],

  streams: true,

  *read(documents, context) {
    const records = (value: unknown) => (isObject(value) ? lengthOf(value.traj) : 1);
    const read = (entry: Entry) => readEntry(entry, context);
    for (const document of documents) {
      if (document.kind === 'json') {
        const spans = elements(document.text, rootSpan(document.text));
        yield* readEntries(document, spans, context, 'messages', records, read);
      } else yield* readEntryLines(document, context, { unit: 'messages', records, read });
    }
  },
};

function isEntry(value: unknown): boolean {
  return isObject(value) && 'task_id' in value && 'traj' in value;
}

function readEntry(
  { text, span, value, file }: Entry,
  context: ReadContext,
): readonly Transcript[] {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, tauBench.about, value);
  const { task_id: task, trial, reward } = parsed.data;
  const list = member(text, span, 'traj');
  const messages = list === undefined ? [] : openaiChat.parseList(slice(text, list), context.table);
  const requests = requestsOfList(messages);
  countList(context.loss, file, messages, requests);
  const name = { task: String(task), trial: String(trial ?? 0), lineage: 'main' };
  return [
    toTranscript({
      ...name,
      source: { file, format: 'tau-bench', session: `${name.task}/${name.trial}` },
      dialect: 'openai-chat',
      ...(typeof reward === 'number' ? { reward } : {}),
      requests,
      retries: 0,
    }),
  ];
}
