import type { Place } from '../errors.ts';
import { isObject } from '../wire/json-object.ts';
import { elements, rootSpan, slice } from '../wire/json-spans.ts';
import { isMessage, roles } from './dialects.ts';
import { type Document, linesOf } from './document.ts';
import { placeOf } from './schema.ts';

/** What keeps a list of messages from being one, and where. */
export interface OddMessage {
  readonly found: string;
  readonly at: Place;
}

/** The first entry that is no message of a document that else holds messages; undefined for any other. */
export function oddMessage(document: Document): OddMessage | undefined {
  const list = document.kind === 'json' ? document.sample[0] : document.sample;
  if (!Array.isArray(list) || !list.some((entry) => isMessage(entry) && 'content' in entry)) {
    return undefined;
  }
  for (const { value, at } of entriesOf(document)) {
    if (!isMessage(value)) return { found: `found ${describeOdd(value)}`, at };
  }
  return undefined;
}

function* entriesOf(document: Document): Generator<{ value: unknown; at: Place }> {
  const file = document.file.path;
  if (document.kind === 'jsonl') {
    for (const { line, text } of linesOf(document.content)) {
      yield { value: parsed(text), at: { file, line } };
    }
    return;
  }
  const { text } = document;
  for (const span of elements(text, rootSpan(text))) {
    yield { value: parsed(slice(text, span)), at: placeOf(text, span.start, file) };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What stands in the place of a message, in a few words. */
export function describeOdd(value: unknown): string {
  const known = `expected one of ${roles.join(', ')}`;
  if (!isObject(value)) return `${(JSON.stringify(value) ?? 'nothing').slice(0, 40)} for a message`;
  if (value.role === undefined) return `a message without a role, ${known}`;
  return `the role ${JSON.stringify(value.role).slice(0, 40)}, ${known}`;
}
