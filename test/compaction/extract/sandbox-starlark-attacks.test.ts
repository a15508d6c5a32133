import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SandboxPool } from '../../../src/compaction/extract/sandbox/pool.ts';
import { attacks, withstand } from './sandbox-attacks.ts';

const DEEP = 'x = []\nfor i in range(50000):\n  x = [x]\n';

const ATTACKS = attacks({
  step_limit: {
    'an endless loop': 'while True:\n  pass',
    'an endless loop that catches':
      'while True:\n  try:\n    while True:\n      pass\n  except:\n    pass',
    'an endless loop in finally': 'try:\n  1 / 0\nfinally:\n  while True:\n    pass',
    'an endless generator': 'def g():\n  while True:\n    yield 1\nfor x in g():\n  pass',
    'a sum over an endless range': 'OUTPUT = str(sum(range(10 ** 12)))',
    'max over an endless range': 'OUTPUT = str(any(i < 0 for i in range(10 ** 11)))',
    'a list that grows while it is read': 'a = [1]\nfor x in a:\n  a.append(x)',
    'exceptions without end':
      'while True:\n  try:\n    1 / 0\n  except ZeroDivisionError:\n    pass',
    'a key that never returns': 'def k(v):\n  while True:\n    pass\nsorted([2, 1], key=k)',
    'next without end': 'import itertools\nfor i in itertools.count():\n  pass',
  },
  runtime: {
    'deep recursion': 'def f(n):\n  return f(n + 1)\nf(0)',
    'mutual recursion': 'def a(n):\n  return b(n)\ndef b(n):\n  return a(n)\na(1)',
    'a lambda that calls itself': 'f = lambda n: f(n + 1)\nf(0)',
    'recursion by a sort key': 'def k(v):\n  return sorted([1, 2], key=k)\nk(1)',
    'repr() of deep nesting': `${DEEP}OUTPUT = repr(x)`,
    'json.dumps() of deep nesting': `${DEEP}OUTPUT = json.dumps(x)`,
    'a comparison of deep nesting': `${DEEP}y = x\n${DEEP}OUTPUT = str(x == y)`,
    'a hash of deep nesting': 'x = ()\nfor i in range(50000):\n  x = (x,)\nd = {x: 1}',
    'deep JSON to read': 'json.decode("[" * 100000 + "]" * 100000)',
    'a list that holds itself': 'x = []\nx.append(x)\nOUTPUT = json.encode(x)',
    'a dict that grows while it is read': 'd = {1: 1}\nfor k in d:\n  d[k + 1] = 1',
    open: 'OUTPUT = open("/etc/passwd").read()',
    'import os': 'import os\nOUTPUT = os.environ["HOME"]',
    'from os': 'from os import environ',
    'import socket': 'import socket',
    'import subprocess': 'import subprocess',
    'import time': 'import time\nOUTPUT = str(time.time())',
    'import datetime': 'from datetime import datetime\nOUTPUT = str(datetime.now())',
    'import random': 'import random\nOUTPUT = str(random.random())',
    'import sys': 'import sys\nOUTPUT = sys.version',
    __import__: '__import__("os")',
    'load()': 'load("@stdlib//os", "os")',
    eval: 'eval("1 + 1")',
    exec: 'exec("x = 1")',
    compile: 'compile("1", "", "eval")',
    'globals()': 'globals()["x"]',
    __builtins__: 'OUTPUT = __builtins__.open("x").read()',
    subclasses: '().__class__.__bases__[0].__subclasses__()',
    'a function’s globals': 'def f():\n  pass\nOUTPUT = f.__globals__["x"]',
    'the machine’s prototypes': 'x = {}\nOUTPUT = x.__proto__.constructor',
    'the machine’s constructors': 'OUTPUT = "".constructor.constructor("return 1")()',
    'the machine’s methods': 'OUTPUT = getattr([], "map")(1)',
    'a keyword called __proto__': 'OUTPUT = (lambda **k: k.__proto__)(__proto__=1)',
    'names of the compiled program':
      'a = b = c0 = e = g = i = k = l = o = r = s = t1 = v_x = 1\nOUTPUT = [][a + b + c0 + e + g + i + k + l + o + r + s + t1 + v_x]',
    'exit()': 'exit(1)',
    'input()': 'OUTPUT = input()',
    'ask() without a session': 'OUTPUT = ask("what?", INPUT)',
    'a number': 'OUTPUT = 42',
    'a float': 'OUTPUT = 1.5',
    'a list': 'OUTPUT = INPUT.split("\\n")',
    None: 'OUTPUT = None',
    bytes: 'OUTPUT = b"x"',
    nothing: 'x = 1',
    'an exception': 'raise ValueError("mine")',
    'an assertion': 'assert False, "no"',
    'a look-ahead': 'OUTPUT = str(re_findall("(?=a)a", "aaa"))',
    'a back-reference': 'OUTPUT = str(re_match(r"^(a+)+\\1$", "a" * 40 + "!"))',
    'a regular expression too large to compile': 'OUTPUT = str(re_match("(x{1000}){900}", INPUT))',
  },
  syntax: {
    'a bracket left open': 'OUTPUT = (',
    'a wrong indent': 'if True:\nx = 1',
    'a class': 'class A:\n  pass',
    with: 'with open("/etc/passwd") as f:\n  OUTPUT = f.read()',
    async: 'async def f():\n  pass',
    'a source nested too deeply': `x = ${'('.repeat(5000)}1${')'.repeat(5000)}`,
    'a chain that is too long': `x = ${'1 + '.repeat(5000)}1`,
    'blocks nested too deeply': `${Array.from({ length: 120 }, (_, i) => `${' '.repeat(i)}if True:`).join('\n')}\n${' '.repeat(120)}x = 1`,
    'a program that is too long': 'x = 1\n'.repeat(20_000),
  },
  memory_limit: {
    'a growing string': 's = "abcdefgh"\nwhile True:\n  s = s + s',
    'a growing list': 'a = [1]\nwhile True:\n  a = a + a',
    'a list multiplied': 'a = [0] * 10 ** 9',
    'a tuple multiplied': 'a = (1,) * 10 ** 9',
    'one large string': 'OUTPUT = "a" * 10 ** 10',
    'a growing dict': 'd = {}\ni = 0\nwhile True:\n  d[i] = ("x" * 1000000) + str(i)\n  i += 1',
    'a growing integer': 'x = 7\nwhile True:\n  x = x * x',
    'a power': 'OUTPUT = str(10 ** 10 ** 10)',
    'a shift': 'x = 1 << 10 ** 12',
    'a width in a format': 'OUTPUT = f"{1:>2000000000}"',
    'a width in %': 'OUTPUT = "%2000000000d" % 1',
    'join()': 'OUTPUT = ("b" * 100000).join(["a"] * 100000)',
    'replace()': 'OUTPUT = ("a" * 100000).replace("a", "b" * 100000)',
    'a giant output': 'OUTPUT = "a" * 5000000',
    'memory caught': 'try:\n  x = "a" * 10 ** 10\nexcept:\n  OUTPUT = "x"',
  },
  'memory_limit|step_limit': {
    'print without end': 'while True:\n  print("a" * 1000)',
    'a range as a list': 'OUTPUT = str(list(range(10 ** 9)))',
    'zip of ranges': 'OUTPUT = str(list(zip(range(10 ** 9), range(10 ** 9))))',
    'lists in lists': 'x = []\nwhile True:\n  x = [x, x]',
    'a large comprehension': 'x = [[i] * 100 for i in range(10 ** 9)]',
    'a sort without end':
      'a = [str(i) for i in range(50000)]\nwhile True:\n  a.sort(key=lambda v: v[::-1])',
  },
});

