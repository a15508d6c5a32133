/**
 * The QuickJS module with a bounded memory. Plain JavaScript: it runs in the thread.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const PAGE = 65_536;

/** @param {Uint8Array<ArrayBuffer>} bytes @param {number} at */
function readNumber(bytes, at) {
  let value = 0;
  let next = at;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[next++] ?? 0;
    value |= (byte & 127) << shift;
    if (byte < 128) return { value, next };
  }
}

/** @param {number} value */
function writeNumber(value) {
  const bytes = [];
  let rest = value;
  do {
    bytes.push((rest & 127) | (rest > 127 ? 128 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return bytes;
}

/**
 * The module with a maximum for its memory. QuickJS's own limit counts what is allocated; while a block is
 * moved to grow, the memory holds it twice, and only a maximum stops that.
 * @param {Uint8Array<ArrayBuffer>} bytes @param {number} megabytes
 */
function withMaximum(bytes, megabytes) {
  const MEMORY_SECTION = 5;
  let at = 8;
  while (at < bytes.length) {
    const { value: size, next } = readNumber(bytes, at + 1);
    if (bytes[at] === MEMORY_SECTION) {
      const { value: minimum } = readNumber(bytes, next + 2);
      const limits = [1, 1, ...writeNumber(minimum), ...writeNumber((megabytes * 2 ** 20) / PAGE)];
      const section = [MEMORY_SECTION, ...writeNumber(limits.length), ...limits];
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(section),
        bytes.subarray(next + size),
      ]);
    }
    at = next + size;
  }
  throw new Error('the QuickJS module has no memory section');
}

/** The package's module, whose memory may grow to so many megabytes. @param {number} megabytes */
export function boundedModule(megabytes) {
  const file = createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm');
  return new WebAssembly.Module(withMaximum(readFileSync(file), megabytes));
}
