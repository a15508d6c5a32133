import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Provenance } from '../sweep/manifest.ts';
import { CONFIG_FOLDER, RESULTS_FOLDER } from './defaults.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** As a package of somebody else's project, the harness writes nothing into its own folder. */
export const isInstalled = root.split(/[\\/]/).includes('node_modules');

/** A path of the project, as somebody in `cwd` would write it. */
export function projectPath(cwd: string, path: string): string {
  const isWritten = path.split('/')[0] === RESULTS_FOLDER;
  return relative(cwd, resolve(isInstalled && isWritten ? cwd : root, path)) || '.';
}

/**
 * Where configs are looked up by name: in the harness's own `sweeps/`, and before that in the one of a project
 * that has installed it.
 */
export function configFolders(cwd: string): readonly string[] {
  const own = projectPath(cwd, CONFIG_FOLDER);
  return isInstalled ? [own, CONFIG_FOLDER] : [own];
}

/** `sweeps/gate.yaml` of the project that has installed the harness, where it has one, else the harness's. */
export function gateFile(cwd: string): string {
  const own = resolve(cwd, CONFIG_FOLDER, 'gate.yaml');
  return isInstalled && existsSync(own) ? own : resolve(root, CONFIG_FOLDER, 'gate.yaml');
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
