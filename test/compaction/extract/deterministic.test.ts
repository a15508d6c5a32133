import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contains, kindOf } from '../../../src/compaction/extract/containment.ts';
import { reduceNoise } from '../../../src/compaction/extract/deterministic.ts';
import type { KeepSet } from '../../../src/compaction/extract/keep-set.ts';
import { containsIdentifier } from '../../../src/text/identifiers.ts';
import { jsonText } from '../../support/json-text.ts';

const nothing: KeepSet = { identifiers: [], task: [], words: [] };
const keeping = (...identifiers: string[]): KeepSet => ({ identifiers, task: [], words: [] });
const reduced = (text: string, keep = nothing) => reduceNoise(text, keep)?.text ?? text;

const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('compiling a.ts', 'compiling b.ts', 'at run (src/x.ts)'),
  },
  { weight: 3, arbitrary: fc.constantFrom('', '   ', '\t') },
  { weight: 2, arbitrary: fc.nat(100).map((n) => `fetch ${n}% [=====     ] 3.1 MB/s`) },
  { weight: 1, arbitrary: fc.nat(100).map((n) => `load ${n}%\rload ${n + 1}%\rload 100%`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '\u001b[31mred\u001b[0m',
      '\u001b]0;title\u0007done',
      '\u001b\u001b[0m[1mx',
      '\u001b]8;;unclosed',
      'a\rb',
      '\r\r',
      '[the line above 2 more times]',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
);

/** Texts with much to fold: few kinds of lines, and whole parts again. */
const noisy = fc
  .tuple(
    fc.array(
      fc.record({ lines: fc.array(line, { minLength: 1, maxLength: 5 }), copies: fc.nat(4) }),
      { maxLength: 8 },
    ),
    fc.constantFrom('\n', '\n', '\r\n'),
    fc.boolean(),
  )
  .map(([parts, end, closed]) => {
    const lines = parts.flatMap(({ lines, copies }) =>
      Array.from({ length: copies + 1 }, () => lines).flat(),
    );
    return lines.join(end) + (closed ? end : '');
  });

/** Undoes the folding, the outermost note first. */
function unfolded(text: string): string[] {
  let lines = text.split('\n');
  for (;;) {
    const at = lines.findLastIndex((one) =>
      /^\[the (?:line|\d+ lines) above \d+ more times?\]$/.test(one),
    );
    if (at < 0) return lines;
    const [size, copies] = (lines[at]?.match(/\d+/g) ?? []).map(Number);
    const count = lines[at]?.startsWith('[the line') ? 1 : (size ?? 0);
    const times = (count === 1 ? size : copies) ?? 0;
    const block = lines.slice(at - count, at);
    lines = [
      ...lines.slice(0, at),
      ...Array.from({ length: times }, () => block).flat(),
      ...lines.slice(at + 1),
    ];
  }
}

describe('text', () => {
  test('a second reduction finds nothing more', () => {
    let fired = 0;
    fc.assert(
      fc.property(noisy, (text) => {
        const once = reduced(text);
        if (once !== text) fired++;
        expect(reduced(once)).toBe(once);
        expect(once.length).toBeLessThanOrEqual(text.length);
      }),
      // A fixed seed, since how often it fires is counted.
      { numRuns: 2000, seed: 20261130 },
    );
    expect(fired).toBeGreaterThan(500);
  });

  test('what is folded can be unfolded: only repeats were dropped', () => {
    const plain = fc.constantFrom(
      'alpha began at once',
      'beta went on',
      'gamma is not ready yet',
      'delta',
    );
    const repeated = fc.array(
      fc.record({ lines: fc.array(plain, { minLength: 1, maxLength: 4 }), copies: fc.nat(5) }),
      { maxLength: 6 },
    );
    let folded = 0;
    fc.assert(
      fc.property(repeated, (parts) => {
        const lines = parts.flatMap(({ lines, copies }) =>
          Array.from({ length: copies + 1 }, () => lines).flat(),
        );
        const text = lines.join('\n');
        const once = reduced(text);
        if (once !== text) folded++;
        expect(unfolded(once)).toEqual(text.split('\n'));
      }),
      { numRuns: 2000, seed: 20261130 },
    );
    expect(folded).toBeGreaterThan(500);
  });

  test('without noise it stays as it is, whatever its line ends', () => {
    const distinct = fc
      .uniqueArray(fc.stringMatching(/^[a-z]{3,12}( [a-z]{2,9}){0,4}$/), { maxLength: 30 })
      .chain((lines) =>
        fc.constantFrom('\n', '\r\n').map((end) => lines.map((one) => one + end).join('')),
      );
    fc.assert(
      fc.property(distinct, (text) => {
        expect(reduceNoise(text, nothing)).toBeUndefined();
      }),
    );
  });

  test('CRLF stays CRLF', () => {
    fc.assert(
      fc.property(noisy, (text) => {
        const crlf = text.replaceAll('\r', '').replaceAll('\n', '\r\n');
        expect(reduced(crlf).replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      }),
    );
  });

  test('keeps one copy of every identifier but those of drawings that were overwritten', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('read src/a.ts', 'read src/b.ts', '')), (lines) => {
        const once = reduced(lines.join('\n'));
        for (const name of ['src/a.ts', 'src/b.ts']) {
          expect(containsIdentifier(once, name)).toBe(lines.some((one) => one.includes(name)));
        }
      }),
    );
  });

  test.each([
    ['colours', '\u001b[1;31mFAIL\u001b[0m src/a.ts\n', 'FAIL src/a.ts\n'],
    ['a title', '\u001b]0;make\u0007cc a.c', 'cc a.c'],
    [
      'redraws',
      'Receiving: 1% (1/90)\rReceiving: 50%\rReceiving: 100%, done.\n',
      'Receiving: 100%, done.\n',
    ],
    ['blank runs', 'a\n\n \n\n\nb\n', 'a\n\nb\n'],
    ['two blank lines', 'def a():\n\n\ndef b():\n', 'def a():\n\n\ndef b():\n'],
    [
      'repeated lines',
      `${'connection refused, trying again\n'.repeat(40)}gave up\n`,
      'connection refused, trying again\n[the line above 39 more times]\ngave up\n',
    ],
    [
      'repeated blocks',
      'Traceback:\n  at run (src/x.ts:1)\n  at main (src/y.ts:2)\n'.repeat(3),
      'Traceback:\n  at run (src/x.ts:1)\n  at main (src/y.ts:2)\n[the 3 lines above 2 more times]\n',
    ],
    [
      'progress bars',
      'get x\n 10% [=>        ] 1 MB/s\n 60% [=====>    ] 2 MB/s\n100% [==========] 2 MB/s\nok\n',
      'get x\n100% [==========] 2 MB/s\nok\n',
    ],
    [
      'a table of shares is no progress',
      'a.ts | 90%\nb.ts | 91%\nb.ts | 92%\n',
      'a.ts | 90%\nb.ts | 91%\nb.ts | 92%\n',
    ],
    [
      'carriage returns as line ends',
      'one apple\rtwo pears\rthree figs',
      'one apple\rtwo pears\rthree figs',
    ],
  ])('%s', (_name, text, expected) => {
    expect(reduced(text)).toBe(expected);
  });

  test('a numbered listing of a JSON file is text, and stays', () => {
    const rows = JSON.stringify(
      [{ id: 'a-1' }, { id: 'a-2' }, { id: 'a-3' }, { id: 'a-4' }],
      null,
      2,
    );
    const listing = rows
      .split('\n')
      .map((row, index) => `${String(index + 1).padStart(6)}\t${row}`)
      .join('\n');
    expect(kindOf(listing)).toBe('text');
    expect(reduceNoise(listing, keeping('a-2'))).toBeUndefined();
  });

  test('is linear', () => {
    const texts = [
      'the same line over and over\n'.repeat(200_000),
      Array.from({ length: 150_000 }, (_, n) => `${n % 47} of a long period\n`).join(''),
      '\u001b]'.repeat(500_000),
      '\u001b[0'.repeat(500_000),
      `${'7% '.repeat(600_000)}\r${'7% '.repeat(600_000)}`,
    ];
    for (const text of texts) {
      const start = performance.now();
      reduceNoise(text, nothing);
      expect(performance.now() - start).toBeLessThan(5000);
    }
  });
});

