/**
 * Files that are whole at every moment: written under another name beside their place, and put there in one
 * step. Whoever is killed in between, or finds the disk full, leaves what was there before.
 */
import { randomBytes } from 'node:crypto';
import { link, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCodeOf } from '../errors.ts';
import { cannotWrite } from './write-error.ts';

export interface WriteWholeOptions {
  /** Path of the draft. Absent: a name that no other writer has; name it where a lock keeps others out. */
  readonly draft?: string;
  /** How another place is chosen, for the message. */
  readonly elsewhere?: string;
  /** What is written, for the message: `the transcript`. */
  readonly what?: string;
}

/**
 * Replaces a file in one step: a reader sees the old content or the new one. A link is followed; a pipe or a
 * device is written to as it is. Rejects with `output.write`, and then nothing has changed.
 */
export async function writeWhole(
  file: string,
  content: string | Uint8Array,
  { draft, elsewhere, what }: WriteWholeOptions = {},
): Promise<void> {
  try {
    const target = await targetOf(file);
    if (target.kind === 'stream') return await writeNow(target.path, content, 'a');
    const written = draft ?? draftOf(target.path);
    try {
      await writeNow(written, content, 'w', target.mode);
      await rename(written, target.path);
    } catch (cause) {
      await removed(written);
      throw cause;
    }
  } catch (cause) {
    throw cannotWrite(file, cause, elsewhere, what);
  }
}

/**
 * Makes a file with its content in it, so that nobody ever sees it without; false where there is one.
 * Of several that do so at once, one makes it. Rejects with what the system says.
 */
export async function createWhole(file: string, content: string): Promise<boolean> {
  const draft = draftOf(file);
  try {
    await writeNow(draft, content, 'w');
    return await placed(draft, file);
  } finally {
    await removed(draft);
  }
}

async function placed(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    if (!hasNoLinks(error)) throw error;
  }
  try {
    // Some disks know no links: there the name is taken first.
    await (await open(file, 'wx')).close();
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
  await rename(draft, file);
  return true;
}

/** Whether the error says that the disk, not this file, cannot be linked on. */
export function hasNoLinks(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(systemCodeOf(error) ?? '');
}

/** Hidden, so that nobody reads it as a result, and short, so that a long name has a draft too. */
function draftOf(file: string): string {
  return join(dirname(file), `.${randomBytes(6).toString('hex')}.tmp`);
}

async function writeNow(
  file: string,
  content: string | Uint8Array,
  flags: 'w' | 'a',
  mode?: number,
): Promise<void> {
  const handle = await open(file, flags, mode);
  try {
    await handle.writeFile(content);
    // Else a machine that loses power may keep the name and not the content.
    if (flags === 'w') await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A draft that stays is litter and no more: the first error is the one to tell of. */
async function removed(draft: string): Promise<void> {
  await rm(draft, { force: true }).catch(() => {});
}

type Target =
  | { readonly kind: 'file'; readonly path: string; readonly mode?: number }
  | { readonly kind: 'stream'; readonly path: string };

async function targetOf(file: string): Promise<Target> {
  const found = await stat(file).catch((error: unknown) => {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return { kind: 'file', path: file };
  if (found.isFile()) return { kind: 'file', path: await realpath(file), mode: found.mode & 0o777 };
  return { kind: 'stream', path: file };
}
