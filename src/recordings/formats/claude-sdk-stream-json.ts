import type { MessageTable } from '../../transcript/intern.ts';
import type { Request, Transcript } from '../../transcript/transcript.ts';
import { isObject, type JsonObject } from '../../wire/json-object.ts';
import { elements, rootSpan, slice } from '../../wire/json-spans.ts';
import { stringOf } from '../../wire/parts.ts';
import { type Document, documentLines } from '../document.ts';
import { LineCounter } from '../line-counter.ts';
import { problemOf } from '../problem.ts';
import { inputError } from '../schema.ts';
import { NEVER_SENT, stemOf, toTranscript } from '../transcripts.ts';
import { requestsOfConversation } from './claude-code/conversation.ts';
import type { RecordFates } from './claude-code/losses.ts';
import type { SessionRecord } from './claude-code/records.ts';
import { type Event, firstTurn, readEvent, recordOf } from './claude-sdk/events.ts';
import { type Fate, Fates, merged, READ, SAID, skipped } from './fates.ts';
import type { Format, ReadContext } from './format.ts';

const NAME = 'claude-sdk-stream-json';

/**
 * The stream of a coding agent's SDK (anthropic): an array of events, or one a line. Events of one
 * response share its message id; those of a sub-agent name the call that it works for. The first prompt
 * is not in the stream unless the caller had it repeated, so a turn that says so stands for it.
 */
export const claudeSdkStreamJson: Format = {
  name: NAME,
  about: 'events {type: system | assistant | user | result, session_id, message}',

  detect({ sample }) {
    const [value] = sample;
    const events: readonly unknown[] = Array.isArray(value) ? value : sample;
    return events.some(isStreamEvent);
  },

  groupKeys: () => [],

  read(documents, context) {
    return documents.flatMap((document) => readDocument(document, context));
  },
};

/** An event that only this stream has, whatever else a file holds. */
function isStreamEvent(value: unknown): boolean {
  if (!isObject(value) || 'sessionId' in value) return false;
  const isOfSession = typeof value.session_id === 'string';
  switch (value.type) {
    case 'system':
      return isOfSession && value.subtype === 'init';
    case 'assistant':
      return isObject(value.message) && (isOfSession || 'parent_tool_use_id' in value);
    case 'result':
      return 'total_cost_usd' in value || 'duration_ms' in value;
    default:
      return false;
  }
}

interface EventText {
  readonly text: string;
  readonly line: number;
}

function eventTexts(document: Document): readonly EventText[] {
  if (document.kind === 'jsonl' || !Array.isArray(document.sample[0]))
    return [...documentLines(document)];
  const { text } = document;
  const lines = new LineCounter(text);
  return elements(text, rootSpan(text)).map((span) => ({
    text: slice(text, span),
    line: lines.lineOf(span.start),
  }));
}

function readDocument(document: Document, context: ReadContext): readonly Transcript[] {
  const { path } = document.file;
  const fates = new Fates();
  const records: SessionRecord[] = [];
  let facts: Stream = { session: undefined, cost: undefined, model: undefined };
  for (const { text, line } of eventTexts(document)) {
    const position = fates.next;
    try {
      const event = readEvent(text);
      facts = factsAfter(facts, event);
      const record = recordOf(event, text, path, position);
      if (record !== undefined) records.push(record);
      fates.add(record === undefined ? fateOf(event) : SAID);
    } catch (error) {
      context.report(problemOf(inputError(text, error), path, line));
      fates.add(skipped('broken event'));
    }
  }
  context.loss.found(path, fates.next, 'events');
  const known: RecordFates = new Map();
  const lineages = lineagesOf(records, known, context.table);
  if (lineages.some(({ isStarted }) => !isStarted)) context.report(noPrompt(path));
  for (const record of records)
    fates.set(record.position, known.get(record) ?? skipped(NEVER_SENT));
  fates.tell(path, context.loss);
  return lineages.map(({ name, requests }) => {
    const model = requests.find((request) => request.model !== undefined)?.model ?? facts.model;
    return toTranscript({
      task: stemOf(path),
      trial: '0',
      lineage: name,
      source: { file: path, format: NAME, session: facts.session ?? path },
      dialect: 'anthropic',
      agent: 'claude-code',
      ...(model === undefined ? {} : { model }),
      ...(facts.cost === undefined || name !== 'main' ? {} : { cost: facts.cost }),
      requests,
      retries: 0,
    });
  });
}

/** What the events say of the whole stream. */
interface Stream {
  readonly session: string | undefined;
  /** USD. */
  readonly cost: number | undefined;
  readonly model: string | undefined;
}

function factsAfter(facts: Stream, event: Event): Stream {
  return {
    session: facts.session ?? event.session_id ?? undefined,
    // Each result tells the cost of the session so far.
    cost: event.type === 'result' ? (event.total_cost_usd ?? facts.cost) : facts.cost,
    model:
      facts.model ?? (event.type === 'system' ? stringOf(event.model) || undefined : undefined),
  };
}

/** What becomes of an event that is no record of the conversation. */
function fateOf({ type, subtype }: Event): Fate {
  if (type === 'stream_event') return merged('piece of a message that follows');
  if (type === 'result' || (type === 'system' && subtype === 'init')) return READ;
  return skipped(`event "${[type, subtype].filter((name) => name).join(' ')}"`);
}

interface Lineage {
  readonly name: string;
  /** Whether the stream has what the first answer was asked. */
  readonly isStarted: boolean;
  readonly requests: readonly Request[];
}

/** The main conversation, and one for each call that a sub-agent works for. */
function lineagesOf(
  records: readonly SessionRecord[],
  fates: RecordFates,
  table: MessageTable,
): readonly Lineage[] {
  const agents = new Map<string, SessionRecord[]>();
  for (const record of records) {
    const list = agents.get(record.agent ?? '');
    if (list === undefined) agents.set(record.agent ?? '', [record]);
    else list.push(record);
  }
  const prompts = promptsOf(records);
  const counts = { conversations: 0, agents: 0 };
  return [...agents].flatMap(([agent, own]) => {
    const isStarted = own.find(({ message }) => message !== undefined)?.message?.role === 'user';
    const prompt = agent === '' ? undefined : prompts.get(agent);
    const started = isStarted ? own : [firstTurn(own, prompt ?? NO_PROMPT), ...own];
    return requestsOfConversation(started, table, fates).map((requests) => {
      const number = agent === '' ? ++counts.conversations : ++counts.agents;
      const conversation = number === 1 ? 'main' : `lineage-${number}`;
      const name = agent === '' ? conversation : `agent-${number}`;
      return { name, isStarted: isStarted || prompt !== undefined, requests };
    });
  });
}

const NO_PROMPT = '(the prompt is not recorded)';

/** What each call asked a sub-agent. */
function promptsOf(records: readonly SessionRecord[]): ReadonlyMap<string, string> {
  const prompts = new Map<string, string>();
  for (const { message } of records) {
    for (const raw of message?.role === 'assistant' ? message.blocks : []) {
      const block: unknown = JSON.parse(raw);
      const input: JsonObject = isObject(block) && isObject(block.input) ? block.input : {};
      if (isObject(block) && typeof input.prompt === 'string') {
        prompts.set(stringOf(block.id), input.prompt);
      }
    }
  }
  return prompts;
}

function noPrompt(file: string) {
  const message = `the stream does not hold its first prompt; "${NO_PROMPT}" stands for it`;
  return { code: 'input.schema', message, at: { file }, severity: 'notice' } as const;
}
