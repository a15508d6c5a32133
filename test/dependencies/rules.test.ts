import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { licenceLines } from '../../src/commands/docs/licences-page.ts';
import { productionDependencies } from '../../src/commands/docs/production-dependencies.ts';
import { dependencyFaults, installScripts, isAllowed } from './rules.ts';

const root = resolve(import.meta.dirname, '../..');
const packageText = readFileSync(join(root, 'package.json'), 'utf8');
const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8');

describe('the dependencies', () => {
  test('have exact versions, sums, a registry and licences of the list, and no unread script', () => {
    expect(dependencyFaults(packageText, lockText)).toEqual([]);
    expect(installScripts(lockText)).toEqual(['esbuild', 'msgpackr-extract']);
  });

  // The sum of an entry stays the same, so the seeded fault is all that differs.
  test.each([
    ['a range', '"yaml": "2.9.1"', '"yaml": "^2.9.1"', 'yaml: expected an exact version'],
    ['a git address', '"yaml": "2.9.1"', '"yaml": "github:eemeli/yaml"', 'yaml: expected an exact'],
    ['another version', '"yaml": "2.9.1"', '"yaml": "2.9.0"', 'yaml: package.json has 2.9.0'],
  ])('%s in package.json is found', (_, from, to, says) => {
    expect(packageText).toContain(from);
    const faults = dependencyFaults(packageText.replace(from, to), lockText);
    expect(faults).toEqual([expect.stringContaining(says)]);
  });

  const yaml = /("node_modules\/yaml": \{)([^}]*)/;
  test.each([
    ['no sum', (entry: string) => entry.replace(/"integrity": "[^"]*",/, ''), 'no sha512'],
    ['a weak sum', (entry: string) => entry.replace(/sha512-[^"]*/, 'sha1-x'), 'no sha512'],
    ['git', (entry: string) => `"resolved": "git+ssh://git@host/x.git#1",${entry}`, 'not from a'],
    [
      'http',
      (entry: string) => `"resolved": "http://h/yaml/-/yaml-2.9.1.tgz",${entry}`,
      'not from',
    ],
    ['a file', (entry: string) => `"resolved": "file:../yaml.tgz",${entry}`, 'not from a registry'],
    ['another package', (entry: string) => `"name": "yarnl",${entry}`, 'in truth yarnl'],
    ['a link', (entry: string) => `"link": true,${entry}`, 'a link to a folder'],
    [
      'a licence',
      (entry: string) => entry.replace('"ISC"', '"GPL-3.0-only"'),
      'licence GPL-3.0-only',
    ],
    [
      'no licence',
      (entry: string) => entry.replace(/"license": "[^"]*",/, ''),
      'licence not stated',
    ],
    [
      'a script',
      (entry: string) => `"hasInstallScript": true,${entry}`,
      'runs a script of its own',
    ],
  ])('%s in the lock file is found', (_, damage, says) => {
    const damaged = lockText.replace(
      yaml,
      (_all, head: string, entry: string) => head + damage(entry),
    );
    expect(damaged).not.toBe(lockText);
    expect(dependencyFaults(packageText, damaged)).toEqual([
      expect.stringContaining(`yaml: ${says}`),
    ]);
  });

  test('an address of a registry is fine, and so is a choice that has an allowed licence', () => {
    const address = '"resolved": "https://host/yaml/-/yaml-2.9.1.tgz",';
    expect(dependencyFaults(packageText, lockText.replace(yaml, `$1${address}$2`))).toEqual([]);
    expect(['MIT', '(MIT OR GPL-3.0-only)', 'MIT AND ISC'].map(isAllowed)).toEqual([
      true,
      true,
      true,
    ]);
    expect(['MIT AND GPL-3.0-only', 'SEE LICENSE IN x', '(MIT OR (ISC))'].map(isAllowed)).toEqual([
      false,
      false,
      false,
    ]);
    expect(isAllowed(undefined)).toBe(false);
  });

  test('a built part that is missing is found', () => {
    const without = lockText.replaceAll('"node_modules/@esbuild/', '"node_modules/@other/');
    expect(dependencyFaults(packageText, without)).toEqual([
      expect.stringMatching(/^esbuild: without @esbuild/),
    ]);
  });
});

const installed = z.looseObject({ version: z.string(), license: z.string().optional() });

describe('the licences', () => {
  const dependencies = productionDependencies(lockText);

  test('name all that is installed for a user, and nothing that is for us', () => {
    const names = new Set(dependencies.map(({ name }) => name));
    expect([...names]).toEqual(
      expect.arrayContaining(['yaml', 'zod', 'msgpackr', '@duckdb/node-api']),
    );
    expect(names).not.toContain('vitest');
    expect(licenceLines(dependencies).join('\n')).toContain('| **yaml** | 2.9.1 | ISC |');
  });

  test('are those that the packages themselves state', () => {
    let compared = 0;
    for (const { name, version, licence } of dependencies) {
      const file = join(root, 'node_modules', name, 'package.json');
      if (!existsSync(file)) continue;
      const own = installed.parse(JSON.parse(readFileSync(file, 'utf8')));
      // Another version of it stands deeper.
      if (own.version !== version) continue;
      compared++;
      expect([name, own.license]).toEqual([name, licence]);
    }
    expect(compared).toBeGreaterThan(90);
  });
});
