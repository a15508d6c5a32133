import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { temporaryFolder } from './support/folder.ts';

const root = resolve(import.meta.dirname, '..');
const folder = temporaryFolder();
const environment = { ...process.env, NO_COLOR: '1', CI: '1', npm_config_loglevel: 'error' };

const packed = z.tuple([
  z.looseObject({ filename: z.string(), files: z.array(z.looseObject({ path: z.string() })) }),
]);

/** The built package as `npm pack` makes it, installed into an empty folder. */
describe('the package', () => {
  const home = join(folder, 'empty');
  let files: string[] = [];

  beforeAll(() => {
    const text = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: root,
      env: environment,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    const [{ filename, files: listed }] = packed.parse(JSON.parse(text.slice(text.indexOf('['))));
    files = listed.map(({ path }) => path);
    mkdirSync(home);
    writeFileSync(join(home, 'package.json'), '{"name": "empty", "private": true}\n');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', join(folder, filename)], {
      cwd: home,
      env: environment,
      stdio: 'pipe',
    });
  }, 240_000);

  const run = (...words: string[]) =>
    spawnSync('npx', ['compaction-harness', ...words], {
      cwd: home,
      env: environment,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });

  test('holds what it needs and nothing else', () => {
    const folders = new Set(files.map((path) => path.split('/')[0]));
    expect([...folders].toSorted()).toEqual([
      'CHANGELOG.md',
      'README.md',
      'dist',
      'docs',
      'fixtures',
      'package.json',
      'sweeps',
    ]);
    expect(files).toContain('dist/cli.js');
    expect(files).toContain('dist/api.d.ts');
    expect(files).toContain('dist/compaction/extract/sandbox/thread.mjs');
    expect(
      files.filter((path) => /\.test\.|(?<!\.d)\.ts$|\.env|\.npmrc|\.log$/.test(path)),
    ).toEqual(files.filter((path) => path.startsWith('fixtures/') && path.endsWith('.ts')));
  });

  test('sweeps its fixtures from an empty folder, and writes nothing but results/', () => {
    const { status, stdout, stderr } = run('sweep', '--config', 'cg-summarize,cg-extract-code');
    expect(stderr).not.toContain('error');
    expect(status).toBe(0);
    expect(stdout).toContain('cg-extract-code');
    expect(stdout).toMatch(/30 rows: results[\\/]runs[\\/]/);
    expect(stdout).toContain('to look at it in a browser: npx compaction-harness report');
    expect(stdout).not.toContain('npm run');
    const reported = run('report');
    expect(reported.stderr).not.toContain('error');
    expect(reported.stdout).toMatch(/^results[\\/]runs[\\/].*\.html \(/);
    expect(run('sweep', '--help').stdout).not.toContain('npm run');
  });

  test('takes the configs of the folder beside its own', () => {
    mkdirSync(join(home, 'sweeps'), { recursive: true });
    const document = 'preset: cg-summarize\ncomponents: {summarize: {keep_last: 7}}\n';
    writeFileSync(join(home, 'sweeps', 'mine.yaml'), document);
    const { status, stdout } = run('sweep', '--config', 'mine', '--list');
    expect(status).toBe(0);
    expect(stdout).toContain('"keep_last":7');
  });

  test.each(['commonjs', 'module'])(
    'gives a component of its user what it needs, in TypeScript, in a folder of type %s',
    (type) => {
      mkdirSync(join(home, 'sweeps'), { recursive: true });
      const manifest = join(home, 'package.json');
      const written = readFileSync(manifest, 'utf8');
      writeFileSync(manifest, JSON.stringify({ ...JSON.parse(written), type }));
      const component = readFileSync(join(root, 'test/support/components/keep-errors.ts'), 'utf8');
      writeFileSync(join(home, 'keep-errors.ts'), component);
      const document = 'pipeline: [mine]\ncomponents: {mine: {use: ../keep-errors.ts}}\n';
      writeFileSync(join(home, 'sweeps', 'own.yaml'), document);
      const { status, stdout, stderr } = run('sweep', '--config', 'own');
      expect(stderr).not.toContain('error');
      expect(status).toBe(0);
      expect(stdout).toMatch(/own +10/);
      writeFileSync(manifest, written);
    },
  );

  test('is a library with types', () => {
    const program = `
      import { defineComponent, safeCuts, z } from 'compaction-harness';
      const cuts: readonly boolean[] = safeCuts([]);
      const component = defineComponent({
        name: 'nothing', kind: 'offload', about: 'Does nothing.', version: 1, timeLimit: 1000,
        config: z.strictObject({}).prefault({}),
        compact: async () => ({ kind: 'skipped', gate: 'never' }),
      });
      console.log(component.name, cuts.length);
    `;
    writeFileSync(join(home, 'program.mts'), program);
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
    const checked = spawnSync(process.execPath, [compiler, ...options, ...types, 'program.mts'], {
      cwd: home,
      encoding: 'utf8',
    });
    expect(checked.stdout).toBe('');
    expect(checked.status).toBe(0);
    const ran = spawnSync(process.execPath, ['--import', 'tsx', 'program.mts'], {
      cwd: home,
      encoding: 'utf8',
    });
    expect(ran.stdout).toBe('nothing 1\n');
  });
});
