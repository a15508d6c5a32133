import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { HarnessError, type Place } from '../../errors.ts';
import { isObject } from '../../shape/json-values.ts';
import { wholeBytes } from '../../text/whole-file.ts';
import { syntaxError } from '../../wire/json-error.ts';
import { path as spanAt } from '../../wire/json-spans.ts';

/** A JSON file: its exact text and what it says. */
export interface JsonFile {
  readonly file: string;
  readonly text: string;
  readonly value: unknown;
}

/**
 * Reads a JSON file.
 * @throws HarnessError `input.missing`, `input.encoding` (not UTF-8), `input.syntax` with file, line and column.
 */
export async function readJsonFile(file: string): Promise<JsonFile> {
  const text = decode(await readBytes(file), file);
  try {
    return { file, text, value: JSON.parse(text) };
  } catch (cause) {
    const error = syntaxError(text, cause);
    throw new HarnessError(error.code, error.message, { cause, at: { ...error.at, file } });
  }
}

async function readBytes(file: string): Promise<Uint8Array> {
  return await wholeBytes(file, { what: 'the file' });
}

function systemReason(cause: unknown): string {
  return isObject(cause) && typeof cause.code === 'string' ? cause.code : String(cause);
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new HarnessError('input.encoding', 'the file is not UTF-8: expected JSON text', {
      cause,
      at: { file },
    });
  }
}

/** Line of the value under these keys, or of the nearest that contains it. */
export function placeOf({ file, text }: JsonFile, steps: readonly (string | number)[]): Place {
  for (let length = steps.length; length > 0; length--) {
    const span = spanAt(text, steps.slice(0, length));
    if (span === undefined) continue;
    return { file, line: text.slice(0, span.start).split('\n').length };
  }
  return { file, line: 1 };
}

/**
 * The `.json` files of a folder and the folders in it, in order of their names; a file stands for itself.
 * @throws HarnessError `input.missing`, or `input.empty` for a folder without such files.
 */
export async function jsonFiles(start: string): Promise<readonly string[]> {
  const stat = await fs.stat(start).catch((cause: unknown) => {
    throw new HarnessError('input.missing', `no such file or folder: ${systemReason(cause)}`, {
      cause,
      at: { file: start },
    });
  });
  if (!stat.isDirectory()) return [start];
  const entries = await fs.readdir(start, { recursive: true, withFileTypes: true });
  const found = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  if (found.length > 0) return found;
  throw new HarnessError('input.empty', 'the folder holds no .json file', { at: { file: start } });
}

/**
 * The files under a path that can hold lists: the path itself, or those of a folder and the folders in it,
 * by their endings, in order of their names; written as the path was.
 * @throws HarnessError as `jsonFiles`.
 */
export async function filesOf(start: string, cwd: string): Promise<readonly string[]> {
  const folder = path.resolve(cwd, start);
  const stat = await fs.stat(folder).catch((cause: unknown) => {
    throw new HarnessError('input.missing', `no such file or folder: ${systemReason(cause)}`, {
      cause,
      at: { file: start },
    });
  });
  if (!stat.isDirectory()) return [start];
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries
    .filter((entry) => entry.isFile() && RECORDING.test(entry.name))
    .map((entry) =>
      path.join(start, path.relative(folder, path.join(entry.parentPath, entry.name))),
    )
    .sort();
  if (found.length > 0) return found;
  throw new HarnessError('input.empty', 'the folder holds no .json, .jsonl or .traj file', {
    at: { file: start },
  });
}

const RECORDING = /\.(?:json|jsonl|ndjson|traj)$/;
