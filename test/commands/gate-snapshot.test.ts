import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSnapshot } from '../../src/commands/gate/snapshot.ts';
import { temporaryFolder } from '../support/folder.ts';

const folder = temporaryFolder();
const HEADER = 'task,dialect,config,before,after,evidence_kept,evidence_total,reward';

function snapshot(...lines: readonly string[]) {
  const file = join(folder, 'snapshot.csv');
  writeFileSync(file, `${[HEADER, ...lines].join('\n')}\n`);
  return readSnapshot(file);
}

test('a snapshot is read, a figure that was not measured as none', async () => {
  expect(await snapshot('t,anthropic,baseline,10,8,,,1')).toEqual([
    {
      ...{ task: 't', dialect: 'anthropic', config: 'baseline', before: 10, after: 8, reward: 1 },
      evidenceKept: undefined,
      evidenceTotal: undefined,
    },
  ]);
});

test.each([
  ['a word for a figure', 't,anthropic,baseline,10,8,1,1,good'],
  ['no figure where one must be', 't,anthropic,baseline,,8,1,1,1'],
  ['more than any number', 't,anthropic,baseline,10,1e999,1,1,1'],
  ['a row too short', 't,anthropic'],
  ['a quote that is not closed', '"t,anthropic,baseline,10,8,1,1,1'],
])('%s is an error that says what to do', async (_, line) => {
  await expect(snapshot(line)).rejects.toMatchObject({
    name: 'HarnessError',
    code: 'input.schema',
    message: expect.stringContaining('--update'),
  });
});
