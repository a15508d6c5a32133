import { z } from 'zod';
import type { Request, Transcript } from '../../transcript/transcript.ts';
import { isObject, type JsonObject } from '../../wire/json-object.ts';
import { elements, member, path, rootSpan, slice } from '../../wire/json-spans.ts';
import { openaiChat } from '../../wire/openai-chat.ts';
import { openaiResponses } from '../../wire/openai-responses.ts';
import { onlyKeys } from '../chat.ts';
import { isMessage } from '../dialects.ts';
import { type Entry, lengthOf, readEntries } from '../entries.ts';
import { readTime, readUsage } from '../responses.ts';
import { schemaError } from '../schema.ts';
import {
  type CallFacts,
  NEVER_SENT,
  requestsOfList,
  stemOf,
  toTranscript,
} from '../transcripts.ts';
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
/** A response as it came, of a model that speaks openai-responses. */
const responseSchema = z.looseObject({
  role: z.undefined().optional(),
  object: z.literal('response'),
  output: z.array(z.looseObject({ type: z.string() })),
  timestamp: z.union([z.string(), z.number()]).nullish(),
  extra: z.looseObject({ cost: z.number().nullish() }).nullish(),
});
/** An item of that wire: the result of a call. */
const itemSchema = z.looseObject({
  role: z.undefined().optional(),
  type: z.enum(['function_call_output', 'custom_tool_call_output']),
  timestamp: z.union([z.string(), z.number()]).nullish(),
  extra: z.looseObject({ cost: z.number().nullish() }).nullish(),
});
const entrySchema = z.union([recordSchema, responseSchema, itemSchema]);
const runSchema = z.union([
  z.array(entrySchema),
  z.looseObject({
    messages: z.array(entrySchema),
    info: z
      .looseObject({
        model_stats: z.looseObject({ instance_cost: z.number().nullish() }).nullish(),
      })
      .nullish(),
    instance_id: z.string().nullish(),
  }),
]);
type Recorded = z.infer<typeof entrySchema>;

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
  'type',
  'call_id',
  'output',
]);

function isOfResponses(record: Recorded): boolean {
  return record.role === undefined && ('output' in record || 'call_id' in record);
}

function readRun({ text, span, value, file }: Entry, context: ReadContext): Transcript {
  const parsed = runSchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, miniSweAgent.about, value);
  const run = parsed.data;
  const isBare = Array.isArray(run);
  const recorded = isBare ? run : run.messages;
  const info = isBare ? {} : (run.info ?? {});
  const list = isBare ? span : path(text, ['messages'], span);
  const spans = list === undefined ? [] : elements(text, list);
  const dialect = recorded.some(isOfResponses) ? openaiResponses : openaiChat;
  const sent = recorded.flatMap((record, index) => {
    const own = spans[index];
    if (record.role === 'exit' || own === undefined) return [];
    if ('output' in record && Array.isArray(record.output)) {
      const output = member(text, own, 'output');
      const items = output === undefined ? '[]' : slice(text, output);
      return dialect.parseList(items, context.table).map((message) => ({ record, message }));
    }
    const raw = Object.keys(record).every((key) => SENT.has(key))
      ? slice(text, own)
      : onlyKeys(text, own, SENT);
    return [{ record, message: dialect.parseMessage(raw, context.table) }];
  });
  const messages = sent.map(({ message }) => message);
  const model = modelOf(info);
  const requests = requestsOfList(messages, (_, index) =>
    factsOf(sent[index]?.record, sent[index - 1]?.record, model),
  );
  count(
    file,
    recorded,
    sent.map(({ record }) => record),
    requests,
    context,
  );
  const instance = isBare ? undefined : run.instance_id;
  const cost = isBare ? undefined : run.info?.model_stats?.instance_cost;
  const hasCosts = requests.some((request) => request.cost !== undefined);
  return toTranscript({
    task: instance ?? stemOf(stemOf(file)),
    trial: '0',
    lineage: 'main',
    source: { file, format: NAME, session: instance ?? file },
    dialect: dialect.name,
    agent: NAME,
    ...(model === undefined ? {} : { model }),
    ...(typeof cost === 'number' && cost > 0 && !hasCosts ? { cost } : {}),
    requests,
    retries: 0,
  });
}

/** A response that says nothing is in no list, and one may be several messages of it. */
function count(
  file: string,
  recorded: readonly Recorded[],
  sent: readonly Recorded[],
  requests: readonly Request[],
  { loss }: ReadContext,
): void {
  const last = requests.at(-1)?.messages.length;
  const within = new Set(last === undefined ? [] : sent.slice(0, last + 1));
  const listed = new Set(sent);
  for (const record of recorded) {
    if (record.role === 'exit') loss.skipped(file, 'how the run ended');
    else if (within.has(record)) loss.read(file);
    else if (!listed.has(record)) loss.skipped(file, 'an empty response');
    else loss.skipped(file, last === undefined ? 'no model call' : NEVER_SENT);
  }
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
  const own = answer !== undefined && isOfResponses(answer) ? answer : answer?.extra?.response;
  const response = isObject(own) ? own : {};
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
