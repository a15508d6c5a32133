import { HarnessError, nearestName } from '../errors.ts';
import { MessageTable } from '../transcript/intern.ts';
import type { Transcript } from '../transcript/transcript.ts';
import { type Document, readDocument } from './document.ts';
import { formats } from './formats/catalog.ts';
import type { Format, FormatName } from './formats/format.ts';
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
  /** What became of the records of each file. */
  readonly losses: readonly FileLoss[];
}

export interface ReadOptions {
  /** One format for all files; `auto` recognizes each by its content. */
  readonly format?: 'auto' | FormatName;
  /** Folder that relative patterns start from. */
  readonly cwd: string;
}

/**
 * Reads the recordings that `patterns` (files, folders, globs) name, one `Reading` for each group of files
 * that belong together, so that never more than one group is in memory. Files are read twice: first to
 * tell what they are and which belong together, then for their transcripts.
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
    const reading = readGroup(group);
    yield { ...reading, transcripts: names.claim(reading.transcripts) };
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
}

interface Survey {
  readonly recordings: readonly Recording[];
  readonly problems: readonly Problem[];
}

/** Tells for each file which format it has, without keeping its content. */
function survey(files: readonly FoundFile[], candidates: readonly Format[]): Survey {
  const recordings: Recording[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    try {
      const document = readDocument(file);
      const format = candidates.find((candidate) => candidate.detect(document));
      if (format === undefined) problems.push(unknownFormat(document, candidates));
      else recordings.push({ file, format, keys: format.groupKeys(document) });
    } catch (error) {
      if (!(error instanceof HarnessError)) throw error;
      problems.push(unreadable(file, error));
    }
  }
  return { recordings, problems };
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

function readGroup(group: readonly Recording[]): Reading {
  const problems: Problem[] = [];
  const documents: Document[] = [];
  for (const { file } of group) {
    try {
      documents.push(readDocument(file));
    } catch (error) {
      if (!(error instanceof HarnessError)) throw error;
      problems.push(problemOf(error, file.path));
    }
  }
  const format = group[0]?.format;
  const table = new MessageTable();
  const report = (problem: Problem) => problems.push(problem);
  const loss = new LossReport(format?.name ?? '');
  const path = group[0]?.file.path ?? '';
  let transcripts: readonly Transcript[] = [];
  try {
    transcripts = format?.read(documents, { table, report, loss }) ?? [];
  } catch (error) {
    problems.push(problemOf(inputError('', error), path));
    loss.abandon('of a recording that cannot be read');
  }
  const kept = transcripts.filter(({ requests }) => requests.length > 0);
  if (kept.length === 0 && problems.length === 0) {
    const at = { file: path };
    const severity = group.some(({ file }) => file.named) ? 'error' : 'notice';
    problems.push({ code: 'input.empty', message: 'the recording holds no request', at, severity });
  }
  const losses = loss.files();
  for (const file of losses) if (!addsUp(file)) problems.push(miscounted(file));
  return { transcripts: kept, problems, losses };
}

/** The transcripts stand, so that a count of ours that does not add up is told, and ends nothing. */
function miscounted(loss: FileLoss): Problem {
  const message = `the loss report does not add up: ${describeLoss(loss)}; please report this file`;
  return { code: 'harness.internal', message, at: { file: loss.file }, severity: 'notice' };
}
