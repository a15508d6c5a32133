import { z } from 'zod';
import type { Transcript } from '../../transcript/transcript.ts';
import { elements, member, rootSpan, slice } from '../../wire/json-spans.ts';
import { openaiChat } from '../../wire/openai-chat.ts';
import { roles } from '../dialects.ts';
import type { Document } from '../document.ts';
import { problemOf } from '../problem.ts';
import { inputError, placeOf, schemaError } from '../schema.ts';
import { requestsOfList, toTranscript } from '../transcripts.ts';
import type { Format, ReadContext } from './format.ts';

const entrySchema = z.looseObject({
  task_id: z.union([z.number(), z.string()]),
  trial: z.union([z.number(), z.string()]).nullish(),
  reward: z.number().nullish(),
  traj: z.array(z.looseObject({ role: z.enum(roles) })),
});

/** tau-bench results: `[{task_id, trial, reward, info, traj: [message]}]`, openai-chat. */
export const tauBench: Format = {
  name: 'tau-bench',
  about: 'an array of {task_id, trial, reward, traj: [message]}',

  detect(document) {
    const [value] = document.sample;
    // One broken entry is told with its line, and the others are read.
    return document.kind === 'json' && Array.isArray(value) && value.some(isEntry);
  },

  groupKeys: () => [],

  read(documents, context) {
    return documents.flatMap((document) => readDocument(document, context));
  },
};

function isEntry(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'task_id' in value && 'traj' in value;
}

function readDocument(document: Document, context: ReadContext): readonly Transcript[] {
  if (document.kind !== 'json') return [];
  const { text } = document;
  const { path } = document.file;
  return elements(text, rootSpan(text)).flatMap((span) => {
    const value: unknown = JSON.parse(slice(text, span));
    const parsed = entrySchema.safeParse(value);
    try {
      if (!parsed.success) throw schemaError(parsed.error, tauBench.about, value);
      const { task_id: task, trial, reward } = parsed.data;
      const list = member(text, span, 'traj');
      const messages =
        list === undefined ? [] : openaiChat.parseList(slice(text, list), context.table);
      const name = { task: String(task), trial: String(trial ?? 0), lineage: 'main' };
      return [
        toTranscript({
          ...name,
          source: { file: path, format: 'tau-bench', session: `${name.task}/${name.trial}` },
          dialect: 'openai-chat',
          ...(typeof reward === 'number' ? { reward } : {}),
          requests: requestsOfList(messages),
          retries: 0,
        }),
      ];
    } catch (error) {
      const known = inputError(slice(text, span), error);
      const at = { ...known.at, ...placeOf(text, span.start, path) };
      context.report({ ...problemOf(known, path), at });
      return [];
    }
  });
}
