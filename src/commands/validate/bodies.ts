/** Reads request bodies and plain message lists, and checks them. */
import { HarnessError } from '../../errors.ts';
import { contextOfBody, listKeyOf } from '../../shape/context.ts';
import { asArray, asObject, asString, isObject, type JsonObject } from '../../shape/json-values.ts';
import type { ShapeMode, WireMessage } from '../../shape/rule.ts';
import { type ShapeDialect, validate } from '../../shape/validate.ts';
import { elements, member, rootSpan, slice } from '../../wire/json-spans.ts';
import { type JsonFile, placeOf } from './read-json.ts';
import type { CheckedList } from './report.ts';

/** Checks the list of one file. @throws HarnessError `input.format` when it holds no list that can be told. */
export function checkBody(
  json: JsonFile,
  options: { readonly dialect: ShapeDialect | undefined; readonly mode: ShapeMode },
): CheckedList {
  const dialect = options.dialect ?? detectDialect(json);
  const messages = listOf(json, dialect);
  const context = contextOfBody(dialect, json.value);
  const violations = validate({ dialect, messages, context }, { mode: options.mode });
  return { file: json.file, dialect, mode: options.mode, messages: messages.length, violations };
}

function listOf(json: JsonFile, dialect: ShapeDialect): readonly WireMessage[] {
  const { text, value, file } = json;
  const root = rootSpan(text);
  const key = listKeyOf(dialect);
  if (isObject(value) && typeof value[key] === 'string' && dialect === 'openai-responses') {
    return [{ raw: JSON.stringify({ role: 'user', content: value[key] }) }];
  }
  const list = Array.isArray(value) ? value : asObject(value)[key];
  const span = Array.isArray(value) ? root : member(text, root, key);
  if (!Array.isArray(list) || span === undefined) {
    throw new HarnessError(
      'input.format',
      `expected a request body of ${dialect} with a list under "${key}", or a JSON array of messages`,
      { at: { file, line: 1 } },
    );
  }
  const odd = list.findIndex((message) => !isObject(message));
  if (odd >= 0) {
    const at = placeOf(json, Array.isArray(value) ? [odd] : [key, odd]);
    throw new HarnessError('input.schema', `message ${odd} is not an object`, { at });
  }
  return elements(text, span).map((element) => ({ raw: slice(text, element) }));
}

/** Whether a JSON value has the outline of a request body or of a message list, of whatever dialect. */
export function holdsList(value: unknown): boolean {
  const body = asObject(value);
  const list = Array.isArray(value) ? value : (body.messages ?? body.input ?? body.contents);
  return asArray(list).some((entry) => isObject(entry) && (entry.role ?? entry.type) !== undefined);
}

/** The dialect that a body or a list shows by itself. */
function detectDialect({ value, file }: JsonFile): ShapeDialect {
  const body = asObject(value);
  if (Array.isArray(body.contents)) return 'gemini';
  if (body.input !== undefined && body.messages === undefined) return 'openai-responses';
  const messages = asArray(Array.isArray(value) ? value : body.messages).map(asObject);
  const told = dialectOfBody(body) ?? firstTold(messages);
  if (told !== undefined) return told;
  throw new HarnessError(
    'input.format',
    'cannot tell the dialect: expected a request body or a message list, and text alone is the same in several; give --dialect',
    { at: { file, line: 1 } },
  );
}

function dialectOfBody(body: JsonObject): ShapeDialect | undefined {
  const model = asString(body.model) ?? '';
  if (body.toolConfig !== undefined || body.inferenceConfig !== undefined) return 'bedrock';
  if (body.anthropic_version !== undefined || typeof body.max_tokens_to_sample === 'number') {
    return 'anthropic';
  }
  if (body.system !== undefined && body.messages !== undefined) return 'anthropic';
  if (/(?:^|[/.])(?:gpt-|o\d)/.test(model)) return 'openai-chat';
  return undefined;
}

function firstTold(messages: readonly JsonObject[]): ShapeDialect | undefined {
  for (const message of messages) {
    const told = dialectOfMessage(message);
    if (told !== undefined) return told;
  }
  return undefined;
}

/** Types of content blocks that one dialect alone has. */
const BLOCK_TYPES: ReadonlyMap<string, ShapeDialect> = new Map<string, ShapeDialect>([
  ['tool_use', 'anthropic'],
  ['tool_result', 'anthropic'],
  ['thinking', 'anthropic'],
  ['redacted_thinking', 'anthropic'],
  ['server_tool_use', 'anthropic'],
  ['input_text', 'openai-responses'],
  ['output_text', 'openai-responses'],
  ['image_url', 'openai-chat'],
]);

function dialectOfMessage(message: JsonObject): ShapeDialect | undefined {
  if (Array.isArray(message.parts)) return 'gemini';
  const type = asString(message.type) ?? '';
  if (type.startsWith('function_call') || type === 'reasoning' || type === 'custom_tool_call') {
    return 'openai-responses';
  }
  if (
    message.role === 'tool' ||
    message.role === 'developer' ||
    Array.isArray(message.tool_calls)
  ) {
    return 'openai-chat';
  }
  for (const block of asArray(message.content).map(asObject)) {
    const known = BLOCK_TYPES.get(asString(block.type) ?? '');
    if (known !== undefined) return known;
    if (isObject(block.cache_control)) return 'anthropic';
    const untyped = block.type === undefined;
    if (untyped && (block.text ?? block.toolUse ?? block.toolResult) !== undefined)
      return 'bedrock';
  }
  return undefined;
}
