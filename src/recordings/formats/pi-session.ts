import type { MessageTable } from '../../transcript/intern.ts';
import type { Block, DialectName } from '../../transcript/message.ts';
import type { Request } from '../../transcript/transcript.ts';
import { isObject } from '../../wire/json-object.ts';
import { stringOf } from '../../wire/parts.ts';
import { Conversation, factsOf, type Turn } from '../conversation.ts';
import { type Document, documentLines } from '../document.ts';
import { problemOf } from '../problem.ts';
import { inputError } from '../schema.ts';
import { stemOf, toTranscript } from '../transcripts.ts';
import { Fates, READ, SAID, skipped } from './fates.ts';
import type { Format, ReadContext } from './format.ts';
import { dialectOfApi, type Entry, type Keeps, readEntry } from './pi/entries.ts';

const NAME = 'pi-session';

/**
 * Session files of a coding agent, an entry a line; later versions form a tree through `parentId`, whose
 * newest leaf ends the path that counts. A compaction keeps the entries from a given one on, behind its
 * summary. The system prompt is not recorded.
 */
export const piSession: Format = {
  name: NAME,
  about: 'a line {type: session, id, cwd}, then one entry {type: message, message} a line',

  detect: ({ sample }) => sample.some(isHeader) && sample.every((value) => !hasSession(value)),

  groupKeys: () => [],

  read(documents, context) {
    return documents.flatMap((document) => readDocument(document, context));
  },
};

function isHeader(value: unknown): boolean {
  return (
    isObject(value) &&
    value.type === 'session' &&
    typeof value.id === 'string' &&
    ('cwd' in value || 'version' in value)
  );
}

function hasSession(value: unknown): boolean {
  return isObject(value) && 'sessionId' in value;
}

function readDocument(document: Document, context: ReadContext) {
  const { path } = document.file;
  const fates = new Fates();
  const entries: (Entry | undefined)[] = [];
  for (const { line, text } of documentLines(document)) {
    try {
      const entry = readEntry(text);
      entries.push(entry);
      const { said } = entry;
      if (said.kind !== 'none') fates.add(SAID);
      else fates.add(said.why === '' ? READ : skipped(said.why));
    } catch (error) {
      context.report(problemOf(inputError(text, error), path, line));
      entries.push(undefined);
      fates.add(skipped('broken line'));
    }
  }
  context.loss.found(path, entries.length, 'lines');
  const dialect = dialectOf(entries);
  const requests = requestsOf(entries, dialect, fates, context.table);
  fates.tell(path, context.loss);
  if (requests.length === 0) return [];
  const session = entries.find((entry) => entry?.type === 'session')?.id ?? path;
  const model = requests.find((request) => request.model !== undefined)?.model;
  return [
    toTranscript({
      task: stemOf(path),
      trial: '0',
      lineage: 'main',
      source: { file: path, format: NAME, session },
      dialect,
      agent: 'pi',
      ...(model === undefined ? {} : { model }),
      requests,
      retries: 0,
    }),
  ];
}

