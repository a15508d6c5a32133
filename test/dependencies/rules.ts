import { z } from 'zod';

/**
 * Licences that ask for no more than their text and the names of the authors, so that the harness can be used
 * with them anywhere.
 */
const ALLOWED_LICENCES: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
]);

/**
 * Packages whose install script was read, with the beginning of the names of their built parts. Each makes ready
 * what came from the registry with it, and fetches or builds only where that is missing; so the built parts must
 * be in the lock file too.
 */
const READ_SCRIPTS: Readonly<Record<string, string>> = {
  esbuild: '@esbuild/',
  'msgpackr-extract': '@msgpackr-extract/',
};

const names = z.record(z.string(), z.string()).optional();
const entry = z.looseObject({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  license: z.string().optional(),
  name: z.string().optional(),
  link: z.boolean().optional(),
  dev: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  dependencies: names,
  devDependencies: names,
  optionalDependencies: names,
});
const lockFile = z.object({ packages: z.record(z.string(), entry) });
const packageFile = z.looseObject({
  dependencies: names,
  devDependencies: names,
  optionalDependencies: names,
});
type Entry = z.output<typeof entry>;

const EXACT = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/** What is wrong with the texts of `package.json` and `package-lock.json`, a line each; empty when nothing is. */
export function dependencyFaults(packageText: string, lockText: string): readonly string[] {
  const { packages } = lockFile.parse(JSON.parse(lockText));
  const entries = Object.entries(packages).filter(([path]) => path !== '');
  return [
    ...inexact(packageText, packages['']),
    ...entries.flatMap(([path, one]) => entryFaults(path, one)),
    ...scriptFaults(entries),
  ];
}

/** Names of the packages that run a script of their own when they are installed. */
export function installScripts(lockText: string): readonly string[] {
  const { packages } = lockFile.parse(JSON.parse(lockText));
  return Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript === true ? nameOf(path) : [],
  );
}

/** A range lets an install take a version that nobody has looked at, and a git or file address any code. */
function inexact(packageText: string, locked: Entry | undefined): readonly string[] {
  const named = packageFile.parse(JSON.parse(packageText));
  const parts = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
  return parts.flatMap((part) =>
    Object.entries(named[part] ?? {}).flatMap(([name, version]) => {
      if (!EXACT.test(version)) return `${name}: expected an exact version, found "${version}"`;
      const held = locked?.[part]?.[name];
      return held === version ? [] : `${name}: package.json has ${version}, the lock file ${held}`;
    }),
  );
}

function entryFaults(path: string, one: Entry): readonly string[] {
  const name = nameOf(path);
  const faults: string[] = [];
  if (one.link === true) faults.push(`${name}: a link to a folder`);
  if (one.name !== undefined && one.name !== name) faults.push(`${name}: in truth ${one.name}`);
  if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(one.integrity ?? '')) {
    faults.push(`${name}: no sha512 of what is installed`);
  }
  // Without an address npm takes the registry that it is set up for.
  if (one.resolved !== undefined && !isOfRegistry(one.resolved, name, one.version ?? '')) {
    faults.push(`${name}: not from a registry: ${one.resolved}`);
  }
  if (one.dev !== true && !isAllowed(one.license)) {
    faults.push(`${name}: licence ${one.license ?? 'not stated'}`);
  }
  return faults;
}

/** A registry's address of one version: `https://HOST/NAME/-/BASE-VERSION.tgz`. */
function isOfRegistry(address: string, name: string, version: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, pathname } = new URL(address);
  const base = name.split('/').at(-1) ?? '';
  return protocol === 'https:' && pathname.endsWith(`/${name}/-/${base}-${version}.tgz`);
}

/** Each part of `A AND B`, one of `A OR B`. */
export function isAllowed(licence: string | undefined): boolean {
  if (licence === undefined) return false;
  const inner = licence.replace(/^\((.*)\)$/, '$1');
  if (/[()]/.test(inner)) return false;
  return inner
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => ALLOWED_LICENCES.has(one.trim())));
}

function scriptFaults(entries: readonly (readonly [string, Entry])[]): readonly string[] {
  const paths = entries.map(([path]) => nameOf(path));
  return entries.flatMap(([path, { hasInstallScript }]) => {
    if (hasInstallScript !== true) return [];
    const name = nameOf(path);
    const prefix = Object.entries(READ_SCRIPTS).find(([known]) => known === name)?.[1];
    if (prefix === undefined) return `${name}: runs a script of its own that nobody has read`;
    const isHeld = paths.some((other) => other.startsWith(prefix));
    return isHeld ? [] : `${name}: without ${prefix}*, its script would load one`;
  });
}

function nameOf(path: string): string {
  const folder = 'node_modules/';
  return path.slice(path.lastIndexOf(folder) + folder.length);
}
