import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';

const entry = z.looseObject({
  dependencies: z.record(z.string(), z.string()).optional(),
  devDependencies: z.record(z.string(), z.string()).optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});
const text = readFileSync(resolve(import.meta.dirname, '..', 'package-lock.json'), 'utf8');
const { packages } = z.object({ packages: z.record(z.string(), entry) }).parse(JSON.parse(text));

// Where one is missing, of another platform too, `npm ci` refuses the whole lock file.
test('the lock file holds every package that it names', () => {
  const held = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  const named = Object.values(packages).flatMap((known) =>
    Object.keys({
      ...known.dependencies,
      ...known.devDependencies,
      ...known.optionalDependencies,
    }),
  );
  expect(named.filter((name) => !held.has(name))).toEqual([]);
});
