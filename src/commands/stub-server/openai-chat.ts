/** The OpenAI Chat Completions wire: requests, responses, the event stream, errors. */
import { asArray, asObject, asString, objectsOf } from '../../shape/json-values.ts';
import { type Message, plainText } from '../../transcript/message.ts';
import { readBody, refuseViolations, tokenLimit } from './read-body.ts';
import {
  type Answer,
  piecesOf,
  type Refusal,
  type ServedRequest,
  type ServedWire,
  type ToolChoice,
} from './wire.ts';

/** Reply limit of a request that names none; this wire does not ask for one. */
const DEFAULT_LIMIT = 16_384;

export const openaiChatWire: ServedWire = {
  name: 'openai-chat',

  read(text) {
    const body = readBody(text, 'openai-chat');
    const { value, parsed } = body;
    const key = value.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens';
    const maxOutputTokens = value[key] == null ? DEFAULT_LIMIT : tokenLimit(value[key], key);
    refuseViolations(body, 'openai-chat');
    const { tools } = parsed.envelope;
    const parts = [...asArray(value.tools), ...asArray(value.messages)];
    return {
      model: body.model,
      stream: value.stream === true,
      maxOutputTokens,
      messages: parsed.messages,
      systemText: leadingSystem(parsed.messages).map(plainText).join('\n'),
      tools: objectsOf(value.tools).map(({ function: declared }) => {
        const { name, description, parameters } = asObject(declared);
        return {
          name: asString(name) ?? '',
          description: asString(description) ?? '',
          schema: parameters,
        };
      }),
      toolChoice: toolChoice(value.tool_choice),
      raw: { messages: body.list, ...(tools === undefined ? {} : { tools }) },
      parts: parts.map((part) => ({ text: JSON.stringify(part), marked: true })),
      streamUsage: asObject(value.stream_options).include_usage === true,
    };
  },

  respond(request, answer, id) {
    const { text, toolCalls } = answer;
    const message = {
      role: 'assistant',
      content: text === '' && toolCalls.length > 0 ? null : text,
      refusal: null,
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(callOf) }),
    };
    const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(answer) };
    return {
      ...opening(request, id, 'chat.completion'),
      choices: [choice],
      usage: usageOf(answer),
    };
  },

  stream(request, answer, id) {
    const head = opening(request, id, 'chat.completion.chunk');
    const usage = request.streamUsage ? { usage: null } : {};
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...usage,
    });
    const chunks: object[] = [chunk({ role: 'assistant', content: '' })];
    for (const content of piecesOf(answer.text)) chunks.push(chunk({ content }));
    for (const [index, call] of answer.toolCalls.entries()) {
      const { function: named, ...rest } = callOf(call);
      const start = { index, ...rest, function: { name: named.name, arguments: '' } };
      chunks.push(chunk({ tool_calls: [start] }));
      for (const piece of piecesOf(named.arguments)) {
        chunks.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
      }
    }
    chunks.push(chunk({}, finishReason(answer)));
    if (request.streamUsage) chunks.push({ ...head, choices: [], usage: usageOf(answer) });
    return [...chunks.map((data) => `data: ${JSON.stringify(data)}\n\n`), 'data: [DONE]\n\n'];
  },

  problem(refusal) {
    const { message, param = null } = refusal;
    return { error: { message, ...errorKind(refusal), param } };
  },

  models(names) {
    const data = names.map((id) => ({ id, object: 'model', created: 0, owned_by: 'stub-server' }));
    return { object: 'list', data };
  },
};

function opening({ model }: ServedRequest, id: string, object: string) {
  return { id: `chatcmpl-${id}`, object, created: 0, model, system_fingerprint: null };
}

function callOf({ id, name, arguments: text }: Answer['toolCalls'][number]) {
  return { id, type: 'function', function: { name, arguments: text } };
}

function finishReason({ toolCalls }: Answer): string {
  return toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

/** `prompt_tokens` holds what the cache served. */
function usageOf({ inputTokens, outputTokens, cacheReadTokens }: Answer) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}

function errorKind({ status }: Refusal): { type: string; code: string | null } {
  switch (status) {
    case 401:
      return { type: 'invalid_request_error', code: 'invalid_api_key' };
    case 429:
      return { type: 'requests', code: 'rate_limit_exceeded' };
    default:
      return { type: status < 500 ? 'invalid_request_error' : 'server_error', code: null };
  }
}

function leadingSystem(messages: readonly Message[]): readonly Message[] {
  const end = messages.findIndex(({ role }) => role !== 'system');
  return messages.slice(0, end < 0 ? messages.length : end);
}

function toolChoice(value: unknown): ToolChoice {
  if (value === 'none') return { kind: 'none' };
  if (value === 'required') return { kind: 'any' };
  const name = asString(asObject(asObject(value).function).name);
  return name === undefined ? { kind: 'auto' } : { kind: 'tool', name };
}
