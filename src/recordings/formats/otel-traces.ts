import { pushAll } from '../../text/long-lists.ts';
import type { MessageTable } from '../../transcript/intern.ts';
import type { Envelope, Request, Transcript } from '../../transcript/transcript.ts';
import { isObject } from '../../wire/json-object.ts';
import type { CapturedRequest } from '../captured.ts';
import { Conversation, factsOf } from '../conversation.ts';
import { type Document, documentLines } from '../document.ts';
import { type Lineage, sortIntoLineages } from '../lineages.ts';
import type { LossReport } from '../loss.ts';
import { problemOf } from '../problem.ts';
import { inputError } from '../schema.ts';
import { stemOf, toTranscript } from '../transcripts.ts';
import { hasSystemApart, type RequestHead, writeBodyEnvelope } from '../written-envelope.ts';
import type { Format, ReadContext } from './format.ts';
import { isTool, type ModelCall, readCall, withoutMessages } from './otel/calls.ts';
import { agentOf, sessionOf } from './otel/facts.ts';
import { holdsSpan, type SpanRecord, spansIn } from './otel/spans.ts';

const NAME = 'otel-traces';

/**
 * Traces of any exporter whose spans tell model calls with their messages: each is one true request, and
 * requests are sorted into lineages. A span around others that tells the same call again is not counted.
 */
export const otelTraces: Format = {
  name: NAME,
  about:
    'spans {spanId, name, attributes} with gen_ai.*, llm.* or ai.* attributes, of any exporter',

  detect: ({ sample }) => sample.some((value) => holdsSpan(value) || isEvalSet(value)),

  groupKeys(document) {
    const ids = new Set<string>();
    for (const span of document.sample.flatMap((value) => [...spansIn(value)])) {
      const session = sessionOf(span);
      if (session !== undefined) ids.add(session);
    }
    return [...ids];
  },

  read(documents, context) {
    const seen = new Set<string>();
    const calls = documents.flatMap((document) => readDocument(document, seen, context));
    const sessions = new Map<string, PlacedCall[]>();
    for (const call of calls) {
      const key = call.request.session ?? call.request.file;
      const known = sessions.get(key);
      if (known === undefined) sessions.set(key, [call]);
      else known.push(call);
    }
    return [...sessions].flatMap(([session, own]) => transcriptsOf(session, own, context.loss));
  },
};

/** What an answer should be, and no record of one. */
function isEvalSet(value: unknown): value is { readonly eval_cases: readonly unknown[] } {
  return isObject(value) && 'eval_set_id' in value && Array.isArray(value.eval_cases);
}

/** A request, and where it stood among the spans. */
interface PlacedCall {
  readonly request: CapturedRequest;
  readonly position: number;
}

/** @param seen spans by trace and id, of files that were exported with some of the same */
function readDocument(
  document: Document,
  seen: Set<string>,
  context: ReadContext,
): readonly PlacedCall[] {
  const { path } = document.file;
  const { loss } = context;
  const [value] = document.sample;
  if (isEvalSet(value)) {
    loss.found(path, value.eval_cases.length, 'cases');
    loss.skipped(path, 'expected answer, no recording', value.eval_cases.length);
    return [];
  }
  const spans = readSpans(document, context);
  const calls = new Map<SpanRecord, ModelCall>();
  const repeated = new Set<SpanRecord>();
  for (const span of spans) {
    // Without a trace an id is that of its file.
    const name = `${span.trace === '' ? path : span.trace} ${span.id}`;
    if (seen.has(name)) repeated.add(span);
    seen.add(name);
    try {
      const call = readCall(span);
      if (repeated.has(span)) loss.merged(path, 'span repeated');
      if (call === undefined && repeated.has(span)) continue;
      if (call === undefined) loss.skipped(path, withoutMessages(span));
      else calls.set(span, call);
    } catch (error) {
      const known = inputError('', error);
      const message = `span ${span.id} "${span.name}": ${known.message}`;
      context.report({ ...problemOf(known, path), message, at: { file: path, key: span.id } });
      loss.skipped(path, 'broken messages');
    }
  }
  const envelopes = new Envelopes(context.table);
  // Those that were read before tell too which spans stand around them.
  const first = [...calls.keys()].filter((span) => !repeated.has(span));
  const inner = withoutWrappers(spans, calls).filter(([span]) => !repeated.has(span));
  loss.merged(path, 'tells a call that an inner span tells', first.length - inner.length);
  return inner.map(([span, call], position) => ({
    request: toRequest(path, span, call, envelopes, context.table),
    position,
  }));
}

function readSpans(document: Document, context: ReadContext): readonly SpanRecord[] {
  const { path } = document.file;
  const spans: SpanRecord[] = [];
  let broken = 0;
  if (document.kind === 'json') pushAll(spans, spansIn(document.sample[0]));
  else {
    for (const { line, text } of documentLines(document)) {
      try {
        const value: unknown = JSON.parse(text);
        pushAll(spans, spansIn(value));
      } catch (error) {
        context.report(problemOf(inputError(text, error), path, line));
        broken++;
      }
    }
  }
  context.loss.found(path, spans.length + broken, 'spans');
  context.loss.skipped(path, 'broken line', broken);
  return spans;
}

/**
 * The calls without those of spans around another call. Where a tool stands between both, the inner
 * call is another agent's. A library whose inner spans lost their parents is known by their names.
 */
