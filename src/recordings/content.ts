import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { HarnessError, messageOf } from '../errors.ts';
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET, skipSpace, valueEnd } from './json-bytes.ts';

/** A part of a file: a line, or an element of a list. */
export interface Piece {
  /** Line that it begins at, from 1. */
  readonly line: number;
  /** Offset of its first byte. */
  readonly start: number;
  /** Without the end of the line; good until the next piece is asked for. */
  readonly bytes: Buffer;
}

/** The bytes of a file, in memory or on disk; from there they are read piece by piece, as often as is asked. */
export interface Content {
  readonly size: number;
  /** Its lines, blank ones too, or its elements. */
  pieces(): Generator<Piece>;
  /** A copy of some bytes. */
  read(start: number, length: number): Buffer;
}

/** Larger files stay on disk. */
export const LARGE_BYTES = 2 ** 23;
/** How much is read at once. */
const WINDOW_BYTES = 2 ** 21;
/** Longest line: about the longest text that JavaScript can hold. */
const MOST_BYTES = 2 ** 29;

/** The lines of bytes that are at hand. */
export function memoryContent(bytes: Buffer): Content {
  return contentOf({ size: bytes.length, window: () => new Window(bytes) }, linePieces);
}

/**
 * A file on disk, up to the size that it has now: what is appended later does not count.
 * @param options.pieces its lines, or its elements: `listPieces`
 * @throws HarnessError `input.missing`, and `input.changed` when a later reading finds another file there
 */
export function fileContent(
  path: string,
  {
    pieces = linePieces,
    window: windowBytes = WINDOW_BYTES,
  }: { readonly pieces?: PiecesOf; readonly window?: number } = {},
): Content {
  const known = withFile(path, (file) => fstatSync(file));
  const source: Source = {
    size: known.size,
    window: () => {
      const file = opened(path);
      const { ino, size } = fstatSync(file);
      if (ino === known.ino && size >= known.size) {
        return new Window(Buffer.allocUnsafe(windowBytes), { file, size: known.size });
      }
      closeSync(file);
      throw changed(known.size, size);
    },
  };
  return contentOf(source, pieces);
}

type PiecesOf = (window: Window) => Generator<Piece>;

interface Source {
  readonly size: number;
  window(): Window;
}

function contentOf({ size, window }: Source, piecesOf: PiecesOf): Content {
  return {
    size,
    *pieces() {
      const open = window();
      try {
        yield* piecesOf(open);
      } finally {
        open.close();
      }
    },
    read(start, length) {
      const open = window();
      try {
        return open.copy(start, length);
      } finally {
        open.close();
      }
    },
  };
}

/** The part of a file that is in memory. It moves on, and grows where a piece does not fit. */
export class Window {
  #buffer: Buffer;
  #length: number;
  readonly #disk: { readonly file: number; readonly size: number } | undefined;
  /** Offset in the file of the first byte. */
  start = 0;

