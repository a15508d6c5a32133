import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Provenance } from '../sweep/manifest.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A path of the project, as somebody in `cwd` would write it. */
export function projectPath(cwd: string, path: string): string {
  return relative(cwd, resolve(root, path)) || '.';
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
