import { z } from 'zod';
import type { Transcript } from '../../transcript/transcript.ts';
import { isObject } from '../../wire/json-object.ts';
import { members, rootSpan } from '../../wire/json-spans.ts';
import { openaiChat } from '../../wire/openai-chat.ts';
import { chatAssistant, chatUser } from '../chat.ts';
import { type Entry, lengthOf, readEntries } from '../entries.ts';
import { schemaError } from '../schema.ts';
import { countList, requestsOfList, toTranscript } from '../transcripts.ts';
import type { Format, ReadContext } from './format.ts';

const NAME = 'intercode';

const textSchema = z.union([z.string(), z.number(), z.boolean()]).nullish();
const entrySchema = z.looseObject({
  task_id: z.union([z.number(), z.string()]).nullish(),
  query: z.string(),
  turn_history: z.looseObject({
    thoughts: z.array(textSchema).nullish(),
    actions: z.array(textSchema),
    observations: z.array(z.unknown()),
  }),
  summary: z.looseObject({ max_reward: z.number().nullish() }).nullish(),
});

/**
 * InterCode results: `{"<n>": {task_id, query, turn_history: {actions, observations, …}, summary}}`. The
 * agent writes its thought and its command as text and reads the output as the user's answer, so there
 * are no tool calls. The reward is the best of the episode, between 0 and 1.
 */
export const intercode: Format = {
  name: NAME,
  about: 'an object of {task_id, query, turn_history: {actions, observations}, summary}',

  detect(document) {
    const [value] = document.sample;
    return document.kind === 'json' && isObject(value) && Object.values(value).some(isEpisode);
  },

  groupKeys: () => [],

  read(documents, context) {
    return documents.flatMap((document) => {
      if (document.kind !== 'json') return [];
      const entries = members(document.text, rootSpan(document.text));
      const keys = new Map(entries.map(({ key, value }) => [value.start, key]));
      const spans = entries.map(({ value }) => value);
      return readEntries(document, spans, context, 'messages', messagesIn, (entry) => [
        readEpisode(entry, keys.get(entry.span.start) ?? '', context),
      ]);
    });
  },
};

function isEpisode(value: unknown): boolean {
  return isObject(value) && isObject(value.turn_history) && 'actions' in value.turn_history;
}

/** The query, and each action and observation. */
function messagesIn(value: unknown): number {
  const turns = isObject(value) ? value.turn_history : undefined;
  return isObject(turns) ? 1 + lengthOf(turns.actions) + lengthOf(turns.observations) : 1;
}

function readEpisode({ value, file }: Entry, key: string, context: ReadContext): Transcript {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, intercode.about, value);
  const { query, turn_history: turns, task_id: id, summary } = parsed.data;
  const { actions, observations, thoughts } = turns;
  const written = [chatUser(query)];
  for (let turn = 0; turn < Math.max(actions.length, observations.length); turn++) {
    if (turn < actions.length) {
      const parts = [thoughts?.[turn], actions[turn]].map((part) => String(part ?? ''));
      written.push(chatAssistant(parts.filter((part) => part !== '').join('\n')));
    }
    if (turn < observations.length) written.push(chatUser(textOf(observations[turn])));
  }
  const messages = written.map((raw) => openaiChat.parseMessage(raw, context.table));
  const requests = requestsOfList(messages);
  countList(context.loss, file, messages, requests);
  const reward = summary?.max_reward;
  return toTranscript({
    task: String(id ?? key),
    trial: '0',
    lineage: 'main',
    source: { file, format: NAME, session: key },
    dialect: 'openai-chat',
    ...(typeof reward === 'number' ? { reward } : {}),
    requests,
    retries: 0,
  });
}

/** An observation is text, but for tables, which some environments give as lists. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
