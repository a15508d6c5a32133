import { z } from 'zod';
import type { Block, DialectName, Role } from '../../../transcript/message.ts';
import type { Usage } from '../../../transcript/transcript.ts';
import { isObject, type JsonObject } from '../../../wire/json-object.ts';
import { stringOf } from '../../../wire/parts.ts';
import { contentBlocks, toolCall, toolResult } from '../../content-parts.ts';
import { schemaError } from '../../schema.ts';

/** One message of a graph's state. */
export interface GraphMessage {
  readonly role: Role;
  readonly blocks: readonly Block[];
  /** Its id, or what it says where it has none: the same in every state. */
  readonly key: string;
  /** Carries a trace of a model call: usage, a model's name, the id of a run. */
  readonly isTraced: boolean;
  readonly dialect: DialectName | undefined;
  readonly model: string | undefined;
  readonly usage: Usage | undefined;
  /** Its place in the fates of its thread. */
  readonly position: number;
}

const callSchema = z.looseObject({
  id: z.string().nullish(),
  name: z.string().nullish(),
  args: z.unknown().optional(),
});

const messageSchema = z.looseObject({
  type: z.string(),
  id: z.string().nullish(),
  content: z.unknown().optional(),
  role: z.string().nullish(),
  tool_calls: z.array(callSchema).nullish(),
  invalid_tool_calls: z.array(callSchema).nullish(),
  tool_call_id: z.string().nullish(),
  usage_metadata: z.looseObject({}).nullish(),
  response_metadata: z.looseObject({}).nullish(),
  additional_kwargs: z.looseObject({}).nullish(),
});
type ParsedMessage = z.infer<typeof messageSchema>;

const ROLES: ReadonlyMap<string, Role> = new Map(
  Object.entries({
    human: 'user',
    user: 'user',
    ai: 'assistant',
    assistant: 'assistant',
    tool: 'tool',
    function: 'tool',
    system: 'system',
    developer: 'system',
  }),
);

/** True for a message of this library: a plain one, a constructor, or `{type, data}`. */
export function isGraphMessage(value: unknown): boolean {
  const fields = plain(value);
  return (
    fields !== undefined &&
    !('uuid' in fields) &&
    roleOf(stringOf(fields.type), fields.role) !== undefined &&
    // Other formats have types of these names, without these fields; two names are this library's alone.
    (['additional_kwargs', 'response_metadata', 'tool_call_id', 'usage_metadata'].some(
      (key) => key in fields,
    ) ||
      (/^(?:human|ai)$/.test(stringOf(fields.type)) && 'content' in fields))
  );
}

/** Its fields, with the type that the class of a constructor names. */
function plain(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  if (value.type === 'constructor' && isObject(value.kwargs)) {
    const names: readonly unknown[] = Array.isArray(value.id) ? value.id : [];
    return { additional_kwargs: {}, type: classType(stringOf(names.at(-1))), ...value.kwargs };
  }
  if (isObject(value.data) && typeof value.type === 'string') {
    return { additional_kwargs: {}, ...value.data, type: value.type };
  }
  return value;
}

function classType(name: string): string {
  return name.replace(/Message(?:Chunk)?$/, '').toLowerCase();
}

function roleOf(type: string, role: unknown): Role | undefined {
  if (type === 'chat') return ROLES.get(stringOf(role));
  return ROLES.get(classType(type));
}

/** Reads one message. @throws HarnessError `input.schema` */
export function readGraphMessage(value: unknown, position: number): GraphMessage {
  const fields = plain(value);
  const parsed = messageSchema.safeParse(fields);
  if (!parsed.success) {
    throw schemaError(
      parsed.error,
      'a message {type: human | ai | tool | system, content}',
      fields,
    );
  }
  const message = parsed.data;
  const role = roleOf(message.type, message.role) ?? 'user';
  const { response_metadata: response, usage_metadata: usage } = message;
  const id = message.id ?? undefined;
  const isRun = /^(?:lc_)?run-/.test(id ?? '');
  return {
    role,
    blocks: blocksOf(role, message),
    key: id ?? JSON.stringify([message.type, message.content, message.tool_calls]),
    isTraced:
      role === 'assistant' && (isRun || isObject(usage) || Object.keys(response ?? {}).length > 0),
    dialect: role === 'assistant' ? dialectOf(message) : undefined,
    model: modelOf(response ?? {}),
    usage: isObject(usage) ? readUsage(usage) : undefined,
    position,
  };
}

function blocksOf(role: Role, message: ParsedMessage): readonly Block[] {
  if (role === 'tool') {
    const id = message.tool_call_id ?? stringOf(message.name);
    return [toolResult(id, message.content ?? '', message.status === 'error')];
  }
  const said = contentBlocks(message.content);
  if (role !== 'assistant') return said;
  const calls = callsOf(message);
  // Some providers' content repeats the calls as blocks.
  const ids = new Set(calls.flatMap((call) => (call.kind === 'tool-call' ? call.id : [])));
  const rest = said.filter((block) => block.kind !== 'tool-call' || !ids.has(block.id));
  return [...rest, ...calls];
}

function callsOf(message: ParsedMessage): readonly Block[] {
  const own = [...(message.tool_calls ?? []), ...(message.invalid_tool_calls ?? [])];
  if (own.length > 0) return own.map((call) => toolCall(call.id ?? '', call.name ?? '', call.args));
  const raw = message.additional_kwargs?.tool_calls;
  if (!Array.isArray(raw)) return [];
  return raw.filter(isObject).map((call) => {
    const body = isObject(call.function) ? call.function : {};
    return toolCall(stringOf(call.id), stringOf(body.name), body.arguments);
  });
}

/** The input of this library's counts holds what was read from the cache and written to it. */
function readUsage(value: JsonObject): Usage | undefined {
  const { input_tokens: input, output_tokens: output, input_token_details: details } = value;
  if (typeof input !== 'number' || typeof output !== 'number') return undefined;
  const { cache_read: read, cache_creation: written } = isObject(details) ? details : {};
  const cached =
    (typeof read === 'number' ? read : 0) + (typeof written === 'number' ? written : 0);
  return {
    inputTokens: Math.max(0, input - cached),
    outputTokens: output,
    ...(typeof read === 'number' ? { cacheReadTokens: read } : {}),
    ...(typeof written === 'number' ? { cacheWriteTokens: written } : {}),
  };
}

function modelOf(response: JsonObject): string | undefined {
  const name = response.model_name ?? response.model ?? response.modelId;
  return typeof name === 'string' ? name : undefined;
}

function dialectOf({
  response_metadata: response,
  content,
}: ParsedMessage): DialectName | undefined {
  const provider = stringOf(response?.model_provider);
  if (/bedrock/.test(provider)) return 'bedrock';
  if (/anthropic/.test(provider)) return 'anthropic';
  if (/google|gemini/.test(provider)) return 'gemini';
  if (provider !== '') return 'openai-chat';
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.some((part) => isObject(part) && part.type === 'tool_use') ? 'anthropic' : undefined;
}
