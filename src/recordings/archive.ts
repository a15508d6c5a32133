import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { HarnessError, messageOf } from '../errors.ts';

/** Where the bytes of one file of a zip archive are. Sizes in bytes. */
export interface ZipEntry {
  readonly name: string;
  /** Offset of the entry's local header in the archive. */
  readonly offset: number;
  readonly compressedSize: number;
  /** Size when unpacked, as the archive says. */
  readonly size: number;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly isEncrypted: boolean;
}

/** How much one file may unpack to: about the longest text that JavaScript can hold. */
const MAX_UNPACKED_BYTES = 2 ** 29;
/** How many entries an archive may list. */
const MAX_ENTRIES = 100_000;
/** How large the list of an archive's entries may be. */
const MAX_DIRECTORY_BYTES = 2 ** 26;

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
const END_OF_DIRECTORY_64 = 0x06064b50;
const DIRECTORY_64_LOCATOR = 0x07064b50;
const WIDE = 0xffffffff;

/** True for the first bytes of a zip archive, an empty one too. */
function isZip(bytes: Buffer): boolean {
  if (bytes.length < 4) return false;
  const signature = bytes.readUInt32LE(0);
  return signature === LOCAL_HEADER || signature === END_OF_DIRECTORY;
}

/** True when the file begins as a zip archive does. @throws when it cannot be read. */
export function isZipFile(path: string): boolean {
  return withFile(path, (read, size) => isZip(read(0, Math.min(4, size))));
}

/**
 * The files that a zip archive lists, folders aside, in its order.
 * @throws HarnessError `input.archive` when the archive is broken, `input.size` when it lists too much.
 */
export function listZip(path: string): readonly ZipEntry[] {
  return withFile(path, (read, size) => {
    const { offset: start, length, count } = findDirectory(read, size);
    if (count > MAX_ENTRIES || length > MAX_DIRECTORY_BYTES) {
      throw tooLarge(`the archive lists ${count} files`, `at most ${MAX_ENTRIES} are read`);
    }
    const directory = read(start, length);
    const entries: ZipEntry[] = [];
    for (let at = 0; entries.length < count; ) {
      if (at + 46 > directory.length || directory.readUInt32LE(at) !== CENTRAL_HEADER) {
        throw broken(`its list of files ends after ${entries.length} of ${count}`);
      }
      const [nameLength = 0, extraLength = 0, commentLength = 0] = [28, 30, 32].map((field) =>
        directory.readUInt16LE(at + field),
      );
      const name = directory.toString('utf8', at + 46, at + 46 + nameLength);
      const extra = directory.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
      const fields = [24, 20, 42].map((field) => directory.readUInt32LE(at + field));
      const [size = 0, compressedSize = 0, offset = 0] = widened(fields, extra);
      entries.push({
        name,
        offset,
        compressedSize,
        size,
        method: directory.readUInt16LE(at + 10),
        isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      });
      at += 46 + nameLength + extraLength + commentLength;
    }
    return entries.filter(({ name }) => !name.endsWith('/'));
  });
}

/**
 * The bytes of one file of an archive.
 * @throws HarnessError `input.archive` (broken, encrypted, an unknown method), `input.size` (unpacks to
 *   more than `limit` bytes, whatever the archive says of its size).
 */
export function readZipEntry(path: string, entry: ZipEntry, limit = MAX_UNPACKED_BYTES): Buffer {
  if (entry.isEncrypted) throw broken('the file in it is encrypted; unpack it with its password');
  if (entry.size > limit || entry.compressedSize > limit) throw overLimit(entry.size, limit);
  const packed = withFile(path, (read) => {
    const header = read(entry.offset, 30);
    if (header.readUInt32LE(0) !== LOCAL_HEADER) throw broken('a file is not where its list says');
    const start = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
    return read(start, entry.compressedSize);
  });
  if (entry.method === 0) return packed;
  if (entry.method !== 8) {
    throw broken(
      `the file in it is packed by method ${entry.method}, of which only 0 (stored) and 8 (deflate) can be read; pack it anew`,
    );
  }
  return unpacked(() => inflateRawSync(packed, { maxOutputLength: limit }), limit);
}

