import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxPool } from '../../../src/compaction/extract/sandbox/pool.ts';
import { attacks, withstand } from './sandbox-attacks.ts';

const ATTACKS = attacks({
  step_limit: {
    'an endless loop': 'while (true) {}',
    'an endless loop that catches':
      'for (;;) { try { for (;;) {} } catch {} finally { OUTPUT = "x" } }',
    'an endless iterator': 'for (const x of { *[Symbol.iterator]() { for (;;) yield 1 } }) {}',
    'a getter of OUTPUT that never returns':
      'Object.defineProperty(globalThis, "OUTPUT", { get() { for (;;) {} } })',
    'an error whose message never returns':
      'throw { get message() { for (;;) {} }, toString() { for (;;) {} } }',
    'an error that is a proxy': 'throw new Proxy({}, { get() { for (;;) {} } })',
    'Error.prepareStackTrace':
      'Error.prepareStackTrace = () => { for (;;) {} }; new Error().stack; null.x',
    'a comparison that never returns': '[3, 1, 2].sort(() => { for (;;) {} })',
    'a catastrophic back-reference': 'OUTPUT = String(/^(a+)+\\1$/.test("a".repeat(40) + "!"))',
    'a catastrophic regular expression':
      'OUTPUT = String(/^(?:a?){30}a{30}(?=b)$/.test("a".repeat(30)))',
  },
  runtime: {
    'deep recursion': 'function f() { return f() } f()',
    'mutual recursion': 'const a = () => b() + 1, b = () => a() + 1; a()',
    'recursion by a getter': 'const o = { get x() { return this.x } }; o.x',
    'recursion by toString': 'const o = { toString() { return String(this) } }; OUTPUT = String(o)',
    'recursion by sort': 'const f = () => [2, 1].sort(f); f()',
    'recursion by a proxy': 'new Proxy({}, { get: (t, k, r) => r[k] }).x',
    'deep JSON to read': 'OUTPUT = String(JSON.parse("[".repeat(1e5) + "]".repeat(1e5)).length)',
    'pollution of prototypes':
      'Object.prototype.toString = () => { throw 1 }; Array.prototype.join = () => "bad"; String.prototype.toUpperCase = () => "bad"; Array.prototype.sort = 1; JSON.stringify = null; null.x',
    'pollution by __proto__':
      '({}).__proto__.a = 2; JSON.parse(\'{"__proto__": {"b": 1}}\'); null.x',
    'a constructor escape': 'OUTPUT = (() => {}).constructor("return 1")()',
    'a chain of constructors': 'OUTPUT = [].constructor.constructor("return process")().version',
    'a generator’s constructor':
      'OUTPUT = Object.getPrototypeOf(function* () {}).constructor("yield 1")().next().value',
    'an async constructor': 'Object.getPrototypeOf(async () => {}).constructor("return 1")()',
    'new Function': 'OUTPUT = new Function("return 1")()',
    eval: 'OUTPUT = eval("1")',
    'indirect eval': 'OUTPUT = (0, globalThis.eval)("1")',
    'import()':
      'import("node:fs").then((fs) => { OUTPUT = fs.readFileSync("/etc/passwd", "utf8") })',
    require: 'OUTPUT = require("fs").readFileSync("/etc/passwd", "utf8")',
    process: 'OUTPUT = process.env.HOME',
    'process of the global object': 'OUTPUT = globalThis.process.version',
    fetch: 'fetch("http://127.0.0.1/").then((r) => { OUTPUT = String(r.status) })',
    XMLHttpRequest: 'new XMLHttpRequest()',
    WebAssembly: 'new WebAssembly.Memory({ initial: 1 })',
    Date: 'OUTPUT = String(Date.now())',
    performance: 'OUTPUT = String(performance.now())',
    'Math.random': 'OUTPUT = String(Math.random())',
    setTimeout: 'setTimeout(() => { OUTPUT = "x" }, 10)',
    'Atomics.wait': 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
    'a promise that never settles': 'new Promise(() => {}).then(() => { OUTPUT = "x" })',
    'await that never ends': '(async () => { await new Promise(() => {}); OUTPUT = "x" })()',
    'a number': 'OUTPUT = 42',
    'an object': 'OUTPUT = { a: 1 }',
    'an array': 'OUTPUT = INPUT.split("\\n")',
    null: 'OUTPUT = null',
    'a symbol': 'OUTPUT = Symbol("x")',
    'a boxed string': 'OUTPUT = new String("x")',
    nothing: 'const x = 1',
    'a throw': 'throw new Error("mine")',
    'a throw of undefined': 'throw undefined',
    'the host’s functions': 'hostRegexp("a", "", "a", 0, "")',
    'the host’s end': '__sandbox.begin = () => 1; __sandbox.begin("evil"); null.x',
    'ask() without a session': 'OUTPUT = ask("what?", INPUT)',
    'a regular expression too large to compile':
      'OUTPUT = String(re_match("(x{1000}){900}", INPUT))',
  },
  syntax: {
    'a bracket left open': 'OUTPUT = (',
    'a static import': 'import fs from "node:fs"; OUTPUT = "x"',
    'a source nested too deeply': `OUTPUT = ${'('.repeat(20_000)}1${')'.repeat(20_000)}`,
    'a program that is too long': '1;'.repeat(40_000),
  },
  memory_limit: {
    'a growing string': 'let s = "abcdefgh"; for (;;) s += s',
    'growing buffers': 'const a = []; for (;;) a.push(new Uint8Array(2e7))',
    'a growing array': 'let a = [1]; for (;;) a = a.concat(a)',
    'an array filled': 'OUTPUT = new Array(1e9).fill(0).join()',
    'a growing map': 'const m = new Map(); for (let i = 0; ; i++) m.set(i, "x".repeat(1e6) + i)',
    'a growing integer': 'let x = 7n; for (;;) x *= x',
    'one large string': 'OUTPUT = "a".repeat(2 ** 29)',
    padding: 'OUTPUT = "a".padStart(2 ** 29)',
    'a giant output': 'OUTPUT = "a".repeat(5e6)',
  },
  'memory_limit|step_limit': {
    'a promise that starts the next': 'const f = () => Promise.resolve().then(f); f()',
    'objects in an array': 'const a = []; for (;;) a.push({ a: 1, b: [2] })',
    closures: 'let f = () => 1; for (;;) { const g = f; f = () => g() }',
    'nesting without end':
      'let x = []; for (let i = 0; i < 1e6; i++) x = [x]; OUTPUT = JSON.stringify(x)',
  },
});

