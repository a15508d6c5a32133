import type { Block, Role } from '../../../transcript/message.ts';
import { isObject, type JsonObject } from '../../../wire/json-object.ts';
import { stringOf } from '../../../wire/parts.ts';
import { contentBlocks, toolCall, toolResult } from '../../content-parts.ts';
import type { Turn } from '../../conversation.ts';
import type { Attributes } from './spans.ts';

/*
 * Messages as instrumentations write them: a list as JSON, or one attribute for each field of each
 * message (`gen_ai.prompt.0.role`, `llm.input_messages.0.message.role`).
 */

const ROLES: ReadonlyMap<string, Role> = new Map(
  Object.entries({
    system: 'system',
    developer: 'system',
    user: 'user',
    human: 'user',
    assistant: 'assistant',
    ai: 'assistant',
    model: 'assistant',
    tool: 'tool',
    function: 'tool',
  }),
);

/** The attribute's value, read as JSON where it is text. @throws SyntaxError */
export function jsonAt(attributes: Attributes, key: string): unknown {
  const value = attributes.get(key);
  return typeof value === 'string' ? JSON.parse(value) : value;
}

/** A value that may be any text. */
export function looseJsonAt(attributes: Attributes, key: string): unknown {
  try {
    return jsonAt(attributes, key);
  } catch {
    return undefined;
  }
}

/** Turns of a list of messages; what is none is left out. */
export function turnsOfList(list: unknown): readonly Turn[] {
  return Array.isArray(list) ? list.flatMap((message: unknown) => turnOf(message) ?? []) : [];
}

/** One message in the form of any provider or library. */
export function turnOf(value: unknown): Turn | undefined {
  if (!isObject(value)) return undefined;
  // Some libraries put a message around each message.
  const message = isObject(value.message) && value.role === undefined ? value.message : value;
  const name = stringOf(message.role ?? message.type);
  const calls: readonly unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const id = message.tool_call_id ?? message.toolCallId ?? message.id;
  return turn(
    name === '' && calls.length > 0 ? 'assistant' : name,
    blocksOf(message.content ?? message.parts),
    calls.filter(isObject).map(callOf),
    stringOf(id),
  );
}

function turn(
  name: string,
  said: readonly Block[],
  calls: readonly Block[],
  id: string,
): Turn | undefined {
  const role = ROLES.get(name.toLowerCase());
  if (role === undefined) return undefined;
  const isAnswered = said.some(({ kind }) => kind === 'tool-result');
  if (role === 'tool' && !isAnswered) {
    const texts = said.flatMap((block) => (block.kind === 'text' ? [block.text] : []));
    return { role, blocks: [toolResult(id, texts.join('\n'))] };
  }
  // Some providers carry results in turns of the user.
  const isAllResults = said.length > 0 && said.every(({ kind }) => kind === 'tool-result');
  return { role: isAllResults ? 'tool' : role, blocks: [...said, ...calls] };
}

/** Content: text, parts, or a list of parts that was written as text. */
function blocksOf(content: unknown): readonly Block[] {
  if (typeof content !== 'string' || !/^\s*\[\s*\{/.test(content)) return contentBlocks(content);
  try {
    const parts: unknown = JSON.parse(content);
    const isParts = Array.isArray(parts) && parts.every(isPart);
    return contentBlocks(isParts ? parts : content);
  } catch {
    return contentBlocks(content);
  }
}

function isPart(part: unknown): boolean {
  return isObject(part) && PART_TYPES.has(stringOf(part.type));
}

const PART_TYPES = new Set([
  ...['text', 'input_text', 'output_text', 'image', 'image_url', 'input_image', 'document'],
  ...['thinking', 'reasoning', 'tool_use', 'tool_result', 'tool_call', 'tool-call', 'tool-result'],
]);

function callOf(call: JsonObject): Block {
  const body = isObject(call.function) ? call.function : call;
  const name = stringOf(body.name ?? body.toolName);
  const id = stringOf(call.id ?? call.toolCallId);
  return toolCall(id === '' ? name : id, name, body.arguments ?? body.args ?? body.input);
}

/** Messages whose fields are attributes of their own, in the order of their numbers. */
export function numberedTurns(attributes: Attributes, prefix: string): readonly Turn[] {
  return numbered(attributes, prefix).flatMap((fields) => {
    const own = withoutWord(fields, 'message');
    const calls = numbered(own, 'tool_calls').map((call) => {
      const plain = withoutWord(call, 'tool_call');
      const name = stringOf(plain.get('name') ?? plain.get('function.name'));
      const id = stringOf(plain.get('id'));
      const given = plain.get('arguments') ?? plain.get('function.arguments');
      return toolCall(id === '' ? name : id, name, given);
    });
    const role = stringOf(own.get('role'));
    const id = stringOf(own.get('tool_call_id') ?? own.get('id'));
    const said = [...blocksOf(own.get('content')), ...numbered(own, 'contents').flatMap(partOf)];
    return turn(role === '' ? 'assistant' : role, said, calls, id) ?? [];
  });
}

function partOf(fields: Attributes): readonly Block[] {
  const part = withoutWord(fields, 'message_content');
  const url = part.get('image.image.url') ?? part.get('image.url');
  if (typeof url === 'string') return contentBlocks([{ type: 'image_url', image_url: { url } }]);
  return contentBlocks(part.get('text'));
}

/** The attributes `PREFIX.N.FIELD` by N, each with its fields. */
export function numbered(attributes: Attributes, prefix: string): readonly Attributes[] {
  const groups = new Map<number, Map<string, unknown>>();
  for (const [key, value] of attributes) {
    if (!key.startsWith(`${prefix}.`)) continue;
    const match = /^(\d+)\.(.+)$/s.exec(key.slice(prefix.length + 1));
    if (match === null) continue;
    const number = Number(match[1]);
    const group = groups.get(number);
    if (group === undefined) groups.set(number, new Map([[match[2] ?? '', value]]));
    else group.set(match[2] ?? '', value);
  }
  return [...groups].sort(([a], [b]) => a - b).map(([, group]) => group);
}

/** `WORD.role` as `role`. */
function withoutWord(fields: Attributes, word: string): Attributes {
  return new Map(
    [...fields].map(([key, value]) => [
      key.startsWith(`${word}.`) ? key.slice(word.length + 1) : key,
      value,
    ]),
  );
}
