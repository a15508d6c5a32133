/**
 * Machines that are built once a language, with their prelude, and copied for each program. Plain JavaScript:
 * it runs in the thread.
 */

import { readFileSync } from 'node:fs';
import { EvalFlags, Intrinsics, MAX_STACK_SIZE, QuickJS } from 'quickjs-wasi';
import { boundedModule } from './bounded-module.mjs';
import { HOST_FUNCTIONS, Machine } from './virtual-machine.mjs';

/** @typedef {import('./program.ts').Language} Language */
/** @typedef {import('./virtual-machine.mjs').Limits} Limits */
/** @typedef {import('./virtual-machine.mjs').Ask} Ask */

/** Clock, timers and finalizers are left out; so are, in the prelude, randomness and `eval`. */
const OFFERED =
  Intrinsics.ALL &
  ~(Intrinsics.DATE | Intrinsics.PERFORMANCE | Intrinsics.WEAK_REF | Intrinsics.DOM_EXCEPTION) &
  ~Intrinsics.ATOB_BTOA;

/** @param {string} path */
function readOwn(path) {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

/** Makes machines under the same limits. */
export class MachineFactory {
  /** @param {Limits} limits */
  constructor(limits) {
    this.limits = limits;
    this.wasm = boundedModule(limits.megabytes);
    /** @type {Map<Language, import('quickjs-wasi').Snapshot>} */
    this.snapshots = new Map();
  }

  options() {
    return {
      wasm: this.wasm,
      memoryLimit: this.limits.megabytes * 2 ** 20,
      maxStackSize: MAX_STACK_SIZE,
      intrinsics: OFFERED,
      // The clock and the random numbers of the machine's own library stand still.
      wasi: () => ({
        clock_time_get: () => 0,
        random_get: () => 0,
      }),
    };
  }

  /** The machine with its prelude, before any program. @param {Language} language */
  async prepare(language) {
    if (this.snapshots.has(language)) return;
    const folder = language === 'starlark' ? 'python-runtime' : 'javascript-runtime';
    const base = await QuickJS.create({
      ...this.options(),
      moduleLoader: { load: (name) => readOwn(`./${folder}/${name.replace(/^\.\//, '')}`) },
    });
    for (const name of HOST_FUNCTIONS) {
      const callee = base.newFunction(name, () => base.undefined);
      base.setProp(base.global, name, callee);
      callee.dispose();
    }
    const done = base.evalCode(readOwn(`./${folder}/main.js`), 'main.js', EvalFlags.TYPE_MODULE);
    base.executePendingJobs();
    const result = await base.resolvePromise(done);
    if ('error' in result) throw new Error(`${folder}: ${base.dump(result.error)}`);
    result.value.dispose();
    done.dispose();
    this.snapshots.set(language, base.snapshot());
    base.dispose();
  }

  /** @param {Language} language @param {string} input @param {Ask | undefined} ask */
  async create(language, input, ask) {
    await this.prepare(language);
    const machine = new Machine(language, this.limits, ask);
    const snapshot = this.snapshots.get(language);
    if (snapshot === undefined) throw new Error(`no machine for ${language}`);
    const options = { ...this.options(), interruptHandler: () => machine.poll() };
    machine.start(await QuickJS.restore(snapshot, options), input);
    return machine;
  }
}
