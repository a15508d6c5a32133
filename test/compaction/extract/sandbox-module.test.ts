import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';

const bytes = readFileSync(createRequire(import.meta.url).resolve('quickjs-wasi/quickjs.wasm'));

const IMPORTS = 2;
const TABLES = 4;
const MEMORIES = 5;
const GLOBALS = 6;
const EXPORTS = 7;

/** What is imported and exported, by the numbers of the format. */
const KINDS = ['function', 'table', 'memory', 'global'];

class Reader {
  at: number;

  constructor(at: number) {
    this.at = at;
  }

  byte(): number {
    return bytes[this.at++] ?? 0;
  }

  /** A number in LEB128. */
  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  name(): string {
    const length = this.number();
    this.at += length;
    return bytes.toString('utf8', this.at - length, this.at);
  }
}

/** Where each section's entries begin, after their count. */
function sections(): ReadonlyMap<number, { readonly count: number; readonly from: number }> {
  const found = new Map<number, { count: number; from: number }>();
  for (let reader = new Reader(8); reader.at < bytes.length; ) {
    const section = reader.byte();
    const size = reader.number();
    const body = new Reader(reader.at);
    found.set(section, { count: body.number(), from: body.at });
    reader = new Reader(reader.at + size);
  }
  return found;
}

function exported(): ReadonlyMap<string, string | undefined> {
  const { count, from } = sections().get(EXPORTS) ?? { count: 0, from: 0 };
  const reader = new Reader(from);
  const found = new Map<string, string | undefined>();
  for (let index = 0; index < count; index++) {
    const name = reader.name();
    found.set(name, KINDS[reader.byte()]);
    reader.number();
  }
  return found;
}

/** Kinds of what the module takes from its host; an import of a function is its type's number. */
function imported(): readonly (string | undefined)[] {
  const { count, from } = sections().get(IMPORTS) ?? { count: 0, from: 0 };
  const reader = new Reader(from);
  return Array.from({ length: count }, () => {
    reader.name();
    reader.name();
    const kind = KINDS[reader.byte()];
    reader.number();
    return kind;
  });
}

describe('the QuickJS module', () => {
  it('holds its state in one memory and one global, so that a machine is restored by both', () => {
    const found = sections();
    for (const section of [MEMORIES, GLOBALS, TABLES]) expect(found.get(section)?.count).toBe(1);
    expect(exported().get('memory')).toBe('memory');
    expect(exported().get('__stack_pointer')).toBe('global');
  });

  it('shares no state with its host: it imports functions alone', () => {
    expect(imported().length).toBeGreaterThan(0);
    expect(new Set(imported())).toEqual(new Set(['function']));
  });
});