  constructor(buffer: Buffer, disk?: { readonly file: number; readonly size: number }) {
    this.#buffer = buffer;
    this.#disk = disk;
    this.#length = disk === undefined ? buffer.length : 0;
    if (disk !== undefined) this.#fill();
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** True when nothing lies behind it. */
  get isWhole(): boolean {
    return this.#disk === undefined || this.start + this.#length >= this.#disk.size;
  }

  /** Forgets the first `count` bytes and reads on. */
  advance(count: number): void {
    this.start += count;
    if (this.#disk === undefined) {
      this.#buffer = this.#buffer.subarray(count);
      this.#length -= count;
      return;
    }
    this.#buffer.copyWithin(0, count, this.#length);
    this.#length -= count;
    if (this.#length === this.#buffer.length) this.#grow();
    this.#fill();
  }

  copy(start: number, length: number): Buffer {
    if (this.#disk === undefined) return Buffer.from(this.#buffer.subarray(start, start + length));
    const bytes = Buffer.allocUnsafe(length);
    readFully(this.#disk.file, bytes, start, this.#disk.size);
    return bytes;
  }

  close(): void {
    if (this.#disk !== undefined) closeSync(this.#disk.file);
  }

  #grow(): void {
    if (this.#buffer.length >= MOST_BYTES) {
      const message = `a line is longer than ${MOST_BYTES} bytes; at most that is read, split it`;
      throw new HarnessError('input.size', message);
    }
    const larger = Buffer.allocUnsafe(Math.min(MOST_BYTES, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  #fill(): void {
    if (this.#disk === undefined) return;
    const { file, size } = this.#disk;
    const from = this.start + this.#length;
    const wanted = Math.min(this.#buffer.length - this.#length, size - from);
    if (wanted <= 0) return;
    readFully(file, this.#buffer.subarray(this.#length, this.#length + wanted), from, size);
    this.#length += wanted;
  }
}

function readFully(file: number, into: Buffer, from: number, size: number): void {
  for (let done = 0; done < into.length; ) {
    const count = readSync(file, into, done, into.length - done, from + done);
    if (count === 0) throw changed(size, from + done);
    done += count;
  }
}

/** The lines of a file. Only `\n` ends a line: U+2028 may stand inside a JSON string. */
function* linePieces(window: Window): Generator<Piece> {
  let line = 1;
  let { bytes } = window;
  for (let start = markLength(bytes); start < bytes.length; line++) {
    let end = bytes.indexOf(10, start);
    while (end < 0 && !window.isWhole) {
      const searched = bytes.length - start;
      window.advance(start);
      bytes = window.bytes;
      start = 0;
      end = bytes.indexOf(10, searched);
    }
    if (end < 0) end = bytes.length;
    yield { line, start: window.start + start, bytes: bytes.subarray(start, end) };
    start = end + 1;
    if (start >= bytes.length && !window.isWhole) {
      window.advance(bytes.length);
      bytes = window.bytes;
      start = 0;
    }
  }
}

/** Length of the byte order mark. */
export function markLength(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** The elements of a JSON array. Throws HarnessError `input.syntax` where it is none, or is cut short. */
export function* listPieces(window: Window): Generator<Piece> {
  let { bytes } = window;
  let line = 1;
  let counted = 0;
  /** Moves on to the next byte that is no white space. */
  const next = (from: number): number => {
    for (let at = skipSpace(bytes, from); ; at = skipSpace(bytes, 0)) {
      if (at < bytes.length || window.isWhole) return at;
      moveTo(at);
    }
  };
  const moveTo = (at: number) => {
    countLines(at);
    counted = 0;
    window.advance(at);
    bytes = window.bytes;
  };
  const countLines = (to: number) => {
    const passed = bytes.subarray(counted, to);
    for (let at = passed.indexOf(10); at >= 0; at = passed.indexOf(10, at + 1)) line++;
    counted = to;
  };
  const broken = (expected: string, at: number): HarnessError => {
    countLines(at);
    const found =
      at < bytes.length ? JSON.stringify(String.fromCharCode(bytes[at] ?? 0)) : 'its end';
    return new HarnessError('input.syntax', `expected ${expected}, found ${found}`, {
      at: { line },
    });
  };
  let at = next(markLength(bytes));
  if (bytes[at] !== OPEN_BRACKET) throw broken('a list', at);
  at = next(at + 1);
  while (bytes[at] !== CLOSE_BRACKET) {
    let end = valueEnd(bytes, at);
    while (end < 0 && !window.isWhole) {
      moveTo(at);
      at = 0;
      end = valueEnd(bytes, 0);
    }
    if (end < 0 || end === at)
      throw broken(end < 0 ? 'the end of an entry' : 'an entry', end < 0 ? bytes.length : at);
    countLines(at);
    yield { line, start: window.start + at, bytes: bytes.subarray(at, end) };
    at = next(end);
    if (bytes[at] === COMMA) at = next(at + 1);
    else if (bytes[at] !== CLOSE_BRACKET) throw broken('"," or "]"', at);
  }
  at = next(at + 1);
  if (at < bytes.length) throw broken('nothing behind the list', at);
}

function withFile<T>(path: string, use: (file: number) => T): T {
  const file = opened(path);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}

function opened(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    throw new HarnessError('input.missing', `the file cannot be read: ${messageOf(cause)}`, {
      cause,
    });
  }
}

function changed(before: number, now: number): HarnessError {
  const message = `the file was changed while it was read: it had ${before} bytes, and has ${now} now; run again when nothing writes it`;
  return new HarnessError('input.changed', message);
}
