import type { Block, DialectName } from '../../../transcript/message.ts';
import type { Usage } from '../../../transcript/transcript.ts';
import { isObject } from '../../../wire/json-object.ts';
import { stringOf } from '../../../wire/parts.ts';
import { contentBlocks, toolCall } from '../../content-parts.ts';
import type { Turn } from '../../conversation.ts';
import type { Tool } from '../../written-envelope.ts';
import { costOf, dialectOf, modelOf, usageOf } from './facts.ts';
import { jsonAt, looseJsonAt, numbered, numberedTurns, turnOf, turnsOfList } from './messages.ts';
import type { Attributes, SpanRecord } from './spans.ts';

/** What was sent with one model call, and what came back. */
export interface ModelCall {
  readonly turns: readonly Turn[];
  readonly answer: readonly Block[] | undefined;
  readonly tools: readonly Tool[];
  readonly dialect: DialectName;
  readonly model: string | undefined;
  readonly usage: Usage | undefined;
  /** USD. */
  readonly cost: number | undefined;
}

/**
 * The model call that a span tells, in any convention.
 * @returns undefined when the span has no messages
 * @throws SyntaxError where its messages are written as JSON and are none
 */
export function readCall(span: SpanRecord): ModelCall | undefined {
  const { attributes } = span;
  if (!mayHoldMessages(attributes)) return undefined;
  const turns = first(REQUESTS, (read) => read(span));
  if (turns === undefined) return undefined;
  return {
    turns,
    answer: first(RESPONSES, (read) => read(span)?.blocks),
    tools: toolsOf(attributes),
    dialect: dialectOf(attributes),
    model: modelOf(attributes),
    usage: usageOf(attributes),
    cost: costOf(attributes),
  };
}

/** Why a span without messages is no request. */
export function withoutMessages({ attributes }: SpanRecord): string {
  const kind = kindOf(attributes);
  if (kind !== '' && !CALL_KINDS.has(kind)) return 'no model call';
  if (isEmbedding(attributes)) return 'no model call';
  return modelOf(attributes) === undefined
    ? 'no model call'
    : 'model call whose messages were not recorded';
}

/** True for a span of a tool: what runs below it is another agent's. */
export function isTool({ attributes, name }: SpanRecord): boolean {
  return TOOL_KINDS.has(kindOf(attributes)) || name === 'ai.toolCall';
}

function kindOf(attributes: Attributes): string {
  const kind =
    attributes.get('openinference.span.kind') ??
    attributes.get('gen_ai.operation.name') ??
    attributes.get('traceloop.span.kind');
  return stringOf(kind).toLowerCase();
}

const CALL_KINDS = new Set(['llm', 'chat', 'text_completion', 'generate_content', 'completion']);
const TOOL_KINDS = new Set(['tool', 'execute_tool']);
/** Spans that tell messages which no model was asked. */
const OTHER_KINDS = new Set([
  ...['tool', 'execute_tool', 'embedding', 'embeddings', 'retriever', 'reranker', 'guardrail'],
  ...['chain', 'workflow', 'task', 'evaluator'],
]);

function mayHoldMessages(attributes: Attributes): boolean {
  return !OTHER_KINDS.has(kindOf(attributes)) && !isEmbedding(attributes);
}

function isEmbedding(attributes: Attributes): boolean {
  return stringOf(attributes.get('ai.operationId')).startsWith('ai.embed');
}

function first<R, T>(readers: readonly R[], use: (reader: R) => T | undefined): T | undefined {
  for (const reader of readers) {
    const found = use(reader);
    if (found !== undefined && (!Array.isArray(found) || found.length > 0)) return found;
  }
  return undefined;
}

type Reader<T> = (span: SpanRecord) => T | undefined;

