/** Anthropic's Messages wire, through its SDK. */

import Anthropic, {
  APIConnectionError,
  APIConnectionTimeoutError,
  APIError,
} from '@anthropic-ai/sdk';
import { z } from 'zod';
import { countTokens } from '../text/tokens.ts';
import type { Endpoint } from './endpoint.ts';
import type { ModelReply, ModelRequest, TurnReply, TurnRequest } from './model.ts';
import {
  ATTEMPT_TIME_LIMIT,
  bodyOf,
  type ProviderWire,
  parseReply,
  readSdkError,
} from './provider-wire.ts';

const block = z.object({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
});

const reply = z.object({
  content: z.array(block),
  stop_reason: z.string().nullish(),
  usage: z
    .object({
      input_tokens: z.number(),
      output_tokens: z.number(),
      cache_creation_input_tokens: z.number().nullish(),
      cache_read_input_tokens: z.number().nullish(),
    })
    .nullish(),
});

type Reply = z.output<typeof reply>;

export function anthropicWire(endpoint: Endpoint): ProviderWire {
  const client = clientOf(endpoint);
  const headers = headersOf(endpoint);

  async function send(body: string, signal: AbortSignal): Promise<Reply> {
    const found: unknown = await client.post('/v1/messages', { body, headers, signal });
    return parseReply(reply, found);
  }

  return {
    name: 'anthropic',
    ask: async (request, signal) => {
      const body = askBody(endpoint.model, request);
      const found = await send(body, signal);
      return readReply(found, `${request.system}${request.prompt}`);
    },
    turn: async (request, signal) => {
      const body = turnBody(endpoint.model, request);
      return readReply(await send(body, signal), body);
    },
    failureOf: (error) =>
      readSdkError(error, { APIError, APIConnectionError, APIConnectionTimeoutError }),
  };
}

/** Everything is given, so that the SDK reads no variable; the retries are ours. */
function clientOf({ baseUrl, key = 'none' }: Endpoint): Anthropic {
  return new Anthropic({
    baseURL: baseUrl,
    apiKey: key,
    maxRetries: 0,
    timeout: ATTEMPT_TIME_LIMIT,
    logLevel: 'off',
  });
}

/** The SDK's own way is a bearer token; here the config decides. */
function headersOf({ key, auth, login }: Endpoint): Record<string, string | null> {
  const bearer = key !== undefined && auth === 'bearer' ? `Bearer ${key}` : null;
  const basic = login === undefined ? null : `Basic ${Buffer.from(login).toString('base64')}`;
  return {
    'content-type': 'application/json',
    authorization: bearer ?? basic,
    'x-api-key': key !== undefined && auth === 'x-api-key' ? key : null,
  };
}

/** The system part is a cacheable block of its own, apart from the turn that varies. */
function askBody(model: string, { system, prompt, maxOutputTokens }: ModelRequest): string {
  return JSON.stringify({
    model,
    max_tokens: maxOutputTokens,
    // An empty text block is refused.
    ...(system === ''
      ? {}
      : { system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }] }),
    messages: [{ role: 'user', content: prompt }],
  });
}

function turnBody(model: string, request: TurnRequest): string {
  return bodyOf([
    ['model', JSON.stringify(model)],
    ['max_tokens', String(request.maxOutputTokens)],
    ['system', request.system],
    ['tools', request.tools],
    ['messages', request.messages],
  ]);
}

/** A refusal says nothing that could be used; a reply cut at its length is given as far as it came. */
function readReply(found: Reply, sent: string): TurnReply {
  const blocks = found.stop_reason === 'refusal' ? [] : found.content;
  const text = blocks.map((one) => (one.type === 'text' ? (one.text ?? '') : '')).join('');
  const toolCalls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }, index) => ({
      id: id ?? `call_${index}`,
      name: name ?? '',
      arguments: JSON.stringify(input ?? {}),
    }));
  const said = [text, ...toolCalls.flatMap((call) => [call.name, call.arguments])].join('\n');
  return { text, toolCalls, ...usageOf(found, sent, said) };
}

/** Anthropic counts what a cache served or took apart from the input; without usage, by our own count. */
function usageOf({ usage }: Reply, sent: string, said: string): Omit<ModelReply, 'text'> {
  if (usage === null || usage === undefined) {
    return { inputTokens: countTokens(sent), outputTokens: countTokens(said) };
  }
  const read = usage.cache_read_input_tokens ?? undefined;
  const written = usage.cache_creation_input_tokens ?? undefined;
  return {
    inputTokens: usage.input_tokens + (read ?? 0) + (written ?? 0),
    outputTokens: usage.output_tokens,
    ...(read === undefined ? {} : { cacheReadTokens: read }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
  };
}
