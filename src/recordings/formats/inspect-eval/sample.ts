import { z } from 'zod';
import { isObject, type JsonObject } from '../../../wire/json-object.ts';

const contentSchema = z.union([z.string(), z.array(z.unknown())]).nullish();

export const messageSchema = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: contentSchema,
  tool_calls: z
    .array(z.looseObject({ id: z.string().nullish(), function: z.string().nullish() }))
    .nullish(),
  tool_call_id: z.string().nullish(),
  /** Text, or in older logs an object. */
  error: z.unknown().optional(),
});
export type SampleMessage = z.infer<typeof messageSchema>;

const usageSchema = z.looseObject({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  total_tokens: z.number().nullish(),
  input_tokens_cache_read: z.number().nullish(),
  input_tokens_cache_write: z.number().nullish(),
  total_cost: z.number().nullish(),
});

/** One call of a model. */
export const callSchema = z.looseObject({
  event: z.literal('model'),
  model: z.string().nullish(),
  timestamp: z.string().nullish(),
  input: z.array(messageSchema).nullish(),
  /** Half-open ranges of the pool, in place of `input`. */
  input_refs: z.array(z.tuple([z.number(), z.number()])).nullish(),
  tools: z.array(z.looseObject({ name: z.string() })).nullish(),
  output: z
    .looseObject({
      model: z.string().nullish(),
      choices: z.array(z.looseObject({ message: messageSchema })).nullish(),
      usage: usageSchema.nullish(),
    })
    .nullish(),
  call: z.looseObject({ request: z.unknown().optional() }).nullish(),
});
export type SampleCall = z.infer<typeof callSchema>;

export const sampleSchema = z.looseObject({
  id: z.union([z.string(), z.number()]),
  epoch: z.number().nullish(),
  uuid: z.string().nullish(),
  messages: z.array(z.unknown()),
  scores: z.record(z.string(), z.looseObject({ value: z.unknown().optional() })).nullish(),
  score: z.looseObject({ value: z.unknown().optional() }).nullish(),
  attachments: z.record(z.string(), z.string()).nullish(),
  events: z.array(z.unknown()).nullish(),
  message_pool: z.array(z.unknown()).nullish(),
});
export type Sample = z.infer<typeof sampleSchema>;

/** What happened, in order; older logs keep it in `transcript`. */
export function eventsOf(sample: JsonObject): readonly unknown[] {
  const older = isObject(sample.transcript) ? sample.transcript.events : undefined;
  for (const list of [sample.events, older]) if (Array.isArray(list)) return list;
  return [];
}

export function isCall(event: unknown): event is JsonObject {
  return isObject(event) && event.event === 'model';
}

/**
 * The model calls of a sample that are the agent's: those inside a scorer's span or step judge it.
 */
export function callsOf(events: readonly unknown[]): {
  readonly own: readonly JsonObject[];
  readonly judging: number;
} {
  const spans = new Map<unknown, JsonObject>();
  for (const event of events) {
    if (isObject(event) && event.event === 'span_begin')
      spans.set(event.id ?? event.span_id, event);
  }
  const isJudging = (id: unknown): boolean => {
    const passed = new Set<unknown>();
    for (
      let at = spans.get(id);
      at !== undefined && !passed.has(at);
      at = spans.get(at.parent_id)
    ) {
      if (at.type === 'scorer' || at.type === 'scorers') return true;
      passed.add(at);
    }
    return false;
  };
  let depth = 0;
  let judging = 0;
  const own: JsonObject[] = [];
  for (const event of events) {
    if (!isObject(event)) continue;
    if (event.event === 'step' && event.type === 'scorer') {
      depth += event.action === 'begin' ? 1 : -1;
    }
    if (!isCall(event)) continue;
    if (depth > 0 || isJudging(event.span_id)) judging++;
    else own.push(event);
  }
  return { own, judging };
}

/** Texts that a log keeps apart, by their digest. */
export function attachmentsOf(sample: JsonObject): JsonObject {
  const older = isObject(sample.transcript) ? sample.transcript.content : undefined;
  return {
    ...(isObject(older) ? older : {}),
    ...(isObject(sample.attachments) ? sample.attachments : {}),
  };
}

/** The messages that calls refer to by their position. */
export function poolOf(sample: JsonObject): readonly unknown[] {
  const data = isObject(sample.events_data) ? sample.events_data : {};
  for (const pool of [sample.message_pool, data.messages]) if (Array.isArray(pool)) return pool;
  return [];
}

const REFERENCE = /(?:attachment|tc):\/\/([\w-]+)/g;

/** The value with each reference to an attachment replaced by its text; unknown ones stay. */
export function resolved(value: unknown, attachments: JsonObject): unknown {
  if (typeof value === 'string') {
    if (!value.includes('://')) return value;
    return value.replace(REFERENCE, (reference, key: string) => {
      const text = attachments[key];
      return typeof text === 'string' ? text : reference;
    });
  }
  if (Array.isArray(value)) return value.map((inner) => resolved(inner, attachments));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, resolved(inner, attachments)]),
  );
}

const GRADES: ReadonlyMap<string, number> = new Map(Object.entries({ C: 1, P: 0.5, I: 0, N: 0 }));

/** The first score that is a grade or a number. */
export function rewardOf({ scores, score }: Sample): number | undefined {
  for (const { value } of [...Object.values(scores ?? {}), ...(score ? [score] : [])]) {
    if (typeof value === 'boolean') return Number(value);
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (typeof value !== 'string') continue;
    const grade = GRADES.get(value);
    if (grade !== undefined) return grade;
    if (value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  }
  return undefined;
}