const WIDE = attacks({
  'memory_limit|time_limit': {
    'a growing list': 'a = [1]\nwhile True:\n  a = a + a',
    'a growing dict': 'd = {}\ni = 0\nwhile True:\n  d[i] = ("x" * 1000000) + str(i)\n  i += 1',
    'replace()': 'OUTPUT = ("a" * 100000).replace("a", "b" * 100000)',
  },
  'time_limit|memory_limit': {
    'the linear engine kept busy': 's = "ab" * 1000000\nwhile True:\n  re_findall("(a|b)*c", s)',
    'the JSON reader kept busy': 's = "[" + "1.0," * 500000 + "1]"\nwhile True:\n  json.decode(s)',
    'a search without end': 's = "a" * 10000000\nt = "a" * 10000 + "b"\nwhile True:\n  s.find(t)',
  },
  'step_limit|time_limit': { 'an endless loop': 'while True:\n  pass' },
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
    await each.evaluate({ language: 'starlark', code: 'OUTPUT = ""', input: '' });
  }
});
afterAll(async () => {
  await pool.close();
  await wide.close();
});

describe('hostile programs in Starlark', () => {
  it.each(ATTACKS)('$refusals: $name', (attack) => withstand(pool, 'starlark', attack));

  it.each(WIDE)('under the full limits, $refusals: $name', (attack) =>
    withstand(wide, 'starlark', attack),
  );

  it('are at least forty', () => {
    expect(ATTACKS.length).toBeGreaterThanOrEqual(40);
  });

  it('a catastrophic pattern is answered in linear time', async () => {
    const code =
      'OUTPUT = str(re_findall("(a+)+$", "a" * 5000 + "!")) + str(len(re_findall("(x+x+)+y", "x" * 3000 + "y")))';
    const result = await pool.evaluate({ language: 'starlark', code, input: '' });
    expect(result).toMatchObject({ kind: 'done', output: '[]1' });
  });
});
