import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { writeRecordings } from '../support/sweeps.ts';
import { cli } from './cli.ts';

const folder = temporaryFolder();
const api = pathToFileURL(resolve(import.meta.dirname, '../../src/api.ts')).href;

function component(name: string, body: string): string {
  writeFileSync(
    join(folder, `${name}.ts`),
    `import { defineComponent, z } from '${api}';
    export default defineComponent({
      name: '${name}', kind: 'reformat', about: 'A test.', version: 1, timeLimit: 1000,
      config: z.strictObject({}).prefault({}),
      async compact() { ${body} },
    });\n`,
  );
  const config = join(folder, `${name}.yaml`);
  writeFileSync(config, `pipeline: [mine]\ncomponents: {mine: {use: ./${name}.ts}}\n`);
  return config;
}

test('a component that fails at every request is told of, and one that skips is not', async () => {
  const recordings = join(folder, 'recordings');
  writeRecordings(recordings, 1);
  const failing = component('failing', `throw new Error('broken');`);
  const idle = component('idle', `return { kind: 'skipped', gate: 'never' };`);
  const swept = async (config: string) => {
    const out = join(folder, 'runs');
    const given = ['--transcripts', recordings, '--config', config, '--out', out];
    const { code, stdout, stderr } = await cli('sweep', ...given);
    expect(code).toBe(0);
    expect(stdout).toMatch(/to look at it in a browser: npm run report -- \S+\.csv/);
    return stderr;
  };
  const told = await swept(failing);
  expect(told).toMatch(/a component failed, and its requests stayed as they were: \d+ error:/);
  expect(told).toContain('--config failing');
  expect(await swept(idle)).not.toContain('a component failed');
});
