import { z } from 'zod';
import type { Block } from '../../../transcript/message.ts';
import type { Usage } from '../../../transcript/transcript.ts';
import { isObject, type JsonObject } from '../../../wire/json-object.ts';
import { stringOf } from '../../../wire/parts.ts';
import { contentBlocks, toolCall } from '../../content-parts.ts';
import { readTime, readUsage } from '../../responses.ts';
import { schemaError } from '../../schema.ts';
import { isEventId } from './stream.ts';

const responseSchema = z.looseObject({
  id: z.string().nullish(),
  model: z.string().nullish(),
  choices: z.array(z.looseObject({ message: z.looseObject({}).nullish() })).nullish(),
});

const eventSchema = z.looseObject({
  id: z.union([z.number(), z.string()]).nullish(),
  timestamp: z.union([z.string(), z.number()]).nullish(),
  source: z.string().nullish(),
  action: z.string().nullish(),
  args: z.looseObject({}).nullish(),
  observation: z.string().nullish(),
  content: z.unknown().optional(),
  extras: z.looseObject({}).nullish(),
  cause: z.union([z.number(), z.string()]).nullish(),
  tool_call_metadata: z
    .looseObject({
      function_name: z.string().nullish(),
      tool_call_id: z.string().nullish(),
      model_response: responseSchema.nullish(),
    })
    .nullish(),
});

/** The response of the model that an event belongs to. */
interface ModelResponse {
  /** Calls of one response are events with the same id. */
  readonly id: string;
  readonly model: string | undefined;
  readonly blocks: readonly Block[];
  readonly usage: Usage | undefined;
}

export interface Event {
  /** Its number in the stream; results and condensations name it. */
  readonly id: string | undefined;
  readonly time: number | undefined;
  readonly source: string;
  readonly action: string | undefined;
  readonly args: JsonObject;
  readonly observation: string | undefined;
  readonly content: unknown;
  readonly extras: JsonObject;
  readonly cause: string | undefined;
  readonly callId: string | undefined;
  readonly response: ModelResponse | undefined;
}

const ABOUT = 'an event {id, source, action, args} or {id, source, observation, content, extras}';

/** Reads one event. @throws HarnessError `input.schema` */
export function readEvent(value: unknown): Event {
  const parsed = eventSchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, ABOUT, value);
  const event = parsed.data;
  const metadata = event.tool_call_metadata;
  return {
    id: numberOf(event.id),
    time: readTime(event.timestamp),
    source: event.source ?? '',
    action: event.action ?? undefined,
    args: event.args ?? {},
    observation: event.observation ?? undefined,
    content: event.content,
    extras: event.extras ?? {},
    cause: numberOf(event.cause),
    callId: metadata?.tool_call_id ?? undefined,
    response: metadata?.model_response ? responseOf(metadata.model_response) : undefined,
  };
}

function numberOf(value: number | string | null | undefined): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

function responseOf(response: z.infer<typeof responseSchema>): ModelResponse | undefined {
  const message = response.choices?.[0]?.message;
  if (message === undefined || message === null) return undefined;
  const calls: readonly unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const blocks = [...contentBlocks(message.content), ...calls.filter(isObject).flatMap(callOf)];
  return {
    id: response.id ?? JSON.stringify(message),
    model: response.model ?? undefined,
    blocks,
    usage: usageOf(response.usage),
  };
}

function callOf(call: JsonObject): readonly Block[] {
  const body = isObject(call.function) ? call.function : call;
  return [toolCall(stringOf(call.id), stringOf(body.name), body.arguments)];
}

/** The client library counts what was read from the cache and written to it as prompt tokens as well. */
function usageOf(value: unknown): Usage | undefined {
  const usage = readUsage(value);
  if (usage === undefined || !isObject(value)) return usage;
  const prompt = value.prompt_tokens;
  if (typeof prompt !== 'number') return usage;
  const cached = (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
  return { ...usage, inputTokens: Math.max(0, prompt - cached) };
}

/** Keys of an action that are not what the model asked for. */
const OWN_KEYS = new Set([
  ...['thought', 'blocking', 'is_static', 'hidden', 'confirmation_state', 'security_risk'],
  ...['impl_source', 'translated_ipython_code', 'wait_for_response', 'image_urls'],
]);

/** An answer of an agent that calls no tools by a wire of its own: what it thought, and its action. */
export function spokenAction({ action, args, id }: Event): readonly Block[] {
  const thought = contentBlocks(args.thought);
  const given = Object.entries(args).filter(([key]) => !OWN_KEYS.has(key));
  const call = toolCall(`action_${id ?? ''}`, action ?? '', Object.fromEntries(given));
  return [...thought, call];
}

/** Text of an observation, with what the runtime put around it. */
export function observedText({ content, extras }: Event): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? '');
  const around = isObject(extras.metadata) ? extras.metadata : {};
  return `${stringOf(around.prefix)}${text}${stringOf(around.suffix)}`;
}

/** What a recall adds for the model: instructions of the repository, and what its triggers know. */
export function recalledTexts({ extras }: Event): readonly string[] {
  const knowledge: readonly unknown[] = Array.isArray(extras.microagent_knowledge)
    ? extras.microagent_knowledge
    : [];
  return [
    stringOf(extras.repo_instructions),
    stringOf(extras.additional_agent_instructions),
    ...knowledge.map((entry) => (isObject(entry) ? stringOf(entry.content) : '')),
  ].filter((text) => text !== '');
}

/** Ids that a condensation forgets: a list, or a range. */
export function forgottenIds({ args }: Event): (id: string | undefined) => boolean {
  const listed: readonly unknown[] = Array.isArray(args.forgotten_event_ids)
    ? args.forgotten_event_ids
    : [];
  const ids = new Set(listed.filter(isEventId).map(String));
  const { forgotten_events_start_id: start, forgotten_events_end_id: end } = args;
  return (id) => {
    if (id === undefined) return false;
    if (ids.has(id)) return true;
    const number = Number(id);
    return typeof start === 'number' && typeof end === 'number' && number >= start && number <= end;
  };
}
