import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { HarnessError, messageOf } from '../../errors.ts';

/** A package that a user of the harness gets, with all that it needs itself. */
export interface Dependency {
  readonly name: string;
  readonly version: string;
  /** SPDX expression, as the package states it; undefined where it states none. */
  readonly licence: string | undefined;
  /** Not everywhere: left out where its platform is another, or where it cannot be had. */
  readonly optional: boolean;
  /** Named by the harness itself. */
  readonly direct: boolean;
}

const packages = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().optional(),
      optional: z.boolean().optional(),
      dependencies: z.record(z.string(), z.string()).optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

const FOLDER = 'node_modules/';

/** The text of the project's lock file. @throws HarnessError `input.missing`: an installed package has none. */
export function lockFileText(): string {
  const file = fileURLToPath(new URL('../../../package-lock.json', import.meta.url));
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const message = `the lock file cannot be read: ${messageOf(cause)}; make the pages in a checkout of the harness`;
    throw new HarnessError('input.missing', message, { cause, at: { file: 'package-lock.json' } });
  }
}

/** All that a lock file installs for a user, by name and version, each once. */
export function productionDependencies(lockText: string): readonly Dependency[] {
  const { packages: entries } = packages.parse(JSON.parse(lockText));
  const root = entries[''];
  const named = new Set(Object.keys({ ...root?.dependencies, ...root?.optionalDependencies }));
  const found = new Map<string, Dependency>();
  for (const [path, { version = '', license, dev, optional }] of Object.entries(entries)) {
    if (path === '' || dev === true) continue;
    const name = path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
    const key = `${name} ${version}`;
    const known = found.get(key);
    found.set(key, {
      name,
      version,
      licence: license,
      optional: optional === true && known?.optional !== false,
      direct: known?.direct === true || (path === FOLDER + name && named.has(name)),
    });
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, dependency]) => dependency);
}
