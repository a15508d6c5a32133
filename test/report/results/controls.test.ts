import { expect, test } from 'vitest';
import { controlledBy, withControlsBeside } from '../../../src/report/results/controls.ts';

test('controls stand behind the config whose budget they have', () => {
  const names = ['baseline', 'control-recency@b', 'a', 'b', 'control-random@b', 'control-x@gone'];
  expect(
    withControlsBeside(names.map((config) => ({ config }))).map(({ config }) => config),
  ).toEqual(['baseline', 'a', 'b', 'control-recency@b', 'control-random@b', 'control-x@gone']);
  expect(controlledBy('control-recency@cg-mask:keep=1@x')).toBe('cg-mask:keep=1@x');
  expect(controlledBy('cg-mask@x')).toBeUndefined();
});
