/** One QuickJS machine in WebAssembly, for one program. Plain JavaScript: it runs in the thread. */

import { JSException } from 'quickjs-wasi';
import { readJson } from './json-reader.mjs';
import { findMatches } from './linear-regexp.mjs';

/** @typedef {import('./program.ts').Refusal} Refusal */
/** @typedef {import('./program.ts').Language} Language */
/** @typedef {{steps: number, milliseconds: number, megabytes: number, outputBytes: number}} Limits */
/** @typedef {{refusal: Refusal, message: string}} Fault */
/** @typedef {(question: string, piece: string) => {text?: string, error?: string, waited: number}} Ask */

/** The machine polls once in so many calls and backward jumps. */
const STEPS_PER_POLL = 10_000;
/** The share of its memory at which an error without a value means that there was no room for one. */
const FULL = 0.75;
/** Longer texts are not handed to the host's engines. */
const MAX_HOST_TEXT = 8 * 2 ** 20;
/** A character above U+FFFF, or an escape that may spell half of one. */
const MAYBE_WIDE = /[\ud800-\udfff]|\\u[dD][89a-fA-F]/;
/** What the machine says when the stack or one allocation does not fit. */
const TOO_DEEP = /call stack|stack overflow/i;
const TOO_BIG =
  /out of memory|string too long|invalid (?:string|array buffer) length|BigInt is too large/i;

/** What the machine may call; the preludes hide them from programs. */
export const HOST_FUNCTIONS = ['hostRegexp', 'hostJson', 'hostAsk', 'hostExhausted'];

export class Machine {
  /** @param {Language} language @param {Limits} limits @param {Ask | undefined} ask */
  constructor(language, limits, ask) {
    this.language = language;
    this.limits = limits;
    this.ask = ask;
    this.polls = 0;
    this.running = false;
    this.deadline = Number.POSITIVE_INFINITY;
    /** @type {'' | Refusal} */
    this.stopped = '';
    /** @type {import('./chassis.mjs').Chassis | undefined} */
    this.chassis = undefined;
  }

  /** Whether the program must stop; called by the machine. */
  poll() {
    // Before a program runs, only the prelude does.
    if (!this.running) return false;
    this.polls++;
    if (this.stopped === '') {
      if (this.polls * STEPS_PER_POLL > this.limits.steps) this.stopped = 'step_limit';
      else if (performance.now() > this.deadline) this.stopped = 'time_limit';
    }
    return this.stopped !== '';
  }

  get steps() {
    return this.polls * STEPS_PER_POLL;
  }

  /** @param {import('./chassis.mjs').Chassis} chassis @param {string} input */
  start(chassis, input) {
    this.chassis = chassis;
    chassis.poll = () => this.poll();
    const vm = this.machine;
    /** @param {import('quickjs-wasi').JSValueHandle} handle */
    const text = (handle) => (handle.length > MAX_HOST_TEXT ? undefined : handle.toString());
    vm.registerHostCallback('hostRegexp', (source, flags, subject, limit, anchor) => {
      const [pattern, value] = [text(source), text(subject)];
      if (pattern === undefined || value === undefined) return vm.newString(TOO_LONG);
      const found = findMatches(
        pattern,
        flags.toString(),
        value,
        limit.toNumber(),
        anchor.toString(),
      );
      return vm.newString(found);
    });
    vm.registerHostCallback('hostJson', (source) => {
      const value = text(source);
      return vm.newString(value === undefined ? TOO_LONG : readJson(value));
    });
    vm.registerHostCallback('hostAsk', (question, piece) =>
      vm.newString(this.answer(question, piece)),
    );
    vm.registerHostCallback('hostExhausted', () => {
      this.stopped = 'memory_limit';
      return vm.undefined;
    });
    const value = vm.newString(input);
    const begin = vm.evalCode('__sandbox.begin');
    const mayBeWide = MAYBE_WIDE.test(input) ? vm.true : vm.false;
    vm.callFunction(begin, vm.undefined, value, mayBeWide).dispose();
    begin.dispose();
    value.dispose();
  }

  /**
   * @param {import('quickjs-wasi').JSValueHandle} question
   * @param {import('quickjs-wasi').JSValueHandle} piece
   */
  answer(question, piece) {
    if (this.ask === undefined) {
      return JSON.stringify({ error: 'ask() is not available here' });
    }
    if (question.length > MAX_HOST_TEXT || piece.length > MAX_HOST_TEXT) return TOO_LONG;
    const { text, error, waited } = this.ask(question.toString(), piece.toString());
    // The model's time is not the program's.
    this.deadline += waited;
    return JSON.stringify(error === undefined ? { text } : { error });
  }

  /**
   * Runs a program to its end.
   * @param {string} code @returns {Fault | undefined}
   */
  run(code) {
    this.polls = 0;
    this.running = true;
    this.stopped = '';
    this.deadline = performance.now() + this.limits.milliseconds;
    const vm = this.machine;
    try {
      return this.language === 'starlark' ? this.runPython(vm, code) : this.runJavaScript(vm, code);
    } catch (error) {
      return this.fault(error);
    }
  }

  get machine() {
    if (this.chassis?.vm === undefined) throw new Error('the machine was not started');
    return this.chassis.vm;
  }