/** The messages that were sent, the most exact record first. */
const REQUESTS: readonly Reader<readonly Turn[]>[] = [
  ({ attributes }) => inputMessages(attributes),
  ({ attributes }) => numberedTurns(attributes, 'gen_ai.prompt'),
  ({ attributes }) => numberedTurns(attributes, 'llm.prompts'),
  ({ attributes }) => numberedTurns(attributes, 'llm.input_messages'),
  ({ attributes }) => turnsOfList(jsonAt(attributes, 'ai.prompt.messages')),
  ({ attributes }) => promptTurns(jsonAt(attributes, 'ai.prompt')),
  (span) => fromDetails(span, (attributes) => inputMessages(attributes)),
  eventTurns,
  (span) => contentOf(span, 'gen_ai.content.prompt', 'gen_ai.prompt'),
  ({ attributes }) => turnsOfList(jsonAt(attributes, 'pydantic_ai.all_messages')).slice(0, -1),
  ({ attributes }) => bodyTurns(jsonAt(attributes, 'gcp.vertex.agent.llm_request')),
  ({ attributes }) => bodyTurns(jsonAt(attributes, 'request_data')),
  ({ attributes }) => bodyTurns(looseJsonAt(attributes, 'langfuse.observation.input')),
  ({ attributes }) => bodyTurns(looseJsonAt(attributes, 'input.value')),
];

/** The answer, likewise. */
const RESPONSES: readonly Reader<Turn>[] = [
  ({ attributes }) => turnsOfList(jsonAt(attributes, 'gen_ai.output.messages')).at(0),
  ({ attributes }) => numberedTurns(attributes, 'gen_ai.completion').at(0),
  ({ attributes }) => numberedTurns(attributes, 'llm.completions').at(0),
  ({ attributes }) => numberedTurns(attributes, 'llm.output_messages').at(0),
  (span) =>
    fromDetails(span, (attributes) =>
      turnsOfList(jsonAt(attributes, 'gen_ai.output.messages')).at(0),
    ),
  (span) => contentOf(span, 'gen_ai.content.completion', 'gen_ai.completion').at(0),
  ({ attributes }) => vercelAnswer(attributes, 'ai.response'),
  ({ attributes }) => vercelAnswer(attributes, 'ai.result'),
  ({ events }) => {
    const choice = events.find(({ name }) => name === 'gen_ai.choice')?.attributes;
    return choice === undefined ? undefined : eventTurn('assistant', choice);
  },
  ({ attributes }) => answerIn(jsonAt(attributes, 'gcp.vertex.agent.llm_response')),
  ({ attributes }) => answerIn(jsonAt(attributes, 'response_data')),
  ({ attributes }) => answerIn(looseJsonAt(attributes, 'langfuse.observation.output')),
  ({ attributes }) => answerIn(looseJsonAt(attributes, 'output.value')),
];

function inputMessages(attributes: Attributes): readonly Turn[] | undefined {
  const turns = turnsOfList(jsonAt(attributes, 'gen_ai.input.messages'));
  if (turns.length === 0) return undefined;
  return [...systemOf(jsonOrText(attributes, 'gen_ai.system_instructions')), ...turns];
}

/** The event that tells all of a call, where its messages are not the span's own attributes. */
function fromDetails<T>(
  { events }: SpanRecord,
  read: (attributes: Attributes) => T | undefined,
): T | undefined {
  const event = events.find(({ name }) => name === 'gen_ai.client.inference.operation.details');
  return event === undefined ? undefined : read(event.attributes);
}

/** Messages as JSON in an event of an early convention. */
function contentOf({ events }: SpanRecord, name: string, key: string): readonly Turn[] {
  return events.flatMap((event) =>
    event.name === name ? turnsOfList([looseJsonAt(event.attributes, key)].flat()) : [],
  );
}

