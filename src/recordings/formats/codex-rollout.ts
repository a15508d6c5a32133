import type { Request, Transcript } from '../../transcript/transcript.ts';
import { isObject } from '../../wire/json-object.ts';
import { stringOf } from '../../wire/parts.ts';
import type { Document } from '../document.ts';
import { byNaturalOrder } from '../paths.ts';
import { problemOf } from '../problem.ts';
import { inputError } from '../schema.ts';
import { NEVER_SENT, stemOf, toTranscript } from '../transcripts.ts';
import { isUsageCount, type Meta, metaOf, RolloutReader } from './codex/reader.ts';
import { isBareMeta, isWhole, readRecord, recordTexts } from './codex/records.ts';
import { type Fates, merged, skipped } from './fates.ts';
import type { Format, ReadContext } from './format.ts';

const NAME = 'codex-rollout';

/**
 * Session files of a coding agent that speaks openai-responses, a record a line. A session that another
 * one started is a sub-agent of it; one that was forked from another repeats its requests, which are
 * counted once.
 */
export const codexRollout: Format = {
  name: NAME,
  about: 'one record {timestamp, type: session_meta | response_item | event_msg, payload} a line',

  detect({ sample }) {
    if (sample.some(isRecord) || sample.some(isWhole)) return true;
    const [first] = sample;
    return isObject(first) && isBareMeta(first) && sample.slice(1).some(isBareRecord);
  },

  groupKeys(document) {
    for (const { text } of recordTexts(document)) {
      const meta = metaIn(text);
      if (meta !== undefined) return [meta.id, meta.parent].flatMap((id) => id ?? []);
    }
    return [];
  },

  read(documents, context) {
    const ordered = [...documents].sort((a, b) => byNaturalOrder(a.file.path, b.file.path));
    const rollouts = ordered.map((document) => readRollout(document, context));
    const known = new Map(rollouts.map((rollout) => [rollout.id, rollout]));
    for (const rollout of rollouts) dropCopies(rollout, known);
    for (const { file, fates } of rollouts) fates.tell(file, context.loss);
    return named(rollouts, known);
  },
};

const TYPES = new Set(['session_meta', 'turn_context', 'response_item', 'event_msg', 'compacted']);

function isRecord(value: unknown): boolean {
  return isObject(value) && TYPES.has(stringOf(value.type)) && isObject(value.payload);
}

function isBareRecord(value: unknown): boolean {
  if (!isObject(value) || 'payload' in value || 'sessionId' in value) return false;
  return typeof value.record_type === 'string' || 'call_id' in value || value.type === 'message';
}

/** What a line says of its session, if that is what it is for; a broken line says nothing. */
function metaIn(text: string): Meta | undefined {
  if (!/"session_meta"|"timestamp"|"session"/.test(text)) return undefined;
  try {
    const record = readRecord(text);
    return record.type === 'session_meta' ? metaOf(record.payload) : undefined;
  } catch {
    return undefined;
  }
}

interface Rollout {
  readonly file: string;
  readonly id: string;
  readonly meta: Meta;
  readonly fates: Fates;
  requests: readonly { readonly request: Request; readonly end: number }[];
}

function readRollout(document: Document, context: ReadContext): Rollout {
  const { path } = document.file;
  const texts = [...recordTexts(document)];
  context.loss.found(path, texts.length, 'lines');
  const records = texts.map(({ line, text }) => {
    try {
      return readRecord(text);
    } catch (error) {
      context.report(problemOf(inputError(text, error), path, line));
      return undefined;
    }
  });
  const reader = new RolloutReader(records.some(isUsageCount), context.table);
  for (const record of records) reader.take(record);
  const meta = reader.meta ?? { id: undefined, parent: undefined, isAgent: false };
  const requests = reader.history.requests();
  reader.fates.endAt(requests.at(-1)?.end);
  // An output may stand before the end of the last response, and is in no request all the same.
  for (const unsent of reader.history.unsent) reader.fates.reviseSaid(unsent, skipped(NEVER_SENT));
  return { file: path, id: meta.id ?? path, meta, fates: reader.fates, requests };
}

/** Leaves out the requests that a fork repeats of the session that it began from. */
function dropCopies(rollout: Rollout, known: ReadonlyMap<string, Rollout>): void {
  const origin = rollout.meta.parent === undefined ? undefined : known.get(rollout.meta.parent);
  if (origin === undefined || origin === rollout) return;
  let copied = 0;
  for (const { request } of rollout.requests) {
    const other = origin.requests[copied]?.request;
    if (other === undefined || !isSameRequest(request, other)) break;
    copied++;
  }
  const end = rollout.requests[copied - 1]?.end;
  if (end === undefined) return;
  rollout.fates.revise(0, end + 1, merged('copied from the session it was forked from'));
  rollout.requests = rollout.requests.slice(copied);
}

function isSameRequest(a: Request, b: Request): boolean {
  return (
    a.action === b.action &&
    a.messages.length === b.messages.length &&
    a.messages.every((message, index) => message === b.messages[index])
  );
}

/** Names the rollouts of a family: its root is `main`, and what works for it has its task. */
function named(
  rollouts: readonly Rollout[],
  known: ReadonlyMap<string, Rollout>,
): readonly Transcript[] {
  const rootOf = (rollout: Rollout): Rollout => {
    const passed = new Set([rollout]);
    for (let at = rollout; ; ) {
      const above = at.meta.parent === undefined ? undefined : known.get(at.meta.parent);
      if (above === undefined || passed.has(above)) return at;
      passed.add(above);
      at = above;
    }
  };
  const counts = new Map<Rollout, { conversations: number; agents: number }>();
  return rollouts.flatMap((rollout) => {
    if (rollout.requests.length === 0) return [];
    const root = rootOf(rollout);
    const count = counts.get(root) ?? { conversations: 0, agents: 0 };
    counts.set(root, count);
    const isAgent = rollout.meta.isAgent && rollout !== root;
    const number = isAgent ? ++count.agents : ++count.conversations;
    const conversation = number === 1 ? 'main' : `lineage-${number}`;
    const requests = rollout.requests.map(({ request }) => request);
    const model = requests.find((request) => request.model !== undefined)?.model;
    return [
      toTranscript({
        task: stemOf(root.file),
        trial: '0',
        lineage: isAgent ? `agent-${number}` : conversation,
        source: { file: rollout.file, format: NAME, session: root.id },
        dialect: 'openai-responses',
        agent: 'codex',
        ...(model === undefined ? {} : { model }),
        requests,
        retries: 0,
      }),
    ];
  });
}
