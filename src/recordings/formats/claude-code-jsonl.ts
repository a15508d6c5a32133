import type { MessageTable } from '../../transcript/intern.ts';
import type { Request, Transcript } from '../../transcript/transcript.ts';
import { isObject } from '../../wire/json-object.ts';
import { countLines, type Document, documentLines } from '../document.ts';
import { byNaturalOrder } from '../paths.ts';
import { stemOf, toTranscript } from '../transcripts.ts';
import { conversationsOf } from './claude-code/branches.ts';
import { requestsOfConversation } from './claude-code/conversation.ts';
import { type RecordFates, tellFates } from './claude-code/losses.ts';
import { readRecords, type SessionRecord } from './claude-code/records.ts';
import type { Format, ReadContext } from './format.ts';

const NAME = 'claude-code-jsonl';

/**
 * Session files of a coding agent, a record a line (anthropic). A session is all files with its id; its
 * main conversation and each sub-agent's (records of their own file, inline `isSidechain` records, or
 * copies in `progress` records) are transcripts of their own.
 */
export const claudeCodeJsonl: Format = {
  name: NAME,
  about: 'one record {type, uuid, parentUuid, sessionId, message} a line',

  detect: (document) => document.sample.some(isRecord),

  groupKeys(document) {
    const ids = new Set<string>();
    for (const { text } of documentLines(document)) {
      for (let at = text.indexOf(SESSION_KEY); at >= 0; at = text.indexOf(SESSION_KEY, at + 1)) {
        SESSION_ID.lastIndex = at;
        const id = SESSION_ID.exec(text)?.[1];
        if (id !== undefined) ids.add(id);
      }
    }
    return [...ids];
  },

  read(documents, context) {
    const sessions = new Map<string, SessionRecord[]>();
    const all = readAll(documents, context);
    for (const record of all) {
      const key = record.session ?? record.file;
      const session = sessions.get(key);
      if (session === undefined) sessions.set(key, [record]);
      else session.push(record);
    }
    const unique = new Set<SessionRecord>();
    const played = new Set<SessionRecord>();
    const fates: RecordFates = new Map();
    const transcripts = [...sessions].flatMap(([session, records]) => {
      const own = onePerUuid(records);
      for (const record of own) unique.add(record);
      return transcriptsOf(session, own, { table: context.table, fates, played });
    });
    tellFates(all, unique, played, fates, context.loss);
    return transcripts;
  },
};

const SESSION_KEY = '"sessionId"';
const SESSION_ID = /"sessionId"\s*:\s*"([^"]+)"/y;

const TYPES = new Set(['user', 'assistant', 'system', 'progress', 'attachment']);

function isRecord(value: unknown): boolean {
  if (!isObject(value) || typeof value.type !== 'string' || !TYPES.has(value.type)) return false;
  return (
    typeof value.sessionId === 'string' && (typeof value.uuid === 'string' || 'message' in value)
  );
}

function readAll(documents: readonly Document[], context: ReadContext): readonly SessionRecord[] {
  const ordered = [...documents].sort((a, b) => byNaturalOrder(a.file.path, b.file.path));
  const records: SessionRecord[] = [];
  for (const document of ordered) {
    context.loss.found(document.file.path, countLines(document), 'lines');
    for (const record of readRecords(document, context, records.length)) records.push(record);
  }
  return records;
}

/**
 * A resumed session's file repeats records of the one before, and progress records those of sub-agents.
 * Of equal ones an original stays, and of originals the one in the file with most of the session.
 */
function onePerUuid(records: readonly SessionRecord[]): readonly SessionRecord[] {
  const sizes = new Map<string, number>();
  for (const { file } of records) sizes.set(file, (sizes.get(file) ?? 0) + 1);
  const worth = ({ isCopy, file }: SessionRecord) => (isCopy ? 0 : (sizes.get(file) ?? 0));
  const kept = new Map<string, SessionRecord>();
  for (const record of records) {
    if (record.uuid === undefined) continue;
    const other = kept.get(record.uuid);
    if (other === undefined || worth(record) > worth(other)) kept.set(record.uuid, record);
  }
  return records.filter((record) => record.uuid === undefined || kept.get(record.uuid) === record);
}

interface Part {
  readonly records: readonly SessionRecord[];
  readonly requests: readonly Request[];
}

interface Playing {
  readonly table: MessageTable;
  readonly fates: RecordFates;
  readonly played: Set<SessionRecord>;
}

function transcriptsOf(
  session: string,
  records: readonly SessionRecord[],
  { table, fates, played }: Playing,
): readonly Transcript[] {
  const isAgents = (record: SessionRecord) => record.isSidechain || record.agent !== undefined;
  const play = (own: readonly SessionRecord[]): readonly Part[] =>
    conversationsOf(own).flatMap((path) => {
      for (const record of path) played.add(record);
      return requestsOfConversation(path, table, fates).map((requests) => ({
        records: path,
        requests,
      }));
    });
  const main = play(records.filter((record) => !isAgents(record)));
  const agents = agentsOf(records.filter(isAgents)).flatMap(play);
  const task = stemOf((main[0] ?? agents[0])?.records[0]?.file ?? session);
  const named = [
    ...main.map((part, index) => ({
      part,
      lineage: index === 0 ? 'main' : `lineage-${index + 1}`,
    })),
    ...agents.map((part, index) => ({ part, lineage: `agent-${index + 1}` })),
  ];
  return named.map(({ part, lineage }) => {
    const model = part.requests.find((request) => request.model !== undefined)?.model;
    return toTranscript({
      task,
      trial: '0',
      lineage,
      source: { file: part.records[0]?.file ?? session, format: NAME, session },
      dialect: 'anthropic',
      agent: 'claude-code',
      ...(model === undefined ? {} : { model }),
      requests: part.requests,
      retries: 0,
    });
  });
}

/**
 * Records by sub-agent: by its id, and those without one as trees of their own. Copies of records that
 * are also there themselves have the same uuid and are gone already.
 */
function agentsOf(records: readonly SessionRecord[]): readonly (readonly SessionRecord[])[] {
  const agents = new Map<string, SessionRecord[]>();
  for (const record of records) {
    const key = record.agent ?? '';
    const list = agents.get(key);
    if (list === undefined) agents.set(key, [record]);
    else list.push(record);
  }
  return [...agents.values()];
}
