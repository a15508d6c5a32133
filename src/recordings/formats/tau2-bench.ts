import { z } from 'zod';
import type { Message } from '../../transcript/message.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import { isObject, type JsonObject } from '../../wire/json-object.ts';
import { elements, path, rootSpan, type Span, slice } from '../../wire/json-spans.ts';
import { openaiChat } from '../../wire/openai-chat.ts';
import {
  chatAssistant,
  chatResult,
  chatSystem,
  chatUser,
  compactJson,
  envelopeOf,
} from '../chat.ts';
import { type Entry, type JsonDocument, lengthOf, readEntries } from '../entries.ts';
import { readTime, readUsage } from '../responses.ts';
import { schemaError } from '../schema.ts';
import { type CallFacts, NEVER_SENT, requestsOfList, toTranscript } from '../transcripts.ts';
import type { Format, ReadContext } from './format.ts';

const NAME = 'tau2-bench';

const idSchema = z.union([z.string(), z.number()]);
const toolMessageSchema = z.looseObject({
  id: z.string(),
  content: z.string().nullish(),
  requestor: z.string().nullish(),
});
const messageSchema = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  id: z.string().nullish(),
  content: z.string().nullish(),
  requestor: z.string().nullish(),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string().nullish(),
        name: z.string(),
        requestor: z.string().nullish(),
      }),
    )
    .nullish(),
  /** Results of parallel calls in one message. */
  tool_messages: z.array(toolMessageSchema).nullish(),
  timestamp: z.union([z.string(), z.number()]).nullish(),
  cost: z.number().nullish(),
});
const simulationSchema = z.looseObject({
  id: idSchema.nullish(),
  task_id: idSchema,
  trial: idSchema.nullish(),
  reward_info: z.looseObject({ reward: z.number().nullish() }).nullish(),
  messages: z.array(messageSchema),
});
type Recorded = z.infer<typeof messageSchema>;
type Simulation = z.infer<typeof simulationSchema>;

/**
 * tau2-bench results: `{info, tasks, simulations: [{task_id, trial, reward_info, messages}]}`. The
 * agent's wire is openai-chat; the policy is its system prompt. The simulated user's own tool calls, and
 * their results, are not shown to the agent; its greeting is written by the benchmark.
 */
export const tau2Bench: Format = {
  name: NAME,
  about: 'an object {info, tasks, simulations: [{task_id, trial, reward_info, messages}]}',

  detect(document) {
    const [value] = document.sample;
    if (document.kind !== 'json' || !isObject(value)) return false;
    if (!Array.isArray(value.simulations)) return isLoneSimulation(value);
    return value.simulations.some((entry) => isObject(entry) && 'task_id' in entry);
  },

  groupKeys: () => [],

  read(documents, context) {
    return documents.flatMap((document) =>
      document.kind === 'json' ? readDocument(document, context) : [],
    );
  },
};

/** A simulation in a file of its own. */
function isLoneSimulation(value: JsonObject): boolean {
  if (!('task_id' in value) || !Array.isArray(value.messages)) return false;
  return 'termination_reason' in value || 'reward_info' in value;
}

function readDocument(document: JsonDocument, context: ReadContext): readonly Transcript[] {
  const { text } = document;
  const list = path(text, ['simulations']);
  const spans = list === undefined ? [rootSpan(text)] : elements(text, list);
  const records = (value: unknown) => (isObject(value) ? lengthOf(value.messages) : 1);
  const surroundings = surroundingsOf(document, context);
  return readEntries(document, spans, context, 'messages', records, (entry) => [
    readSimulation(entry, surroundings, context),
  ]);
}

interface Surroundings {
  readonly system: Message | undefined;
  readonly envelope: CallFacts['envelope'];
  readonly model: string | undefined;
  readonly agent: string | undefined;
}

