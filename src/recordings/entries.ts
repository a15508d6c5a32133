import type { HarnessError, Place } from '../errors.ts';
import { rootSpan, type Span, slice } from '../wire/json-spans.ts';
import { type Document, documentLines } from './document.ts';
import type { ReadContext } from './formats/format.ts';
import { problemOf } from './problem.ts';
import { inputError, placeOf } from './schema.ts';

export type JsonDocument = Document & { readonly kind: 'json' };

/** One recording of several that a JSON file holds. */
export interface Entry {
  /** Text of the whole file, in which `span` lies. */
  readonly text: string;
  readonly span: Span;
  readonly value: unknown;
  /** File to name in sources and problems. */
  readonly file: string;
}

/** Why the records of a broken entry are in no transcript. */
export const BROKEN = 'of a recording that cannot be read';

/** How the entries of a format are read. */
interface EntryReader<T> {
  /** What the loss report counts. */
  readonly unit: string;
  /** How many of them an entry holds, by its value alone. */
  readonly records: (value: unknown) => number;
  readonly read: (entry: Entry) => readonly T[];
}

/**
 * Reads each entry by itself. What is thrown for one is reported with its place, and the others go on.
 * The loss report learns how many records each holds, and that those of a broken one are skipped;
 * whatever `read` did with the others, it counts.
 *
 * @param records how many records an entry holds, by its value alone
 */
export function readEntries<T>(
  document: JsonDocument,
  spans: readonly Span[],
  context: ReadContext,
  unit: string,
  records: (value: unknown) => number,
  read: (entry: Entry) => readonly T[],
): readonly T[] {
  const { text } = document;
  const file = document.file.path;
  return spans.flatMap((span) =>
    readEntry({ text, span, file }, context, { unit, records, read }, () =>
      placeOf(text, span.start, file),
    ),
  );
}

/** The same of entries that are lines, each when it is asked for. */
export function* readEntryLines<T>(
  document: Document,
  context: ReadContext,
  reader: EntryReader<T>,
): Generator<T> {
  const file = document.file.path;
  for (const { text, line } of documentLines(document)) {
    yield* readEntry({ text, span: rootSpan(text), file }, context, reader, () => ({ file, line }));
  }
}

function readEntry<T>(
  { text, span, file }: Omit<Entry, 'value'>,
  context: ReadContext,
  { unit, records, read }: EntryReader<T>,
  place: () => Place,
): readonly T[] {
  let count = 0;
  try {
    const value: unknown = JSON.parse(slice(text, span));
    count = records(value);
    context.loss.found(file, count, unit);
    return read({ text, span, value, file });
  } catch (error) {
    context.loss.skipped(file, BROKEN, count);
    const known = inputError(slice(text, span), error);
    // A schema error's key stands in the entry; a place that is known lies in the entry's own text.
    context.report({ ...problemOf(known, file), at: { ...place(), ...keyOf(known) } });
    return [];
  }
}

function keyOf(error: HarnessError): { readonly key?: string } {
  return error.at?.key === undefined ? {} : { key: error.at.key };
}

/** How many entries a list has; 0 of anything else. */
export function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
