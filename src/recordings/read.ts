import { HarnessError, nearestName } from '../errors.ts';
import { pushAll } from '../text/long-lists.ts';
import { MessageTable } from '../transcript/intern.ts';
import type { Transcript } from '../transcript/transcript.ts';
import { LARGE_BYTES } from './content.ts';
import { type Document, readDocument, readLargeList } from './document.ts';
import { formats } from './formats/catalog.ts';
import type { Format, FormatName, ReadContext } from './formats/format.ts';
import { limitHeapGrowth } from './heap-growth.ts';
import { holdsNoRequest, withPlainReward } from './left-out.ts';
import { addsUp, describeLoss, type FileLoss, LossReport } from './loss.ts';
import { oddMessage } from './odd-message.ts';
import { type FoundFile, findFiles } from './paths.ts';
import { type Problem, problemOf } from './problem.ts';
import { inputError } from './schema.ts';
import { UniqueNames } from './unique-names.ts';

/** Transcripts that were read together, and what could not be read. */
export interface Reading {
  readonly transcripts: readonly Transcript[];
  readonly problems: readonly Problem[];
  /** What became of the records of each file; with the last transcripts of the file. */
  readonly losses: readonly FileLoss[];
}

/** How much distinct text the transcripts of one reading have together, where a file holds many; in characters. */
const READING_CHARACTERS = 2 ** 22;
/** How much a format reads at once that must know a file's end before it knows a transcript; in bytes. */
const MOST_WHOLE_BYTES = 2 ** 29;
/** Large documents that are kept from their survey on: they hold no more than their first lines. */
const KEPT_DOCUMENTS = 16;

export interface ReadOptions {
  /** One format for all files; `auto` recognizes each by its content. */
  readonly format?: 'auto' | FormatName;
  /** Folder that relative patterns start from. */
  readonly cwd: string;
}

/**
 * Reads the recordings that `patterns` (files, folders, globs) name, one `Reading` for each group of files
 * that belong together, or several where they hold many transcripts, so that never more than one is in memory. Files
 * are read twice: first to tell what they are and which belong together, then for their transcripts.
 *
 * `(task, trial, lineage)` is unique over all readings: where two recordings collide, the later one's
 * task gets its session or file in brackets.
 *
 * @throws HarnessError `usage` for an unknown format.
 */
export async function* readRecordings(
  patterns: readonly string[],
  options: ReadOptions,
): AsyncGenerator<Reading> {
  const candidates = formatsNamed(options.format ?? 'auto');
  const { files, problems } = findFiles(patterns, options.cwd);
  const surveyed = survey(files, candidates);
  const early = [
    ...problems,
    ...surveyed.problems,
    ...emptyFolders(patterns, files, surveyed, candidates),
  ];
  if (early.length > 0) yield { transcripts: [], problems: early, losses: [] };
  const names = new UniqueNames();
  for (const group of grouped(surveyed.recordings)) {
    const claims = names.group();
    for (const reading of readGroup(group)) {
      yield { ...reading, transcripts: claims.claim(reading.transcripts) };
    }
  }
}

function formatsNamed(name: string): readonly Format[] {
  if (name === 'auto') return formats;
  const found = formats.filter((format) => format.name === name);
  if (found.length > 0) return found;
  const names = ['auto', ...formats.map((format) => format.name)];
  const nearest = nearestName(name, names);
  throw new HarnessError(
    'usage',
    `unknown format "${name}"; expected one of ${names.join(', ')}${nearest === undefined ? '' : `; did you mean "${nearest}"?`}`,
  );
}

interface Recording {
  readonly file: FoundFile;
  readonly format: Format;
  readonly keys: readonly string[];
  /** A large file that is a list of such entries, read entry by entry. */
  readonly isList: boolean;
  /** A large file's, which stays on disk. */
  readonly document?: Document;
}

interface Survey {
  readonly recordings: readonly Recording[];
  readonly problems: readonly Problem[];
}

/** Tells for each file which format it has, without keeping its content. */
function survey(files: readonly FoundFile[], candidates: readonly Format[]): Survey {
  const recordings: Recording[] = [];
  const problems: Problem[] = [];
  const keys = new GroupKeys();
  let kept = 0;
  for (const file of files) {
    try {
      const found = recognized(file, candidates);
      if ('format' in found) {
        const { format, document, isList } = found;
        const isKept = kept < KEPT_DOCUMENTS && isOnDisk(document);
        if (isKept) kept++;
        const recording = { file, format, isList, ...(isKept ? { document } : {}) };
        recordings.push({ ...recording, keys: keys.of(format, document) });
      } else problems.push(unknownFormat(found.document, candidates));
    } catch (error) {
      if (!(error instanceof HarnessError)) throw error;
      problems.push(unreadable(file, error));
    }
  }
  return { recordings, problems };
}

