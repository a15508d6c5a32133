import { z } from 'zod';
import { isObject } from '../../../wire/json-object.ts';
import { member, rootSpan, slice } from '../../../wire/json-spans.ts';
import { readTime } from '../../responses.ts';
import { schemaError } from '../../schema.ts';
import { type RecordedMessage, type SessionRecord, wireTexts } from '../claude-code/records.ts';

const eventSchema = z.looseObject({
  type: z.string(),
  subtype: z.string().nullish(),
  uuid: z.string().nullish(),
  session_id: z.string().nullish(),
  parent_tool_use_id: z.string().nullish(),
  total_cost_usd: z.number().nullish(),
});
export type Event = z.infer<typeof eventSchema>;

const blockSchema = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  tool_use_id: z.string().optional(),
});

const messageSchema = z.looseObject({
  id: z.string().nullish(),
  role: z.enum(['user', 'assistant']).nullish(),
  content: z.union([z.string(), z.array(blockSchema)]),
  model: z.string().nullish(),
});

const ABOUT = 'an event {type, session_id, message: {content}}';

/** Reads one event. @throws HarnessError `input.schema`, or a SyntaxError. */
export function readEvent(text: string): Event {
  const value: unknown = JSON.parse(text);
  const parsed = eventSchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, ABOUT, value);
  return parsed.data;
}

const BOUNDARIES = new Set(['compact_boundary', 'microcompact_boundary']);

/** An event as a record of the agent's session file, which holds the same. */
export function recordOf(
  event: Event,
  text: string,
  file: string,
  position: number,
): SessionRecord | undefined {
  const { type, subtype, parent_tool_use_id: call } = event;
  const isMessage = type === 'assistant' || type === 'user';
  if (!isMessage && (type !== 'system' || !BOUNDARIES.has(subtype ?? ''))) return undefined;
  const meta = isObject(event.microcompactMetadata) ? event.microcompactMetadata : {};
  const cleared: readonly unknown[] = Array.isArray(meta.compactedToolIds)
    ? meta.compactedToolIds
    : [];
  return {
    file,
    position,
    type,
    subtype: subtype ?? undefined,
    uuid: event.uuid ?? undefined,
    parent: undefined,
    session: event.session_id ?? undefined,
    agent: call ?? undefined,
    isSidechain: typeof call === 'string',
    isCopy: false,
    time: readTime(event.timestamp),
    isMeta: event.isSynthetic === true,
    isCompactSummary: event.isCompactSummary === true,
    clearedIds: cleared.filter((id) => typeof id === 'string'),
    kept: undefined,
    message: isMessage ? messageAt(text, type) : undefined,
  };
}

function messageAt(text: string, role: 'user' | 'assistant'): RecordedMessage {
  const span = member(text, rootSpan(text), 'message');
  const value: unknown = span === undefined ? undefined : JSON.parse(slice(text, span));
  const parsed = messageSchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, ABOUT, value);
  const content = span === undefined ? undefined : member(text, span, 'content');
  const { content: parts, id, model, usage } = parsed.data;
  const blocks = typeof parts === 'string' ? [] : parts;
  return {
    role,
    ...wireTexts(role, text, content),
    resultIds: blocks.flatMap((block) => block.tool_use_id ?? []),
    callIds: blocks.flatMap((block) => (block.type === 'tool_use' ? (block.id ?? []) : [])),
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof model === 'string' ? { model } : {}),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** What the first answer was asked, where no event says it. */
export function firstTurn(records: readonly SessionRecord[], text: string): SessionRecord {
  const [first] = records;
  const written = JSON.stringify(text);
  return {
    file: first?.file ?? '',
    position: -1,
    type: 'user',
    subtype: undefined,
    uuid: undefined,
    parent: undefined,
    session: first?.session,
    agent: first?.agent,
    isSidechain: first?.isSidechain ?? false,
    isCopy: false,
    time: undefined,
    isMeta: false,
    isCompactSummary: false,
    clearedIds: [],
    kept: undefined,
    message: {
      role: 'user',
      ...wireTexts('user', written, { start: 0, end: written.length }),
      resultIds: [],
      callIds: [],
    },
  };
}
