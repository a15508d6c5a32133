import { basename, dirname } from 'node:path';
import { z } from 'zod';
import type { Request, Transcript } from '../../transcript/transcript.ts';
import { isObject, type JsonObject } from '../../wire/json-object.ts';
import { elements, path, rootSpan } from '../../wire/json-spans.ts';
import type { CapturedRequest } from '../captured.ts';
import type { Document } from '../document.ts';
import { type Entry, type JsonDocument, lengthOf, readEntries } from '../entries.ts';
import { type Lineage, sortIntoLineages } from '../lineages.ts';
import { byNaturalOrder } from '../paths.ts';
import { readTime } from '../responses.ts';
import { schemaError } from '../schema.ts';
import { NEVER_SENT, toTranscript } from '../transcripts.ts';
import type { Format, ReadContext } from './format.ts';
import {
  attachmentsOf,
  callSchema,
  callsOf,
  eventsOf,
  isCall,
  messageSchema,
  poolOf,
  resolved,
  rewardOf,
  type Sample,
  type SampleCall,
  type SampleMessage,
  sampleSchema,
} from './inspect-eval/sample.ts';
import { dialectOfCall, RequestWriter, usageOf, writeAnswer } from './inspect-eval/write.ts';

const NAME = 'inspect-eval';

/**
 * Evaluation logs: `.json` `{version, status, eval, plan, samples}`, or `.eval`, a zip with the same
 * header and `samples/<id>_epoch_<n>.json`. A sample's model calls are its requests as they were sent,
 * sorted into lineages (a sub-agent's calls are its own); a log without calls is read by its messages.
 * A scorer's calls judge the agent and are left out.
 */
export const inspectEval: Format = {
  name: NAME,
  about:
    'an evaluation log {version, status, eval, samples: [{id, epoch, input, messages, scores}]}',

  detect(document) {
    const [value] = document.sample;
    return document.kind === 'json' && (isLog(value) || isSample(value));
  },

  groupKeys(document) {
    const [value] = document.sample;
    if (isLog(value) && Array.isArray(value.samples)) return [];
    const folder = dirname(document.file.absolute);
    const isInside = ['samples', '_journal'].includes(basename(folder));
    return [isInside ? dirname(folder) : folder];
  },

  read(documents, context) {
    const ordered = [...documents].sort((a, b) => byNaturalOrder(a.file.path, b.file.path));
    const run = runOf(ordered);
    return ordered.flatMap((document) => readDocument(document, run, context));
  },
};

function isLog(value: unknown): value is JsonObject {
  if (!isObject(value) || !isObject(value.eval) || typeof value.eval.task !== 'string')
    return false;
  return 'samples' in value || 'plan' in value;
}

function isSample(value: unknown): boolean {
  return (
    isObject(value) &&
    'epoch' in value &&
    'input' in value &&
    'target' in value &&
    Array.isArray(value.messages)
  );
}

/** What the log's header says of all samples. */
interface Run {
  readonly task: string;
  readonly model: string | undefined;
}

const headerSchema = z.looseObject({
  eval: z.looseObject({ task: z.string(), model: z.string().nullish() }),
});

function runOf(documents: readonly Document[]): Run {
  for (const { sample } of documents) {
    const header = headerSchema.safeParse(sample[0]);
    if (!header.success) continue;
    const { task, model } = header.data.eval;
    return { task, model: model ?? undefined };
  }
  return { task: '', model: undefined };
}

function readDocument(
  document: Document,
  shared: Run,
  context: ReadContext,
): readonly Transcript[] {
  if (document.kind !== 'json') return [];
  const [value] = document.sample;
  if (!isLog(value)) return readSamples(document, [rootSpan(document.text)], shared, context);
  if (!Array.isArray(value.samples) || value.samples.length === 0) {
    const { path: file } = document.file;
    context.loss.found(file, 1, 'headers');
    context.loss.merged(file, 'what is said of all samples');
    return [];
  }
  const list = path(document.text, ['samples']);
  const spans = list === undefined ? [] : elements(document.text, list);
  return readSamples(document, spans, runOf([document]), context);
}

function readSamples(
  document: JsonDocument,
  spans: Parameters<typeof readEntries>[1],
  run: Run,
  context: ReadContext,
): readonly Transcript[] {
  return readEntries(document, spans, context, 'messages and model calls', recordsIn, (entry) =>
    readSample(entry, run, context),
  );
}

function recordsIn(value: unknown): number {
  if (!isObject(value)) return 1;
  return lengthOf(value.messages) + eventsOf(value).filter(isCall).length;
}

function readSample(entry: Entry, run: Run, context: ReadContext): readonly Transcript[] {
  const parsed = sampleSchema.safeParse(entry.value);
  if (!parsed.success)
    throw schemaError(parsed.error, 'a sample of an evaluation log', entry.value);
  const sample = parsed.data;
  const { file } = entry;
  const { own, judging } = callsOf(eventsOf(sample));
  const session = `${run.task}/${sample.id}/${sample.epoch ?? 1}`;
  const reading = readingOf(sample, file, session, context);
  const captured =
    own.length > 0
      ? own.map((event) => captureCall(event, reading))
      : ofMessages(sample, run, reading);
  const lineages = sortIntoLineages(captured);
  count(file, sample, { own: own.length, judging }, lineages, context);
  const reward = rewardOf(sample);
  const named = {
    task: String(sample.id),
    trial: String(sample.epoch ?? 1),
    source: { file, format: NAME, session },
  };
  if (lineages.length === 0) {
    // A sample that broke off before its first call still has its outcome.
    const rewarded = reward === undefined ? {} : { reward };
    const nothing = { lineage: 'main', dialect: 'openai-chat', requests: [], retries: 0 } as const;
    return [toTranscript({ ...named, ...nothing, ...rewarded })];
  }
  return lineages.map((lineage, index) => {
    const first = lineage.placed[0]?.request;
    const model = first?.model ?? run.model;
    return toTranscript({
      ...named,
      lineage: lineage.name,
      dialect: first?.dialect ?? 'openai-chat',
      ...(model === undefined ? {} : { model }),
      ...(reward === undefined || index > 0 ? {} : { reward }),
      requests: requestsOf(lineage),
      retries: lineage.retries,
    });
  });
}

