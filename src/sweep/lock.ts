import { readFile, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { HarnessError, messageOf, systemCodeOf } from '../errors.ts';

/** Who writes a run. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** Whether a process of this machine still runs. */
  isAlive(pid: number): boolean;
}

const content = z.object({ pid: z.int(), host: z.string() });

/** A file beside the CSV that keeps a second sweep from writing into the same run. */
export class RunLock {
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
  }

  /**
   * Takes the lock. One that a killed process of this machine left behind is taken over.
   * Rejects with `output.conflict` while another sweep holds it.
   */
  static async acquire(csv: string, holder: LockHolder): Promise<RunLock> {
    const file = `${csv}.lock`;
    const text = JSON.stringify({ pid: holder.pid, host: holder.host });
    if (await create(file, text)) return new RunLock(file);
    const known = await read(file);
    const abandoned =
      known !== undefined && known.host === holder.host && !holder.isAlive(known.pid);
    if (abandoned) {
      await rm(file, { force: true });
      if (await create(file, text)) return new RunLock(file);
    }
    const who = known === undefined ? 'another process' : `process ${known.pid} on ${known.host}`;
    const message = `${who} is writing this run; wait for it, or delete ${file} if it has ended`;
    throw new HarnessError('output.conflict', message, { at: { file: csv } });
  }

  async release(): Promise<void> {
    await rm(this.#file, { force: true });
  }
}

async function create(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx' });
    return true;
  } catch (cause) {
    if (systemCodeOf(cause) === 'EEXIST') return false;
    const message = `cannot write: ${messageOf(cause)}; choose another --out`;
    throw new HarnessError('output.write', message, { cause, at: { file } });
  }
}

async function read(file: string): Promise<z.output<typeof content> | undefined> {
  try {
    return content.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}
