/**
 * `npm run test:current-node [-- FILE…]`: the suite on the current Node release, whose binary the registry has as
 * a package of its platform. Without files, all of it; `--part` takes the tests that lean most on Node itself, which
 * is what CI has time for. Where the binary cannot be had, that is said, and is no failure.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** Readers, a sweep from end to end, the sandboxes with their threads, processes and files, and the tests of these. */
const PART = [
  'test/recordings/formats',
  'test/recordings/read.test.ts',
  'test/recordings/archive.test.ts',
  'test/compaction/extract/sandbox-pool',
  'test/compaction/extract/sandbox-session',
  'test/compaction/extract/sandbox-starlark.test.ts',
  'test/compaction/external.test.ts',
  'test/compaction/own-component.test.ts',
  'test/commands/sweep.test.ts',
  'test/commands/hostile-input.test.ts',
  'test/model/cassette-processes.test.ts',
  'test/model/live.test.ts',
  'test/faults/hostile-json',
  'test/faults/hostile-yaml',
];

/** The binary of the newest release in a new folder, or why there is none. */
function currentNode(folder: string): { readonly binary: string } | { readonly missing: string } {
  const viewed = npm(['view', 'node', 'version'], folder);
  if (!/^\d+\.\d+\.\d+$/.test(viewed)) return { missing: 'the registry does not tell its version' };
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  // The package of the platform holds the binary itself, so that no script has to run.
  writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
  npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${viewed}`], folder);
  const binary = join(folder, 'node_modules', name, 'bin', 'node');
  if (!existsSync(binary)) return { missing: `${name} ${viewed} cannot be installed` };
  return { binary };
}

function npm(words: readonly string[], cwd: string): string {
  const { stdout } = spawnSync('npm', words, { cwd, encoding: 'utf8', timeout: 120_000 });
  return (stdout ?? '').trim();
}

const words = process.argv.slice(2);
const files = words.includes('--part') ? PART : words;
const folder = mkdtempSync(join(tmpdir(), 'current-node-'));
try {
  const found = currentNode(folder);
  if ('missing' in found) {
    console.log(`not run on the current Node release: ${found.missing}`);
  } else {
    const { binary } = found;
    const version = spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout.trim();
    console.log(`on Node ${version}, the current release; the rest of CI is on ${process.version}`);
    // What the tests start by name is this Node too.
    const PATH = `${dirname(binary)}${delimiter}${process.env.PATH ?? ''}`;
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const { status } = spawnSync(binary, [vitest, 'run', '--reporter=dot', ...files], {
      cwd: root,
      env: { ...process.env, PATH },
      stdio: 'inherit',
    });
    process.exitCode = status ?? 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
