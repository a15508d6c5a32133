import { z } from 'zod';
import type { Message } from '../../transcript/message.ts';
import type { Request, Transcript } from '../../transcript/transcript.ts';
import { isObject } from '../../wire/json-object.ts';
import { elements, member, rootSpan, type Span } from '../../wire/json-spans.ts';
import { openaiChat } from '../../wire/openai-chat.ts';
import { chatAssistant, onlyKeys } from '../chat.ts';
import { type Entry, lengthOf, readEntries } from '../entries.ts';
import { schemaError } from '../schema.ts';
import { NEVER_SENT, requestsOfList, stemOf, toTranscript } from '../transcripts.ts';
import type { Format, ReadContext } from './format.ts';

const NAME = 'swe-agent-traj';

const turnSchema = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish(),
  agent: z.string().nullish(),
  is_demo: z.boolean().nullish(),
  tool_calls: z.array(z.looseObject({})).nullish(),
  tool_call_ids: z.array(z.string()).nullish(),
});
const stepSchema = z.looseObject({
  response: z.string().nullish(),
  query: z.array(turnSchema).nullish(),
});
const runSchema = z.looseObject({
  environment: z.string().nullish(),
  trajectory: z.array(stepSchema),
  history: z.array(turnSchema).nullish(),
  info: z
    .looseObject({
      model_stats: z.looseObject({ instance_cost: z.number().nullish() }).nullish(),
    })
    .nullish(),
});
type Run = z.infer<typeof runSchema>;
type Turn = z.infer<typeof turnSchema>;

/**
 * SWE-agent trajectories `{environment, trajectory, history, info}`, openai-chat. Where a step has its
 * `query`, that is the request as it was sent; else the history, by agent, is played: demonstrations
 * stand in it and are nobody's answers. Older files have no tool role: commands are text.
 */
export const sweAgentTraj: Format = {
  name: NAME,
  about: 'an object {environment, trajectory: [{action, observation, response}], history, info}',

  detect(document) {
    const [value] = document.sample;
    if (document.kind !== 'json' || !isObject(value) || !Array.isArray(value.trajectory))
      return false;
    return (
      Array.isArray(value.history) ||
      value.trajectory.some((step) => isObject(step) && 'observation' in step && 'response' in step)
    );
  },

  groupKeys: () => [],

  read(documents, context) {
    return documents.flatMap((document) => {
      if (document.kind !== 'json') return [];
      const whole = [rootSpan(document.text)];
      return readEntries(document, whole, context, 'steps and turns', recordsIn, (entry) =>
        readRun(entry, context),
      );
    });
  },
};

function recordsIn(value: unknown): number {
  return isObject(value) ? lengthOf(value.trajectory) + lengthOf(value.history) : 1;
}

interface Lineage {
  readonly agent: string;
  readonly requests: readonly Request[];
}

function readRun(entry: Entry, context: ReadContext): readonly Transcript[] {
  const parsed = runSchema.safeParse(entry.value);
  if (!parsed.success) throw schemaError(parsed.error, sweAgentTraj.about, entry.value);
  const run = parsed.data;
  const hasQueries = run.trajectory.some(({ query }) => (query?.length ?? 0) > 0);
  const lineages = hasQueries ? ofQueries(entry, run, context) : ofHistory(entry, run, context);
  const { file } = entry;
  const model = modelOf(run.replay_config);
  const cost = run.info?.model_stats?.instance_cost;
  return lineages.map(({ requests }, index) =>
    toTranscript({
      task: stemOf(file),
      trial: '0',
      lineage: index === 0 ? 'main' : `agent-${index}`,
      source: { file, format: NAME, session: file },
      dialect: 'openai-chat',
      agent: 'swe-agent',
      ...(model === undefined ? {} : { model }),
      // The total is that of the run, so that it stands once.
      ...(typeof cost === 'number' && cost > 0 && index === 0 ? { cost } : {}),
      requests,
      retries: 0,
    }),
  );
}

/** `agent.model.name` of the configuration, which is JSON text in some versions. */
function modelOf(config: unknown): string | undefined {
  let value = config;
  if (typeof config === 'string') {
    try {
      value = JSON.parse(config);
    } catch {
      return undefined;
    }
  }
  const agent = isObject(value) && isObject(value.agent) ? value.agent : {};
  const name = isObject(agent.model) ? agent.model.name : undefined;
  // A replay of recorded actions asks no model.
  return typeof name === 'string' && name !== '' && name !== 'replay' ? name : undefined;
}

const SENT: ReadonlySet<string> = new Set([
  'role',
  'content',
  'tool_calls',
  'cache_control',
  'name',
  'reasoning_content',
]);

