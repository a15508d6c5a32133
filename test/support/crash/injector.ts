/**
 * Disk faults on purpose: every operation of this process that changes something under a folder is counted, and
 * one of them, or all from one on, go wrong as a test wants: not done, done by half, refused by the system.
 *
 * It patches `node:fs`, `node:fs/promises` and the handles of files, as every importer sees them. A process dies
 * of a fault by `preload.ts`; within a test it only counts as dead: nothing that it does afterwards reaches the disk.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { resolve, sep } from 'node:path';

/** One change of the disk. */
export interface Operation {
  /** As the function is called: `writeFile`, `renameSync`, `handle.appendFile`. */
  readonly name: string;
  readonly path: string;
  /** Whether bytes are written, so that it can be done by half. */
  readonly writes: boolean;
}

export type Fault =
  | { readonly kind: 'none' }
  /** The process ends instead of the operation, after its first half, after it has opened the file, or behind it. */
  | { readonly kind: 'kill'; readonly when: 'before' | 'empty' | 'half' | 'after' }
  /** The system refuses; `half` of the bytes are written before. */
  | { readonly kind: 'error'; readonly code: string; readonly half?: boolean }
  /** The system takes half of the bytes, and says so. */
  | { readonly kind: 'short' };

/** What becomes of the operation of this number, from 0. */
export type Plan = (operation: Operation, index: number) => Fault;

export class Killed extends Error {
  constructor() {
    super('killed');
  }
}

type Call = (...given: unknown[]) => unknown;

/** Where the path and the bytes stand among the arguments. */
interface Shape {
  readonly path?: number;
  readonly data?: number;
}

const PATH: Shape = { path: 0 };
const TO: Shape = { path: 1 };
const CONTENT: Shape = { path: 0, data: 1 };
const DATA: Shape = { data: 0 };

const ASYNC: Readonly<Record<string, Shape>> = {
  writeFile: CONTENT,
  appendFile: CONTENT,
  rename: TO,
  rm: PATH,
  unlink: PATH,
  truncate: PATH,
  mkdir: PATH,
  mkdtemp: PATH,
  link: TO,
  copyFile: TO,
  cp: TO,
};
const SYNC: Readonly<Record<string, Shape>> = {
  writeFileSync: CONTENT,
  appendFileSync: CONTENT,
  renameSync: TO,
  rmSync: PATH,
  unlinkSync: PATH,
  truncateSync: PATH,
  mkdirSync: PATH,
  mkdtempSync: PATH,
  linkSync: TO,
  copyFileSync: TO,
};
const HANDLE: Readonly<Record<string, Shape>> = {
  writeFile: DATA,
  appendFile: DATA,
  write: DATA,
  truncate: {},
  sync: {},
};

/** Of the functions whose first argument is a descriptor. */
const DESCRIPTOR: Readonly<Record<string, Shape>> = {
  writeSync: { data: 1 },
  ftruncateSync: {},
  fsyncSync: {},
};

/** The prototype that all handles share. */
async function handlePrototype(): Promise<object> {
  const handle = await fs.promises.open(import.meta.filename, 'r');
  await handle.close();
  const prototype: object = Object.getPrototypeOf(handle);
  return prototype;
}

const prototype = await handlePrototype();

export class Injector {
  readonly operations: Operation[] = [];
  readonly #folders: readonly string[];
  readonly #plan: Plan;
  readonly #die: () => void;
  readonly #restore: (() => void)[] = [];
  readonly #paths = new WeakMap<object, string>();
  readonly #descriptors = new Map<unknown, string>();
  #isDead = false;
  /** Node's own synchronous functions call each other. */
  #isInside = false;

  private constructor(folders: readonly string[], plan: Plan, die: () => void) {
    this.#folders = folders.map((folder) => resolve(folder));
    this.#plan = plan;
    this.#die = die;
  }

  /**
   * Begins to inject; `end` gives the functions back.
   * @param folders what lies outside of them is left alone
   * @param die ends the process
   */
  static begin(folders: readonly string[], plan: Plan, die: () => void = () => {}): Injector {
    const injector = new Injector(folders, plan, die);
    injector.#patchAll();
    syncBuiltinESMExports();
    return injector;
  }

