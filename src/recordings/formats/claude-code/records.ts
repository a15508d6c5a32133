import { z } from 'zod';
import { isObject } from '../../../wire/json-object.ts';
import { elements, member, path, rootSpan, type Span, slice } from '../../../wire/json-spans.ts';
import { type Document, documentLines } from '../../document.ts';
import { problemOf } from '../../problem.ts';
import { readTime } from '../../responses.ts';
import { inputError, schemaError } from '../../schema.ts';
import type { ReadContext } from '../format.ts';

/** What a record says to the model or the model said: its wire parts as exact texts. */
export interface RecordedMessage {
  readonly role: 'user' | 'assistant';
  /** Raw JSON of the message that it is by itself, `{"role":…,"content":…}`. */
  readonly raw: string;
  /** Raw JSON of `content`: a string or an array. */
  readonly content: string;
  /** The same as it was parsed, where it was. */
  readonly value?: unknown;
  /** Raw JSON of each content block; empty for a string. */
  readonly blocks: readonly string[];
  /** Ids of the tool results among the blocks. */
  readonly resultIds: readonly string[];
  /** Ids of the tool calls among the blocks. */
  readonly callIds: readonly string[];
  /** Id of the provider's response, which several records may share. */
  readonly id?: string;
  readonly model?: string;
  readonly usage?: unknown;
}

/** One line of a session file. */
export interface SessionRecord {
  readonly file: string;
  /** Running number over all files, in the order that they were read. */
  readonly position: number;
  readonly type: string;
  readonly subtype: string | undefined;
  readonly uuid: string | undefined;
  /** The record before it; after a compaction the one that it replaced. */
  readonly parent: string | undefined;
  readonly session: string | undefined;
  /** Set on the records of a sub-agent. */
  readonly agent: string | undefined;
  readonly isSidechain: boolean;
  /** Copied into another record: `uuid` is that of the original. */
  readonly isCopy: boolean;
  readonly time: number | undefined;
  readonly isMeta: boolean;
  readonly isCompactSummary: boolean;
  /** Results that a microcompaction cleared. */
  readonly clearedIds: readonly string[];
  /** The records that a compaction kept, by uuid, and the record that they stand behind from then on. */
  readonly kept?:
    | { readonly head: string; readonly tail: string; readonly behind: string | undefined }
    | undefined;
  /** Absent where the record is not sent to the model. */
  readonly message: RecordedMessage | undefined;
}

const blockSchema = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  tool_use_id: z.string().optional(),
});

const messageSchema = z.looseObject({
  id: z.string().nullish(),
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string(), z.array(blockSchema)]),
  model: z.string().nullish(),
});

const recordSchema = z.looseObject({
  type: z.string(),
  subtype: z.string().nullish(),
  uuid: z.string().nullish(),
  parentUuid: z.string().nullish(),
  logicalParentUuid: z.string().nullish(),
  sessionId: z.string().nullish(),
  agentId: z.string().nullish(),
  isSidechain: z.boolean().nullish(),
  isMeta: z.boolean().nullish(),
  isCompactSummary: z.boolean().nullish(),
  isApiErrorMessage: z.boolean().nullish(),
  isVisibleInTranscriptOnly: z.boolean().nullish(),
  compactMetadata: z
    .looseObject({
      preservedSegment: z
        .looseObject({
          headUuid: z.string(),
          tailUuid: z.string(),
          anchorUuid: z.string().nullish(),
        })
        .nullish(),
    })
    .nullish(),
  microcompactMetadata: z
    .looseObject({ compactedToolIds: z.array(z.string()).nullish() })
    .nullish(),
});
type ParsedRecord = z.infer<typeof recordSchema>;

const ABOUT = 'a session record {type, uuid, parentUuid, sessionId, message: {role, content}}';

/** The records of a session file, in order. A line that cannot be read is reported. */
export function* readRecords(
  document: Document,
  context: ReadContext,
  firstPosition: number,
): Generator<SessionRecord> {
  let position = firstPosition;
  for (const { line, text } of documentLines(document)) {
    try {
      for (const record of readLine(text, document.file.path, position)) {
        position++;
        yield record;
      }
    } catch (error) {
      context.loss.skipped(document.file.path, 'a broken line');
      context.report(problemOf(inputError(text, error), document.file.path, line));
    }
  }
}

