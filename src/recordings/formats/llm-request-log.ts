import { dirname } from 'node:path';
import type { Message } from '../../transcript/message.ts';
import type { Request, Transcript } from '../../transcript/transcript.ts';
import { isObject } from '../../wire/json-object.ts';
import { isCapture, isCaptureList, isNamedCaptures, savedExchanges } from '../capture-entries.ts';
import type { CapturedRequest } from '../captured.ts';
import { countLines, type Document } from '../document.ts';
import { type Lineage, sortIntoLineages } from '../lineages.ts';
import { inOrder, isSingleCall, logSessions } from '../log-sessions.ts';
import { NewText } from '../repeated-lines.ts';
import { sessionLikeIds } from '../session-id.ts';
import { stemOf, toTranscript } from '../transcripts.ts';
import type { Format, ReadContext } from './format.ts';

/**
 * Logged calls: request bodies alone, or captures `{provider, model, body, response, session, task, agent,
 * reward}`, one a file, one a line, in an array, or in an object of named ones; also
 * `{messages, tools, kwargs, response, …}`, and HTTP exchanges of proxies and browsers. Requests are sorted into sessions by their explicit id, else
 * by file, else, where each file holds one call, by folder; and each session into lineages.
 */
export const llmRequestLog: Format = {
  name: 'llm-request-log',
  about: 'a request body {messages, …}, or captures {provider, body, response, …}',

  detect(document) {
    if (document.kind === 'jsonl') return document.sample.some(isCapture);
    const [value] = document.sample;
    if (Array.isArray(value)) return isCaptureList(value);
    return isCapture(value) || isNamedCaptures(value) || savedExchanges(value) !== undefined;
  },

  detectsList: isCaptureList,

  groupKeys(document) {
    const ids = new Set<string>();
    for (const text of textsOf(document)) for (const id of sessionLikeIds(text)) ids.add(id);
    const keys = [...ids].map((id) => `session ${id}`);
    return isSingleCall(document) ? [...keys, `folder ${dirname(document.file.absolute)}`] : keys;
  },

  streams: true,

  *read(documents, context) {
    for (const document of inOrder(documents)) {
      context.loss.found(document.file.path, callsIn(document), 'calls');
    }
    for (const { key, requests } of logSessions(documents, context)) {
      const lineages = sortIntoLineages(inTimeOrder(requests));
      count(requests, lineages, context);
      yield* transcriptsOf(key, lineages);
    }
  },
};

/** The text of a log, without most of what its lines repeat. */
function* textsOf(document: Document): Generator<string> {
  if (document.kind === 'json') yield document.text;
  else {
    const texts = new NewText();
    for (const { bytes } of document.content.pieces()) yield texts.of(bytes);
  }
}

/** Requests as logged, or by time where all have one; ties stay as logged. */
function inTimeOrder(requests: readonly CapturedRequest[]): readonly CapturedRequest[] {
  if (requests.some(({ time }) => time === undefined)) return requests;
  return [...requests].sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
}

/** Calls that have a place are read; the others repeat one that has. */
function count(
  requests: readonly CapturedRequest[],
  lineages: readonly Lineage[],
  { loss }: ReadContext,
): void {
  const repeated = new Map<string, number>();
  for (const { file } of requests) repeated.set(file, (repeated.get(file) ?? 0) + 1);
  for (const { placed } of lineages) {
    for (const { request } of placed) {
      loss.read(request.file);
      repeated.set(request.file, (repeated.get(request.file) ?? 0) - 1);
    }
  }
  for (const [file, calls] of repeated) loss.merged(file, 'a retry of a call', calls);
}

function callsIn(document: Document): number {
  if (document.kind === 'jsonl') return countLines(document);
  const [value] = document.sample;
  if (isCapture(value)) return 1;
  const saved = savedExchanges(value);
  if (saved !== undefined) return saved.length;
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

function transcriptsOf(session: string, lineages: readonly Lineage[]): readonly Transcript[] {
  const taskOf = (lineage: Lineage): string => {
    const explicit = firstOf(lineage, 'task');
    const parent = lineages.find(({ name }) => name === lineage.parent);
    if (explicit !== undefined) return explicit;
    return parent === undefined
      ? stemOf(lineage.placed[0]?.request.file ?? session)
      : taskOf(parent);
  };
  return lineages.map((lineage) => {
    const first = lineage.placed[0]?.request;
    const agent = firstOf(lineage, 'agent');
    const model = firstOf(lineage, 'model');
    const reward = rewardOf(lineage, lineages);
    return toTranscript({
      task: taskOf(lineage),
      trial: firstOf(lineage, 'trial') ?? '0',
      lineage: lineage.name,
      source: { file: first?.file ?? session, format: 'llm-request-log', session },
      dialect: first?.dialect ?? 'openai-chat',
      ...(agent === undefined ? {} : { agent }),
      ...(model === undefined ? {} : { model }),
      ...(reward === undefined ? {} : { reward }),
      requests: requestsOf(lineage),
      retries: lineage.retries,
    });
  });
}

function firstOf(lineage: Lineage, key: 'task' | 'trial' | 'agent' | 'model'): string | undefined {
  for (const { request } of lineage.placed) if (request[key] !== undefined) return request[key];
  return undefined;
}

/** The latest logged reward. One that stands on a sub-agent's call is its conversation's. */
function rewardOf(lineage: Lineage, all: readonly Lineage[]): number | undefined {
  if (lineage.parent !== undefined) return undefined;
  const own = [lineage, ...all.filter(({ parent }) => parent === lineage.name)];
  const rewards = own.flatMap(({ placed }) =>
    placed.flatMap(({ request }) => request.reward ?? []),
  );
  return rewards.at(-1) ?? undefined;
}

function requestsOf({ placed }: Lineage): readonly Request[] {
  return placed.map(({ request, segment }, index) => {
    const { messages, envelope, model, time, usage, cost } = request;
    const next = placed[index + 1]?.request;
    const action = request.response ?? answerIn(messages, next);
    return {
      segment,
      messages,
      envelope,
      ...(action === undefined ? {} : { action }),
      ...(model === undefined ? {} : { model }),
      ...(time === undefined ? {} : { time }),
      ...(usage === undefined ? {} : { usage }),
      ...(cost === undefined ? {} : { cost }),
    };
  });
}

/**
 * The assistant message that the next request adds: behind the whole list, or, after the agent's own
 * compaction, behind its last message.
 */
function answerIn(
  messages: readonly Message[],
  next: CapturedRequest | undefined,
): Message | undefined {
  const last = messages.at(-1);
  if (last === undefined || next === undefined) return undefined;
  const kept = next.messages.findLastIndex(({ identity }) => identity === last.identity);
  const inPlace = next.messages[messages.length - 1]?.identity === last.identity;
  const answer = next.messages[inPlace ? messages.length : kept + 1];
  return kept >= 0 && answer?.role === 'assistant' ? answer : undefined;
}
