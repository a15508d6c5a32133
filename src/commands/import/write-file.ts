import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { HarnessError, messageOf } from '../../errors.ts';
import { withNumberedMarks } from '../../text/redact-placeholder.ts';

/** What became of a file. */
export type Written = 'written' | 'unchanged' | 'replaced';

/** Characters that are gathered before they are written. */
const CHUNK = 1_000_000;

export interface WriteOptions {
  /** Replaces a file of other content. */
  readonly force: boolean;
  /** Tells the drafts of this process from those of others. */
  readonly pid: number;
  /** Placeholders may be those of another key. */
  readonly redacted: boolean;
}

/**
 * Writes a file whole or not at all. One that is there stays where it has the same content; where only the marks
 * of its placeholders differ, it was the same import, and is replaced.
 *
 * @throws HarnessError `output.conflict` where another content is there, `output.write`
 */
export function writeWhole(
  folder: string,
  name: string,
  lines: Iterable<string>,
  { force, pid, redacted }: WriteOptions,
): Written {
  const file = join(folder, name);
  // Hidden, so that nobody reads it as a recording.
  const draft = join(folder, `.${name}.${pid}.tmp`);
  try {
    writeLines(draft, lines);
    if (!existsSync(file)) {
      renameSync(draft, file);
      return 'written';
    }
    const [before, after] = [readFileSync(file), readFileSync(draft)];
    if (before.equals(after)) return 'unchanged';
    if (!force && !(redacted && isSameImport(before, after))) throw conflict(file);
    renameSync(draft, file);
    return 'replaced';
  } catch (cause) {
    if (cause instanceof HarnessError) throw cause;
    const message = `the file cannot be written: ${messageOf(cause)}`;
    throw new HarnessError('output.write', message, { cause, at: { file } });
  } finally {
    rmSync(draft, { force: true });
  }
}

function writeLines(file: string, lines: Iterable<string>): void {
  const descriptor = openSync(file, 'w');
  try {
    let chunk = '';
    for (const line of lines) {
      chunk += line;
      if (chunk.length < CHUNK) continue;
      writeText(descriptor, chunk);
      chunk = '';
    }
    writeText(descriptor, chunk);
  } finally {
    closeSync(descriptor);
  }
}

/** The system may take less at once than it was given. */
function writeText(descriptor: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}

function isSameImport(before: Buffer, after: Buffer): boolean {
  return withNumberedMarks(before.toString('utf8')) === withNumberedMarks(after.toString('utf8'));
}

function conflict(file: string): HarnessError {
  return new HarnessError(
    'output.conflict',
    'the file is there with another content; write to another folder with --out, or replace it with --force',
    { at: { file } },
  );
}
