import { z } from 'zod';
import type { Transcript } from '../../transcript/transcript.ts';
import { isObject, type JsonObject } from '../../wire/json-object.ts';
import { elements, path, rootSpan, slice } from '../../wire/json-spans.ts';
import { openaiChat } from '../../wire/openai-chat.ts';
import { onlyKeys } from '../chat.ts';
import { isMessage } from '../dialects.ts';
import { type Entry, lengthOf, readEntries } from '../entries.ts';
import { readTime, readUsage } from '../responses.ts';
import { schemaError } from '../schema.ts';
import { type CallFacts, countList, requestsOfList, stemOf, toTranscript } from '../transcripts.ts';
import type { Format, ReadContext } from './format.ts';

const NAME = 'mini-swe-agent';

const partsSchema = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish();
const recordSchema = z.looseObject({
  /** `exit` is how the run ended, which is not sent. */
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'exit']),
  content: partsSchema,
  timestamp: z.union([z.string(), z.number()]).nullish(),
  extra: z.looseObject({ cost: z.number().nullish() }).nullish(),
});
const runSchema = z.union([
  z.array(recordSchema),
  z.looseObject({
    messages: z.array(recordSchema),
    info: z
      .looseObject({
        model_stats: z.looseObject({ instance_cost: z.number().nullish() }).nullish(),
      })
      .nullish(),
    instance_id: z.string().nullish(),
  }),
]);
type Recorded = z.infer<typeof recordSchema>;

/**
 * Runs of mini-swe-agent: bare `[{role, content}]`, or `{messages, info}`. The agent writes a shell
 * command in a code block (in newer versions as a tool call) and reads its output, between
 * `<returncode>` and `<output>`, as the user's answer.
 */
export const miniSweAgent: Format = {
  name: NAME,
  about: 'messages [{role, content}] of a shell agent, bare or in {messages, info}',

  detect(document) {
    const [value] = document.sample;
    if (document.kind !== 'json') return false;
    if (Array.isArray(value)) return value.every(isMessage) && value.some(isTypical);
    if (!isObject(value) || !Array.isArray(value.messages)) return false;
    const format = value.trajectory_format;
    if (typeof format === 'string' && format.startsWith(NAME)) return true;
    return isObject(value.info) && ('mini_version' in value.info || value.messages.some(isTypical));
  },

  groupKeys: () => [],

  read(documents, context) {
    return documents.flatMap((document) => {
      if (document.kind !== 'json') return [];
      const records = (value: unknown) => lengthOf(isObject(value) ? value.messages : value);
      const whole = [rootSpan(document.text)];
      return readEntries(document, whole, context, 'messages', records, (entry) => [
        readRun(entry, context),
      ]);
    });
  },
};

/** The words that stand around what only this agent sends. */
function isTypical(value: unknown): boolean {
  if (!isObject(value) || typeof value.content !== 'string') return false;
  if (value.role === 'assistant') return value.content.includes('```mswea_bash_command');
  return value.role === 'user' && value.content.startsWith('<returncode>');
}

/** What of a message is sent; `timestamp` and `extra` are the agent's own. */
const SENT: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'tool_calls',
  'tool_call_id',
  'reasoning_content',
]);

function readRun({ text, span, value, file }: Entry, context: ReadContext): Transcript {
  const parsed = runSchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, miniSweAgent.about, value);
  const run = parsed.data;
  const isBare = Array.isArray(run);
  const recorded = isBare ? run : run.messages;
  const info = isBare ? {} : (run.info ?? {});
  const list = isBare ? span : path(text, ['messages'], span);
  const spans = list === undefined ? [] : elements(text, list);
  const sent = recorded.flatMap((record, index) => {
    const own = spans[index];
    if (record.role === 'exit' || own === undefined) return [];
    const raw = Object.keys(record).every((key) => SENT.has(key))
      ? slice(text, own)
      : onlyKeys(text, own, SENT);
    return [{ record, message: openaiChat.parseMessage(raw, context.table) }];
  });
  const messages = sent.map(({ message }) => message);
  const model = modelOf(info);
  const requests = requestsOfList(messages, (_, index) =>
    factsOf(sent[index]?.record, sent[index - 1]?.record, model),
  );
  countList(context.loss, file, messages, requests);
  context.loss.skipped(file, 'how the run ended', recorded.length - sent.length);
  const instance = isBare ? undefined : run.instance_id;
  const cost = isBare ? undefined : run.info?.model_stats?.instance_cost;
  const hasCosts = requests.some((request) => request.cost !== undefined);
  return toTranscript({
    task: instance ?? stemOf(stemOf(file)),
    trial: '0',
    lineage: 'main',
    source: { file, format: NAME, session: instance ?? file },
    dialect: 'openai-chat',
    agent: NAME,
    ...(model === undefined ? {} : { model }),
    ...(typeof cost === 'number' && cost > 0 && !hasCosts ? { cost } : {}),
    requests,
    retries: 0,
  });
}

/** `info.config.model.model_name`. */
function modelOf(info: JsonObject): string | undefined {
  const config = isObject(info.config) ? info.config : {};
  const model = isObject(config.model) ? config.model : {};
  return typeof model.model_name === 'string' ? model.model_name : undefined;
}

function factsOf(
  answer: Recorded | undefined,
  before: Recorded | undefined,
  model: string | undefined,
): CallFacts {
  const response = isObject(answer?.extra?.response) ? answer.extra.response : {};
  const time = timeOf(before) ?? timeOf(answer);
  const usage = readUsage(response.usage);
  const answered = typeof response.model === 'string' ? response.model : undefined;
  const name = model ?? answered;
  const cost = answer?.extra?.cost;
  return {
    ...(name === undefined ? {} : { model: name }),
    ...(time === undefined ? {} : { time }),
    ...(usage === undefined ? {} : { usage }),
    ...(typeof cost === 'number' ? { cost } : {}),
  };
}

function timeOf(record: Recorded | undefined): number | undefined {
  return readTime(record?.timestamp) ?? readTime(record?.extra?.timestamp);
}
