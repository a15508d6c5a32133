/** The Chat Completions wire of OpenAI and of every server that speaks it, through OpenAI's SDK. */

import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { z } from 'zod';
import { countTokens } from '../text/tokens.ts';
import type { Endpoint } from './endpoint.ts';
import type { ModelReply, ModelRequest, TurnReply, TurnRequest } from './model.ts';
import {
  ATTEMPT_TIME_LIMIT,
  bodyOf,
  bodyText,
  MalformedReply,
  type ProviderWire,
  parseReply,
  readSdkError,
} from './provider-wire.ts';

const toolCall = z.object({
  id: z.string().nullish(),
  function: z.object({ name: z.string(), arguments: z.unknown().optional() }),
});

const part = z.object({ type: z.string(), text: z.string().optional() });

const reply = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.union([z.string(), z.array(part)]).nullish(),
          tool_calls: z.array(toolCall).nullish(),
        }),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: z.number(),
      completion_tokens: z.number(),
      prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
});

type Reply = z.output<typeof reply>;

/** The two names of the limit on a reply: OpenAI's newer models refuse the old one, many servers the new. */
type LimitName = 'max_completion_tokens' | 'max_tokens';

export function openaiWire(endpoint: Endpoint): ProviderWire {
  const client = clientOf(endpoint);
  const headers = headersOf(endpoint);
  let limitName: LimitName = endpoint.official ? 'max_completion_tokens' : 'max_tokens';

  async function post(body: string, signal: AbortSignal): Promise<Reply> {
    const found: unknown = await client.post('/chat/completions', { body, headers, signal });
    // Some gateways answer 200 and put the error inside.
    if (typeof found === 'object' && found !== null && 'error' in found && !('choices' in found)) {
      throw new MalformedReply(`an error in place of a reply, ${bodyText(found)}`);
    }
    return parseReply(reply, found);
  }

  /** Where the server refuses the name of the limit, the other one serves from then on. */
  async function send(body: (limit: LimitName) => string, signal: AbortSignal): Promise<Reply> {
    const used = limitName;
    try {
      return await post(body(used), signal);
    } catch (error) {
      if (!refuses(error, used)) throw error;
      const other = used === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
      const found = await post(body(other), signal);
      limitName = other;
      return found;
    }
  }

  return {
    name: 'openai-chat',
    ask: async (request, signal) => {
      const found = await send((limit) => askBody(endpoint.model, request, limit), signal);
      return readReply(found, `${request.system}${request.prompt}`);
    },
    turn: async (request, signal) => {
      const found = await send((limit) => turnBody(endpoint.model, request, limit), signal);
      return readReply(found, `${request.system ?? ''}${request.tools ?? ''}${request.messages}`);
    },
    failureOf: (error) =>
      readSdkError(error, { APIError, APIConnectionError, APIConnectionTimeoutError }),
  };
}

/** Everything is given, so that the SDK reads no variable; the retries are ours. */
function clientOf({ baseUrl, key = 'none' }: Endpoint): OpenAI {
  return new OpenAI({
    baseURL: baseUrl,
    apiKey: key,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: ATTEMPT_TIME_LIMIT,
    logLevel: 'off',
  });
}

function headersOf({ key, login }: Endpoint): Record<string, string | null> {
  const bearer = key === undefined ? null : `Bearer ${key}`;
  const basic = login === undefined ? null : `Basic ${Buffer.from(login).toString('base64')}`;
  return { 'content-type': 'application/json', authorization: bearer ?? basic };
}

function refuses(error: unknown, parameter: LimitName): boolean {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return false;
  return new RegExp(`\\b${parameter}\\b`).test(`${error.param ?? ''} ${error.message}`);
}

/** The system part comes first and is the same in every call, which is what a prefix cache needs. */
function askBody(model: string, request: ModelRequest, limit: LimitName): string {
  const { system, prompt, maxOutputTokens } = request;
  return JSON.stringify({
    model,
    [limit]: maxOutputTokens,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: prompt },
    ],
  });
}

function turnBody(model: string, request: TurnRequest, limit: LimitName): string {
  const { system, tools, messages, maxOutputTokens } = request;
  return bodyOf([
    ['model', JSON.stringify(model)],
    [limit, String(maxOutputTokens)],
    // An empty list is refused.
    ['tools', tools === undefined || /^\s*\[\s*\]\s*$/.test(tools) ? undefined : tools],
    ['messages', system === undefined ? messages : withSystem(system, messages)],
  ]);
}

/** This wire has its system prompt in the list. */
function withSystem(system: string, messages: string): string {
  const rest = messages.trimStart().slice(1);
  const comma = rest.trimStart().startsWith(']') ? '' : ',';
  return `[{"role":"system","content":${system}}${comma}${rest}`;
}

/** A refusal says nothing that could be used; a reply cut at its length is given as far as it came. */
function readReply(found: Reply, sent: string): TurnReply {
  const [choice] = found.choices;
  const isRefused = choice?.finish_reason === 'content_filter';
  const message = isRefused ? undefined : choice?.message;
  const text = textOf(message?.content);
  const toolCalls = (message?.tool_calls ?? []).map(({ id, function: called }, index) => ({
    id: id ?? `call_${index}`,
    name: called.name,
    arguments:
      typeof called.arguments === 'string'
        ? called.arguments
        : JSON.stringify(called.arguments ?? {}),
  }));
  const said = [text, ...toolCalls.flatMap((call) => [call.name, call.arguments])].join('\n');
  return { text, toolCalls, ...usageOf(found, sent, said) };
}

function textOf(content: Reply['choices'][number]['message']['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join('');
}

/** What a cache served is in the input already; without usage, by our own count. */
function usageOf({ usage }: Reply, sent: string, said: string): Omit<ModelReply, 'text'> {
  if (usage === null || usage === undefined) {
    return { inputTokens: countTokens(sent), outputTokens: countTokens(said) };
  }
  const cached = usage.prompt_tokens_details?.cached_tokens ?? undefined;
  return {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    ...(cached === undefined ? {} : { cacheReadTokens: cached }),
  };
}
