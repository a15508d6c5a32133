import { z } from 'zod';
import type { Block } from '../../../transcript/message.ts';
import { isObject, type JsonObject } from '../../../wire/json-object.ts';
import { stringOf } from '../../../wire/parts.ts';
import { contentBlocks, toolCall, toolResult } from '../../content-parts.ts';
import { readTime } from '../../responses.ts';
import { schemaError } from '../../schema.ts';
import type { Tool } from '../../written-envelope.ts';

const eventSchema = z.looseObject({
  kind: z.string(),
  id: z.string().nullish(),
  timestamp: z.union([z.string(), z.number()]).nullish(),
  source: z.string().nullish(),
  llm_message: z.looseObject({ role: z.string(), content: z.unknown().optional() }).nullish(),
  tool_call_id: z.string().nullish(),
  llm_response_id: z.string().nullish(),
});

export type Event = z.infer<typeof eventSchema>;

/** Reads one event. @throws HarnessError `input.schema` */
export function readEvent(value: unknown): Event {
  const parsed = eventSchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, 'an event {id, kind, source}', value);
  return parsed.data;
}

export function timeOf({ timestamp }: Event): number | undefined {
  return readTime(timestamp);
}

/** What an action event says: a thought, and the call, which has the arguments as the model wrote them. */
export function actionBlocks(event: Event): readonly Block[] {
  const { tool_call: call, tool_name: name, action } = event;
  const id = stringOf(event.tool_call_id);
  const thought = contentBlocks(event.thought);
  if (!isObject(call)) return [...thought, toolCall(id, stringOf(name), withoutKind(action))];
  const body = isObject(call.function) ? call.function : call;
  const own = stringOf(call.id) || id;
  return [...thought, toolCall(own, stringOf(body.name) || stringOf(name), body.arguments)];
}

function withoutKind(action: unknown): unknown {
  if (!isObject(action)) return undefined;
  const { kind: _, ...rest } = action;
  return rest;
}

/** What a message event says; what the agent added to the person's message stands behind it. */
export function messageBlocks({
  llm_message: message,
  extended_content: added,
}: Event): readonly Block[] {
  const calls: readonly unknown[] = Array.isArray(message?.tool_calls) ? message.tool_calls : [];
  return [
    ...contentBlocks(message?.content),
    ...contentBlocks(added),
    ...calls.filter(isObject).map((call) => {
      const body = isObject(call.function) ? call.function : call;
      return toolCall(stringOf(call.id), stringOf(body.name), body.arguments);
    }),
  ];
}

/** The result that an observation, an error or a refusal gives to the call that it answers. */
export function resultOf(event: Event) {
  const id = stringOf(event.tool_call_id);
  if (event.kind === 'AgentErrorEvent') return toolResult(id, stringOf(event.error), true);
  if (event.kind === 'UserRejectObservation') {
    return toolResult(id, stringOf(event.rejection_reason), true);
  }
  const { observation } = event;
  if (!isObject(observation)) return toolResult(id, observation ?? '');
  const isError = observation.is_error === true;
  return toolResult(id, observed(observation), isError);
}

/** Content of an observation with what the runtime put around it; older ones have `output` or fields. */
function observed(observation: JsonObject): unknown {
  const { content, output, metadata } = observation;
  const around = isObject(metadata) ? metadata : {};
  const [prefix, suffix] = [stringOf(around.prefix), stringOf(around.suffix)];
  const body = content ?? output ?? observation.error;
  if (body === undefined || body === null) return withoutKind(observation);
  if (typeof body === 'string') return `${prefix}${body}${suffix}`;
  if (!Array.isArray(body)) return body;
  const [first, ...rest] = body;
  if (rest.length > 0 || !isObject(first) || typeof first.text !== 'string') return body;
  return `${prefix}${first.text}${suffix}`;
}

export function systemBlocks({
  system_prompt: prompt,
  dynamic_context: context,
}: Event): readonly Block[] {
  return [prompt, context].flatMap((part) =>
    contentBlocks(isObject(part) && typeof part.text === 'string' ? part.text : part),
  );
}

/** The declared tools; those without a schema have a name and a description. */
export function toolsOf({ tools }: Event): readonly Tool[] {
  if (!Array.isArray(tools)) return [];
  return tools.filter(isObject).flatMap((tool) => {
    const body = isObject(tool.function) ? tool.function : tool;
    const name = stringOf(body.name ?? body.title ?? body.kind);
    if (name === '') return [];
    const parameters = body.parameters ?? body.input_schema ?? body.inputSchema;
    const description = stringOf(body.description);
    return [{ name, description, ...(parameters === undefined ? {} : { parameters }) }];
  });
}
