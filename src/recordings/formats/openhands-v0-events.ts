import type { Transcript } from '../../transcript/transcript.ts';
import { isObject, type JsonObject } from '../../wire/json-object.ts';
import { elements, path as pathTo, rootSpan, type Span, slice } from '../../wire/json-spans.ts';
import { type Document, documentLines } from '../document.ts';
import { problemOf } from '../problem.ts';
import { inputError, placeOf } from '../schema.ts';
import { stemOf, toTranscript } from '../transcripts.ts';
import { Fates, skipped } from './fates.ts';
import type { Format, ReadContext } from './format.ts';
import { readEvent } from './openhands/v0-events.ts';
import { EventReader } from './openhands/v0-reader.ts';

const NAME = 'openhands-v0-events';

/**
 * Event streams of a coding agent: an array of events, or a line `{instance_id, history, metrics}` for
 * each task. Calls stand with the response of the model in the events' metadata, in chat form.
 */
export const openhandsV0Events: Format = {
  name: NAME,
  about: 'an array of events {action, args} and {observation, content}, or {instance_id, history}',

  detect: ({ sample }) => sample.some((value) => eventsIn(value)?.some(isEvent) === true),

  groupKeys: () => [],

  read(documents, context) {
    return documents.flatMap((document) => readDocument(document, context));
  },
};

/** Keys under which an object holds its events. */
const HOLDERS = ['history', 'trajectory', 'events'];

function eventsIn(value: unknown): readonly unknown[] | undefined {
  const list = isObject(value) ? holderOf(value) : value;
  // The first versions held pairs of an action and its observation.
  return Array.isArray(list) ? list.flat() : undefined;
}

function holderOf(value: JsonObject): unknown {
  return HOLDERS.map((key) => value[key]).find(Array.isArray);
}

function isEvent(value: unknown): boolean {
  if (!isObject(value) || 'role' in value) return false;
  const isAction = typeof value.action === 'string' && isObject(value.args);
  return isAction || (typeof value.observation === 'string' && 'content' in value);
}

/** One recorded run: its line or file, and where in it. */
interface Run {
  readonly text: string;
  readonly line: number;
}

function readDocument(document: Document, context: ReadContext): readonly Transcript[] {
  const runs: readonly Run[] =
    document.kind === 'json'
      ? [{ text: document.text, line: 1 }]
      : [...documentLines(document)].map(({ text, line }) => ({ text, line }));
  return runs.flatMap((run) => {
    const { path } = document.file;
    try {
      return readRun(run, document, context);
    } catch (error) {
      context.report(problemOf(inputError(run.text, error), path, run.line));
      context.loss.found(path, 1, 'events');
      context.loss.skipped(path, 'broken line');
      return [];
    }
  });
}

function readRun(run: Run, document: Document, context: ReadContext): readonly Transcript[] {
  const { path: file } = document.file;
  const { text } = run;
  const value: unknown = JSON.parse(text);
  const facts = isObject(value) ? value : {};
  const reader = new EventReader(context.table);
  const spans = eventSpans(text, facts);
  context.loss.found(file, spans.length, 'events');
  const fates = new Fates();
  for (const span of spans) {
    try {
      const event: unknown = JSON.parse(slice(text, span));
      const fate = reader.take(readEvent(event), fates.next);
      fates.add(fate);
    } catch (error) {
      const known = inputError(slice(text, span), error);
      const place = placeOf(text, span.start, file);
      const at = { ...known.at, ...place, line: (place.line ?? 1) + run.line - 1 };
      context.report({ ...problemOf(known, file), at });
      fates.add(skipped('broken event'));
    }
  }
  fates.endAt(reader.answered);
  fates.tell(file, context.loss);
  const task = typeof facts.instance_id === 'string' ? facts.instance_id : stemOf(file);
  const model = reader.model ?? configuredModel(facts);
  const reward = rewardOf(facts);
  const cost = costOf(facts);
  return reader.lineages().map(({ name, requests }) =>
    toTranscript({
      task,
      trial: '0',
      lineage: name,
      source: { file, format: NAME, session: `${file} ${task}` },
      dialect: 'openai-chat',
      agent: 'openhands',
      ...(model === undefined ? {} : { model }),
      ...(reward === undefined || name !== 'main' ? {} : { reward }),
      ...(cost === undefined || name !== 'main' ? {} : { cost }),
      requests,
      retries: 0,
    }),
  );
}

function eventSpans(text: string, facts: JsonObject): readonly Span[] {
  const key = HOLDERS.find((name) => Array.isArray(facts[name]));
  const list = key === undefined ? rootSpan(text) : pathTo(text, [key]);
  if (list === undefined || text[list.start] !== '[') return [];
  return elements(text, list).flatMap((span) =>
    text[span.start] === '[' ? elements(text, span) : [span],
  );
}

function configuredModel({ metadata }: JsonObject): string | undefined {
  const config = isObject(metadata) ? metadata.llm_config : undefined;
  return isObject(config) && typeof config.model === 'string' ? config.model : undefined;
}

/** Whether the task was solved, where the run was judged. */
function rewardOf(facts: JsonObject): number | undefined {
  const tested = isObject(facts.test_result) ? facts.test_result : {};
  for (const holder of [facts.report, tested.report, tested]) {
    const resolved = isObject(holder) ? holder.resolved : undefined;
    if (typeof resolved === 'boolean') return resolved ? 1 : 0;
  }
  return undefined;
}

/** USD of the whole run; zero stands for an unknown price. */
function costOf({ metrics }: JsonObject): number | undefined {
  const cost = isObject(metrics) ? metrics.accumulated_cost : undefined;
  return typeof cost === 'number' && cost > 0 ? cost : undefined;
}