/** The wire that most answers came over: a session may change its model, and a list has one wire. */
function dialectOf(entries: readonly (Entry | undefined)[]): DialectName {
  const counts = new Map<DialectName, number>();
  for (const entry of entries) {
    if (entry?.said.kind !== 'answer' || entry.said.blocks.length === 0) continue;
    const message = isObject(entry.value.message) ? entry.value.message : {};
    const dialect = dialectOfApi(stringOf(message.api)) ?? dialectOfApi(stringOf(message.provider));
    if (dialect !== undefined) counts.set(dialect, (counts.get(dialect) ?? 0) + 1);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return most?.[0] ?? 'openai-chat';
}

/** An entry of the path, and what it left in the list. */
interface Step {
  readonly position: number;
  readonly id: string | undefined;
  readonly turns: readonly Turn[];
}

function requestsOf(
  entries: readonly (Entry | undefined)[],
  dialect: DialectName,
  fates: Fates,
  table: MessageTable,
): readonly Request[] {
  const conversation = new Conversation(dialect, table);
  const path = newestPath(entries, fates);
  const answeredIds = answeredCalls(path.map(({ entry }) => entry));
  const steps: Step[] = [];
  let time: number | undefined;
  let answered: number | undefined;
  for (const { entry, position } of path) {
    const { said, id } = entry;
    switch (said.kind) {
      case 'turn':
        conversation.say(said.role, said.blocks);
        steps.push({ position, id, turns: [said] });
        break;
      case 'answer': {
        if (said.blocks.length === 0 && said.isCut) {
          fates.set(position, skipped('ended before any answer'));
          break;
        }
        // Calls of an answer that was cut off were not run, and the agent does not send them again.
        const kept = said.isCut ? said.blocks.filter(isKept(answeredIds)) : said.blocks;
        const facts = factsOf({ ...said, time });
        if (kept.length === 0 && said.isCut) conversation.call(facts);
        else conversation.answer(kept, facts);
        answered = position;
        steps.push({ position, id, turns: [{ role: 'assistant', blocks: kept }] });
        break;
      }
      case 'compaction': {
        const summary = text(`Summary of the conversation so far:\n${said.summary}`);
        const tail = keptSteps(steps, said.keeps).flatMap(({ turns }) => turns);
        const turns: readonly Turn[] = [{ role: 'user', blocks: [summary] }, ...tail];
        conversation.restart(turns);
        break;
      }
      case 'none':
        continue;
    }
    time = entry.time ?? time;
  }
  fates.endAt(answered);
  return conversation.requests;
}

function text(said: string): Block {
  return { kind: 'text', text: said };
}

function isKept(answered: ReadonlySet<string>): (block: Block) => boolean {
  return (block) => block.kind !== 'tool-call' || answered.has(block.id);
}

function answeredCalls(entries: readonly Entry[]): ReadonlySet<string> {
  const ids = entries.flatMap(({ said }) =>
    said.kind === 'turn'
      ? said.blocks.flatMap((block) => (block.kind === 'tool-result' ? [block.id] : []))
      : [],
  );
  return new Set(ids);
}

function keptSteps(steps: readonly Step[], { id, index }: Keeps): readonly Step[] {
  const first =
    id !== undefined
      ? steps.findIndex((step) => step.id === id)
      : steps.findIndex(({ position }) => index !== undefined && position >= index);
  return first < 0 ? [] : steps.slice(first);
}

interface Placed {
  readonly entry: Entry;
  readonly position: number;
}

/** The entries from the root to the newest one; all of them where entries have no parents. */
function newestPath(entries: readonly (Entry | undefined)[], fates: Fates): readonly Placed[] {
  const placed = entries.flatMap((entry, position) =>
    entry === undefined ? [] : [{ entry, position }],
  );
  const known = new Map<string, Placed>();
  for (const one of placed) if (one.entry.id !== undefined) known.set(one.entry.id, one);
  const isTree = placed.some(({ entry }) => entry.parent !== undefined);
  if (!isTree) return placed;
  const path = new Set<Placed>();
  let at = placed.findLast(({ entry }) => entry.type !== 'session' && entry.id !== undefined);
  while (at !== undefined && !path.has(at)) {
    path.add(at);
    const { parent } = at.entry;
    const found: Placed | undefined = parent === undefined ? undefined : known.get(parent);
    // The parent of an entry behind a broken line is gone: the one before it in the file is next.
    at = found ?? (parent === undefined ? undefined : before(placed, at));
  }
  for (const one of placed) {
    if (path.has(one) || one.entry.type === 'session') continue;
    fates.revise(one.position, one.position + 1, skipped('branch that was left'));
  }
  return placed.filter((one) => path.has(one));
}

function before(placed: readonly Placed[], at: Placed): Placed | undefined {
  const earlier = placed[placed.indexOf(at) - 1];
  return earlier?.entry.type === 'session' ? undefined : earlier;
}
