import { z } from 'zod';
import type { Message } from '../../transcript/message.ts';
import type { Request, Transcript } from '../../transcript/transcript.ts';
import { isObject } from '../../wire/json-object.ts';
import { rootSpan } from '../../wire/json-spans.ts';
import { openaiChat } from '../../wire/openai-chat.ts';
import { chatAssistant, chatSystem, chatUser } from '../chat.ts';
import { type Entry, lengthOf, readEntries } from '../entries.ts';
import { schemaError } from '../schema.ts';
import { NEVER_SENT, requestsOfList, stemOf, toTranscript } from '../transcripts.ts';
import type { Format, ReadContext } from './format.ts';

const NAME = 'whowhen-multiagent';

const labelSchema = z.union([z.boolean(), z.number()]).nullish();
const runSchema = z.looseObject({
  history: z.array(
    z.looseObject({ role: z.string(), content: z.string().nullish(), name: z.string().nullish() }),
  ),
  is_correct: labelSchema,
  is_corrected: labelSchema,
  question_ID: z.string().nullish(),
  system_prompt: z.record(z.string(), z.unknown()).nullish(),
});
type Run = z.infer<typeof runSchema>;

/**
 * Conversations of several agents, with a label of who made the mistake: `{history, question, is_correct,
 * mistake_agent, …}`, openai-chat. Each agent is a lineage of its own: what it said are its answers, what
 * the others said are turns of users; of those that answer, the one that speaks first is `main`, and has
 * the reward. People, terminals and the framework's own notes are no models.
 */
export const whowhenMultiagent: Format = {
  name: NAME,
  about: 'an object {history: [{role, content, name}], question, is_correct, mistake_agent}',

  detect(document) {
    const [value] = document.sample;
    if (document.kind !== 'json' || !isObject(value) || !Array.isArray(value.history)) return false;
    return 'mistake_agent' in value || 'mistake_step' in value;
  },

  groupKeys: () => [],

  read(documents, context) {
    return documents.flatMap((document) => {
      if (document.kind !== 'json') return [];
      const records = (value: unknown) => (isObject(value) ? lengthOf(value.history) : 1);
      const whole = [rootSpan(document.text)];
      return readEntries(document, whole, context, 'messages', records, (entry) =>
        readRun(entry, context),
      );
    });
  },
};

/** A message of the conversation and who said it. */
interface Said {
  readonly by: string;
  /** Written for the speaker itself: the others do not read it. */
  readonly isThought: boolean;
  readonly text: string;
  /** Position in the history. */
  readonly index: number;
}

const NO_MODEL = /^(?:human|user|user_?proxy|computer_?terminal|terminal|chat_manager)$/i;

function saidIn({ history }: Run): readonly Said[] {
  return history.flatMap(({ role, name, content }, index) => {
    // One kind of file puts what is said to whom behind the name: `Orchestrator (-> WebSurfer)`.
    const [, by = role, aside = ''] = /^(.*?)\s*(?:\(([^)]*)\))?$/s.exec(name ?? role) ?? [];
    if (aside === 'termination condition') return [];
    return [{ by, isThought: aside === 'thought', text: content ?? '', index }];
  });
}

function readRun({ value, file }: Entry, context: ReadContext): readonly Transcript[] {
  const parsed = runSchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, whowhenMultiagent.about, value);
  const run = parsed.data;
  const said = saidIn(run);
  const speakers = [...new Set(said.map(({ by }) => by))].filter((by) => !NO_MODEL.test(by));
  const lineages = speakers
    .map((speaker) => ({ speaker, requests: requestsOf(speaker, run, said, context) }))
    .filter(({ requests }) => requests.length > 0);
  const last = said.findLast(({ by }) => lineages.some(({ speaker }) => speaker === by))?.index;
  const sent = said.filter(({ index }) => index <= (last ?? -1)).length;
  context.loss.read(file, sent);
  context.loss.skipped(file, 'a note of the framework', run.history.length - said.length);
  context.loss.skipped(file, NEVER_SENT, said.length - sent);
  const label = run.is_correct ?? run.is_corrected;
  return lineages.map(({ speaker, requests }, index) =>
    toTranscript({
      task: stemOf(file),
      trial: '0',
      lineage: index === 0 ? 'main' : `agent-${index}`,
      source: { file, format: NAME, session: run.question_ID ?? file },
      dialect: 'openai-chat',
      agent: speaker,
      ...(index > 0 || label === null || label === undefined ? {} : { reward: Number(label) }),
      requests,
      retries: 0,
    }),
  );
}

function requestsOf(
  speaker: string,
  run: Run,
  said: readonly Said[],
  { table }: ReadContext,
): readonly Request[] {
  const prompt = run.system_prompt?.[speaker];
  const written = said
    .filter(({ by, isThought }) => by === speaker || !isThought)
    .map(({ by, text }) => (by === speaker ? chatAssistant(text) : chatUser(text, nameOf(by))));
  if (typeof prompt === 'string' && prompt !== '') written.unshift(chatSystem(prompt));
  const messages = written.map((raw): Message => openaiChat.parseMessage(raw, table));
  // What stands first is the task, in whosever name.
  return requestsOfList(messages).filter((request) =>
    request.messages.some(({ role }) => role !== 'system'),
  );
}

/** As the wire takes names. */
function nameOf(speaker: string): string {
  return speaker.replace(/[^\w-]/g, '_').slice(0, 64);
}
