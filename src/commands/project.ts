import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Provenance } from '../sweep/manifest.ts';
import { RESULTS_FOLDER } from './defaults.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** As a package of somebody else's project, the harness writes nothing into its own folder. */
const isInstalled = root.split(/[\\/]/).includes('node_modules');

/** A path of the project, as somebody in `cwd` would write it. */
export function projectPath(cwd: string, path: string): string {
  const isWritten = path.split('/')[0] === RESULTS_FOLDER;
  return relative(cwd, resolve(isInstalled && isWritten ? cwd : root, path)) || '.';
}

const packageFile = z.object({ version: z.string() });

/** Versions and, where the project is a git checkout, its revision. */
export async function provenance(nodeVersion: string): Promise<Provenance> {
  const text = await readFile(resolve(root, 'package.json'), 'utf8');
  const { version } = packageFile.parse(JSON.parse(text));
  const revision = await gitRevision();
  const versions = { harness: version, node: nodeVersion };
  return revision === undefined ? { versions } : { versions, revision };
}

async function gitRevision(): Promise<Provenance['revision']> {
  try {
    const commit = await git('rev-parse', 'HEAD');
    const changes = await git('status', '--porcelain', '--untracked-files=no');
    return { commit, dirty: changes !== '' };
  } catch {
    return undefined;
  }
}

async function git(...options: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', ['-C', root, ...options]);
  return stdout.trim();
}