  /** @param {import('quickjs-wasi').QuickJS} vm @param {string} code @returns {Fault | undefined} */
  runJavaScript(vm, code) {
    /** @type {Uint8Array} */
    let bytecode;
    try {
      bytecode = vm.compile(code, 'program.js');
    } catch (error) {
      const fault = this.fault(error);
      return fault.refusal === 'runtime' ? { ...fault, refusal: 'syntax' } : fault;
    }
    this.clearPrinted(vm);
    vm.evalBytecode(bytecode).dispose();
    vm.executePendingJobs();
    return undefined;
  }

  /** @param {import('quickjs-wasi').QuickJS} vm @param {string} code @returns {Fault | undefined} */
  runPython(vm, code) {
    /** @type {import('quickjs-wasi').JSValueHandle} */
    let program;
    try {
      program = vm.evalCode(code, 'program.py');
    } catch (error) {
      const fault = this.fault(error);
      return fault.refusal === 'runtime' ? { ...fault, refusal: 'syntax' } : fault;
    }
    const run = vm.evalCode('__sandbox.run');
    const mayBeWide = MAYBE_WIDE.test(code) ? vm.true : vm.false;
    const error = vm.callFunction(run, vm.undefined, program, mayBeWide).toString();
    return error === '' ? undefined : { refusal: 'runtime', message: error };
  }

  /** @param {import('quickjs-wasi').QuickJS} vm */
  clearPrinted(vm) {
    vm.evalCode('__sandbox.printed()').dispose();
  }

  /** What was thrown, as a refusal. @param {unknown} error @returns {Fault} */
  fault(error) {
    this.chassis?.condemn();
    if (this.stopped !== '')
      return { refusal: this.stopped, message: this.limitText(this.stopped) };
    const text = describe(error);
    if (TOO_BIG.test(text) || (text === NO_ERROR && this.isFull))
      return { refusal: 'memory_limit', message: this.limitText('memory_limit') };
    if (TOO_DEEP.test(text)) {
      // The host's own stack may have overflowed: nothing in this machine can be trusted now.
      return { refusal: 'runtime', message: 'maximum recursion depth exceeded' };
    }
    if (error instanceof JSException) return { refusal: 'runtime', message: text };
    if (error instanceof WebAssembly.RuntimeError) {
      return { refusal: 'memory_limit', message: `the machine failed: ${text}` };
    }
    return { refusal: 'runtime', message: text };
  }

  /** @param {Refusal} refusal */
  limitText(refusal) {
    const { steps, milliseconds, megabytes } = this.limits;
    if (refusal === 'step_limit') return `the program took more than ${steps} steps`;
    if (refusal === 'time_limit') return `the program ran longer than ${milliseconds} ms`;
    return `the program needed more than ${megabytes} MiB`;
  }

  /**
   * A variable that must hold a string: its text, undefined where it is unset, or a fault.
   * @param {string} name
   * @returns {{text: string | undefined} | Fault}
   */
  read(name) {
    const vm = this.machine;
    try {
      const [typeCode, valueCode] =
        this.language === 'starlark'
          ? [`__sandbox.typeOf("${name}")`, `__sandbox.read("${name}")`]
          : [`__sandbox.typeOf(typeof ${name}==="undefined"?undefined:${name})`, name];
      const type = vm.evalCode(typeCode).toString();
      if (type === '') return { text: undefined };
      const how =
        this.language === 'starlark'
          ? `use json.encode(…), str(…) or "\\n".join(…)`
          : `use JSON.stringify(…), String(…) or ….join("\\n")`;
      const wrong = {
        refusal: /** @type {Refusal} */ ('runtime'),
        message: `${name} must be a string, not ${type}; ${how}`,
      };
      if (type !== 'string') return wrong;
      const value = vm.evalCode(valueCode);
      if (value.typeof !== 'string') return wrong;
      if (value.length > this.limits.outputBytes) return this.tooLong(name, value.length);
      const text = value.toString();
      const bytes = Buffer.byteLength(text);
      return bytes > this.limits.outputBytes ? this.tooLong(name, bytes) : { text };
    } catch (error) {
      return this.fault(error);
    }
  }

  /** @param {string} name @param {number} size @returns {Fault} */
  tooLong(name, size) {
    return {
      refusal: 'memory_limit',
      message: `${name} has ${size} bytes; at most ${this.limits.outputBytes} are taken`,
    };
  }

  /** What the program printed. */
  printed() {
    try {
      return this.machine.evalCode('__sandbox.printed()').toString();
    } catch {
      return '';
    }
  }

  /** Whether there may have been no room left for an error that says so. */
  get isFull() {
    return this.size > FULL * this.limits.megabytes * 2 ** 20;
  }

  /** Bytes that the machine's memory has grown to. */
  get size() {
    return this.machine.exports.memory.buffer.byteLength;
  }
}

const TOO_LONG = JSON.stringify({ error: `the text has more than ${MAX_HOST_TEXT} characters` });

const NO_ERROR = 'the program threw a value that is no error';

/** What was thrown, in a line, with the line of the program. @param {unknown} error */
function describe(error) {
  try {
    if (!(error instanceof Error)) return String(error);
    const message = error.message.replace(/^Compilation error: /, '');
    if (message === '<null>') return NO_ERROR;
    const named = error.name === 'Error' || error.name === '' || message !== error.message;
    const line = /program\.js:(\d+)/.exec(error.stack ?? '')?.[1];
    return `${named ? '' : `${error.name}: `}${message}${line === undefined ? '' : ` (line ${line})`}`;
  } catch {
    return 'an error that cannot be shown';
  }
}
