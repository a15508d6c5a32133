import { MessageTable } from '../../src/transcript/intern.ts';
import type { Message } from '../../src/transcript/message.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import { elements, path, replaceSpans, slice } from '../../src/wire/json-spans.ts';

/** The wires that the builders write. */
export type WireDialect = 'anthropic' | 'openai-chat';
export const wireDialects: readonly WireDialect[] = ['anthropic', 'openai-chat'];

export interface Call {
  readonly id: string;
  readonly name?: string;
  /** JSON text of the arguments. */
  readonly input?: string;
  /** Absent: the call is not answered. */
  readonly result?: string;
  readonly isError?: boolean;
}

/** What happens in a conversation, before a wire gives it its form. */
export type Step =
  | { readonly kind: 'user'; readonly text: string }
  /** A system message inside the list. */
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'assistant'; readonly text: string; readonly thinking?: string }
  | {
      readonly kind: 'exchange';
      readonly text?: string;
      readonly thinking?: string;
      readonly calls: readonly Call[];
      /** Anthropic: each result in a user message of its own. OpenAI's always are. */
      readonly spread?: boolean;
    };

/** Positions of an exchange: the assistant message, and after its last result. */
export interface ExchangeRange {
  readonly from: number;
  readonly to: number;
}

export interface Conversation {
  readonly dialect: WireDialect;
  readonly messages: readonly Message[];
  /** The JSON text of each message. */
  readonly raws: readonly string[];
  /** The exchanges with a call and a result or an unanswered end, as the builder knows them. */
  readonly exchanges: readonly ExchangeRange[];
  readonly table: MessageTable;
}

/** Writes the steps as a request body and reads it with the real dialect. */
export function conversation(
  dialect: WireDialect,
  steps: readonly Step[],
  table = new MessageTable(),
): Conversation {
  const raws: string[] = [];
  const exchanges: ExchangeRange[] = [];
  for (const step of steps) {
    const from = raws.length;
    raws.push(...stepJson(dialect, step));
    if (step.kind === 'exchange') exchanges.push({ from, to: raws.length });
  }
  return { dialect, messages: parseRaws(dialect, raws, table), raws, exchanges, table };
}

/** Reads message texts as the list of a request body. */
export function parseRaws(
  dialect: WireDialect,
  raws: readonly string[],
  table: MessageTable,
): readonly Message[] {
  return dialectOf(dialect).parse(`{"messages":[${raws.join(',')}]}`, table).messages;
}

/** The messages of one step, with the odd spacing of a host that writes JSON by hand. */
export function stepJson(dialect: WireDialect, step: Step): string[] {
  switch (step.kind) {
    case 'user':
      return [`{"role": "user", "content": ${JSON.stringify(step.text)}}`];
    case 'note':
      return [`{"role": "system", "content": ${JSON.stringify(step.text)}}`];
    case 'assistant':
      return dialect === 'anthropic'
        ? [anthropicAssistant(step.text, step.thinking, [])]
        : [openaiAssistant(step.text, step.thinking, [])];
    case 'exchange':
      return dialect === 'anthropic' ? anthropicExchange(step) : openaiExchange(step);
  }
}

type Exchange = Step & { readonly kind: 'exchange' };

function anthropicExchange({ text, thinking, calls, spread }: Exchange): string[] {
  const results = calls.flatMap(({ id, result, isError }) =>
    result === undefined
      ? []
      : [
          JSON.stringify({
            type: 'tool_result',
            tool_use_id: id,
            content: result,
            ...(isError === true ? { is_error: true } : {}),
          }),
        ],
  );
  const assistant = anthropicAssistant(text, thinking, calls);
  if (results.length === 0) return [assistant];
  const groups = spread === true ? results.map((result) => [result]) : [results];
  return [
    assistant,
    ...groups.map((group) => `{"role": "user", "content": [${group.join(', ')}]}`),
  ];
}

