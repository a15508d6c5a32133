import { expect, test } from 'vitest';
import { comparisonOptions } from '../../src/commands/comparison-options.ts';
import { HarnessError } from '../../src/errors.ts';

test('what the command line gives becomes shares and headers', () => {
  expect(
    comparisonOptions({
      baseline: 'raw',
      margin: '2.5',
      missing: 'drop',
      columns: ['task=instance_id,reward=outcome', 'gw_before=a=b'],
    }),
  ).toEqual({
    baseline: 'raw',
    margin: 0.025,
    missing: 'drop',
    columns: { task: 'instance_id', reward: 'outcome', before: 'a=b' },
  });
  expect(comparisonOptions({})).toEqual({
    baseline: undefined,
    margin: undefined,
    missing: undefined,
    columns: {},
  });
});

test.each([
  [{ margin: '-1' }, /--margin is '-1', expected points/],
  [{ margin: '101' }, /--margin/],
  [{ margin: ['1', '2'] }, /--margin was given more than once/],
  [{ missing: 'los' }, /did you mean loss\?/],
  [{ columns: 'tsk=instance' }, /did you mean task=HEADER\?/],
  [{ columns: 'task' }, /expected COLUMN=HEADER/],
  [{ columns: 'task=' }, /expected COLUMN=HEADER/],
])('%j is refused with what to do', (parsed, message) => {
  expect(() => comparisonOptions(parsed)).toThrow(HarnessError);
  expect(() => comparisonOptions(parsed)).toThrow(message);
});
