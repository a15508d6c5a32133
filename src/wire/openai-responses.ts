import type { MessageReading } from '../transcript/intern.ts';
import type { Message, Role } from '../transcript/message.ts';
import { canonicalJson, sortedKeys } from './canonical.ts';
import { createDialect } from './create-dialect.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { elements, type Span } from './json-spans.ts';
import { readItem, type SourceText } from './openai-responses-items.ts';
import { replaceOutput } from './openai-responses-output.ts';
import { writeItems } from './openai-responses-write.ts';
import { stringAt, stringOf } from './parts.ts';

/**
 * OpenAI Responses. Source: the provider's API reference. The list is of items, so one message may be
 * several: what the model wrote in one step (reasoning, its text, its calls) is one assistant message,
 * whose `raw` is the text from its first to its last item. Each output item is a message of role `tool`.
 */
export const openaiResponses = createDialect({
  name: 'openai-responses',
  listKey: 'input',
  systemKey: 'instructions',
  stringList: { before: '{"type":"message","role":"user","content":', after: '}' },
  group,
  read: readMessage,
  write: writeItems,
  replaceResult,
});

/** What an item is in the order of a conversation. */
type Part = 'reasoning' | 'text' | 'call' | 'server' | 'output' | 'input' | 'alone';

function partOf(type: string, role: string, execution: string): Part {
  if (type === '' || type === 'message') return role === 'assistant' ? 'text' : 'input';
  if (type === 'reasoning') return 'reasoning';
  if (execution === 'server') return 'server';
  if (type.endsWith('_output')) return 'output';
  if (CLIENT_CALLS.has(type)) return 'call';
  // A reference may stand for any item of a step, most often for its reasoning.
  return type.endsWith('_call') || type === 'item_reference' ? 'server' : 'alone';
}

const CLIENT_CALLS = new Set([
  ...['function_call', 'custom_tool_call', 'tool_search_call', 'apply_patch_call'],
  ...['local_shell_call', 'shell_call', 'computer_call'],
]);

/**
 * A step begins with reasoning, or with the text of an answer that no reasoning leads; but once it has
 * called a tool, all that the model wrote before the outputs belongs to it.
 */
function group(text: string, spans: readonly Span[]): readonly number[] {
  const sizes: number[] = [];
  let step: { hasReasoning: boolean; hasCall: boolean; last: Part } | undefined;
  for (const span of spans) {
    const part = partAt(text, span);
    const isStep = part !== 'output' && part !== 'input' && part !== 'alone';
    const begins =
      step === undefined ||
      (!step.hasCall && part === 'reasoning' && step.last !== 'reasoning') ||
      (!step.hasCall && !step.hasReasoning && part === 'text' && step.last === 'text');
    if (!isStep || begins || step === undefined) sizes.push(1);
    else sizes[sizes.length - 1] = (sizes[sizes.length - 1] ?? 0) + 1;
    if (!isStep) step = undefined;
    else {
      step = {
        hasReasoning: part === 'reasoning' || (!begins && step?.hasReasoning === true),
        hasCall: part === 'call' || (!begins && step?.hasCall === true),
        last: part,
      };
    }
  }
  return sizes;
}

function partAt(text: string, item: Span): Part {
  const field = (key: string) => stringAt(text, item, key);
  return partOf(field('type'), field('role'), field('execution'));
}

function readMessage(raw: string, items: readonly JsonObject[]): MessageReading {
  const source = sourceOf(raw);
  return {
    role: roleOf(items[0] ?? {}),
    blocks: items.flatMap((item, index) => readItem(source, index, item)),
    canonical: canonicalJson(raw, items.map(canonicalItem)),
  };
}

/** The items of a message as one JSON array, for access by offset. */
function sourceOf(raw: string): SourceText {
  const text = `[${raw}]`;
  return { text, items: elements(text, { start: 0, end: text.length }) };
}

function roleOf(item: JsonObject): Role {
  const role = stringOf(item.role);
  switch (partOf(stringOf(item.type), role, stringOf(item.execution))) {
    case 'output':
      return 'tool';
    case 'input':
      return role === 'system' || role === 'developer' ? 'system' : 'user';
    case 'alone':
      return ROLES_ALONE.get(stringOf(item.type)) ?? 'assistant';
    default:
      return 'assistant';
  }
}

/** Items that stand alone and that the host sends. */
const ROLES_ALONE: ReadonlyMap<string, Role> = new Map([
  ['compaction_trigger', 'user'],
  ['mcp_approval_response', 'user'],
]);

/** A bare `{role, content}` is a message, and a string content is one part. */
function canonicalItem(item: JsonObject): JsonObject {
  const isMessage = item.type === undefined || item.type === 'message';
  if (!isMessage) return sortedKeys(item);
  const type = item.role === 'assistant' ? 'output_text' : 'input_text';
  const content =
    typeof item.content === 'string'
      ? [{ type, text: item.content }]
      : canonicalParts(item.content);
  return sortedKeys({ ...item, type: 'message', content });
}

/** The empty lists that a response has and that a host may leave out. */
function canonicalParts(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: unknown) => {
    if (!isObject(part)) return part;
    const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;
    const entries = Object.entries(part).filter(
      ([key, value]) => !((key === 'annotations' || key === 'logprobs') && isEmpty(value)),
    );
    return Object.fromEntries(entries);
  });
}

function replaceResult(message: Message, blockIndex: number, text: string): string {
  const source = sourceOf(message.raw);
  // Blocks are read item by item, so the item of a block is found by reading them again.
  const items: unknown = JSON.parse(source.text);
  let block = 0;
  for (const [index, item] of (Array.isArray(items) ? items : []).entries()) {
    const count = isObject(item) ? readItem(source, index, item).length : 0;
    const span = source.items[index];
    if (blockIndex < block + count && span !== undefined) {
      return replaceOutput(source.text, span, text).slice(1, -1);
    }
    block += count;
  }
  return message.raw;
}