describe('JSON', () => {
  const keepSet = fc.record({
    identifiers: fc.subarray(['a-1', 'b_2', 'x/9', 'zeta-7']),
    task: fc.subarray(['b_2', 'q.5']),
    words: fc.subarray(['failed', 'shipment']),
  });
  const scalar = fc.oneof(
    fc.constantFrom('a-1', 'b_2', 'x/9', 'q.5', 'the failed one', 'nothing', 1, null, true),
    fc.nat(9),
  );
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.array(tie('value'), { maxLength: 9 }),
      fc.dictionary(
        fc.constantFrom('id', 'a-1', 'list', 'n', 'x/9', ...'cdefghijkl'),
        tie('value'),
        {
          maxKeys: 11,
        },
      ),
    ),
  })).value;
  const containers = value.filter((one) => typeof one === 'object' && one !== null);
  const text = fc.oneof(
    fc
      .tuple(containers, fc.constantFrom(undefined, 2, '\t'))
      .map(([one, indent]) => JSON.stringify(one, null, indent)),
    fc
      .array(containers, { minLength: 2, maxLength: 9 })
      .map((values) => values.map((one) => JSON.stringify(one)).join('\n')),
    jsonText.filter((one) => kindOf(one) !== 'text'),
  );

  test('the projection is contained, keeps what must stay, and is all that a second one leaves', () => {
    let fired = 0;
    fc.assert(
      fc.property(text, keepSet, (original, keep) => {
        const reduction = reduceNoise(original, keep);
        if (reduction === undefined) return;
        fired++;
        expect(contains(original, reduction.text)).toMatchObject({ contained: true });
        for (const name of keep.identifiers) {
          if (containsIdentifier(original, name)) {
            expect(containsIdentifier(reduction.text, name)).toBe(true);
          }
        }
        const again = reduceNoise(reduction.text, keep);
        // One record that is left of NDJSON is JSON, which has rules of its own.
        if (kindOf(reduction.text) === reduction.kind) expect(again).toBeUndefined();
      }),
      { numRuns: 3000, seed: 20261130 },
    );
    expect(fired).toBeGreaterThan(200);
  });

  test('keeps the records that the agent asks about as they were written, and the names of the others', () => {
    const records = [0, 1, 2, 3, 4].map((n) => `  {"id": "a-${n}", "late": true, "n": 1.0}`);
    expect(reduced(`[\n${records.join(',\n')}\n]`, keeping('a-3'))).toBe(
      '[\n  {"id": "a-0"},\n  {"id": "a-1"},\n  {"id": "a-2"},\n  {"id": "a-3", "late": true, "n": 1.0},\n  {"id": "a-4"}\n]',
    );
  });

  test('of a list without any, the first item shows its shape', () => {
    const original = '{"hit":"a-1","others":[{"k":1},{"k":2},{"k":3},{"k":4}]}';
    expect(reduced(original, keeping('a-1'))).toBe('{"hit":"a-1","others":[{"k":1}]}');
  });

  test('of a table the keys stay', () => {
    const entries = Array.from({ length: 9 }, (_, n) => `"item-${n}":{"ready":true,"size":${n}}`);
    const original = `{"asked":"item-7","items":{${entries.join(',')}}}`;
    const { items } = JSON.parse(reduced(original, keeping('item-7')));
    expect(Object.keys(items)).toHaveLength(9);
    expect(items['item-7']).toEqual({ ready: true, size: 7 });
    expect(items['item-3']).toEqual({});
  });

  test('of NDJSON whole lines are dropped where they name nothing', () => {
    const lines = [1, 2, 3, 4, 5].map((n) =>
      n === 4 ? '{"id":"job-4","ok":true}\r\n' : `{"n":${n},"ok":true}\r\n`,
    );
    expect(reduced(lines.join(''), keeping('job-4'))).toBe('{"id":"job-4","ok":true}\r\n');
  });

  test('no identifier of a value is lost', () => {
    fc.assert(
      fc.property(text, keepSet, (original, keep) => {
        const reduction = reduceNoise(original, keep);
        if (reduction === undefined) return;
        const values = new Set(valuesOf(reduction));
        for (const one of valuesOf({ text: original, kind: reduction.kind })) {
          if (containsIdentifier(one, one) && /[-_./\d]/.test(one)) expect(values).toContain(one);
        }
      }),
    );
  });

  /** The strings among the values. */
  function valuesOf({ text: json, kind }: { text: string; kind: string }): string[] {
    const roots = kind === 'ndjson' ? json.split('\n').filter((one) => one.trim() !== '') : [json];
    const strings = (value: unknown): string[] => {
      if (typeof value === 'string') return [value];
      return typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(strings)
        : [];
    };
    return roots.flatMap((root) => strings(JSON.parse(root)));
  }

  test('what names nothing of the task stays untouched', () => {
    expect(reduceNoise('[{"a":1},{"a":2},{"a":3},{"a":4}]', keeping('zeta-7'))).toBeUndefined();
  });
});
