import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { limitHeapGrowth } from '../../src/recordings/heap-growth.ts';
import { temporaryFolder } from '../support/folder.ts';
import { readAll } from '../support/sweeps.ts';

const flags = vi.hoisted((): string[] => []);
vi.mock('node:v8', () => ({ setFlagsFromString: (flag: string) => flags.push(flag) }));

const folder = temporaryFolder();

function recordingOf(name: string, characters: number): string {
  const path = join(folder, name, 'messages.json');
  mkdirSync(join(folder, name));
  const content = 'word '.repeat(characters / 5);
  const list = [
    { role: 'user', content },
    { role: 'assistant', content: 'Done.' },
  ];
  writeFileSync(path, JSON.stringify(list));
  return path;
}

describe('the heap is collected early', () => {
  beforeEach(() => {
    limitHeapGrowth(0);
    flags.length = 0;
  });

  test('while sessions are large, and told to V8 when that changes', () => {
    for (const size of [100, 9_000_000, 10_000_000, 100, 100]) limitHeapGrowth(size);
    expect(flags).toEqual(['--heap-growing-percent=25', '--heap-growing-percent=150']);
  });

  test('from when a large one is read, until the next is not', async () => {
    await readAll([recordingOf('large', 9_000_000)], folder);
    expect(flags).toEqual(['--heap-growing-percent=25']);
    await readAll([recordingOf('small', 1000)], folder);
    expect(flags.at(-1)).toBe('--heap-growing-percent=150');
  });
});
