import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FileNames } from '../../../src/commands/import/file-names.ts';
import type { Transcript } from '../../../src/transcript/transcript.ts';

const part = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '..',
    '../../etc/passwd',
    'C:\\x',
    'CON',
    'nul.txt',
    '.hidden',
    'a'.repeat(400),
    'A',
    'a',
    '~',
    '\0',
    'x.',
    ' x ',
    '-rf',
    '漢字',
    '~/x',
  ),
);

const named = fc.record({ task: part, trial: part, lineage: part, session: part });

function nameIn(
  names: FileNames,
  { task, trial, lineage, session }: Record<string, string>,
): string {
  return names.nameOf({
    task: task ?? '',
    trial: trial ?? '',
    lineage: lineage ?? '',
    source: { file: 'f', format: 'x', session: session ?? '' },
    dialect: 'anthropic',
    requests: [],
    retries: 0,
    hash: '',
  } satisfies Transcript);
}

test('file names stay in their folder, differ, and are fit for every system', () => {
  fc.assert(
    fc.property(fc.array(named, { maxLength: 12 }), (all) => {
      const names = new FileNames();
      const made = all.map((one) => nameIn(names, one));
      for (const name of made) {
        expect(resolve(join('/out', name))).toBe(`/out/${name}`);
        expect(name).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]*\.jsonl$/);
        expect(name.length).toBeLessThan(140);
        expect(name).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)\./i);
      }
      expect(new Set(made.map((name) => name.toLowerCase())).size).toBe(all.length);
    }),
    { numRuns: 300 },
  );
});

test('a transcript has the same name in every import, also under another redaction key', () => {
  const one = { task: 'ask REDACTED_user_a1B2c3D4 x', trial: '0', lineage: 'main', session: 's' };
  const other = { ...one, task: 'ask REDACTED_user_zzzzzzz1 x' };
  expect(nameIn(new FileNames(), one)).toBe(nameIn(new FileNames(), one));
  expect(nameIn(new FileNames(), one)).toBe(nameIn(new FileNames(), other));
  const names = new FileNames();
  expect(nameIn(names, one)).not.toBe(nameIn(names, other));
});