  end(): void {
    for (const restore of this.#restore.splice(0)) restore();
    syncBuiltinESMExports();
  }

  #patchAll(): void {
    for (const [name, shape] of Object.entries(ASYNC)) {
      this.#patch(fs.promises, name, (call) => this.#later(call, name, shape, pathAt(shape)));
    }
    for (const [name, shape] of Object.entries(SYNC)) {
      this.#patch(fs, name, (call) => this.#now(call, name, shape, pathAt(shape)));
    }
    for (const [name, shape] of Object.entries(DESCRIPTOR)) {
      const pathOf = (given: readonly unknown[]) => this.#descriptors.get(given[0]);
      this.#patch(fs, name, (call) => this.#now(call, name, shape, pathOf));
    }
    for (const [name, shape] of Object.entries(HANDLE)) {
      const paths = this.#paths;
      const later = (call: Call, handle: object) =>
        this.#later(call.bind(handle), `handle.${name}`, shape, () => paths.get(handle));
      this.#patch(
        prototype,
        name,
        (call) =>
          function (this: object, ...given: unknown[]) {
            return later(call, this)(...given);
          },
      );
    }
    this.#patch(fs.promises, 'open', (call) => async (...given) => {
      const open = this.#later(call, 'open', PATH, openedPath);
      const handle = await open(...given);
      if (typeof handle === 'object' && handle !== null) this.#paths.set(handle, String(given[0]));
      return handle;
    });
    this.#patch(fs, 'openSync', (call) => (...given) => {
      const descriptor = this.#now(call, 'openSync', PATH, openedPath)(...given);
      this.#descriptors.set(descriptor, String(given[0]));
      return descriptor;
    });
  }

  #patch(owner: object, name: string, patched: (call: Call) => Call): void {
    const original: unknown = Reflect.get(owner, name);
    if (typeof original !== 'function') throw new Error(`no function ${name} to patch`);
    const call = function (this: unknown, ...given: unknown[]): unknown {
      return Reflect.apply(original, this ?? owner, given);
    };
    Reflect.set(owner, name, patched(call));
    this.#restore.push(() => Reflect.set(owner, name, original));
  }

  #now(call: Call, name: string, shape: Shape, pathOf: PathOf): Call {
    return (...given) => {
      const operation = this.#isInside ? undefined : this.#operation(name, shape, given, pathOf);
      if (operation === undefined) return call(...given);
      this.#isInside = true;
      try {
        const steps = this.#steps(operation, shape, given);
        let result: unknown;
        for (const step of steps.calls) result = call(...step);
        steps.end();
        return result;
      } finally {
        this.#isInside = false;
      }
    };
  }

  #later(call: Call, name: string, shape: Shape, pathOf: PathOf): Call {
    return async (...given) => {
      const operation = this.#operation(name, shape, given, pathOf);
      if (operation === undefined) return call(...given);
      const steps = this.#steps(operation, shape, given);
      let result: unknown;
      for (const step of steps.calls) result = await call(...step);
      steps.end();
      return result;
    };
  }

  #operation(
    name: string,
    shape: Shape,
    given: readonly unknown[],
    pathOf: PathOf,
  ): Operation | undefined {
    const path = pathOf(given);
    if (path === undefined) return undefined;
    const absolute = resolve(path);
    const isOurs = this.#folders.some(
      (folder) => absolute === folder || absolute.startsWith(folder + sep),
    );
    return isOurs ? { name, path: absolute, writes: shape.data !== undefined } : undefined;
  }

  /** The calls that are made instead of one, and what happens behind them. */
  #steps(
    operation: Operation,
    shape: Shape,
    given: readonly unknown[],
  ): { readonly calls: readonly (readonly unknown[])[]; end(): void } {
    if (this.#isDead) throw new Killed();
    const fault = this.#plan(operation, this.operations.length);
    this.operations.push(operation);
    const done = () => {};
    if (fault.kind === 'none') return { calls: [given], end: done };
    if (fault.kind === 'short') return { calls: [cut(given, shape, 0.5)], end: done };
    if (fault.kind === 'error') {
      const fail = () => {
        throw systemError(fault.code, operation);
      };
      if (fault.half !== true || !operation.writes) fail();
      return { calls: [cut(given, shape, 0.5)], end: fail };
    }
    const kill = () => {
      this.#isDead = true;
      this.#die();
      throw new Killed();
    };
    if (fault.when === 'before') kill();
    if (fault.when === 'after') return { calls: [given], end: kill };
    return { calls: [cut(given, shape, fault.when === 'half' ? 0.5 : 0)], end: kill };
  }
}

type PathOf = (given: readonly unknown[]) => string | undefined;

function pathAt({ path = 0 }: Shape): PathOf {
  return (given) => (given[path] === undefined ? undefined : String(given[path]));
}

/** Of an open that may change the file. */
function openedPath([path, flags = 'r']: readonly unknown[]): string | undefined {
  const isReading = flags === 'r' || flags === 'rs' || flags === 0;
  return isReading ? undefined : String(path);
}

/** The arguments with a share of the bytes. */
function cut(given: readonly unknown[], { data }: Shape, share: number): readonly unknown[] {
  if (data === undefined) return given;
  const bytes = bytesOf(given[data]);
  const offset = ArrayBuffer.isView(given[data]) ? Number(given[data + 1] ?? 0) || 0 : 0;
  const part = bytes.subarray(offset, offset + Math.floor((bytes.length - offset) * share));
  // What stands behind the bytes says which of them are meant.
  return [...given.slice(0, data), part, ...(data === 0 ? [] : optionsAfter(given, data))];
}

/** Options of `writeFile`, e.g. a flag; not the offset and length of `write`. */
function optionsAfter(given: readonly unknown[], data: number): readonly unknown[] {
  const options = given[data + 1];
  return typeof options === 'object' && options !== null ? [options] : [];
}

function bytesOf(data: unknown): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  if (data instanceof Uint8Array) return data;
  throw new Error('bytes of a kind that the injector does not know');
}

const MESSAGES: Readonly<Record<string, string>> = {
  ENOSPC: 'no space left on device',
  EDQUOT: 'disk quota exceeded',
  EROFS: 'read-only file system',
  EACCES: 'permission denied',
  EIO: 'i/o error',
  EMFILE: 'too many open files',
};

/** As Node makes it. */
function systemError(code: string, { name, path }: Operation): Error {
  const syscall = name.replace(/^handle\./, '').replace(/Sync$|File$/, '');
  const message = `${code}: ${MESSAGES[code] ?? 'unknown'}, ${syscall} '${path}'`;
  return Object.assign(new Error(message), { code, syscall, path, errno: -1 });
}
