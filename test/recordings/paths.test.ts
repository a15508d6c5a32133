import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { findFiles } from '../../src/recordings/paths.ts';

test('a tilde that came in quotes is the own folder, and only at the beginning', () => {
  const told = (pattern: string) => findFiles([pattern], '/').problems.map(({ at }) => at?.file);
  expect(told('~/no-such-folder-of-recordings')).toEqual([
    resolve(homedir(), 'no-such-folder-of-recordings'),
  ]);
  expect(told('no~/such')).toEqual(['no~/such']);
  expect(told('~such')).toEqual(['~such']);
});
