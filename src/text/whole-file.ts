import { constants } from 'node:buffer';
import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HarnessError, messageOf, nearestName, systemCodeOf } from '../errors.ts';

/** What is read, for the message, and how it is limited. */
export interface WholeFile {
  /** Behind `cannot read …`: `the rows`. */
  readonly what: string;
  /** The file as its user wrote it; the path itself where absent. */
  readonly shown?: string;
  /** Most bytes that are taken into memory; by default what fits into one text. */
  readonly limit?: number;
  /** What to do about a file that is not there. */
  readonly advice?: string;
}

/**
 * A file as text, UTF-8. A pipe or a device would be waited for, or read, for ever, so only regular files are
 * read, and what the shell itself has opened (`<(…)`, `/dev/stdin`).
 *
 * Rejects with `input.missing` (also for what is no file, with the nearest name), or `input.size`.
 */
export async function wholeText(path: string, file: WholeFile): Promise<string> {
  return (await wholeBytes(path, file)).toString('utf8');
}

/** As `wholeText`, of the bytes. */
export async function wholeBytes(path: string, file: WholeFile): Promise<Buffer> {
  checkFile(path, file);
  try {
    return withinLimit(await readFile(path), path, file);
  } catch (cause) {
    throw unreadable(path, file, cause);
  }
}

/** As `wholeBytes`, at once. */
export function wholeBytesNow(path: string, file: WholeFile): Buffer {
  checkFile(path, file);
  try {
    return withinLimit(readFileSync(path), path, file);
  } catch (cause) {
    throw unreadable(path, file, cause);
  }
}

/**
 * Whether the path leads to a file that can be read to its end, without opening it.
 * @throws HarnessError `input.missing`, `input.size`
 */
export function checkFile(path: string, file: WholeFile): void {
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch (cause) {
    throw unreadable(path, file, cause);
  }
  const isOpened = /^\/dev\/(?:stdin|fd\/\d+)$/.test(path) && !stats.isDirectory();
  if (!stats.isFile() && !isOpened) {
    const message = `cannot read ${file.what}: expected a file, found ${kindOf(stats)}`;
    throw new HarnessError('input.missing', message, placeOf(path, file));
  }
  const { limit = constants.MAX_STRING_LENGTH } = file;
  if (stats.size > limit) throw tooLarge(stats.size, limit, path, file);
}

/** `, did you mean "…"?` for the first part of a path that does not exist; empty where nothing is near. */
export function missingHint(missing: string): string {
  let child = missing;
  let parent = dirname(child);
  while (statOf(parent) === undefined && dirname(parent) !== parent) {
    child = parent;
    parent = dirname(child);
  }
  if (statOf(parent)?.isDirectory() !== true) return '';
  const nearest = nearestName(basename(child), readdirSync(parent));
  if (nearest === basename(child)) return ': it is a link to what does not exist';
  return nearest === undefined ? '' : `; did you mean "${join(parent, nearest)}"?`;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function withinLimit(bytes: Buffer, path: string, file: WholeFile): Buffer {
  const { limit = constants.MAX_STRING_LENGTH } = file;
  if (bytes.length > limit) throw tooLarge(bytes.length, limit, path, file);
  return bytes;
}

function tooLarge(size: number, limit: number, path: string, file: WholeFile): HarnessError {
  const message = `cannot read ${file.what}: found ${size} bytes, at most ${limit} are read`;
  return new HarnessError('input.size', message, placeOf(path, file));
}

function unreadable(path: string, file: WholeFile, cause: unknown): HarnessError {
  if (cause instanceof HarnessError) return cause;
  const isMissing = systemCodeOf(cause) === 'ENOENT' || systemCodeOf(cause) === 'ENOTDIR';
  const reason = isMissing ? `no such file${missingHint(path)}` : messageOf(cause);
  const advice = file.advice === undefined ? '' : `; ${file.advice}`;
  const message = `cannot read ${file.what}: ${reason}${advice}`;
  return new HarnessError('input.missing', message, { cause, ...placeOf(path, file) });
}

function placeOf(path: string, { shown = path }: WholeFile): { readonly at: { file: string } } {
  return { at: { file: shown } };
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