function withoutWrappers(
  spans: readonly SpanRecord[],
  calls: ReadonlyMap<SpanRecord, ModelCall>,
): readonly (readonly [SpanRecord, ModelCall])[] {
  const known = new Map(spans.map((span) => [span.id, span]));
  const wrappers = new Set<SpanRecord>();
  const names = new Set<string>();
  for (const span of calls.keys()) {
    const outer = /^(ai\.\w+)\.do[A-Z]\w*$/.exec(operationOf(span))?.[1];
    if (outer !== undefined) names.add(outer);
    const passed = new Set<SpanRecord>([span]);
    for (
      let at = parentIn(span, known);
      at !== undefined && !passed.has(at);
      at = parentIn(at, known)
    ) {
      if (isTool(at)) break;
      passed.add(at);
      wrappers.add(at);
    }
  }
  return [...calls].filter(([span]) => !wrappers.has(span) && !names.has(operationOf(span)));
}

function parentIn(
  { parent }: SpanRecord,
  known: ReadonlyMap<string, SpanRecord>,
): SpanRecord | undefined {
  return parent === undefined ? undefined : known.get(parent);
}

function operationOf({ attributes, name }: SpanRecord): string {
  const id = attributes.get('ai.operationId');
  return typeof id === 'string' ? id : name;
}

/** One envelope for all requests with the same surroundings. */
class Envelopes {
  readonly #table: MessageTable;
  readonly #known = new Map<string, Envelope>();

  constructor(table: MessageTable) {
    this.#table = table;
  }

  of(call: ModelCall, head: RequestHead): Envelope {
    const key = JSON.stringify([call.dialect, head]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const envelope = writeBodyEnvelope(call.dialect, head, this.#table);
    this.#known.set(key, envelope);
    return envelope;
  }
}

function toRequest(
  file: string,
  span: SpanRecord,
  call: ModelCall,
  envelopes: Envelopes,
  table: MessageTable,
): CapturedRequest {
  const { dialect, turns, answer, model, tools } = call;
  const isApart = hasSystemApart(dialect);
  const firstOther = turns.findIndex(({ role }) => role !== 'system');
  const leading = isApart ? turns.slice(0, firstOther < 0 ? turns.length : firstOther) : [];
  const system = leading
    .flatMap(({ blocks }) => blocks.flatMap((block) => (block.kind === 'text' ? block.text : [])))
    .join('\n\n');
  const conversation = new Conversation(dialect, table);
  for (const { role, blocks } of turns.slice(leading.length)) conversation.say(role, blocks);
  const { messages } = conversation;
  if (answer !== undefined) conversation.answer(answer, {});
  const response = conversation.requests[0]?.action;
  const session = sessionOf(span);
  const agent = agentOf(span);
  return {
    file,
    dialect,
    messages,
    envelope: envelopes.of(call, { model, system: system === '' ? undefined : system, tools }),
    ...(response === undefined ? {} : { response }),
    ...factsOf({ ...call, time: span.start }),
    ...(session === undefined ? {} : { session }),
    ...(agent === undefined ? {} : { agent }),
  };
}

function transcriptsOf(
  session: string,
  calls: readonly PlacedCall[],
  loss: LossReport,
): readonly Transcript[] {
  const ordered = [...calls].sort(
    (a, b) => (a.request.time ?? 0) - (b.request.time ?? 0) || a.position - b.position,
  );
  const lineages = sortIntoLineages(ordered.map(({ request }) => request));
  countCalls(calls, lineages, loss);
  const rootFile = lineages[0]?.placed[0]?.request.file ?? session;
  return lineages.map((lineage) => {
    const requests = lineage.placed.map(({ request }) => request);
    const [first] = requests;
    const model = requests.find((request) => request.model !== undefined)?.model;
    return toTranscript({
      task: stemOf(rootFile),
      trial: '0',
      lineage: lineage.name,
      source: { file: first?.file ?? rootFile, format: NAME, session },
      dialect: first?.dialect ?? 'openai-chat',
      ...(first?.agent === undefined ? {} : { agent: first.agent }),
      ...(model === undefined ? {} : { model }),
      requests: requestsOf(lineage),
      retries: lineage.retries,
    });
  });
}

function countCalls(
  calls: readonly PlacedCall[],
  lineages: readonly Lineage[],
  loss: LossReport,
): void {
  const placed = new Map<string, number>();
  for (const { file } of lineages.flatMap((lineage) =>
    lineage.placed.map(({ request }) => request),
  )) {
    placed.set(file, (placed.get(file) ?? 0) + 1);
  }
  const all = new Map<string, number>();
  for (const { request } of calls) all.set(request.file, (all.get(request.file) ?? 0) + 1);
  for (const [file, count] of all) {
    const kept = placed.get(file) ?? 0;
    loss.read(file, kept);
    loss.merged(file, 'retry', count - kept);
  }
}

function requestsOf({ placed }: Lineage): readonly Request[] {
  return placed.map(({ request, segment }, index) => {
    const { messages, envelope } = request;
    const next = placed[index + 1]?.request.messages[messages.length];
    const action = request.response ?? (next?.role === 'assistant' ? next : undefined);
    return {
      segment,
      messages,
      envelope,
      ...(action === undefined ? {} : { action }),
      ...factsOf(request),
    };
  });
}
