/**
 * The WebAssembly instance that machines live in, one after the other. Plain JavaScript: it runs in the thread.
 */

/** @typedef {import('quickjs-wasi').QuickJS} QuickJS */

/**
 * All that a program can leave behind in an instance is its linear memory and its stack pointer: the module
 * has no other mutable global, and no code that writes the table. So a machine whose memory is written anew,
 * byte for byte, is a fresh one, for a tenth of what a new instance costs. Where anything speaks against it
 * (a fault, a grown memory) the instance is dropped.
 */
export class Chassis {
  constructor() {
    /** @type {QuickJS | undefined} */
    this.vm = undefined;
    /** The memory before any program. @type {Uint8Array} */
    this.image = new Uint8Array();
    this.stackPointer = 0;
    this.sound = true;
    /** Whether the machine in it must stop. */
    this.poll = () => false;
  }

  /** @param {QuickJS} vm */
  hold(vm) {
    this.vm = vm;
    // The host makes these once and keeps their places, so they must stand in the image.
    this.constants = [vm.global, vm.undefined, vm.null, vm.true, vm.false];
    this.image = new Uint8Array(vm.exports.memory.buffer).slice();
    this.stackPointer = vm.exports.__stack_pointer.value;
  }

  /** Something went wrong in it. */
  condemn() {
    this.sound = false;
  }

  /** Makes it as it was before any program; false where it must not be used again. */
  restore() {
    this.poll = () => false;
    if (!this.sound || this.vm === undefined) return false;
    const { memory, __stack_pointer } = this.vm.exports;
    if (memory.buffer.byteLength !== this.image.length) return false;
    new Uint8Array(memory.buffer).set(this.image);
    __stack_pointer.value = this.stackPointer;
    return true;
  }

  dispose() {
    try {
      this.vm?.dispose();
    } catch {
      // A machine that was stopped in the middle cannot always be taken down in order; its memory goes with it.
    }
    this.vm = undefined;
  }
}
