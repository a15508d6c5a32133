import { readFile, rm } from 'node:fs/promises';
import { z } from 'zod';
import { HarnessError } from '../errors.ts';
import { cannotWrite } from '../text/write-error.ts';
import { createWhole, writeWhole } from '../text/write-whole.ts';

/** Who writes a run. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** Whether a process of this machine still runs. */
  isAlive(pid: number): boolean;
}

const content = z.object({ pid: z.int(), host: z.string() });

type Content = z.output<typeof content>;

/** A file beside the CSV that keeps a second sweep from writing into the same run. */
export class RunLock {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  /**
   * Takes the lock. One that a killed process of this machine left behind is taken over, by one of those that
   * try at once. Rejects with `output.conflict` while another holds it, and with `output.write`.
   */
  static async acquire(csv: string, holder: LockHolder): Promise<RunLock> {
    const file = `${csv}.lock`;
    try {
      if (await take(file, holder)) return new RunLock(file);
    } catch (cause) {
      if (cause instanceof HarnessError) throw cause;
      throw cannotWrite(file, cause, 'choose another --out');
    }
    // During a takeover, the lock still names the process that has ended.
    throw conflict(csv, file, (await read(`${file}.takeover`)) ?? (await read(file)));
  }

  /** One that cannot be removed is that of a process that has ended, and is taken over. */
  async release(): Promise<void> {
    await rm(this.#file, { force: true }).catch(() => {});
  }
}

/**
 * False while another has it. An abandoned lock is never away: it is replaced in one step, by whoever has the lock
 * of the takeover, which may be an abandoned one itself.
 */
async function take(file: string, holder: LockHolder): Promise<boolean> {
  const text = JSON.stringify({ pid: holder.pid, host: holder.host });
  if (await createWhole(file, text)) return true;
  if (!isAbandoned(await read(file), holder)) return false;
  const takeover = `${file}.takeover`;
  if (!(await take(takeover, holder))) return false;
  try {
    // Another may have been first.
    if (!isAbandoned(await read(file), holder)) return false;
    await writeWhole(file, text, { elsewhere: 'choose another --out' });
    return true;
  } finally {
    await rm(takeover, { force: true }).catch(() => {});
  }
}

function isAbandoned(known: Content | undefined, { host, isAlive }: LockHolder): boolean {
  return known !== undefined && known.host === host && !isAlive(known.pid);
}

function conflict(csv: string, file: string, known: Content | undefined): HarnessError {
  const who = known === undefined ? 'another process' : `process ${known.pid} on ${known.host}`;
  const message = `${who} is writing this; wait for it, or delete ${file} if it has ended`;
  return new HarnessError('output.conflict', message, { at: { file: csv } });
}

async function read(file: string): Promise<Content | undefined> {
  try {
    return content.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}