function jsonOrText(attributes: Attributes, key: string): unknown {
  const value = attributes.get(key);
  return typeof value === 'string' && !/^\s*[[{]/.test(value) ? value : jsonAt(attributes, key);
}

function systemOf(content: unknown): readonly Turn[] {
  const parts = isObject(content) && Array.isArray(content.parts) ? content.parts : content;
  const blocks = contentBlocks(parts);
  return blocks.length === 0 ? [] : [{ role: 'system', blocks }];
}

/** `{system, prompt | messages}`. */
function promptTurns(prompt: unknown): readonly Turn[] | undefined {
  if (!isObject(prompt)) return undefined;
  const said: readonly Turn[] = Array.isArray(prompt.messages)
    ? turnsOfList(prompt.messages)
    : [{ role: 'user', blocks: contentBlocks(prompt.prompt) }];
  return [...systemOf(prompt.system), ...said];
}

/** The turns of a request body of any provider, or of a list. */
function bodyTurns(body: unknown): readonly Turn[] | undefined {
  if (Array.isArray(body)) return turnsOfList(body);
  if (!isObject(body)) return undefined;
  const config = isObject(body.config) ? body.config : {};
  const system =
    body.system ?? body.instructions ?? config.system_instruction ?? body.system_instruction;
  const list = [body.messages, body.contents, body.input].find(Array.isArray);
  const turns = turnsOfList(list);
  return turns.length === 0 ? undefined : [...systemOf(system), ...turns];
}

/** The message in a response of any provider. */
function answerIn(response: unknown): Turn | undefined {
  if (!isObject(response)) return undefined;
  const choices: readonly unknown[] = Array.isArray(response.choices) ? response.choices : [];
  const [choice] = choices;
  const inner = isObject(choice) ? choice.message : undefined;
  const holder =
    inner ?? response.message ?? (isObject(response.content) ? response.content : response);
  const turn = turnOf(
    isObject(holder) && !('role' in holder) ? { ...holder, role: 'model' } : holder,
  );
  return turn?.role === 'assistant' ? turn : undefined;
}

function vercelAnswer(attributes: Attributes, prefix: string): Turn | undefined {
  const text = attributes.get(`${prefix}.text`) ?? attributes.get(`${prefix}.object`);
  const calls = jsonAt(attributes, `${prefix}.toolCalls`);
  const blocks = [
    ...contentBlocks(text),
    ...(Array.isArray(calls) ? calls : []).filter(isObject).map((call) => {
      const name = stringOf(call.toolName);
      return toolCall(stringOf(call.toolCallId) || name, name, call.input ?? call.args);
    }),
  ];
  return blocks.length === 0 ? undefined : { role: 'assistant', blocks };
}

const EVENT = /^gen_ai\.(system|user|assistant|tool)\.message$/;

/** Messages that were told as events of the span. */
function eventTurns({ events }: SpanRecord): readonly Turn[] {
  return events.flatMap(({ name, attributes }) => {
    const role = EVENT.exec(name)?.[1];
    return role === undefined ? [] : (eventTurn(role, attributes) ?? []);
  });
}

function eventTurn(role: string, attributes: Attributes): Turn | undefined {
  const message = jsonOrText(attributes, 'message');
  const fields = isObject(message) ? message : Object.fromEntries(attributes);
  const calls = fields.tool_calls;
  const list: unknown = typeof calls === 'string' ? JSON.parse(calls) : calls;
  return turnOf({ ...fields, role, tool_calls: list });
}

function toolsOf(attributes: Attributes): readonly Tool[] {
  const declared = [
    ...numbered(attributes, 'llm.request.functions').map((tool) => Object.fromEntries(tool)),
    ...numbered(attributes, 'llm.tools').map((tool) => tool.get('tool.json_schema')),
    ...listAt(attributes, 'ai.prompt.tools'),
    ...listAt(attributes, 'gen_ai.tool.definitions'),
    ...requestTools(looseJsonAt(attributes, 'gcp.vertex.agent.llm_request')),
  ];
  return declared.flatMap((tool) => toolOf(typeof tool === 'string' ? parsed(tool) : tool));
}

function listAt(attributes: Attributes, key: string): readonly unknown[] {
  const value = looseJsonAt(attributes, key);
  return Array.isArray(value) ? value : [];
}

function requestTools(request: unknown): readonly unknown[] {
  const config = isObject(request) && isObject(request.config) ? request.config : {};
  const tools: readonly unknown[] = Array.isArray(config.tools) ? config.tools : [];
  return tools.filter(isObject).flatMap((tool) => {
    const declared = tool.function_declarations ?? tool.functionDeclarations;
    return Array.isArray(declared) ? declared : [];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toolOf(value: unknown): readonly Tool[] {
  if (!isObject(value)) return [];
  const body = isObject(value.function) ? value.function : value;
  if (typeof body.name !== 'string') return [];
  const given = body.parameters ?? body.inputSchema ?? body.input_schema;
  const parameters = typeof given === 'string' ? parsed(given) : given;
  return [
    {
      name: body.name,
      ...(typeof body.description === 'string' ? { description: body.description } : {}),
      ...(parameters === undefined ? {} : { parameters }),
    },
  ];
}
