import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { HarnessError, messageOf } from '../errors.ts';
import { syntaxError } from '../wire/json-error.ts';
import { gunzip, isGzip, readZipEntry } from './archive.ts';
import type { FoundFile } from './paths.ts';

/** One line of a JSONL file; `line` counts from 1. */
export interface Line {
  readonly line: number;
  readonly text: string;
}

/**
 * A file that holds JSON or JSONL. `sample` is what it is recognized by: the value of a JSON file, or
 * the first objects of a JSONL file, and behind these `leading` ones some that begin otherwise.
 */
export type Document = { readonly file: FoundFile } & (
  | { readonly kind: 'json'; readonly text: string; readonly sample: readonly unknown[] }
  | {
      readonly kind: 'jsonl';
      readonly bytes: Buffer;
      readonly sample: readonly unknown[];
      readonly leading: number;
    }
);

/** How many lines of a JSONL file are looked at to tell what it is. */
const SAMPLE_LINES = 40;
/** How many more of those that begin otherwise: some files have hundreds of notes in front. */
const OTHER_LINES = 40;
/** By how many bytes a line is known to begin otherwise: the names of its first members. */
const BEGINNING_BYTES = 24;

/**
 * Reads a file as JSON or JSONL, by its content; a gzip file by what it holds.
 * @throws HarnessError `input.archive`, `input.size` (a packed file), `input.encoding` (binary, not UTF-8), `input.empty`, `input.format` (text that is
 * not JSON), `input.syntax` (JSON that is broken) with line and column.
 */
export function readDocument(file: FoundFile): Document {
  return documentOf(file, readBytes(file));
}

/** The same of a file whose bytes, unpacked, are at hand. */
export function documentOf(file: FoundFile, bytes: Buffer): Document {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const content = bytes.subarray(start);
  checkEncoding(content);
  const first = firstCharacter(content);
  if (first === undefined) throw new HarnessError('input.empty', 'the file is empty');
  const lines = [...take(linesOf(content), SAMPLE_LINES)];
  const objects = lines.flatMap(({ text }) => objectIn(text) ?? []);
  const one = lines[0];
  // A JSONL file's lines stand for themselves; of a JSON file's lines, few do.
  const startsAlone = objectIn(one?.text ?? '') !== undefined;
  if (first !== '[' && lines.length > 1 && (startsAlone || objects.length * 2 >= lines.length)) {
    const others = otherLines(content).flatMap((line) => objectIn(line) ?? []);
    const sample = [...objects, ...others];
    return { file, kind: 'jsonl', bytes: content, sample, leading: objects.length };
  }
  const text = toText(content);
  if (!'{["-0123456789tfn'.includes(first)) {
    throw new HarnessError('input.format', 'expected JSON or JSONL, found other text');
  }
  try {
    return { file, kind: 'json', text, sample: [JSON.parse(text)] };
  } catch (error) {
    if (!'{['.includes(first) || looksLikeProse(text)) {
      throw new HarnessError('input.format', 'expected JSON or JSONL, found other text');
    }
    throw syntaxError(text, error);
  }
}

function readBytes(file: FoundFile): Buffer {
  const bytes = packedBytes(file);
  if (!isGzip(bytes)) return bytes;
  const content = gunzip(bytes);
  if (content.toString('latin1', 257, 262) !== 'ustar') return content;
  throw new HarnessError(
    'input.archive',
    'expected JSON or JSONL inside the gzip file, found a tar archive; unpack it first',
  );
}

function packedBytes({ absolute, packed }: FoundFile): Buffer {
  try {
    return packed === undefined
      ? readFileSync(absolute)
      : readZipEntry(packed.archive, packed.entry);
  } catch (error) {
    if (error instanceof HarnessError) throw error;
    throw new HarnessError('input.missing', `the file cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function checkEncoding(bytes: Buffer): void {
  const zero = bytes.indexOf(0);
  if (zero >= 0) {
    const wide = bytes.length > 1 && (bytes[0] === 0xff || bytes[0] === 0xfe);
    const found = wide ? 'UTF-16 text' : `a binary file (a zero byte at offset ${zero})`;
    throw new HarnessError('input.encoding', `expected JSON or JSONL in UTF-8, found ${found}`);
  }
  if (isUtf8(bytes)) return;
  throw new HarnessError(
    'input.encoding',
    'expected JSON or JSONL in UTF-8, found bytes that are not UTF-8',
    {
      at: { line: firstBrokenLine(bytes) },
    },
  );
}

function firstBrokenLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(10, start);
    const stop = end < 0 ? bytes.length : end;
    if (!isUtf8(bytes.subarray(start, stop))) return line;
    start = stop + 1;
  }
  return line;
}

function toText(bytes: Buffer): string {
  try {
    return bytes.toString('utf8');
  } catch (error) {
    const message = `the file is larger than one JSON text may be (${bytes.length} bytes); write it as JSONL`;
    throw new HarnessError('input.format', message, { cause: error });
  }
}

function firstCharacter(bytes: Buffer): string | undefined {
  for (const byte of bytes) if (byte > 32) return String.fromCharCode(byte);
  return undefined;
}

/** The lines that are not blank. Only `\n` ends a line: U+2028 may stand inside a JSON string. */
export function* linesOf(bytes: Buffer): Generator<Line> {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(10, start);
    const stop = end < 0 ? bytes.length : end;
    const text = bytes.toString('utf8', start, stop);
    start = stop + 1;
    if (text.trim() !== '') yield { line, text };
  }
}

/** The lines of a JSONL document; one that has a single line is read as JSON, and is that line. */
export function documentLines(document: Document): Iterable<Line> {
  if (document.kind === 'jsonl') return linesOf(document.bytes);
  const before = document.text.slice(0, document.text.length - document.text.trimStart().length);
  return [{ line: before.split('\n').length, text: document.text }];
}

/** How many lines `documentLines` has, counted apart from it. */
export function countLines(document: Document): number {
  if (document.kind === 'json') return 1;
  const { bytes } = document;
  let count = 0;
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(10, start);
    const stop = end < 0 ? bytes.length : end;
    let at = start;
    while (at < stop && (bytes[at] ?? 0) <= 32) at++;
    // Beyond ASCII there is white space too, which a line of nothing else has.
    if (at < stop && ((bytes[at] ?? 0) < 128 || bytes.toString('utf8', at, stop).trim() !== ''))
      count++;
    start = stop + 1;
  }
  return count;
}

/** Behind the sampled lines, the first of each that begin otherwise than all before. */
function otherLines(bytes: Buffer): readonly string[] {
  const beginnings = new Set<string>();
  const found: string[] = [];
  let line = 0;
  for (let start = 0; start < bytes.length && found.length < OTHER_LINES; ) {
    const end = bytes.indexOf(10, start);
    const stop = end < 0 ? bytes.length : end;
    const beginning = bytes.toString('latin1', start, Math.min(stop, start + BEGINNING_BYTES));
    if (beginning.trim() !== '') {
      if (!beginnings.has(beginning) && line >= SAMPLE_LINES) {
        found.push(bytes.toString('utf8', start, stop));
      }
      beginnings.add(beginning);
      line++;
    }
    start = stop + 1;
  }
  return found;
}

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let taken = 0;
  for (const item of items) {
    if (taken++ >= count) return;
    yield item;
  }
}

function objectIn(line: string): object | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Text that only starts with a bracket: `[1] see below`, `{name} …`. */
function looksLikeProse(text: string): boolean {
  return !/^\s*(?:\{\s*(?:["}]|$)|\[\s*(?:["{[\]\-\dtfn]|$))/.test(text.slice(0, 4096));
}