/** A turn as it was sent; of the ids of a tool message the agent sends the first. */
function messageOf(turn: Turn, text: string, span: Span, { table }: ReadContext): Message {
  const sent = onlyKeys(text, span, turn.role === 'assistant' ? SENT : withoutCalls);
  const [id] = turn.tool_call_ids ?? [];
  const raw =
    turn.role === 'tool' && id !== undefined
      ? `${sent.slice(0, -1)},"tool_call_id":${JSON.stringify(id)}}`
      : sent;
  return openaiChat.parseMessage(raw, table);
}

const withoutCalls: ReadonlySet<string> = new Set([...SENT].filter((key) => key !== 'tool_calls'));

/** The turns of the list under `key` of the object at `holder`. */
function turnsAt(
  turns: readonly Turn[],
  text: string,
  holder: Span | undefined,
  key: string,
  context: ReadContext,
): readonly Message[] {
  const list = holder === undefined ? undefined : member(text, holder, key);
  const spans = list === undefined ? [] : elements(text, list);
  return turns.flatMap((turn, index) => {
    const own = spans[index];
    return own === undefined ? [] : [messageOf(turn, text, own, context)];
  });
}

function ofQueries(entry: Entry, run: Run, context: ReadContext): readonly Lineage[] {
  const { loss } = context;
  const { text, span } = entry;
  const history = turnsAt(run.history ?? [], text, span, 'history', context);
  const list = member(text, span, 'trajectory');
  const steps = list === undefined ? [] : elements(text, list);
  const queries = run.trajectory.map(({ query }, index) =>
    turnsAt(query ?? [], text, steps[index], 'query', context),
  );
  const following = followingOf(queries);
  const requests: Request[] = [];
  for (const [index, step] of run.trajectory.entries()) {
    const messages = queries[index] ?? [];
    if (messages.length === 0) {
      loss.skipped(entry.file, 'a step without its query, which asked no model');
      continue;
    }
    const said = (following[index] ?? history)[messages.length];
    const answer = said?.role === 'assistant' ? said : answerOf(step.response, context);
    const before = requests.at(-1)?.messages ?? [];
    const segment = requests.at(-1)?.segment ?? 0;
    const isCut = messages.length < before.length;
    requests.push({
      segment: isCut ? segment + 1 : segment,
      messages,
      ...(answer === undefined ? {} : { action: answer }),
    });
    loss.read(entry.file);
  }
  loss.merged(entry.file, 'turns that the queries repeat', lengthOf(run.history));
  return requests.length === 0 ? [] : [{ agent: 'main', requests }];
}

/** Of each query, the next one that is there. */
function followingOf(
  queries: readonly (readonly Message[])[],
): readonly (readonly Message[] | undefined)[] {
  let next: readonly Message[] | undefined;
  const following = queries.toReversed().map((query) => {
    const own = next;
    if (query.length > 0) next = query;
    return own;
  });
  return following.toReversed();
}

function answerOf(
  response: string | null | undefined,
  { table }: ReadContext,
): Message | undefined {
  if (typeof response !== 'string' || response === '') return undefined;
  return openaiChat.parseMessage(chatAssistant(response), table);
}

function ofHistory(entry: Entry, run: Run, context: ReadContext): readonly Lineage[] {
  const turns = run.history ?? [];
  const all = turnsAt(turns, entry.text, entry.span, 'history', context);
  const agents = [...new Set(turns.map(({ agent }) => agent ?? ''))];
  const { loss } = context;
  const { file } = entry;
  const lineages = agents.map((agent): Lineage => {
    const own = turns.flatMap((turn, index) => {
      const message = all[index];
      return (turn.agent ?? '') === agent && message !== undefined ? [{ turn, message }] : [];
    });
    const messages = own.map(({ message }) => message);
    const requests = requestsOfList(messages, (_, index) =>
      own[index]?.turn.is_demo === true ? undefined : {},
    );
    const sent = requests.length === 0 ? 0 : (requests.at(-1)?.messages.length ?? 0) + 1;
    loss.read(file, sent);
    loss.skipped(file, requests.length === 0 ? 'no model call' : NEVER_SENT, own.length - sent);
    return { agent, requests };
  });
  const answers = lineages.reduce((sum, { requests }) => sum + requests.length, 0);
  const steps = Math.min(run.trajectory.length, answers);
  loss.merged(file, 'steps that the history repeats', steps);
  loss.skipped(file, 'steps that the history leaves out', run.trajectory.length - steps);
  return lineages.filter(({ requests }) => requests.length > 0);
}
