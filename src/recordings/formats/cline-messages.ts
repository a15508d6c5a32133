import { z } from 'zod';
import type { Transcript } from '../../transcript/transcript.ts';
import { anthropic } from '../../wire/anthropic.ts';
import { isObject, type JsonObject } from '../../wire/json-object.ts';
import { elements, member, path, rootSpan, type Span, slice } from '../../wire/json-spans.ts';
import { compactJson, envelopeOf, onlyKeys } from '../chat.ts';
import { type Entry, lengthOf, readEntries } from '../entries.ts';
import { readTime } from '../responses.ts';
import { schemaError } from '../schema.ts';
import { type CallFacts, countList, requestsOfList, stemOf, toTranscript } from '../transcripts.ts';
import type { Format, ReadContext } from './format.ts';

const NAME = 'cline-messages';

const tokens = z.number().nonnegative().nullish();
const recordSchema = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
  ts: z.union([z.number(), z.string()]).nullish(),
  modelInfo: z.looseObject({ id: z.string().nullish(), modelId: z.string().nullish() }).nullish(),
  metrics: z
    .looseObject({
      inputTokens: tokens,
      outputTokens: tokens,
      cacheReadTokens: tokens,
      cacheWriteTokens: tokens,
      cost: tokens,
      /** Newer files: what came from the cache is counted in the prompt. */
      tokens: z.looseObject({ prompt: tokens, completion: tokens, cached: tokens }).nullish(),
    })
    .nullish(),
});
const sessionSchema = z.union([
  z.array(recordSchema),
  z.looseObject({
    messages: z.array(recordSchema),
    sessionId: z.string().nullish(),
    system_prompt: z.string().nullish(),
  }),
]);
type Recorded = z.infer<typeof recordSchema>;

/**
 * Sessions of an editor's agent: `{sessionId, system_prompt, messages: [{role, content, ts, modelInfo,
 * metrics}]}`, or the messages alone. The blocks are anthropic's but for two: a `file` that a user
 * attached, and results that are lists of `{query, result}`; both are sent as text.
 */
export const clineMessages: Format = {
  name: NAME,
  about:
    'an object {sessionId, system_prompt, messages: [{role, content, ts, modelInfo, metrics}]}',

  detect(document) {
    const [value] = document.sample;
    if (document.kind !== 'json') return false;
    const list: unknown = isObject(value) ? value.messages : value;
    return Array.isArray(list) && list.some(isTypical);
  },

  groupKeys: () => [],

  read(documents, context) {
    return documents.flatMap((document) => {
      if (document.kind !== 'json') return [];
      const records = (value: unknown) => lengthOf(isObject(value) ? value.messages : value);
      const whole = [rootSpan(document.text)];
      return readEntries(document, whole, context, 'messages', records, (entry) => [
        readSession(entry, context),
      ]);
    });
  },
};

function isTypical(value: unknown): boolean {
  return (
    isObject(value) &&
    value.role === 'assistant' &&
    (isObject(value.modelInfo) || isObject(value.metrics))
  );
}

function readSession({ text, span, value, file }: Entry, context: ReadContext): Transcript {
  const parsed = sessionSchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, clineMessages.about, value);
  const session = parsed.data;
  const isBare = Array.isArray(session);
  const recorded = isBare ? session : session.messages;
  const list = isBare ? span : path(text, ['messages'], span);
  const spans = list === undefined ? [] : elements(text, list);
  const messages = recorded.flatMap((record, index) => {
    const own = spans[index];
    return own === undefined
      ? []
      : [anthropic.parseMessage(write(record, text, own), context.table)];
  });
  const prompt = isBare ? undefined : session.system_prompt;
  const system = typeof prompt === 'string' && prompt !== '' ? JSON.stringify(prompt) : undefined;
  const envelope = envelopeOf(anthropic, { system }, context.table);
  const requests = requestsOfList(messages, (_, index) => ({
    ...(envelope === undefined ? {} : { envelope }),
    ...factsOf(recorded[index], recorded[index - 1]),
  }));
  countList(context.loss, file, messages, requests);
  const id = isBare ? undefined : (session.sessionId ?? undefined);
  const model = requests.find((request) => request.model !== undefined)?.model;
  return toTranscript({
    task: stemOf(file),
    trial: '0',
    lineage: 'main',
    source: { file, format: NAME, session: id ?? file },
    dialect: 'anthropic',
    agent: 'cline',
    ...(model === undefined ? {} : { model }),
    requests,
    retries: 0,
  });
}

function write({ role, content }: Recorded, text: string, record: Span): string {
  const span = member(text, record, 'content');
  if (span === undefined || typeof content === 'string') {
    return JSON.stringify({ role, content: typeof content === 'string' ? content : [] });
  }
  const spans = elements(text, span);
  const blocks = content.flatMap((block, index) => {
    const own = spans[index];
    return own === undefined ? [] : [writeBlock(block, text, own)];
  });
  return `{"role":"${role}","content":[${blocks.join(',')}]}`;
}

const RESULT_KEYS: ReadonlySet<string> = new Set([
  'type',
  'tool_use_id',
  'content',
  'is_error',
  'cache_control',
]);

function writeBlock(block: JsonObject, text: string, span: Span): string {
  if (block.type === 'file' && typeof block.content === 'string') {
    const named = `<file_content path=${JSON.stringify(block.path ?? '')}>`;
    return JSON.stringify({ type: 'text', text: `${named}\n${block.content}\n</file_content>` });
  }
  if (block.type !== 'tool_result') return slice(text, span);
  const content = member(text, span, 'content');
  const isWire =
    !Array.isArray(block.content) ||
    block.content.every((part) => isObject(part) && typeof part.type === 'string');
  if (content === undefined || isWire) return onlyKeys(text, span, RESULT_KEYS);
  return JSON.stringify({
    type: 'tool_result',
    tool_use_id: block.tool_use_id,
    content: compactJson(slice(text, content)),
    ...(block.is_error === true ? { is_error: true } : {}),
  });
}

function factsOf(answer: Recorded | undefined, before: Recorded | undefined): CallFacts {
  const metrics = answer?.metrics ?? {};
  const { cacheWriteTokens, cost, tokens: newer } = metrics;
  const inputTokens = metrics.inputTokens ?? newer?.prompt;
  const outputTokens = metrics.outputTokens ?? newer?.completion;
  const cacheReadTokens = metrics.cacheReadTokens ?? newer?.cached;
  const cached = (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  const usage = known({
    // The input counts what came from the cache and went to it.
    inputTokens:
      typeof inputTokens === 'number' && inputTokens >= cached ? inputTokens - cached : inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
  });
  const model = answer?.modelInfo?.id ?? answer?.modelInfo?.modelId;
  const time = readTime(before?.ts) ?? readTime(answer?.ts);
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(time === undefined ? {} : { time }),
    ...(Object.keys(usage).length === 0 ? {} : { usage }),
    ...(typeof cost === 'number' ? { cost } : {}),
  };
}

function known(
  counts: Readonly<Record<string, number | null | undefined>>,
): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [key, count] of Object.entries(counts))
    if (typeof count === 'number') found[key] = count;
  return found;
}
