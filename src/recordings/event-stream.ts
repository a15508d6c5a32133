import { pushAll } from '../text/long-lists.ts';
import { isObject, type JsonObject } from '../wire/json-object.ts';
import { stringOf } from '../wire/parts.ts';

/**
 * The answer that the server-sent events of a logged response add up to, in the form that the provider gives
 * without streaming: anthropic's messages, OpenAI's two, gemini's.
 * @returns undefined for what is no such stream
 */
export function eventStreamAnswer(text: string): JsonObject | undefined {
  const events = eventsIn(text);
  const [first] = events;
  if (first === undefined) return undefined;
  if (events.some(({ type }) => type === 'message_start')) return anthropicAnswer(events);
  const completed = events.find(({ type }) => type === 'response.completed')?.response;
  if (isObject(completed)) return completed;
  if (events.some(({ choices }) => Array.isArray(choices))) return chatAnswer(events);
  return events.some(({ candidates }) => Array.isArray(candidates))
    ? geminiAnswer(events)
    : undefined;
}

function eventsIn(text: string): readonly JsonObject[] {
  const events: JsonObject[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith('data:')) continue;
    try {
      const event: unknown = JSON.parse(line.slice('data:'.length));
      if (isObject(event)) events.push(event);
    } catch {
      // `[DONE]`, or an event that was cut off with the log.
    }
  }
  return events;
}

/** A block of an answer while its pieces come. */
interface GrowingBlock {
  readonly block: Record<string, unknown>;
  input: string;
}

function anthropicAnswer(events: readonly JsonObject[]): JsonObject {
  let message: JsonObject = {};
  const blocks = new Map<unknown, GrowingBlock>();
  for (const event of events) {
    const { type, index, delta } = event;
    if (type === 'message_start' && isObject(event.message)) message = { ...event.message };
    if (type === 'content_block_start' && isObject(event.content_block)) {
      blocks.set(index, { block: { ...event.content_block }, input: '' });
    }
    const growing = blocks.get(index);
    if (type === 'content_block_delta' && growing !== undefined && isObject(delta)) {
      for (const key of ['text', 'thinking', 'signature'] as const) {
        if (typeof delta[key] !== 'string') continue;
        growing.block[key] = stringOf(growing.block[key]) + delta[key];
      }
      growing.input += stringOf(delta.partial_json);
    }
    if (type === 'message_delta') {
      const usage = { ...objectOf(message.usage), ...objectOf(event.usage) };
      message = { ...message, ...objectOf(delta), usage };
    }
  }
  const content = [...blocks.values()].map(({ block, input }) =>
    input === '' ? block : { ...block, input: parsed(input) },
  );
  return { ...message, role: 'assistant', content: blocks.size > 0 ? content : message.content };
}

function chatAnswer(events: readonly JsonObject[]): JsonObject {
  let content = '';
  let rest: JsonObject = {};
  const calls = new Map<unknown, { id: string; name: string; text: string }>();
  for (const event of events) {
    const { choices, ...facts } = event;
    const known = Object.entries(facts).filter(([, value]) => value !== null);
    rest = { ...rest, ...Object.fromEntries(known) };
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    const delta = isObject(choice) && isObject(choice.delta) ? choice.delta : {};
    content += stringOf(delta.content);
    const pieces: readonly unknown[] = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
    for (const piece of pieces.filter(isObject)) {
      const body = objectOf(piece.function);
      const call = calls.get(piece.index) ?? { id: '', name: '', text: '' };
      call.id ||= stringOf(piece.id);
      call.name += stringOf(body.name);
      call.text += stringOf(body.arguments);
      calls.set(piece.index, call);
    }
  }
  const made = [...calls.values()].map(({ id, name, text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  }));
  const message = {
    role: 'assistant',
    content: content === '' && made.length > 0 ? null : content,
    ...(made.length === 0 ? {} : { tool_calls: made }),
  };
  return { ...rest, choices: [{ index: 0, message }] };
}

function geminiAnswer(events: readonly JsonObject[]): JsonObject {
  const parts: unknown[] = [];
  let rest: JsonObject = {};
  for (const { candidates, ...facts } of events) {
    rest = { ...rest, ...facts };
    const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
    const content = isObject(candidate) && isObject(candidate.content) ? candidate.content : {};
    if (Array.isArray(content.parts)) pushAll(parts, content.parts);
  }
  return { ...rest, candidates: [{ content: { role: 'model', parts } }] };
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
