import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { SandboxPool } from '../../../src/compaction/extract/sandbox/pool.ts';
import { PROGRAMS } from './sandbox-starlark-programs.ts';

const pool = new SandboxPool({ size: 2 });
afterAll(() => pool.close());

async function output(code: string, input = ''): Promise<string> {
  const result = await pool.evaluate({ language: 'starlark', code, input });
  return result.kind === 'done' ? result.output : `${result.refusal}: ${result.message}`;
}

describe('programs of the kind that a model writes give what Python gives', () => {
  it.concurrent.each(PROGRAMS)('$name', async ({ input, code, output: expected, summary }) => {
    const result = await pool.evaluate({ language: 'starlark', code, input });
    expect(result).toMatchObject({ kind: 'done', output: expected });
    if (summary !== undefined) expect(result).toMatchObject({ summary });
  });

  it('has at least twenty of them', () => {
    expect(PROGRAMS.length).toBeGreaterThanOrEqual(20);
  });
});

describe('what only Starlark has', () => {
  it.each([
    [
      'type() compares with names',
      'OUTPUT = str(type({}) == "dict" and type("") == "string")',
      'True',
    ],
    ['… and with types', 'OUTPUT = str(type(1) == int and type([]) in ("list", "tuple"))', 'True'],
    ['keys() can be indexed', 'd = {"a": 1, "b": 2}\nOUTPUT = d.keys()[1] + d.keys()[0]', 'ba'],
    ['elems()', 'OUTPUT = "-".join("abc".elems())', 'a-b-c'],
    ['$1 in a replacement', 'OUTPUT = re_sub(r"(\\w)=(\\w)", "$2=$" + "{1}", "a=b $9")', 'b=a $9'],
    ['a match is not bound to the start', 'OUTPUT = str(bool(re_match("b", "abc")))', 'True'],
    ['a match has its groups', 'OUTPUT = re_match("(b)(x)?", "abc")[1]', 'b'],
    [
      'numbers stay as they were spelled',
      'OUTPUT = json.encode(json.decode("[1e3,1.0,12345678901234567890]"))',
      '[1e3,1.0,12345678901234567890]',
    ],
    [
      'keys stay in order',
      'OUTPUT = json.encode(json.decode(\'{"10":1,"9":2,"a":3}\'))',
      '{"10":1,"9":2,"a":3}',
    ],
    ['fail() is a refusal', 'fail("no luck")', 'runtime: RuntimeError: no luck (line 1)'],
  ])('%s', async (_name, code, expected) => {
    expect(await output(code)).toBe(expected);
  });
});

describe('common slips and corners give what CPython 3.11 gives', () => {
  it.each([
    [
      'several modules in one import',
      'import json, re as r\nOUTPUT = json.dumps(r.findall("a", "aba"))',
      '["a", "a"]',
    ],
    [
      'dict.fromkeys',
      'OUTPUT = str(list(dict.fromkeys(["b", "a", "b"]))) + str(dict.fromkeys("ab", 0))',
      "['b', 'a']{'a': 0, 'b': 0}",
    ],
    [
      'str.maketrans',
      'OUTPUT = "aXb".translate(str.maketrans("X", "-", "b")) + "ab".translate({97: None})',
      'a-b',
    ],
    [
      'named groups have offsets',
      'import re\nm = re.search("(?P<k>b)(c)?", "ab")\nOUTPUT = str((m.start("k"), m.end("k"), m.span("k"), m.start(2)))',
      '(1, 2, (1, 2), -1)',
    ],
    [
      'offsets of matches count code points',
      'import re\nm = re.search("b+", INPUT)\nOUTPUT = INPUT[m.start():m.end()] + str(m.span())',
      'bb(2, 4)',
    ],
    [
      're.VERBOSE',
      'import re\nOUTPUT = str(re.findall("""\n (\\\\d+) [ #]  # a count\n ms""", "12 ms 3#ms", re.X))',
      "['12', '3']",
    ],
    [
      'classes of re are Unicode’s',
      'import re\nOUTPUT = str([re.findall(r"\\w+", "café 漢"), re.split(r"\\W+", "é,ç"), re.findall(r"[a[]\\d", "[\\u0663é"), re.findall(r"[\\w-]+", "é-x y"), re.findall(r"\\w+", "é1", re.A)])',
      "[['café', '漢'], ['é', 'ç'], ['[\u0663'], ['é-x', 'y'], ['1']]",
    ],
    [
      'rounds to tens, ties to even',
      'OUTPUT = str([round(25, -1), round(35, -1), round(-25, -1), round(123456.0, -2), round(250.5, -2), round(-50.0, -2)])',
      '[20, 40, -20, 123500.0, 300.0, -0.0]',
    ],
    [
      'Counter of keywords',
      'from collections import Counter\nc = Counter("a", b=2)\nc.update(b=1)\nOUTPUT = str(sorted(c.items()))',
      "[('a', 1), ('b', 3)]",
    ],
    [
      'strings are ordered by code points',
      'OUTPUT = str(sorted([INPUT[0], "\\uffff", "a", ""])[1:] == ["a", "\\uffff", INPUT[0]]) + str(INPUT[0] > "\\ue000")',
      'TrueTrue',
    ],
    [
      'large ints against floats',
      'OUTPUT = str([10 ** 25 == 1e25, 2 ** 70 == float(2 ** 70), float("inf") > 10 ** 400, -10 ** 400 < 1.5, float("nan") < 10 ** 400])',
      '[False, True, True, True, False]',
    ],
    ['json.dumps escapes DEL', 'import json\nOUTPUT = json.dumps("\\x7f")', '"\\u007f"'],
  ])('%s', async (_name, code, expected) => {
    expect(await output(code, '😀abb')).toBe(expected);
  });

  it('a position for a compiled pattern is refused, not ignored', async () => {
    const code = 'import re\nOUTPUT = str(re.compile("a").search("aba", 1).start())';
    expect(await output(code)).toMatch(/^runtime: TypeError: .*position.*line 2/);
  });

  it('strings are ordered as their code points are, whatever they are', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 4 });
    const property = fc.asyncProperty(text, text, async (left, right) => {
      const codes = [left, right].map((one) => [...one].map((point) => point.codePointAt(0) ?? 0));
      const code = `a, b = [''.join([chr(c) for c in l]) for l in ${JSON.stringify(codes)}]\nOUTPUT = str([a < b, a == b, a > b])`;
      const [first = [], second = []] = codes;
      const at = first.findIndex((point, index) => point !== second[index]);
      const order = at < 0 ? first.length - second.length : (first[at] ?? 0) - (second[at] ?? -1);
      const expected = [order < 0, order === 0, order > 0].map((one) => (one ? 'True' : 'False'));
      expect(await output(code)).toBe(`[${expected.join(', ')}]`);
    });
    await fc.assert(property, { numRuns: 60, seed: 5 });
  });
});

