import type { MessageTable } from '../../transcript/intern.ts';
import type { DialectName } from '../../transcript/message.ts';
import type { Request, Transcript } from '../../transcript/transcript.ts';
import { isObject, type JsonObject } from '../../wire/json-object.ts';
import { elements, path as pathTo, rootSpan, slice } from '../../wire/json-spans.ts';
import { Conversation, factsOf } from '../conversation.ts';
import { type Document, documentLines } from '../document.ts';
import { problemOf } from '../problem.ts';
import { inputError, placeOf } from '../schema.ts';
import { stemOf, toTranscript } from '../transcripts.ts';
import { hasSystemApart, writeEnvelope } from '../written-envelope.ts';
import { Fates, merged, SAID, skipped } from './fates.ts';
import type { Format, ReadContext } from './format.ts';
import { type GraphMessage, isGraphMessage, readGraphMessage } from './langgraph/messages.ts';

const NAME = 'langgraph-thread';

/**
 * Threads of an agent graph: a state `{values: {messages}}`, a history of such states, or a list of its
 * messages, plain or as `{lc: 1, type: constructor, kwargs}`. The provider that answered tells the wire,
 * else it is chat. Each state of a history whose list does not carry on the one before is a segment.
 */
export const langgraphThread: Format = {
  name: NAME,
  about: '{values: {messages: [{type: human | ai | tool | system, content, tool_calls}]}}',

  detect: ({ sample }) => sample.some((value) => statesIn(value).length > 0),

  groupKeys: () => [],

  read(documents, context) {
    return documents.flatMap((document) => readDocument(document, context));
  },
};

/** Keys under which a state holds its list. */
const PLACES: readonly (readonly string[])[] = [
  ['values', 'messages'],
  ['channel_values', 'messages'],
  ['checkpoint', 'channel_values', 'messages'],
  ['state', 'messages'],
  ['output', 'messages'],
  ['messages'],
];

/** Where in the value the lists of messages are: the steps to each. */
function statesIn(value: unknown): readonly (readonly (string | number)[])[] {
  if (Array.isArray(value)) {
    if (isMessageList(value)) return [[]];
    return value.flatMap((state: unknown, index) =>
      Array.isArray(state) ? [] : statesIn(state).map((steps) => [index, ...steps]),
    );
  }
  const place = PLACES.find((steps) => isMessageList(at(value, steps)));
  return place === undefined ? [] : [place];
}

