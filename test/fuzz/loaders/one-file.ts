import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { HarnessError } from '../../../src/errors.ts';
import { insist } from '../finding.ts';
import type { Fuzzer, Outcome, Run } from '../fuzzer.ts';
import type { Kind, Seed } from '../material.ts';

export const root = join(import.meta.dirname, '../../..');

/** A file of the project as a seed, its text cut by `cut`. */
export function seedOf(path: string, kind: Kind, cut = (text: string) => text): Seed {
  const text = cut(readFileSync(join(root, path), 'utf8'));
  return { name: path, files: [{ path: basename(path), kind, bytes: Buffer.from(text) }] };
}

/** The one file of a run: where it stands and what is in it. */
interface Given {
  readonly path: string;
  readonly text: string;
  readonly run: Run;
}

/** Reads the file and checks what it gave. @throws HarnessError for a file that is refused */
type Read = (given: Given) => Promise<Outcome>;

/** A fuzzer of a reader that either refuses a file, with a `HarnessError` that names it, or takes it. */
export function fileFuzzer(
  about: Pick<Fuzzer, 'name' | 'about'> & { readonly seeds: () => readonly Seed[] },
  read: Read,
): Fuzzer {
  return {
    ...about,
    seeds: async () => about.seeds(),
    hasSpellings: false,
    async check(run) {
      const [file] = run.files;
      const path = join(run.folder, file?.path ?? '');
      const text = file?.bytes.toString('utf8') ?? '';
      return await refusable(() => read({ path, text, run }), path);
    },
  };
}

/** @throws Finding for an error without a place, a message or a code of the input's */
export async function refusable(read: () => Promise<Outcome>, path: string): Promise<Outcome> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    insist(error.code !== 'harness.internal', () => `a fault of the harness: ${error.stack}`);
    insist(error.message.trim() !== '', () => `an error without words: ${error.code}`);
    const said = error.describe();
    // An option that was given beside the file is named by itself.
    const isNamed = said.includes(basename(path)) || said.startsWith('--');
    insist(isNamed, () => `no file is named: ${said}`);
    return 'rejected';
  }
}

/** Lines that have their end. */
export function endedLines(text: string): readonly string[] {
  return text.split('\n').slice(0, -1);
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