describe('mistakes are named with their line', () => {
  it.each([
    ['x = (1', /^syntax: SyntaxError: a bracket is never closed/],
    ['x = 1\nif x:\ny = 2', /^syntax: SyntaxError: expected an indented block \(line 3\)/],
    ['x = "abc', /^syntax: SyntaxError: unterminated string literal \(line 1\)/],
    ['for x in y\n  pass', /^syntax: SyntaxError: expected ':'/],
    ['return 1', /^syntax: SyntaxError: 'return' outside function/],
    ['x = f"{1"', /^syntax: SyntaxError: /],
    ['1 = x', /^syntax: SyntaxError: cannot assign/],
    ['class A:\n  pass', /^syntax: SyntaxError: class definitions are not available/],
    ['x = 1\n\ny = x + "a"', /^runtime: TypeError: unsupported operand.*\(line 3\)/],
    ['def f():\n  x += 1\nf()', /^runtime: UnboundLocalError: .*\(line 2\)/],
    ['OUTPUT = json.decode("[1,")', /^runtime: JSONDecodeError: Expecting value: line 1 column 4/],
    ['def f(a): pass\nf()', /^runtime: TypeError: f\(\) missing required argument: 'a'/],
    ['OUTPUT = re_findall("(", "x")', /^runtime: error: .*missing closing/],
    ['OUTPUT = ["a"]', /^runtime: OUTPUT must be a string, not list/],
  ])('%j', async (code, expected) => {
    expect(await output(code)).toMatch(expected);
  });
});

describe('arithmetic and text are Python’s', () => {
  const integer = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });

  it('integers are exact, and division floors', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.tuple(integer, integer), { minLength: 30, maxLength: 30 }),
      async (pairs) => {
        const code = `OUTPUT = str([[a + b, a - b, a * b, a // (b or 1), a % (b or 1), a < b] for a, b in [${pairs.map(([a, b]) => `(${a}, ${b})`).join(',')}]])`;
        const expected = pairs.map(([a, b]) => {
          const divisor = b === 0n ? 1n : b;
          const rest = ((a % divisor) + divisor) % divisor;
          const values = [a + b, a - b, a * b, (a - rest) / divisor, rest];
          return `[${values.join(', ')}, ${a < b ? 'True' : 'False'}]`;
        });
        expect(await output(code)).toBe(`[${expected.join(', ')}]`);
      },
    );
    await fc.assert(property, { numRuns: 20 });
  });

  it('slices count code points', async () => {
    const bound = fc.option(fc.integer({ min: -12, max: 12 }), { nil: undefined });
    const property = fc.asyncProperty(
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      bound,
      bound,
      async (text, start, stop) => {
        const expected = [...text].slice(start, stop).join('');
        expect(await output(`OUTPUT = INPUT[${start ?? ''}:${stop ?? ''}]`, text)).toBe(expected);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('JSON comes back as it was, whatever it holds', async () => {
    const property = fc.asyncProperty(fc.json({ stringUnit: 'grapheme' }), async (text) => {
      expect(await output('OUTPUT = json.encode(json.decode(INPUT))', text)).toBe(
        text.replaceAll('-0,', '0,').replace(/-0(?=[\]}]|$)/g, '0'),
      );
    });
    await fc.assert(property, { numRuns: 80 });
  });

  it('any string literal that repr() writes is read back', async () => {
    const property = fc.asyncProperty(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      async (text) => {
        const literal = await output('OUTPUT = repr(INPUT)', text);
        expect(await output(`OUTPUT = ${literal}`)).toBe(text);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });
});
