import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readShardSet } from '../../src/sweep/shard-set.ts';
import { fuzzerNamed } from '../fuzz/catalog.ts';
import { temporaryFolder } from '../support/folder.ts';

/** Two sealed shards, the manifest of the first changed. */
async function shardSet(change: (manifest: string) => string) {
  const folder = temporaryFolder();
  const [seed] = await fuzzerNamed('shards').seeds();
  for (const { path, bytes } of seed?.files ?? []) {
    const isChanged = path === 'shard-1.manifest.json';
    writeFileSync(join(folder, path), isChanged ? change(bytes.toString('utf8')) : bytes);
  }
  const csvs = [1, 2].map((index) => join(folder, `shard-${index}.csv`));
  return await readShardSet(csvs, { allowFailed: false });
}

const instead = (found: RegExp, by: string) => (manifest: string) => {
  expect(manifest).toMatch(found);
  return manifest.replace(found, by);
};

describe('a set of shards', () => {
  test('is taken as it was sealed', async () => {
    const parts = await shardSet((manifest) => manifest);
    expect(parts.map(({ name }) => name)).toEqual(['shard 1/2', 'shard 2/2']);
  });

  test.each(['-1', '0', '1e21', '2000000000', '2.5'])(
    'of %s parts is refused with the manifest, before anything is made of that number',
    async (count) => {
      const error = await shardSet(instead(/"count": 2/, `"count": ${count}`)).catch((e) => e);
      expect(error).toMatchObject({ name: 'HarnessError', code: 'input.schema' });
      expect(error.describe()).toContain('shard-1.manifest.json');
    },
  );

  test('that ran a transcript which the whole does not have is refused by its name', async () => {
    await expect(shardSet(instead(/"own": \[\s*0\s*\]/, '"own": [7]'))).rejects.toMatchObject({
      code: 'input.shard',
      message: expect.stringContaining('shard 1/2 ran transcript 8 of 2'),
    });
  });
});
