import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { HarnessError, messageOf } from '../errors.ts';
import { syntaxError } from '../wire/json-error.ts';
import { gunzip, isGzip, readZipEntry } from './archive.ts';
import {
  type Content,
  fileContent,
  LARGE_BYTES,
  listPieces,
  markLength,
  memoryContent,
  type Piece,
} from './content.ts';
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
      readonly content: Content;
      /** Lines that are not blank. */
      readonly lines: number;
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
 * Reads a file as JSON or JSONL, by its content; a gzip file by what it holds. A large JSONL file stays on disk.
 * @throws HarnessError `input.archive`, `input.size` (a packed file), `input.encoding` (binary, not UTF-8), `input.empty`, `input.format` (text that is
 * not JSON), `input.syntax` (JSON that is broken) with line and column.
 */
export function readDocument(file: FoundFile): Document {
  const large = largeContent(file);
  return large === undefined
    ? documentOf(file, readBytes(file))
    : documentIn(file, large, () => readBytes(file));
}

/** The same of a file whose bytes, unpacked, are at hand. */
export function documentOf(file: FoundFile, bytes: Buffer): Document {
  const content = withoutMark(bytes);
  return documentIn(file, memoryContent(content), () => content);
}

/**
 * A large file that is one list, its elements taken for the lines of a JSONL file; undefined of any other. Its
 * entries are not parsed yet, but for the first.
 */
export function readLargeList(file: FoundFile): Document | undefined {
  const large = largeContent(file);
  if (large === undefined) return undefined;
  const start = large.read(0, BEGINNING_BYTES);
  if (firstCharacter(withoutMark(start)) !== '[') return undefined;
  const content = fileContent(file.absolute, { pieces: listPieces });
  const sample: unknown[] = [];
  try {
    for (const { text } of take(linesOf(content), SAMPLE_LINES)) sample.push(JSON.parse(text));
  } catch {
    return undefined;
  }
  let lines = 0;
  for (const piece of content.pieces()) {
    checkEncoding(piece);
    lines++;
  }
  return { file, kind: 'jsonl', content, lines, sample, leading: sample.length };
}

/** A file that is too large to be held: undefined for a small one, and for one that is packed. */
function largeContent({ absolute, packed }: FoundFile): Content | undefined {
  if (packed !== undefined) return undefined;
  const stats = statSync(absolute, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.size <= LARGE_BYTES) return undefined;
  const content = fileContent(absolute);
  return isGzip(content.read(0, 2)) ? undefined : content;
}

function documentIn(file: FoundFile, content: Content, bytesOf: () => Buffer): Document {
  const { others, lines, first } = survey(content);
  if (first === undefined) throw new HarnessError('input.empty', 'the file is empty');
  if (first !== '[') {
    const leading = [...take(linesOf(content), SAMPLE_LINES)];
    const objects = leading.flatMap(({ text }) => objectIn(text) ?? []);
    const [one] = leading;
    // A JSONL file's lines stand for themselves; of a JSON file's lines, few do.
    const startsAlone = objectIn(one?.text ?? '') !== undefined;
    if (leading.length > 1 && (startsAlone || objects.length * 2 >= leading.length)) {
      const sample = [...objects, ...others.flatMap((line) => objectIn(line) ?? [])];
      return { file, kind: 'jsonl', content, lines, sample, leading: objects.length };
    }
  }
  const text = toText(withoutMark(bytesOf()));
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

/** Without the byte order mark. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(markLength(bytes));
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

/** @throws HarnessError `input.encoding` for a line or an entry that is no text */
function checkEncoding({ line, start, bytes }: Piece): void {
  const zero = bytes.indexOf(0);
  if (zero >= 0) {
    const wide = bytes.length > 1 && start === 0 && (bytes[0] === 0xff || bytes[0] === 0xfe);
    const found = wide ? 'UTF-16 text' : `a binary file (a zero byte at offset ${start + zero})`;
    throw new HarnessError('input.encoding', `expected JSON or JSONL in UTF-8, found ${found}`);
  }
  if (isUtf8(bytes)) return;
  throw new HarnessError(
    'input.encoding',
    'expected JSON or JSONL in UTF-8, found bytes that are not UTF-8',
    { at: { line } },
  );
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

/** The lines that are not blank. */
export function* linesOf(content: Content): Generator<Line> {
  for (const { line, bytes } of content.pieces()) {
    const text = bytes.toString('utf8');
    if (text.trim() !== '') yield { line, text };
  }
}

/** The lines of a JSONL document; one that has a single line is read as JSON, and is that line. */
export function documentLines(document: Document): Iterable<Line> {
  if (document.kind === 'jsonl') return linesOf(document.content);
  const before = document.text.slice(0, document.text.length - document.text.trimStart().length);
  return [{ line: before.split('\n').length, text: document.text }];
}

/** How many lines `documentLines` has, counted apart from it. */
export function countLines(document: Document): number {
  return document.kind === 'json' ? 1 : document.lines;
}

/** True for a line of nothing but white space. */
export function isBlank(bytes: Buffer): boolean {
  let at = 0;
  while (at < bytes.length && (bytes[at] ?? 0) <= 32) at++;
  // Beyond ASCII there is white space too, which a line of nothing else has.
  return (
    at === bytes.length || ((bytes[at] ?? 0) >= 128 && bytes.toString('utf8', at).trim() === '')
  );
}

interface Survey {
  readonly first: string | undefined;
  readonly lines: number;
  /** Behind the sampled lines, the first of each that begin otherwise than all before. */
  readonly others: readonly string[];
}

/** One look over all lines. @throws HarnessError `input.encoding` */
function survey(content: Content): Survey {
  const beginnings = new Set<string>();
  const others: string[] = [];
  let first: string | undefined;
  let lines = 0;
  for (const piece of content.pieces()) {
    const { bytes } = piece;
    checkEncoding(piece);
    if (isBlank(bytes)) continue;
    first ??= firstCharacter(bytes);
    if (others.length < OTHER_LINES) {
      const beginning = bytes.toString('latin1', 0, BEGINNING_BYTES);
      if (!beginnings.has(beginning) && lines >= SAMPLE_LINES) others.push(bytes.toString('utf8'));
      beginnings.add(beginning);
    }
    lines++;
  }
  return { first, lines, others };
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