function at(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

function isMessageList(value: unknown): boolean {
  return Array.isArray(value) && value.some(isGraphMessage);
}

/** A list as it stood, with the time of its state. */
interface State {
  readonly messages: readonly (GraphMessage | undefined)[];
  readonly step: number | undefined;
  readonly facts: JsonObject;
}

function readDocument(document: Document, context: ReadContext): readonly Transcript[] {
  const texts =
    document.kind === 'json'
      ? [{ text: document.text, line: 1 }]
      : [...documentLines(document)].map(({ text, line }) => ({ text, line }));
  return texts.flatMap(({ text, line }, index) => {
    const { path } = document.file;
    try {
      return readThread(
        { text, line, number: index + 1, isOnly: texts.length === 1 },
        path,
        context,
      );
    } catch (error) {
      context.report(problemOf(inputError(text, error), path, line));
      context.loss.found(path, 1, 'messages');
      context.loss.skipped(path, 'broken line');
      return [];
    }
  });
}

interface ThreadText {
  readonly text: string;
  readonly line: number;
  readonly number: number;
  readonly isOnly: boolean;
}

function readThread(source: ThreadText, file: string, context: ReadContext): readonly Transcript[] {
  const { text } = source;
  const value: unknown = JSON.parse(text);
  const fates = new Fates();
  const states = inOrder(
    statesIn(value).map((steps) => readState(source, value, steps, fates, file, context)),
  );
  context.loss.found(file, fates.next, 'messages');
  const read = new Thread(states, fates, context.table);
  fates.tell(file, context.loss);
  const [facts] = [...states].reverse().map((state) => state.facts);
  const thread = threadOf(facts) ?? (source.isOnly ? file : `${file} ${source.number}`);
  const model =
    read.requests.find((request) => request.model !== undefined)?.model ?? modelOf(facts);
  if (read.requests.length === 0) return [];
  return [
    toTranscript({
      task: source.isOnly ? stemOf(file) : (threadOf(facts) ?? `${stemOf(file)} ${source.number}`),
      trial: '0',
      lineage: 'main',
      source: { file, format: NAME, session: thread },
      dialect: read.dialect,
      ...(agentOf(facts) === undefined ? {} : { agent: agentOf(facts) ?? '' }),
      ...(model === undefined ? {} : { model }),
      requests: read.requests,
      retries: 0,
    }),
  ];
}

function readState(
  { text, line }: ThreadText,
  value: unknown,
  steps: readonly (string | number)[],
  fates: Fates,
  file: string,
  context: ReadContext,
): State {
  const list = pathTo(text, steps) ?? rootSpan(text);
  const messages = elements(text, list).map((span) => {
    const position = fates.add(SAID);
    try {
      const entry: unknown = JSON.parse(slice(text, span));
      return readGraphMessage(entry, position);
    } catch (error) {
      const known = inputError(slice(text, span), error);
      const place = placeOf(text, span.start, file);
      const where = { ...known.at, ...place, line: (place.line ?? 1) + line - 1 };
      context.report({ ...problemOf(known, file), at: where });
      fates.set(position, skipped('broken message'));
      return undefined;
    }
  });
  const index = steps[0];
  const holder = typeof index === 'number' && Array.isArray(value) ? value[index] : value;
  const facts = isObject(holder) ? holder : {};
  const metadata = isObject(facts.metadata) ? facts.metadata : {};
  return { messages, step: typeof metadata.step === 'number' ? metadata.step : undefined, facts };
}

/** Histories are told newest first; where each state has its step, that is the order. */
function inOrder(states: readonly State[]): readonly State[] {
  if (states.some(({ step }) => step === undefined)) {
    const [first, last] = [states[0], states.at(-1)];
    const isNewestFirst = (first?.messages.length ?? 0) > (last?.messages.length ?? 0);
    return isNewestFirst ? [...states].reverse() : states;
  }
  return [...states].sort((a, b) => (a.step ?? 0) - (b.step ?? 0));
}

/** Plays the states of one thread. */
class Thread {
  readonly dialect: DialectName;
  readonly requests: readonly Request[];

  constructor(states: readonly State[], fates: Fates, table: MessageTable) {
    const all = states.flatMap(({ messages }) => messages.flatMap((message) => message ?? []));
    this.dialect = dialectOf(all);
    const conversation = new Conversation(this.dialect, table);
    // Messages that the graph itself wrote in the model's name have no trace of a call.
    const hasTraces = all.some(({ isTraced }) => isTraced);
    const known = new Set<string>();
    let before: readonly string[] = [];
    let answered: number | undefined;
    for (const { messages } of states) {
      const present = joinSplit(
        messages.flatMap((message) => message ?? []),
        fates,
      );
      const keys = present.map(({ key }) => key);
      const carriesOn = before.every((key, index) => keys[index] === key);
      if (!carriesOn) conversation.restart([]);
      for (const [index, message] of present.entries()) {
        const isNew = !carriesOn || index >= before.length;
        const isKnown = known.has(message.key);
        if (isKnown) fates.set(message.position, merged('repeated in a later state'));
        known.add(message.key);
        if (!isNew) continue;
        const isCall = message.role === 'assistant' && !isKnown && (message.isTraced || !hasTraces);
        if (isCall && index > 0) {
          conversation.answer(message.blocks, factsOf(message));
          answered = message.position;
        } else if (index === 0 && message.role === 'system' && hasSystemApart(this.dialect)) {
          const system = message.blocks.map((block) => (block.kind === 'text' ? block.text : ''));
          conversation.surround(writeEnvelope(this.dialect, { system: system.join('\n') }, table));
        } else conversation.say(message.role, message.blocks);
      }
      before = keys;
    }
    fates.endAt(answered);
    this.requests = conversation.requests;
  }
}

/**
 * An answer right behind one whose calls have no results yet is the rest of it: some providers' streams
 * come as two messages.
 */
function joinSplit(messages: readonly GraphMessage[], fates: Fates): readonly GraphMessage[] {
  const joined: GraphMessage[] = [];
  for (const message of messages) {
    const before = joined.at(-1);
    const isRest =
      message.role === 'assistant' &&
      before?.role === 'assistant' &&
      before.blocks.some(({ kind }) => kind === 'tool-call');
    if (!isRest) joined.push(message);
    else {
      joined[joined.length - 1] = { ...before, blocks: [...before.blocks, ...message.blocks] };
      fates.set(message.position, merged('rest of the answer before it'));
    }
  }
  return joined;
}

/** The wire of most answers whose provider is recorded. */
function dialectOf(messages: readonly GraphMessage[]): DialectName {
  const counts = new Map<DialectName, number>();
  for (const { dialect } of messages) {
    if (dialect !== undefined) counts.set(dialect, (counts.get(dialect) ?? 0) + 1);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return most?.[0] ?? 'openai-chat';
}

function metadataOf(facts: JsonObject | undefined): JsonObject {
  const metadata = facts?.metadata;
  return isObject(metadata) ? metadata : {};
}

function textAt(holder: JsonObject, key: string): string | undefined {
  const value = holder[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function threadOf(facts: JsonObject | undefined): string | undefined {
  return textAt(metadataOf(facts), 'thread_id') ?? textAt(facts ?? {}, 'thread_id');
}

function modelOf(facts: JsonObject | undefined): string | undefined {
  return textAt(metadataOf(facts), 'model_name');
}

function agentOf(facts: JsonObject | undefined): string | undefined {
  return textAt(metadataOf(facts), 'graph_id');
}
