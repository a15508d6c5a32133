/**
 * Machines that are built once a language, with their prelude, and restored for each program. Plain
 * JavaScript: it runs in the thread.
 */

import { readFileSync } from 'node:fs';
import { EvalFlags, Intrinsics, MAX_STACK_SIZE, QuickJS } from 'quickjs-wasi';
import { boundedModule } from './bounded-module.mjs';
import { Chassis } from './chassis.mjs';
import { HOST_FUNCTIONS, Machine } from './virtual-machine.mjs';

/** @typedef {import('./program.ts').Language} Language */
/** @typedef {import('./virtual-machine.mjs').Limits} Limits */
/** @typedef {import('./virtual-machine.mjs').Ask} Ask */

/** Clock, timers and finalizers are left out; so are, in the prelude, randomness and `eval`. */
const OFFERED =
  Intrinsics.ALL &
  ~(Intrinsics.DATE | Intrinsics.PERFORMANCE | Intrinsics.WEAK_REF | Intrinsics.DOM_EXCEPTION) &
  ~Intrinsics.ATOB_BTOA;

/** Free memory of a machine at its start: what most programs need, since one that grew is not used again. */
const ROOM = 512 * 1024;

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
    /** @type {Map<Language, Chassis>} */
    this.spare = new Map();
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
    base.exports.wasm_free(base.exports.wasm_malloc(ROOM));
    this.snapshots.set(language, base.snapshot());
    base.dispose();
  }

  /** @param {Language} language @param {string} input @param {Ask | undefined} ask */
  async create(language, input, ask) {
    const machine = new Machine(language, this.limits, ask);
    machine.start(this.spare.get(language) ?? (await this.build(language)), input);
    this.spare.delete(language);
    return machine;
  }

  /** @param {Language} language */
  async build(language) {
    await this.prepare(language);
    const snapshot = this.snapshots.get(language);
    if (snapshot === undefined) throw new Error(`no machine for ${language}`);
    const chassis = new Chassis();
    const options = { ...this.options(), interruptHandler: () => chassis.poll() };
    chassis.hold(await QuickJS.restore(snapshot, options));
    return chassis;
  }

  /** Takes a machine back; what it held is gone with it. @param {Machine} machine */
  release(machine) {
    const { chassis, language } = machine;
    machine.chassis = undefined;
    if (chassis?.restore()) this.spare.set(language, chassis);
    else chassis?.dispose();
  }
}
