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
  // Both are told by their paths, since the project has neither.
  const shown = /see npm run show -- (\S+ --config \S+ --transcripts \S+) /.exec(told)?.[1];
  const page = await cli('show', ...(shown ?? '').split(' '));
  expect(page.code).toBe(0);
  expect(page.stdout).toContain('error:');
  expect(await swept(idle)).not.toContain('a component failed');
});

test.each([
  ['a program that is not there', 'no-such-program-at-all', /\d+ external:/],
  ['one that fails', 'node -e process.exit(3)', /\d+ external:exit/],
])('an external component, %s, is told of, with --json too', async (_, command, reason) => {
  const recordings = join(folder, 'recordings');
  writeRecordings(recordings, 1);
  const config = join(folder, 'outside.yaml');
  writeFileSync(config, `pipeline: [external]\ncomponents: {external: {command: ${command}}}\n`);
  const given = ['--transcripts', recordings, '--config', config, '--out', join(folder, 'runs')];
  for (const words of [given, [...given, '--json']]) {
    const { stderr } = await cli('sweep', ...words);
    expect(stderr).toMatch(/a component failed, and its requests stayed as they were: /);
    expect(stderr).toMatch(reason);
  }
});