function anthropicAssistant(
  text: string | undefined,
  thinking: string | undefined,
  calls: readonly Call[],
): string {
  const blocks: string[] = [];
  if (thinking !== undefined) {
    blocks.push(JSON.stringify({ type: 'thinking', thinking, signature: 'c2lnbmVk' }));
  }
  if (text !== undefined) blocks.push(JSON.stringify({ type: 'text', text }));
  for (const { id, name = 'run', input = '{}' } of calls) {
    blocks.push(
      `{"type": "tool_use", "id": ${JSON.stringify(id)}, "name": ${JSON.stringify(name)}, "input": ${input}}`,
    );
  }
  return `{"role": "assistant", "content": [${blocks.join(', ')}]}`;
}

function openaiExchange({ text, thinking, calls }: Exchange): string[] {
  return [
    openaiAssistant(text, thinking, calls),
    ...calls.flatMap(({ id, result }) =>
      result === undefined
        ? []
        : [`{"role": "tool", ${JSON.stringify({ tool_call_id: id, content: result }).slice(1)}`],
    ),
  ];
}

function openaiAssistant(
  text: string | undefined,
  thinking: string | undefined,
  calls: readonly Call[],
): string {
  const members = [`"role": "assistant"`, `"content": ${JSON.stringify(text ?? null)}`];
  if (thinking !== undefined) members.push(`"reasoning_content": ${JSON.stringify(thinking)}`);
  if (calls.length > 0) {
    const written = calls.map(({ id, name = 'run', input = '{}' }) =>
      JSON.stringify({ id, type: 'function', function: { name, arguments: input } }),
    );
    members.push(`"tool_calls": [${written.join(', ')}]`);
  }
  return `{${members.join(', ')}}`;
}

/**
 * The same message with a cache mark on its last block; string content becomes one text block. All other
 * bytes stay.
 */
export function withCacheMark(raw: string): string {
  const mark = '"cache_control":{"type":"ephemeral"}';
  const content = path(raw, ['content']);
  if (content === undefined) return raw;
  if (raw[content.start] === '"') {
    const block = `[{"type":"text","text":${slice(raw, content)},${mark}}]`;
    return replaceSpans(raw, [{ span: content, text: block }]);
  }
  const last = elements(raw, content).at(-1);
  if (last === undefined) return raw;
  const end = { start: last.end - 1, end: last.end - 1 };
  return replaceSpans(raw, [{ span: end, text: `,${mark}` }]);
}

/**
 * The lists of the requests that an agent sent to come to this conversation: one before each assistant
 * turn, and the whole.
 */
export function growingLists(messages: readonly Message[]): readonly (readonly Message[])[] {
  const lists: (readonly Message[])[] = [];
  for (const [index, message] of messages.entries()) {
    const isTurn = message.role === 'assistant' && messages[index - 1]?.role !== 'assistant';
    if (isTurn && index > 0) lists.push(messages.slice(0, index));
  }
  lists.push(messages);
  return lists;
}

/** About `tokens` tokens of words, another text for each seed. */
export function words(tokens: number, seed = 0): string {
  const vocabulary = ['river', 'stone', 'table', 'green', 'window', 'market', 'paper', 'cloud'];
  return Array.from(
    { length: tokens },
    (_, index) => vocabulary[(index * 5 + seed * 3 + (index >> 3)) % vocabulary.length],
  ).join(' ');
}

/**
 * A task and `exchanges` exchanges, whose outputs have about `tokens` tokens each: message 0 is the user's
 * task, or on OpenAI a system prompt with the task after it.
 */
export function workSession(dialect: WireDialect, exchanges: number, tokens = 200): Step[] {
  const steps: Step[] = [{ kind: 'user', text: 'Fix the failing build of the project.' }];
  if (dialect === 'openai-chat') steps.unshift({ kind: 'note', text: 'You are a careful agent.' });
  for (let number = 0; number < exchanges; number++) {
    const input = `{"path": "src/part-${number}.ts", "line": ${number}}`;
    const result = `part-${number} says: ${words(tokens, number)}`;
    steps.push({
      kind: 'exchange',
      text: `Step ${number}: I look at part-${number}.`,
      calls: [{ id: `call_${number}`, name: 'read_file', input, result }],
    });
  }
  return steps;
}
