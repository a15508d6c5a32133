import type { DialectName } from '../transcript/message.ts';
import { isObject, type JsonObject } from '../wire/json-object.ts';

/** True for an array whose every entry could be a message of a list-of-roles wire. */
export function isMessageList(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isMessage);
}

/** Roles of the list-of-roles wires. */
export const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;
const ROLES: ReadonlySet<string> = new Set(roles);

/** True for what could be a message of a list-of-roles wire. */
export function isMessage(entry: unknown): entry is JsonObject {
  return isObject(entry) && typeof entry.role === 'string' && ROLES.has(entry.role);
}

/** What a body says about its dialect: certain from its shape, or a guess where both would fit. */
export interface Verdict {
  readonly dialect: DialectName;
  readonly certain: boolean;
}

/** True for a list of Gemini's turns, `{role, parts}`. */
export function isContentsList(value: unknown): value is readonly JsonObject[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((entry) => isObject(entry) && Array.isArray(entry.parts))
  );
}

/** True for what Responses takes as `input`: a text, or items with a type or a role. */
export function isInput(value: unknown): boolean {
  if (!Array.isArray(value)) return typeof value === 'string';
  return (
    value.length > 0 &&
    value.every(
      (item) => isObject(item) && (typeof item.type === 'string' || typeof item.role === 'string'),
    )
  );
}

/**
 * The dialect of a request body with a list of messages (`messages`, `contents`, `input`), or of `{messages}` around a bare list, from its content;
 * the `provider` of a capture decides where the content would fit several.
 * @returns undefined when there is no list of messages.
 */
export function judgeDialect(body: unknown, provider?: string): Verdict | undefined {
  if (!isObject(body)) return undefined;
  if (isContentsList(body.contents)) return { dialect: 'gemini', certain: true };
  if (body.messages === undefined && isInput(body.input)) {
    return { dialect: 'openai-responses', certain: true };
  }
  if (!isMessageList(body.messages)) return undefined;
  const messages = body.messages;
  if (messages.some(isConverse) || 'toolConfig' in body || 'inferenceConfig' in body) {
    return { dialect: 'bedrock', certain: true };
  }
  const tools = Array.isArray(body.tools) ? body.tools.filter(isObject) : [];
  if (messages.some(isChat) || tools.some((tool) => isObject(tool.function))) {
    return { dialect: 'openai-chat', certain: true };
  }
  if (
    'system' in body ||
    'anthropic_version' in body ||
    messages.some(isAnthropic) ||
    tools.some((tool) => 'input_schema' in tool)
  ) {
    return { dialect: 'anthropic', certain: true };
  }
  const named = providerDialect(provider);
  if (named !== undefined) return { dialect: named, certain: true };
  const isClaude = typeof body.model === 'string' && /claude/i.test(body.model);
  const startsWithSystem = messages[0]?.role === 'system';
  return { dialect: isClaude && !startsWithSystem ? 'anthropic' : 'openai-chat', certain: false };
}

function providerDialect(provider: string | undefined): DialectName | undefined {
  if (provider === undefined) return undefined;
  if (/bedrock|converse/i.test(provider)) return 'bedrock';
  if (/anthropic|claude/i.test(provider)) return 'anthropic';
  return /openai|azure|chat/i.test(provider) ? 'openai-chat' : undefined;
}

function isChat(message: JsonObject): boolean {
  const { role } = message;
  if (role === 'tool' || role === 'function' || role === 'developer') return true;
  if (Array.isArray(message.tool_calls) || isObject(message.function_call)) return true;
  return contentParts(message).some(
    (part) => part.type === 'image_url' || part.type === 'input_audio' || isObject(part.file),
  );
}

const ANTHROPIC_BLOCKS = new Set([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'server_tool_use',
  'image',
  'document',
  'search_result',
]);

function isAnthropic(message: JsonObject): boolean {
  return contentParts(message).some(
    (part) =>
      (typeof part.type === 'string' && ANTHROPIC_BLOCKS.has(part.type)) || 'cache_control' in part,
  );
}

/** Bedrock Converse: content blocks without `type`. */
function isConverse(message: JsonObject): boolean {
  return contentParts(message).some(
    (part) => !('type' in part) && ('text' in part || 'toolUse' in part || 'toolResult' in part),
  );
}

function contentParts(message: JsonObject): readonly JsonObject[] {
  return Array.isArray(message.content) ? message.content.filter(isObject) : [];
}
