/**
 * The file of a cassette: lines that several processes append and none changes. A line is whole or it does
 * not count, and an append that a killed process left half done takes no other line with it.
 */
import * as fs from 'node:fs';
import { HarnessError, messageOf, systemCodeOf } from '../errors.ts';
import { checkFile } from '../text/whole-file.ts';
import { cannotWrite } from '../text/write-error.ts';

const NEWLINE = 10;
const CHUNK = 1 << 20;
const MOST_ATTEMPTS = 5;
/** Bytes of a line; an entry is one call. */
const LONGEST_LINE = 2 ** 28;

/** One line with its place in the file. */
export interface FileLine {
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  /** Offset in bytes, and length without the line end. */
  readonly start: number;
  readonly length: number;
  /** False of what stands after the last line end. */
  readonly ended: boolean;
}

export class CassetteFile {
  readonly path: string;
  readonly #descriptor: number;
  /** Where the first line begins that was not read to its end. */
  #offset = 0;
  #lines = 0;

  private constructor(path: string, descriptor: number) {
    this.path = path;
    this.#descriptor = descriptor;
  }

  /**
   * For reading, or also for appending: then a file that is not there is made, with `first` as its first
   * line. Of several processes that do so at once, one makes it.
   * @throws HarnessError `input.missing`, `output.write`
   */
  static open(path: string, first: string | undefined): CassetteFile {
    try {
      if (first !== undefined) makeFile(path, `${first}\n`);
      // A pipe would be waited for. What is missing is told below.
      if (fs.existsSync(path))
        checkFile(path, { what: 'the cassette', limit: Number.MAX_SAFE_INTEGER });
      const file = new CassetteFile(path, fs.openSync(path, first === undefined ? 'r' : 'a+'));
      // Of a folder too, a descriptor for reading can be had.
      file.#bytes(0, 1);
      return file;
    } catch (cause) {
      const at = { file: path };
      if (first !== undefined) throw notWritten(path, cause);
      if (cause instanceof HarnessError) throw cause;
      const isMissing = systemCodeOf(cause) === 'ENOENT';
      const message = isMissing
        ? 'no such cassette: record one with --model record --cassette FILE'
        : `cannot read the cassette: ${messageOf(cause)}`;
      throw new HarnessError('input.missing', message, { cause, at });
    }
  }

  close(): void {
    fs.closeSync(this.#descriptor);
  }

  /** The lines that were added since the last call. What is not ended by a line end comes again later. */
  *added(): Generator<FileLine> {
    for (const line of this.#linesFrom(this.#offset, this.#lines)) {
      if (line.ended) {
        this.#offset = line.start + line.length + 1;
        this.#lines = line.number;
      }
      yield line;
    }
  }

  /** Text of the line at this place. */
  read({ start, length }: Pick<FileLine, 'start' | 'length'>): string {
    return this.#bytes(start, start + length).toString('utf8');
  }

  /**
   * Appends a line by one write, and looks whether it stands there as a line of its own: where another
   * process was killed inside of its write, or the disk took only a part, it is appended once more.
   * @throws HarnessError `output.write`
   */
  append(text: string): void {
    const line = Buffer.from(`${text}\n`);
    try {
      for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
        const { size } = fs.fstatSync(this.#descriptor);
        const isEnded = size === 0 || this.#bytes(size - 1, size)[0] === NEWLINE;
        const bytes = isEnded ? line : Buffer.concat([Buffer.of(NEWLINE), line]);
        fs.writeSync(this.#descriptor, bytes);
        if (this.#holds(line, size)) return;
      }
    } catch (cause) {
      throw notWritten(this.path, cause);
    }
    throw notWritten(this.path, 'the line was not whole after it was written');
  }

  /** Whether the line stands behind `size` as a line of its own. */
  #holds(line: Buffer, size: number): boolean {
    const from = Math.max(0, size - 1);
    const bytes = this.#bytes(from, fs.fstatSync(this.#descriptor).size);
    for (let at = bytes.indexOf(line); at >= 0; at = bytes.indexOf(line, at + 1)) {
      if (from + at === 0 || bytes[at - 1] === NEWLINE) return true;
    }
    return false;
  }

  *#linesFrom(offset: number, lines: number): Generator<FileLine> {
    const { size } = fs.fstatSync(this.#descriptor);
    // The pieces of a line that no chunk has ended yet, joined once.
    let pieces: Buffer[] = [];
    let length = 0;
    let start = offset;
    let number = lines;
    const taken = (ended: boolean): FileLine => {
      const text = Buffer.concat(pieces, length).toString('utf8');
      const line = { text, number: number + 1, start, length, ended };
      start += length + 1;
      number++;
      pieces = [];
      length = 0;
      return line;
    };
    for (let at = offset; at < size; ) {
      const chunk = this.#bytes(at, Math.min(size, at + CHUNK));
      if (chunk.length === 0) break;
      at += chunk.length;
      for (let from = 0; from < chunk.length; ) {
        const end = chunk.indexOf(NEWLINE, from);
        const piece = chunk.subarray(from, end < 0 ? chunk.length : end);
        pieces.push(piece);
        length += piece.length;
        if (length > LONGEST_LINE) throw tooLong(this.path, number + 1);
        if (end >= 0) yield taken(true);
        from += piece.length + 1;
      }
    }
    if (length > 0) yield taken(false);
  }

  #bytes(start: number, end: number): Buffer {
    const buffer = Buffer.allocUnsafe(end - start);
    let filled = 0;
    while (filled < buffer.length) {
      const count = fs.readSync(
        this.#descriptor,
        buffer,
        filled,
        buffer.length - filled,
        start + filled,
      );
      if (count === 0) break;
      filled += count;
    }
    return buffer.subarray(0, filled);
  }
}

/** Makes the file with its first line in it, so that nobody ever sees it without. */
function makeFile(path: string, text: string): void {
  if (fs.existsSync(path)) return;
  const folder = fs.mkdtempSync(`${path}.new-`);
  const draft = `${folder}/cassette`;
  try {
    fs.writeFileSync(draft, text);
    fs.linkSync(draft, path);
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function tooLong(file: string, line: number): HarnessError {
  const message = `found a line of more than ${LONGEST_LINE} bytes, which no entry of a cassette has; expected one call a line`;
  return new HarnessError('input.size', message, { at: { file, line } });
}

function notWritten(file: string, cause: unknown): HarnessError {
  return cannotWrite(file, cause, 'choose another --cassette', 'the cassette');
}
