import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { HarnessError, systemCodeOf } from '../../errors.ts';
import { withNumberedMarks } from '../../text/redact-placeholder.ts';
import { cannotWrite } from '../../text/write-error.ts';
import { hasNoLinks } from '../../text/write-whole.ts';

/** What became of a file. */
export type Written = 'written' | 'unchanged' | 'replaced';

/** Characters that are gathered before they are written. */
const CHUNK = 1_000_000;

export interface WriteOptions {
  /** Replaces a file of other content. */
  readonly force: boolean;
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
  { force, redacted }: WriteOptions,
): Written {
  const file = join(folder, name);
  // Hidden, so that nobody reads it as a recording; of a name that no other import has.
  const draft = join(folder, `.${name.slice(0, 80)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeLines(draft, lines);
    if (placed(draft, file)) return 'written';
    const [before, after] = [readFileSync(file), readFileSync(draft)];
    if (before.equals(after)) return 'unchanged';
    if (!force && !(redacted && isSameImport(before, after))) throw conflict(file);
    renameSync(draft, file);
    return 'replaced';
  } catch (cause) {
    if (cause instanceof HarnessError) throw cause;
    throw cannotWrite(file, cause, 'choose another --out');
  } finally {
    removed(draft);
  }
}

/** Puts the draft in its place; false where a file is there, or is put there by another at the same time. */
function placed(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    if (!hasNoLinks(error)) throw error;
  }
  if (existsSync(file)) return false;
  renameSync(draft, file);
  return true;
}

/** A draft that stays is litter and no more: the first error is the one to tell of. */
function removed(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {}
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
  for (let at = 0; at < bytes.length; ) {
    const written = writeSync(descriptor, bytes, at);
    if (written === 0) throw new Error('the system takes no more bytes');
    at += written;
  }
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