const WIDE = attacks({
  'memory_limit|time_limit': {
    'growing buffers': 'const a = []; for (;;) a.push(new Uint8Array(2e7))',
    'a growing array': 'let a = [1]; for (;;) a = a.concat(a)',
    'an array filled': 'OUTPUT = new Array(1e9).fill(0).join()',
  },
  'time_limit|memory_limit': {
    'a replacement that multiplies': 'const s = "x".repeat(1e5); OUTPUT = s.replace(/x/g, s)',
    'an array with a length only': 'const a = []; a.length = 2 ** 32 - 1; OUTPUT = a.join(",")',
    'sort() that does not look up':
      'const a = []; for (let i = 0; i < 2e5; i++) a.push("x".repeat(60) + (i * 7919 % 200003)); for (;;) a.sort()',
    'JSON.stringify that does not look up':
      'const a = Array.from({ length: 5e4 }, (_, i) => ({ i, s: "abc" })); for (;;) JSON.stringify(a)',
    'indexOf that does not look up':
      'const s = "a".repeat(1e7); for (;;) s.indexOf("a".repeat(1e4) + "b")',
    'the linear engine kept busy': 'const s = "ab".repeat(1e6); for (;;) re_findall("(a|b)*c", s)',
  },
  'step_limit|time_limit': { 'an endless loop': 'while (true) {}' },
});

// Limits that each attack meets for sure: the clock, which a slow machine would meet first, is out of the way.
const pool = new SandboxPool({
  size: 1,
  limits: { steps: 1_000_000, milliseconds: 30_000, megabytes: 64 },
});
// The product's limits; a slow machine may meet the clock first.
const wide = new SandboxPool({ size: 1 });
beforeAll(async () => {
  for (const each of [pool, wide]) {
    await each.evaluate({ language: 'javascript', code: 'OUTPUT = ""', input: '' });
  }
});
afterAll(async () => {
  await pool.close();
  await wide.close();
});

describe('hostile programs in JavaScript', () => {
  it.each(ATTACKS)('$refusals: $name', (attack) => withstand(pool, 'javascript', attack));

  it.each(WIDE)('under the full limits, $refusals: $name', (attack) =>
    withstand(wide, 'javascript', attack),
  );

  it('are at least forty', () => {
    expect(ATTACKS.length).toBeGreaterThanOrEqual(40);
  });
});
