/** The Anthropic Messages wire: requests, responses, the event stream, errors. */
import { asArray, asObject, asString, isObject, objectsOf } from '../../shape/json-values.ts';
import {
  type Body,
  cachePart,
  readBody,
  refuse,
  refuseViolations,
  tokenLimit,
} from './read-body.ts';
import {
  type Answer,
  type CachePart,
  piecesOf,
  type Refusal,
  type ServedRequest,
  type ServedWire,
  type ToolChoice,
} from './wire.ts';

export const anthropicWire: ServedWire = {
  name: 'anthropic',

  read(text) {
    const body = readBody(text, 'anthropic');
    const { value, parsed } = body;
    if (value.max_tokens === undefined) refuse('max_tokens: Field required', 'max_tokens');
    const maxOutputTokens = tokenLimit(value.max_tokens, 'max_tokens');
    refuseViolations(body, 'anthropic');
    const { system, tools } = parsed.envelope;
    return {
      model: body.model,
      stream: value.stream === true,
      maxOutputTokens,
      messages: parsed.messages,
      systemText: textOf(value.system),
      tools: objectsOf(value.tools).map((tool) => ({
        name: asString(tool.name) ?? '',
        description: asString(tool.description) ?? '',
        schema: tool.input_schema,
      })),
      toolChoice: toolChoice(asObject(value.tool_choice)),
      raw: {
        messages: body.list,
        ...(system === undefined ? {} : { system }),
        ...(tools === undefined ? {} : { tools }),
      },
      parts: cacheParts(body),
      streamUsage: true,
    };
  },

  respond(request, answer, id) {
    return {
      ...opening(request, id),
      content: contentOf(answer),
      stop_reason: stopReason(answer),
      usage: usageOf(answer),
    };
  },

  stream(request, answer, id) {
    const start = { ...opening(request, id), usage: { ...usageOf(answer), output_tokens: 1 } };
    const events: object[] = [{ type: 'message_start', message: start }];
    for (const [index, block] of contentOf(answer).entries()) {
      const isText = block.type === 'text';
      const empty = isText ? { ...block, text: '' } : { ...block, input: {} };
      events.push({ type: 'content_block_start', index, content_block: empty });
      if (index === 0) events.push({ type: 'ping' });
      for (const piece of piecesOf(isText ? block.text : JSON.stringify(block.input))) {
        const delta = isText
          ? { type: 'text_delta', text: piece }
          : { type: 'input_json_delta', partial_json: piece };
        events.push({ type: 'content_block_delta', index, delta });
      }
      events.push({ type: 'content_block_stop', index });
    }
    events.push({
      type: 'message_delta',
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: { output_tokens: answer.outputTokens },
    });
    events.push({ type: 'message_stop' });
    return events.map((event) => {
      const name = 'type' in event ? String(event.type) : '';
      return `event: ${name}\ndata: ${JSON.stringify(event)}\n\n`;
    });
  },

  problem(refusal, id) {
    const error = { type: errorType(refusal), message: refusal.message };
    return { type: 'error', error, request_id: `req_${id}` };
  },

  models(names) {
    const data = names.map((id) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: '1970-01-01T00:00:00Z',
    }));
    return { data, has_more: false, first_id: names[0] ?? null, last_id: names.at(-1) ?? null };
  },
};

function opening({ model }: ServedRequest, id: string) {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    };

function contentOf({ text, toolCalls }: Answer): readonly ContentBlock[] {
  const calls = toolCalls.map(({ id, name, arguments: input }) => ({
    type: 'tool_use' as const,
    id,
    name,
    input: parsedArguments(input),
  }));
  return text === '' ? calls : [{ type: 'text', text }, ...calls];
}

/** The wire carries an object; a scripted model may have written anything. */
function parsedArguments(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : { value };
  } catch {
    return { text };
  }
}

function stopReason({ toolCalls }: Answer): string {
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn';
}

/** `input_tokens` leaves out what the cache served or took in. */
function usageOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Answer) {
  return {
    input_tokens: inputTokens - cacheReadTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation: { ephemeral_5m_input_tokens: cacheWriteTokens, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    service_tier: 'standard',
  };
}

function errorType({ status }: Refusal): string {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 408:
    case 504:
      return 'timeout_error';
    case 413:
      return 'request_too_large';
    case 429:
      return 'rate_limit_error';
    case 529:
      return 'overloaded_error';
    default:
      return status < 500 ? 'invalid_request_error' : 'api_error';
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsOf(content)
    .map(({ text }) => asString(text) ?? '')
    .join('\n');
}

function toolChoice({ type, name }: { readonly [key: string]: unknown }): ToolChoice {
  if (type === 'tool') return { kind: 'tool', name: asString(name) ?? '' };
  return { kind: type === 'any' || type === 'none' ? type : 'auto' };
}

function cacheParts({ value }: Body): readonly CachePart[] {
  const system = typeof value.system === 'string' ? [value.system] : asArray(value.system);
  const blocks = objectsOf(value.messages).flatMap(({ role, content }) =>
    typeof content === 'string'
      ? [{ text: JSON.stringify([role, { type: 'text', text: content }]), marked: false }]
      : asArray(content).map((block) => {
          const { text, marked } = cachePart(block);
          return { text: `[${JSON.stringify(role)},${text}]`, marked };
        }),
  );
  return [...asArray(value.tools).map(cachePart), ...system.map(cachePart), ...blocks];
}
