/** A labelled case of the shape rules, read through its schema. */
import { z } from 'zod';
import { HarnessError, nearestName } from '../../errors.ts';
import type { ShapeContext } from '../../shape/context.ts';
import { asObject, asString, isObject, type JsonObject } from '../../shape/json-values.ts';
import type { WireMessage } from '../../shape/rule.ts';
import type { ShapeDialect } from '../../shape/validate.ts';
import { pushAll } from '../../text/long-lists.ts';
import { elements, rootSpan, slice, path as spanAt } from '../../wire/json-spans.ts';
import { dialectNamed } from './dialect-name.ts';
import { type JsonFile, placeOf } from './read-json.ts';

const message = z.record(z.string(), z.unknown());

const schema = z.looseObject({
  provider: z.string(),
  messages: z.array(message).optional(),
  messages_before: z.array(message).nullish(),
  valid: z.boolean(),
  expected_violation: z.string().nullish(),
  also_violates: z
    .array(z.string())
    .nullish()
    .transform((ids) => ids ?? []),
  severity: z.enum(['error', 'warning']).default('error'),
  check: z.enum(['list', 'pair', 'request', 'bytes']).default('list'),
  mode: z.enum(['sendable', 'prefix']).default('sendable'),
  context: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((fields) => fields ?? {}),
});

export interface ShapeCase extends z.infer<typeof schema> {
  readonly file: string;
  /** Whether the rules of any provider alone are meant: the case names none, or gives texts alone. */
  readonly ofAnyProvider: boolean;
  readonly dialect: ShapeDialect;
  readonly shapeContext: ShapeContext;
  readonly list: readonly WireMessage[];
  readonly before: readonly WireMessage[] | undefined;
  /** The texts of a `bytes` case that gives them apart from its messages. */
  readonly texts: ExactTexts | undefined;
}

export interface ExactTexts {
  readonly list: readonly WireMessage[];
  readonly before: readonly WireMessage[];
}

/** @throws HarnessError `input.schema` with file and line when the file is no case. */
export function readCase(json: JsonFile): ShapeCase {
  const parsed = schema.safeParse(json.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const steps = (issue?.path ?? []).filter((step) => typeof step !== 'symbol');
    const key = steps.join('.');
    throw new HarnessError(
      'input.schema',
      `not a shape case: ${key === '' ? '' : `${key}: `}${issue?.message ?? 'unreadable'}`,
      { at: { ...placeOf(json, steps), key } },
    );
  }
  const { data } = parsed;
  const anyProvider = data.provider === 'any';
  const dialect = anyProvider ? 'openai-chat' : dialectNamed(data.provider);
  if (dialect === undefined) throw unknownProvider(json, data.provider);
  if (!data.valid && typeof data.expected_violation !== 'string') {
    throw new HarnessError(
      'input.schema',
      'not a shape case: valid is false without expected_violation',
      {
        at: { ...placeOf(json, ['valid']), key: 'expected_violation' },
      },
    );
  }
  const bytes = data.check === 'bytes';
  const texts = bytes ? exactTexts(json) : undefined;
  const { messages = [] } = data;
  if (data.messages === undefined && texts === undefined) {
    throw new HarnessError('input.schema', 'not a shape case: messages: expected a list', {
      at: { ...placeOf(json, []), key: 'messages' },
    });
  }
  return {
    ...data,
    file: json.file,
    ofAnyProvider: anyProvider || (texts !== undefined && messages.length === 0),
    dialect,
    shapeContext: contextOfCase(dialect, data.check, data.context),
    list: bytes ? exactList(json, 'messages') : messages.map(respelled),
    before:
      data.messages_before === undefined || data.messages_before === null
        ? undefined
        : bytes
          ? exactList(json, 'messages_before')
          : data.messages_before.map(respelled),
    texts,
  };
}

function unknownProvider(json: JsonFile, provider: string): HarnessError {
  const near = nearestName(provider, [
    'anthropic',
    'openai-chat',
    'openai-responses',
    'gemini',
    'bedrock',
  ]);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  return new HarnessError('input.schema', `unknown provider "${provider}"${hint}`, {
    at: { ...placeOf(json, ['provider']), key: 'provider' },
  });
}

/** A case that is not about bytes may lay out the same message differently in its two lists. */
function respelled(value: JsonObject): WireMessage {
  return { raw: JSON.stringify(value) };
}

function exactList({ text }: JsonFile, key: string): readonly WireMessage[] {
  const span = spanAt(text, [key]);
  if (span === undefined) return [];
  return elements(text, span).map((element) => ({ raw: slice(text, element) }));
}

const CONTEXT_FIELDS = [
  'thinking',
  'system',
  'tools',
  'cache_control',
  'previous_response_id',
  'conversation',
] as const;

/**
 * The request fields that a case gives. A `request` case of Bedrock gives all of them, so a toolConfig that it
 * does not name is absent; elsewhere it is unknown.
 */
function contextOfCase(dialect: ShapeDialect, check: string, given: JsonObject): ShapeContext {
  const context: { -readonly [Key in keyof ShapeContext]: ShapeContext[Key] } = {};
  const model = asString(given.model) ?? asString(given.modelId);
  if (model !== undefined) context.model = model;
  if (typeof given.system_hoisted === 'boolean') context.system_hoisted = given.system_hoisted;
  const sizes = z.array(z.array(z.number())).safeParse(given.image_dims);
  if (sizes.success) context.image_dims = sizes.data;
  for (const [key, value] of Object.entries(given)) {
    if (/thinking/i.test(key)) context.thinking ??= value;
    if (/cache|breakpoint/i.test(key) && typeof value === 'number') {
      context.cache_marks = (context.cache_marks ?? 0) + value;
    }
  }
  for (const field of CONTEXT_FIELDS) {
    if (given[field] !== undefined) context[field] = given[field];
  }
  const config = given.toolConfig ?? given.tool_config;
  const named = 'toolConfig' in given || 'tool_config' in given;
  if (dialect === 'bedrock' && (named || check === 'request')) context.toolConfig = config ?? null;
  return context;
}

/** Names of fields that hold what was there before the rewrite. */
const BEFORE = /before|original|recorded|old|prior|previous|expected/i;

/** JSON texts of messages among the further fields of a `bytes` case: those before the rewrite, and the others. */
function exactTexts({ value }: JsonFile): ExactTexts | undefined {
  const { messages: _, messages_before: __, ...fields } = asObject(value);
  const list: WireMessage[] = [];
  const before: WireMessage[] = [];
  const visit = (name: string, field: unknown): void => {
    if (typeof field === 'string') {
      pushAll(BEFORE.test(name) ? before : list, messagesIn(field));
    } else if (Array.isArray(field)) for (const inner of field) visit(name, inner);
    else if (isObject(field)) {
      for (const [key, inner] of Object.entries(field)) visit(`${name}.${key}`, inner);
    }
  };
  visit('', fields);
  return list.length === 0 ? undefined : { list, before };
}

/** The messages of a text that is a message, an array of them, or a request body. */
function messagesIn(text: string): readonly WireMessage[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const root = rootSpan(text);
  if (isObject(value)) {
    const key = ['messages', 'contents', 'input'].find((name) => Array.isArray(value[name]));
    const span = key === undefined ? undefined : spanAt(text, [key]);
    if (span === undefined) return [{ raw: slice(text, root) }];
    return elements(text, span).map((element) => ({ raw: slice(text, element) }));
  }
  if (!Array.isArray(value) || !value.every(isObject)) return [];
  return elements(text, root).map((element) => ({ raw: slice(text, element) }));
}