/** The keys of recordings, which are looked for only where there are several of a format. */
class GroupKeys {
  readonly #firsts = new Map<Format, { readonly document: Document; readonly keys: string[] }>();
  readonly #several = new Set<Format>();

  /** Those of the first of a format are there once the second was asked for. */
  of(format: Format, document: Document): readonly string[] {
    if (this.#several.has(format)) return format.groupKeys(document);
    const first = this.#firsts.get(format);
    if (first !== undefined) {
      this.#several.add(format);
      this.#firsts.delete(format);
      first.keys.push(...format.groupKeys(first.document));
      return format.groupKeys(document);
    }
    const isLarge = document.kind === 'json' && document.text.length > LARGE_BYTES;
    const keys = isLarge ? [...format.groupKeys(document)] : [];
    if (isLarge) this.#several.add(format);
    else this.#firsts.set(format, { document, keys });
    return keys;
  }
}

interface Recognized {
  readonly document: Document;
  readonly format: Format;
  readonly isList: boolean;
}

function recognized(
  file: FoundFile,
  candidates: readonly Format[],
): Recognized | { readonly document: Document } {
  const list = readLargeList(file);
  if (list !== undefined) {
    const format = candidates.find((candidate) => candidate.detectsList?.(list.sample));
    if (format !== undefined) return { document: list, format, isList: true };
  }
  const document = readDocument(file);
  const format = candidates.find((candidate) => candidate.detect(document));
  return format === undefined ? { document } : { document, format, isList: false };
}

function isOnDisk(document: Document): boolean {
  return document.kind === 'jsonl' && document.content.size > LARGE_BYTES;
}

function unknownFormat(document: Document, candidates: readonly Format[]): Problem {
  const { file } = document;
  const odd = oddMessage(document);
  if (odd !== undefined) {
    const message = `not a list of messages: ${odd.found}`;
    return { code: 'input.schema', message, at: odd.at, severity: 'error' };
  }
  const known = candidates.map(({ name, about }) => `${name}: ${about}`).join('; ');
  return {
    code: 'input.format',
    // Companions of recordings may be thousands, so each is told of in a few words.
    message: file.named
      ? `not a recording of a format that can be read; expected ${known}`
      : 'not a recording, left out',
    at: { file: file.path },
    severity: file.named ? 'error' : 'notice',
  };
}

/** Extensions of files that should be recordings, so that one that cannot be read is no companion. */
const RECORDING_NAME = /\.(?:json|jsonl|ndjson|traj)(?:\.gz)?$/i;

/** What other files than recordings are found to be. */
const UNREADABLE: ReadonlySet<string> = new Set(['input.encoding', 'input.archive', 'input.size']);

/** Companions of recordings (licences, tables, images) are told of; a broken recording is an error. */
function unreadable(file: FoundFile, error: HarnessError): Problem {
  const problem = problemOf(error, file.path);
  const isCompanion =
    error.code === 'input.format' ||
    error.code === 'input.empty' ||
    (UNREADABLE.has(error.code) && !RECORDING_NAME.test(file.path));
  return !file.named && isCompanion ? { ...problem, severity: 'notice' } : problem;
}

/** A folder or glob that found files, of which none is a recording or a broken one. */
function emptyFolders(
  patterns: readonly string[],
  files: readonly FoundFile[],
  { recordings, problems }: Survey,
  candidates: readonly Format[],
): readonly Problem[] {
  if (files.length === 0 || recordings.length > 0) return [];
  if (problems.some(({ severity }) => severity === 'error')) return [];
  const names = candidates.map(({ name }) => name).join(', ');
  const message = `none of the ${files.length} files found is a recording of a format that can be read: ${names}`;
  return [{ code: 'input.empty', message, at: { file: patterns.join(' ') }, severity: 'error' }];
}

/** Recordings that share a key of one format, directly or through others, in order of appearance. */
function grouped(recordings: readonly Recording[]): readonly (readonly Recording[])[] {
  const leaders = recordings.map((_, index) => index);
  const leaderOf = (index: number): number => {
    let leader = index;
    while (leaders[leader] !== leader) leader = leaders[leader] ?? leader;
    leaders[index] = leader;
    return leader;
  };
  const owners = new Map<string, number>();
  for (const [index, { format, keys }] of recordings.entries()) {
    for (const key of keys) {
      const name = `${format.name} ${key}`;
      const owner = owners.get(name);
      if (owner === undefined) owners.set(name, index);
      else {
        const [first, second] = [leaderOf(owner), leaderOf(index)].sort((a, b) => a - b);
        if (first !== undefined && second !== undefined) leaders[second] = first;
      }
    }
  }
  const groups = new Map<number, Recording[]>();
  for (const [index, recording] of recordings.entries()) {
    const leader = leaderOf(index);
    const group = groups.get(leader);
    if (group === undefined) groups.set(leader, [recording]);
    else group.push(recording);
  }
  return [...groups.values()];
}

function* readGroup(group: readonly Recording[]): Generator<Reading> {
  let problems: Problem[] = [];
  const format = group[0]?.format;
  let table = new MessageTable();
  /** Characters of tables that were put away since the last reading. */
  let before = 0;
  const loss = new LossReport(format?.name ?? '');
  const path = group[0]?.file.path ?? '';
  const context: ReadContext = {
    get table() {
      return table;
    },
    renew() {
      before += table.characters;
      table = new MessageTable();
    },
    report: (problem) => problems.push(problem),
    loss,
  };
  let batch: Transcript[] = [];
  let isEmpty = true;
  /** Told one by one only where others of the group hold requests. */
  const without: Problem[] = [];
  try {
    const documents = documentsOf(group, context);
    const whole = documents.filter(({ kind }) => kind === 'json' || format?.streams !== true);
    limitHeapGrowth(checkedSize(whole));
    for (const transcript of format?.read(documents, context) ?? []) {
      if (transcript.requests.length === 0) {
        without.push(holdsNoRequest(transcript));
        continue;
      }
      isEmpty = false;
      batch.push(withPlainReward(transcript, context.report));
      const isFull = before + table.characters >= READING_CHARACTERS;
      if (format?.streams !== true || !isFull) continue;
      const reading = { transcripts: batch, problems, losses: [] };
      batch = [];
      problems = [];
      context.renew();
      before = 0;
      yield reading;
    }
  } catch (error) {
    problems.push(problemOf(inputError('', error), path));
    loss.abandon('of a recording that cannot be read');
  }
  if (isEmpty && problems.length === 0) {
    const at = { file: path };
    const severity = group.some(({ file }) => file.named) ? 'error' : 'notice';
    problems.push({ code: 'input.empty', message: 'the recording holds no request', at, severity });
  }
  if (!isEmpty) pushAll(problems, without);
  const losses = loss.files();
  for (const file of losses) if (!addsUp(file)) problems.push(miscounted(file));
  yield { transcripts: batch, problems, losses };
}

/**
 * Bytes of documents that are held at once.
 *
 * @throws HarnessError `input.size` for more than can be
 */
function checkedSize(documents: readonly Document[]): number {
  const sizes = documents.map((one) => (one.kind === 'json' ? one.text.length : one.content.size));
  const size = sizes.reduce((sum, bytes) => sum + bytes, 0);
  if (size <= MOST_WHOLE_BYTES) return size;
  const message = `recordings of this format are read whole, at most ${MOST_WHOLE_BYTES} bytes that belong together; found ${size} bytes in ${documents.length} ${documents.length === 1 ? 'file' : 'files'}; split them by session`;
  throw new HarnessError('input.size', message);
}

/** Documents that cannot be read are reported. */
function documentsOf(group: readonly Recording[], { report }: ReadContext): readonly Document[] {
  return group.flatMap(({ file, isList, document: kept }) => {
    try {
      return kept ?? (isList ? readLargeList(file) : undefined) ?? readDocument(file);
    } catch (error) {
      if (!(error instanceof HarnessError)) throw error;
      report(problemOf(error, file.path));
      return [];
    }
  });
}

/** The transcripts stand, so that a count of ours that does not add up is told, and ends nothing. */
function miscounted(loss: FileLoss): Problem {
  const message = `the loss report does not add up: ${describeLoss(loss)}; please report this file`;
  return { code: 'harness.internal', message, at: { file: loss.file }, severity: 'notice' };
}
