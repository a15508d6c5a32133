/** Files that grow by whole lines, and whose writer may be killed inside of one. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { HarnessError, messageOf, systemCodeOf } from '../errors.ts';
import { cannotWrite } from './write-error.ts';

const NEWLINE = 10;
const CHUNK = 1 << 16;

/**
 * Appends text that ends with a line end; makes the file where there is none. Where only a part can be written,
 * it is taken back, so that no later line is joined to it. One writer at a time. Rejects with `output.write`.
 */
export async function appendLines(file: string, text: string): Promise<void> {
  try {
    const handle = await open(file, 'a');
    try {
      const { size } = await handle.stat();
      try {
        if (text !== '') await handle.appendFile(text);
      } catch (cause) {
        await handle.truncate(size).catch(() => {});
        throw cause;
      }
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw cannotWrite(file, cause, 'choose another --out');
  }
}

/**
 * The lines of such a file, without their ends, also what stands behind the last one; none where there is no file.
 * Rejects with `input.missing` where it cannot be read.
 */
export async function* linesOf(file: string): AsyncGenerator<string> {
  const input = createReadStream(file, 'utf8');
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (cause) {
    if (systemCodeOf(cause) === 'ENOENT') return;
    throw new HarnessError('input.missing', `cannot read: ${messageOf(cause)}`, {
      cause,
      at: { file },
    });
  }
}

/** Cuts off a last line that a killed writer left unfinished. Rejects with `output.write`. */
export async function repairLines(file: string): Promise<void> {
  try {
    const handle = await open(file, 'r+');
    try {
      const { size } = await handle.stat();
      let end = size;
      while (end > 0) {
        const start = Math.max(0, end - CHUNK);
        const { buffer, bytesRead } = await handle.read(
          Buffer.alloc(end - start),
          0,
          end - start,
          start,
        );
        const last = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE);
        end = last < 0 ? start : start + last + 1;
        if (last >= 0) break;
      }
      if (end < size) await handle.truncate(end);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (systemCodeOf(cause) === 'ENOENT') return;
    throw cannotWrite(file, cause, 'choose another --out');
  }
}
