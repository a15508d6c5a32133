import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LocatedScalar } from '../../src/compaction/located.ts';
import {
  type Assignment,
  assignmentIdentity,
  combinationName,
  contains,
  crossWith,
  expandMatrix,
  matrixSize,
  shortKey,
} from '../../src/compaction/matrix.ts';

function scalar(value: LocatedScalar['value']): LocatedScalar {
  return { kind: 'scalar', at: {}, value };
}

function assignment(values: Record<string, LocatedScalar['value']>): Assignment {
  return new Map(Object.entries(values).map(([key, value]) => [key, scalar(value)]));
}

const value = fc.oneof(fc.integer(), fc.boolean(), fc.string(), fc.constantFrom('1', 'true', 'a'));
const key = fc
  .array(fc.constantFrom('a', 'b', 'model', 'trigger', 'min_tokens'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((segments) => segments.join('.'));
const axes = fc
  .uniqueArray(key, { maxLength: 3 })
  .chain((keys) =>
    fc.tuple(
      ...keys.map((each) =>
        fc
          .uniqueArray(value, { minLength: 1, maxLength: 4, comparator: 'SameValue' })
          .map((values) => ({ key: each, values: values.map(scalar) })),
      ),
    ),
  );

it('has the size of its product, less the excluded and plus the included', () => {
  fc.assert(
    fc.property(axes, fc.infiniteStream(fc.nat()), fc.nat(3), (lists, numbers, included) => {
      const next = () => numbers.next().value ?? 0;
      const product = expandMatrix({ axes: lists, include: [], exclude: [] });
      const exclude = lists.length === 0 ? [] : product.filter(() => next() % 3 === 0);
      const include = Array.from({ length: included }, (_, index) =>
        assignment({ 'only.included': index }),
      );
      const combinations = expandMatrix({ axes: lists, include, exclude });
      const base = lists.length === 0 && included > 0 ? 0 : product.length;
      expect(product).toHaveLength(lists.reduce((size, { values }) => size * values.length, 1));
      expect(combinations).toHaveLength(base - exclude.length + included);
      expect(matrixSize({ axes: lists, include, exclude })).toBeGreaterThanOrEqual(
        combinations.length,
      );
    }),
  );
});

it('leaves out exactly what contains an excluded part', () => {
  fc.assert(
    fc.property(axes, fc.nat(), (lists, pick) => {
      const axis = lists[pick % Math.max(1, lists.length)];
      const part = axis?.values[pick % axis.values.length];
      fc.pre(axis !== undefined && part !== undefined);
      if (axis === undefined || part === undefined) return;
      const exclude = new Map([[axis.key, part]]);
      const all = expandMatrix({ axes: lists, include: [], exclude: [] });
      const rest = expandMatrix({ axes: lists, include: [], exclude: [exclude] });
      expect(rest).toEqual(all.filter((combination) => !contains(combination, exclude)));
      expect(rest).toHaveLength(all.length - all.length / axis.values.length);
    }),
  );
});

it('gives distinct combinations distinct names', () => {
  fc.assert(
    fc.property(axes, axes, (lists, others) => {
      const combinations = [
        ...expandMatrix({ axes: lists, include: [], exclude: [] }),
        ...expandMatrix({ axes: others, include: [], exclude: [] }),
      ];
      const keys = [...new Set([...lists, ...others].map((axis) => axis.key))];
      const identities = new Set(combinations.map(assignmentIdentity));
      // Names follow the order of the keys, which is one order in a real document.
      const names = combinations.map((combination) => {
        const ordered = new Map([...combination].toSorted(([one], [two]) => (one < two ? -1 : 1)));
        return combinationName('base', ordered, keys);
      });
      expect(new Set(names).size).toBe(identities.size);
    }),
  );
});

it('takes the values of a later axis over those of a matrix, each result once', () => {
  const combinations = [
    assignment({ keep: 1, level: 'a' }),
    assignment({ keep: 3, level: 'a' }),
    assignment({ keep: 3, level: 'b' }),
  ];
  const crossed = crossWith(combinations, [{ key: 'keep', values: [scalar(5), scalar(6)] }]);
  expect(crossed.map((each) => combinationName('x', each, ['keep', 'level']))).toEqual([
    'x:keep=5:level=a',
    'x:keep=6:level=a',
    'x:keep=5:level=b',
    'x:keep=6:level=b',
  ]);
});

it('adds nothing to a matrix of included entries alone', () => {
  const include = [assignment({ a: 1 }), assignment({ b: 2 })];
  expect(expandMatrix({ axes: [], include, exclude: [] })).toEqual(include);
});

it('shortens keys to what tells them apart', () => {
  const keys = [
    'components.summarize.min_tokens',
    'components.mask.min_tokens',
    'components.mask.keep',
    'components.summarize.model.model',
    'model.model',
  ];
  expect(keys.map((each) => shortKey(each, keys))).toEqual([
    'summarize.min_tokens',
    'mask.min_tokens',
    'keep',
    'summarize.model.model',
    'model.model',
  ]);
});

it('quotes a text that reads as something else', () => {
  const name = (given: LocatedScalar['value']) => combinationName('', assignment({ k: given }), []);
  expect([1, '1', true, 'true', 'null', 'a:k=1', 'claude-3.5', ''].map(name)).toEqual([
    ':k=1',
    ':k="1"',
    ':k=true',
    ':k="true"',
    ':k="null"',
    ':k="a:k=1"',
    ':k=claude-3.5',
    ':k=""',
  ]);
});
