import { z } from 'zod';
import { isObject, type JsonObject } from '../../../wire/json-object.ts';
import { elements, member, path, rootSpan, type Span, slice } from '../../../wire/json-spans.ts';
import { stringOf } from '../../../wire/parts.ts';
import { type Document, documentLines } from '../../document.ts';
import { LineCounter } from '../../line-counter.ts';
import { readTime } from '../../responses.ts';
import { schemaError } from '../../schema.ts';

/** One record of a rollout. `raw` is the exact text of its payload. */
export interface RolloutRecord {
  readonly type: string;
  readonly time: number | undefined;
  readonly payload: JsonObject;
  readonly raw: string;
}

const recordSchema = z.looseObject({
  type: z.string(),
  timestamp: z.union([z.string(), z.number()]).nullish(),
  payload: z.looseObject({}),
});

const ABOUT = 'a record {timestamp, type, payload}';

/** The text of one record, and the line that it begins at. */
export interface RecordText {
  readonly line: number;
  readonly text: string;
}

/** The records' texts: lines, or, in files of the first versions, the entries of one object. */
export function* recordTexts(document: Document): Generator<RecordText> {
  const [value] = document.sample;
  if (document.kind === 'jsonl' || !isObject(value) || !isWhole(value)) {
    yield* documentLines(document);
    return;
  }
  const { text } = document;
  const session = path(text, ['session']);
  const items = path(text, ['items']);
  const spans = [...(session ? [session] : []), ...(items ? elements(text, items) : [])];
  const lines = new LineCounter(text);
  for (const span of spans) yield { line: lines.lineOf(span.start), text: slice(text, span) };
}

/** True for a whole session in one object, as the first versions wrote it. */
export function isWhole(value: unknown): boolean {
  return (
    isObject(value) &&
    isObject(value.session) &&
    Array.isArray(value.items) &&
    value.items.every((item) => isObject(item) && isBareItem(item))
  );
}

/**
 * Reads one record. The first versions wrote items without a record around them, and a first line that
 * is the session's.
 */
export function readRecord(text: string): RolloutRecord {
  const value: unknown = JSON.parse(text);
  if (isObject(value) && !('payload' in value)) {
    const bare = bareType(value);
    if (bare !== undefined) {
      const time = readTime(value.timestamp);
      return { type: bare, time, payload: value, raw: slice(text, rootSpan(text)) };
    }
  }
  const parsed = recordSchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, ABOUT, value);
  const payload = member(text, rootSpan(text), 'payload');
  return {
    type: parsed.data.type,
    time: readTime(parsed.data.timestamp),
    payload: parsed.data.payload,
    raw: payload === undefined ? '{}' : slice(text, payload),
  };
}

function bareType(value: JsonObject): string | undefined {
  if (typeof value.record_type === 'string') return value.record_type;
  if (isBareItem(value)) return 'response_item';
  return isBareMeta(value) ? 'session_meta' : undefined;
}

/** The first line of the first versions: `{id, timestamp, instructions}`. */
export function isBareMeta(value: JsonObject): boolean {
  return !('type' in value) && typeof value.id === 'string' && 'timestamp' in value;
}

const BARE_TYPES = /^(?:message|reasoning|(?:\w+_call)(?:_output)?)$/;

function isBareItem(value: JsonObject): boolean {
  return typeof value.type === 'string' && BARE_TYPES.test(value.type);
}

/** Exact texts of the items that a compaction left. */
export function replacementItems(raw: string): readonly string[] | undefined {
  const list = member(raw, rootSpan(raw), 'replacement_history');
  if (list === undefined || raw[list.start] !== '[') return undefined;
  return elements(raw, list).map((span: Span) => slice(raw, span));
}

/**
 * An item as it goes over the wire. A rollout has it as it was sent; other writers of this format spell
 * arguments as `parameters`, and outputs as objects, which the wire takes as text.
 */
export function wireItem(item: JsonObject, raw: string): string {
  const type = stringOf(item.type);
  if (type === 'function_call' && item.arguments === undefined && item.parameters !== undefined) {
    const { parameters, ...rest } = item;
    const text = typeof parameters === 'string' ? parameters : JSON.stringify(parameters);
    return JSON.stringify({ ...rest, arguments: text });
  }
  if (type === 'function_call_output' && isObject(item.output)) {
    const output = path(raw, ['output']);
    const text = output === undefined ? '' : slice(raw, output);
    const said = typeof item.output.content === 'string' ? item.output.content : text;
    return JSON.stringify({ ...item, output: said });
  }
  return raw;
}