/** What the run's `info` says of the agent; all of it may be missing. */
function surroundingsOf({ text, sample }: JsonDocument, { table }: ReadContext): Surroundings {
  const [root] = sample;
  const info = objectOf(isObject(root) ? root.info : undefined);
  const agent = objectOf(info.agent_info);
  const { policy, tool_defs: declared } = objectOf(info.environment_info);
  const declarations = path(text, ['info', 'environment_info', 'tool_defs'], rootSpan(text));
  const tools =
    Array.isArray(declared) && declared.length > 0 && declarations !== undefined
      ? slice(text, declarations)
      : undefined;
  const model = typeof agent.llm === 'string' ? agent.llm : undefined;
  return {
    system:
      typeof policy === 'string' && policy !== ''
        ? openaiChat.parseMessage(chatSystem(policy), table)
        : undefined,
    envelope: envelopeOf(openaiChat, { model, tools }, table),
    model,
    agent: typeof agent.implementation === 'string' ? agent.implementation : undefined,
  };
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** A message of the agent's list, with the record that it was read from. */
interface Shown {
  readonly message: Message;
  readonly record: number;
}

function readSimulation(entry: Entry, around: Surroundings, context: ReadContext): Transcript {
  const parsed = simulationSchema.safeParse(entry.value);
  if (!parsed.success) throw schemaError(parsed.error, tau2Bench.about, entry.value);
  const simulation = parsed.data;
  const shown = shownTo(entry, simulation, context);
  const { messages: recorded } = simulation;
  const first = recorded.findIndex(({ role }) => role === 'user' || role === 'tool');
  const lead = around.system === undefined || recorded[0]?.role === 'system' ? [] : [around.system];
  const requests = requestsOfList([...lead, ...shown.map(({ message }) => message)], (_, index) => {
    const { record = -1 } = shown[index - lead.length] ?? {};
    return record < first ? undefined : factsOf(recorded, record, around);
  });
  count(entry.file, recorded, requests.length === 0 ? [] : shown, context);
  const { task_id: task, trial, id } = simulation;
  const reward = simulation.reward_info?.reward;
  return toTranscript({
    task: String(task),
    trial: String(trial ?? 0),
    lineage: 'main',
    source: { file: entry.file, format: NAME, session: String(id ?? `${task}/${trial ?? 0}`) },
    dialect: 'openai-chat',
    ...(around.agent === undefined ? {} : { agent: around.agent }),
    ...(around.model === undefined ? {} : { model: around.model }),
    ...(typeof reward === 'number' ? { reward } : {}),
    requests,
    retries: 0,
  });
}

function shownTo({ text, span }: Entry, { messages }: Simulation, { table }: ReadContext): Shown[] {
  const list = path(text, ['messages'], span);
  const spans = list === undefined ? [] : elements(text, list);
  return messages.flatMap((recorded, record) => {
    if (isOfUser(recorded)) return [];
    const written = write(recorded, text, spans[record]);
    return written.map((raw) => ({ message: openaiChat.parseMessage(raw, table), record }));
  });
}

/** A call of the simulated user, or a result of one. */
function isOfUser({
  role,
  requestor,
  tool_calls: calls,
  tool_messages: results,
}: Recorded): boolean {
  if (role === 'user') return (calls?.length ?? 0) > 0;
  if (role !== 'tool') return false;
  return requestor === 'user' || (results ?? []).some((result) => result.requestor === 'user');
}

function write(recorded: Recorded, text: string, span: Span | undefined): readonly string[] {
  const { role, content } = recorded;
  if (role === 'system') return [chatSystem(content ?? '')];
  if (role === 'user') return [chatUser(content ?? '')];
  if (role === 'tool') {
    const results = recorded.tool_messages ?? [{ id: recorded.id ?? '', content }];
    return results.map((result) => chatResult(result.id, result.content ?? ''));
  }
  const calls = (recorded.tool_calls ?? []).map((call, index) => {
    const given = path(text, ['tool_calls', index, 'arguments'], span);
    const isText = typeof call.arguments === 'string';
    const raw = given === undefined ? '{}' : slice(text, given);
    return {
      id: call.id ?? '',
      name: call.name,
      arguments: isText ? String(call.arguments) : compactJson(raw),
    };
  });
  return [chatAssistant(content ?? null, calls)];
}

function factsOf(
  recorded: readonly Recorded[],
  record: number,
  { model, envelope }: Surroundings,
): CallFacts {
  const answer = recorded[record];
  const before = recorded[record - 1];
  // A call starts when the message before it was there.
  const time = readTime(before?.timestamp) ?? readTime(answer?.timestamp);
  const usage = readUsage(answer?.usage);
  return {
    ...(envelope === undefined ? {} : { envelope }),
    ...(model === undefined ? {} : { model }),
    ...(time === undefined ? {} : { time }),
    ...(usage === undefined ? {} : { usage }),
    ...(typeof answer?.cost === 'number' ? { cost: answer.cost } : {}),
  };
}

function count(
  file: string,
  recorded: readonly Recorded[],
  shown: readonly Shown[],
  { loss }: ReadContext,
): void {
  const last = shown.findLast(({ message }) => message.role === 'assistant')?.record ?? -1;
  for (const [record, message] of recorded.entries()) {
    if (isOfUser(message)) loss.skipped(file, "a tool call of the simulated user's, or its result");
    else if (record > last) loss.skipped(file, NEVER_SENT);
    else loss.read(file);
  }
}