/** The record of a line, and behind it the sub-agent's record that it is a copy of. */
function readLine(text: string, file: string, position: number): readonly SessionRecord[] {
  const value: unknown = JSON.parse(text);
  const parsed = recordSchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, ABOUT, value);
  const record = parsed.data;
  const root = rootSpan(text);
  const own: SessionRecord = {
    ...common(record, file, position),
    type: record.type,
    uuid: record.uuid ?? undefined,
    parent: record.parentUuid ?? record.logicalParentUuid ?? undefined,
    agent: record.agentId ?? undefined,
    isSidechain: record.isSidechain === true,
    isCopy: false,
    time: readTime(record.timestamp),
    message: isSent(record) ? messageAt(text, root, record.message) : undefined,
  };
  const copied = copiedRecord(record);
  const inner = copied === undefined ? undefined : path(text, ['data', 'message'], root);
  if (copied === undefined || inner === undefined) return [own];
  const copy: SessionRecord = {
    ...common(record, file, position + 1),
    type: copied.type,
    uuid: copied.uuid,
    // Copies say nothing of their parents: they stand in file order.
    parent: undefined,
    agent: copied.agent,
    isSidechain: true,
    isCopy: true,
    time: readTime(copied.timestamp) ?? own.time,
    message: messageAt(text, inner, copied.message),
  };
  return [own, copy];
}

function common(record: ParsedRecord, file: string, position: number) {
  return {
    file,
    position,
    subtype: record.subtype ?? undefined,
    session: record.sessionId ?? undefined,
    isMeta: record.isMeta === true,
    isCompactSummary: record.isCompactSummary === true,
    clearedIds: record.microcompactMetadata?.compactedToolIds ?? [],
    kept: keptBy(record),
  };
}

function keptBy({ compactMetadata }: ParsedRecord): SessionRecord['kept'] {
  const segment = compactMetadata?.preservedSegment;
  if (segment === null || segment === undefined) return undefined;
  const { headUuid: head, tailUuid: tail, anchorUuid } = segment;
  return { head, tail, behind: anchorUuid ?? undefined };
}

/** Messages of the client itself (an API error, a note for the reader alone) are never sent. */
function isSent(record: ParsedRecord): boolean {
  if (record.type !== 'user' && record.type !== 'assistant') return false;
  if (record.isApiErrorMessage === true) return false;
  return record.isVisibleInTranscriptOnly !== true || record.isCompactSummary === true;
}

/** The sub-agent's record that a `progress/agent_progress` record copies. */
function copiedRecord(record: ParsedRecord) {
  const data = record.type === 'progress' ? record.data : undefined;
  if (!isObject(data) || data.type !== 'agent_progress' || !isObject(data.message))
    return undefined;
  const { type, uuid, timestamp, message } = data.message;
  const agent = data.agentId ?? record.parentToolUseID;
  if ((type !== 'user' && type !== 'assistant') || typeof agent !== 'string') return undefined;
  return { agent, type, uuid: typeof uuid === 'string' ? uuid : undefined, timestamp, message };
}

/** @param value the record's `message` as it was parsed */
function messageAt(text: string, record: Span, value: unknown): RecordedMessage {
  const span = member(text, record, 'message');
  const parsed = messageSchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, ABOUT, value);
  const content = span === undefined ? undefined : member(text, span, 'content');
  const { role, content: parts, id, model } = parsed.data;
  const blocks = typeof parts === 'string' ? [] : parts;
  return {
    role,
    ...wireTexts(role, text, content),
    value: content === undefined ? [] : contentOf(value),
    resultIds: blocks.flatMap((block) => block.tool_use_id ?? []),
    callIds: blocks.flatMap(({ type, id: call }) => (type === 'tool_use' ? (call ?? []) : [])),
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof model === 'string' ? { model } : {}),
    ...(parsed.data.usage === undefined ? {} : { usage: parsed.data.usage }),
  };
}

/**
 * The texts of a message by its role and where its content stands in `text`. They are slices of one another and
 * not of `text`, so that a line does not stay in memory beside its message.
 */
export function wireTexts(
  role: RecordedMessage['role'],
  text: string,
  content: Span | undefined,
): Pick<RecordedMessage, 'raw' | 'content' | 'blocks'> {
  const before = `{"role":"${role}","content":`;
  const written = content === undefined ? '[]' : slice(text, content);
  const raw = `${before}${written}}`;
  const shift = before.length - (content?.start ?? 0);
  const blocks = content === undefined ? [] : elements(text, content);
  return {
    raw,
    content: raw.slice(before.length, -1),
    blocks: blocks.map(({ start, end }) => raw.slice(start + shift, end + shift)),
  };
}

/** The content as `JSON.parse` made it: what a schema makes of it has other keys in another order. */
function contentOf(message: unknown): unknown {
  return isObject(message) ? message.content : undefined;
}
