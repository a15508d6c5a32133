import { basename, dirname, join } from 'node:path';
import { pushAll } from '../../text/long-lists.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import { isObject } from '../../wire/json-object.ts';
import { elements, path as pathTo, rootSpan, slice } from '../../wire/json-spans.ts';
import { stringOf } from '../../wire/parts.ts';
import { type Document, documentLines } from '../document.ts';
import { LineCounter } from '../line-counter.ts';
import { byNaturalOrder, type FoundFile } from '../paths.ts';
import { problemOf } from '../problem.ts';
import { inputError } from '../schema.ts';
import { stemOf, toTranscript } from '../transcripts.ts';
import { Fates, skipped } from './fates.ts';
import type { Format, ReadContext } from './format.ts';
import { readEvent } from './openhands/v1-events.ts';
import { EventReader } from './openhands/v1-reader.ts';

const NAME = 'openhands-v1-events';

/**
 * Events of a coding agent, one a file: files of one folder whose names are equal up to the event's
 * number are one conversation. Also an array of events, an event a line, or a line
 * `{instance_id, history}` for each task. Written in chat form, as the client library sends them.
 */
export const openhandsV1Events: Format = {
  name: NAME,
  about: 'an event {id, kind, source} a file, named NAME__event-NUMBER-ID.json',

  detect: ({ sample }) => sample.some((value) => [historyIn(value)].flat().some(isEvent)),

  groupKeys: (document) => (isEvent(document.sample[0]) ? [nameOf(document.file)] : []),

  read(documents, context) {
    const ordered = [...documents].sort((a, b) => byNaturalOrder(a.file.path, b.file.path));
    const runs = ordered.flatMap((document) => runsOf(document, context));
    // Files of one event each are one run.
    const whole = new Map<string, EventText[]>();
    for (const { key, events } of runs) {
      const known = whole.get(key);
      if (known === undefined) whole.set(key, [...events]);
      else pushAll(known, events);
    }
    return [...whole].flatMap(([key, events]) => readRun(key, events, context));
  },
};

const KIND = /(?:Event|Observation|Action|Condensation\w*)$/;

function isEvent(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.kind === 'string' &&
    KIND.test(value.kind) &&
    ('source' in value || 'timestamp' in value)
  );
}

/** The events of an array, or of an object that holds them; any other value itself. */
function historyIn(value: unknown): unknown {
  if (isObject(value)) return Array.isArray(value.history) ? value.history : value;
  return value;
}

const EVENT_NAME = /^(.*?)_*event[-_]\d+[-_]?[\w-]*\.json$/;

/** What the files of one conversation share: their folder, and their names up to the event. */
function nameOf(file: FoundFile): string {
  const name = EVENT_NAME.exec(basename(file.absolute))?.[1] ?? '';
  return join(dirname(file.absolute), name);
}

interface EventText {
  readonly file: string;
  readonly text: string;
  readonly line: number;
}

interface Run {
  /** Name of the conversation. */
  readonly key: string;
  readonly events: readonly EventText[];
}

function runsOf(document: Document, context: ReadContext): readonly Run[] {
  const { file } = document;
  const key = taskOf(file);
  if (isEvent(document.sample[0])) {
    const lines = [...documentLines(document)];
    return [{ key, events: lines.map(({ text, line }) => ({ file: file.path, text, line })) }];
  }
  if (document.kind === 'json') return [listOf(document.text, file.path, 1, key)];
  return [...documentLines(document)].flatMap(({ text, line }) => {
    try {
      const value: unknown = JSON.parse(text);
      const task = isObject(value) ? stringOf(value.instance_id) : '';
      return [listOf(text, file.path, line, task === '' ? `${key} ${line}` : task)];
    } catch (error) {
      context.report(problemOf(inputError(text, error), file.path, line));
      context.loss.found(file.path, 1, 'events');
      context.loss.skipped(file.path, 'broken line');
      return [];
    }
  });
}

function listOf(text: string, file: string, line: number, key: string): Run {
  const list = pathTo(text, ['history']) ?? rootSpan(text);
  const spans = text[list.start] === '[' ? elements(text, list) : [];
  const lines = new LineCounter(text);
  const events = spans.map((span) => ({
    file,
    text: slice(text, span),
    line: line + lines.lineOf(span.start) - 1,
  }));
  return { key, events };
}

/** The name before the event's number; of files in a folder `events`, that of the folder above. */
function taskOf(file: FoundFile): string {
  const name = basename(file.absolute);
  const before = EVENT_NAME.exec(name)?.[1];
  if (before === undefined) return stemOf(file.path);
  if (before !== '') return before;
  const folder = dirname(file.absolute);
  return basename(basename(folder) === 'events' ? dirname(folder) : folder);
}

function readRun(
  task: string,
  events: readonly EventText[],
  context: ReadContext,
): readonly Transcript[] {
  const reader = new EventReader(context.table);
  const fates = new Fates();
  for (const { file, text, line } of events) {
    context.loss.found(file, 1, 'events');
    try {
      const event = readEvent(JSON.parse(text));
      fates.add(reader.take(event, fates.next));
    } catch (error) {
      context.report(problemOf(inputError(text, error), file, line));
      fates.add(skipped('broken event'));
    }
  }
  fates.endAt(reader.answered);
  fates.tellEach(
    events.map(({ file }) => file),
    context.loss,
  );
  const [first] = events;
  if (first === undefined || reader.requests.length === 0) return [];
  return [
    toTranscript({
      task,
      trial: '0',
      lineage: 'main',
      source: { file: first.file, format: NAME, session: task },
      dialect: 'openai-chat',
      agent: 'openhands',
      requests: reader.requests,
      retries: 0,
    }),
  ];
}