/** True for the first bytes of a gzip file. */
export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * The content of a gzip file.
 * @throws HarnessError `input.archive` when it is broken, `input.size` when it unpacks to too much.
 */
export function gunzip(bytes: Buffer, limit = MAX_UNPACKED_BYTES): Buffer {
  return unpacked(() => gunzipSync(bytes, { maxOutputLength: limit }), limit);
}

function unpacked(unpack: () => Buffer, limit: number): Buffer {
  try {
    return unpack();
  } catch (error) {
    const isOver =
      error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    if (isOver) throw overLimit(undefined, limit);
    throw broken(messageOf(error), error);
  }
}

type Read = (offset: number, length: number) => Buffer;

function withFile<T>(path: string, use: (read: Read, size: number) => T): T {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const read = (offset: number, length: number): Buffer => {
      if (offset < 0 || offset + length > size) throw broken('it is truncated');
      const bytes = Buffer.alloc(length);
      for (let done = 0; done < length; ) {
        const count = readSync(file, bytes, done, length - done, offset + done);
        if (count === 0) throw broken('it is truncated');
        done += count;
      }
      return bytes;
    };
    return use(read, size);
  } catch (error) {
    // A length that the archive gives leads out of the bytes that hold it.
    throw error instanceof RangeError ? broken('a length in it is wrong', error) : error;
  } finally {
    closeSync(file);
  }
}

interface Directory {
  readonly offset: number;
  readonly length: number;
  readonly count: number;
}

/** The archive's list of files, from its last record: 22 bytes and a comment of at most 65,535. */
function findDirectory(read: Read, size: number): Directory {
  const length = Math.min(size, 22 + 0xffff);
  const tail = read(size - length, length);
  for (let at = tail.length - 22; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END_OF_DIRECTORY) continue;
    const count = tail.readUInt16LE(at + 10);
    const bytes = tail.readUInt32LE(at + 12);
    const offset = tail.readUInt32LE(at + 16);
    const isWide = count === 0xffff || bytes === WIDE || offset === WIDE;
    return isWide ? wideDirectory(read, size - length + at) : { offset, length: bytes, count };
  }
  throw broken('the list of its files is missing, so it is no zip archive or is truncated');
}

/** The same of an archive with more than 65,535 files or 4 GiB. */
function wideDirectory(read: Read, end: number): Directory {
  const locator = read(end - 20, 20);
  if (locator.readUInt32LE(0) !== DIRECTORY_64_LOCATOR) throw broken('its zip64 record is missing');
  const record = read(Number(locator.readBigUInt64LE(8)), 56);
  if (record.readUInt32LE(0) !== END_OF_DIRECTORY_64) throw broken('its zip64 record is missing');
  const [count = 0, length = 0, offset = 0] = [32, 40, 48].map((at) =>
    Number(record.readBigUInt64LE(at)),
  );
  return { offset, length, count };
}

/** Fields that are too small for their value stand in the extra field 1, in this order. */
function widened(fields: readonly number[], extra: Buffer): readonly number[] {
  if (!fields.includes(WIDE)) return fields;
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let next = at + 4;
    return fields.map((field) => {
      if (field !== WIDE) return field;
      if (next + 8 > extra.length) throw broken('a zip64 size is missing');
      next += 8;
      return Number(extra.readBigUInt64LE(next - 8));
    });
  }
  throw broken('a zip64 size is missing');
}

function broken(what: string, cause?: unknown): HarnessError {
  const message = `the archive cannot be unpacked: ${what}`;
  return new HarnessError('input.archive', message, cause === undefined ? {} : { cause });
}

function overLimit(size: number | undefined, limit: number): HarnessError {
  const found = size === undefined ? `more than ${limit} bytes` : `${size} bytes`;
  return tooLarge(`the file unpacks to ${found}`, `at most ${limit} are read; split it`);
}

function tooLarge(found: string, expected: string): HarnessError {
  return new HarnessError('input.size', `${found}; ${expected}`);
}