/** What the calls of one sample share. */
interface SampleReading {
  readonly file: string;
  readonly session: string;
  readonly table: ReadContext['table'];
  readonly writer: RequestWriter;
  readonly attachments: JsonObject;
  /** The message of the pool at a position. @throws HarnessError `input.schema` */
  readonly pooled: (position: number) => SampleMessage | undefined;
}

function readingOf(
  sample: Sample,
  file: string,
  session: string,
  { table }: ReadContext,
): SampleReading {
  const attachments = attachmentsOf(sample);
  const pool = poolOf(sample);
  // One object for each message, so that a list is known to go on from the one before.
  const known = new Map<number, SampleMessage>();
  const pooled = (position: number): SampleMessage | undefined => {
    if (!known.has(position) && position in pool) {
      const value = resolved(pool[position], attachments);
      known.set(position, parsedWith(messageSchema, value, 'a message of the pool'));
    }
    return known.get(position);
  };
  return { file, session, table, writer: new RequestWriter(table), attachments, pooled };
}

function captureCall(event: JsonObject, reading: SampleReading): CapturedRequest {
  const call = parsedWith(callSchema, resolved(event, reading.attachments), 'a model call');
  const referred: SampleMessage[] = [];
  for (const [start, end] of call.input_refs ?? []) {
    for (let position = start; position < end; position++) {
      const message = reading.pooled(position);
      if (message === undefined) break;
      referred.push(message);
    }
  }
  return capturedOf(call, referred.length === 0 ? (call.input ?? []) : referred, reading);
}

function capturedOf(
  call: SampleCall,
  list: readonly SampleMessage[],
  { file, session, table, writer }: SampleReading,
): CapturedRequest {
  const dialect = dialectOfCall(call);
  const model = call.output?.model || call.model || undefined;
  const written = writer.write(list, call.tools, model, dialect);
  const answer = call.output?.choices?.[0]?.message;
  const response = answer === undefined ? undefined : writeAnswer(answer, dialect, table);
  const time = readTime(call.timestamp);
  const usage = usageOf(call);
  const cost = call.output?.usage?.total_cost;
  return {
    file,
    dialect,
    ...written,
    session,
    ...(response === undefined ? {} : { response }),
    ...(model === undefined ? {} : { model }),
    ...(time === undefined ? {} : { time }),
    ...(usage === undefined ? {} : { usage }),
    ...(typeof cost === 'number' ? { cost } : {}),
  };
}

/** A request for each of the agent's messages, where the log kept no calls. */
function ofMessages(sample: Sample, run: Run, reading: SampleReading): readonly CapturedRequest[] {
  const list = messagesOf(sample, reading.attachments);
  return list.flatMap((message, index) => {
    if (message.role !== 'assistant' || index === 0) return [];
    const output = { choices: [{ message }] };
    const call = { event: 'model' as const, model: run.model ?? null, output };
    return [capturedOf(call, list.slice(0, index), reading)];
  });
}

function messagesOf(sample: Sample, attachments: JsonObject) {
  return sample.messages.map((message) =>
    parsedWith(messageSchema, resolved(message, attachments), 'a message'),
  );
}

function parsedWith<T extends z.ZodType>(schema: T, value: unknown, about: string): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, `${about} of an evaluation log`, value);
  return parsed.data;
}

function requestsOf({ placed }: Lineage): readonly Request[] {
  return placed.map(({ request, segment }) => {
    const { messages, envelope, response, model, time, usage, cost } = request;
    return {
      segment,
      messages,
      envelope,
      ...(response === undefined ? {} : { action: response }),
      ...(model === undefined ? {} : { model }),
      ...(time === undefined ? {} : { time }),
      ...(usage === undefined ? {} : { usage }),
      ...(cost === undefined ? {} : { cost }),
    };
  });
}

function count(
  file: string,
  sample: Sample,
  calls: { readonly own: number; readonly judging: number },
  lineages: readonly Lineage[],
  { loss }: ReadContext,
): void {
  loss.skipped(file, "a scorer's model call", calls.judging);
  const total = sample.messages.length;
  if (calls.own === 0) {
    const last = sample.messages.findLastIndex(
      (message) => isObject(message) && message.role === 'assistant',
    );
    loss.read(file, last < 1 ? 0 : last + 1);
    loss.skipped(file, NEVER_SENT, last < 1 ? total : total - last - 1);
    return;
  }
  const placed = lineages.reduce((sum, lineage) => sum + lineage.placed.length, 0);
  loss.read(file, placed);
  loss.skipped(file, 'a repeated model call', calls.own - placed);
  loss.merged(file, 'messages that the model calls repeat', total);
}
