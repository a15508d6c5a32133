import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Path in the folder → content, of every file but drafts and locks, which nobody reads. */
export function contentsOf(folder: string): ReadonlyMap<string, string> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names
      .filter((name) => !/\.(?:tmp|lock)$/.test(name) && statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), 'latin1')]),
  );
}

/** Throws where a file is neither as it was, nor as the whole command leaves it, nor new and not there yet. */
export function checkWhole(
  found: ReadonlyMap<string, string>,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): void {
  for (const name of new Set([...found.keys(), ...before.keys()])) {
    const content = found.get(name);
    if (content === before.get(name) || content === after.get(name)) continue;
    const state = content === undefined ? 'lost' : `${content.length} characters of something else`;
    throw new Error(`${name} is ${state}`);
  }
}
