import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { member, rootSpan, slice } from '../../src/wire/json-spans.ts';

/** Folder of the shared recordings and cases, which are no part of the project. */
export const shared = process.env.CG_SHARED ?? '../shared';

export const hasShared = existsSync(join(shared, 'shape-cases'));

/** Said in the name of a test that is skipped. */
export const absent = hasShared ? '' : ` (skipped: no ${shared})`;

export interface ShapeCase {
  readonly file: string;
  readonly provider: string;
  readonly valid: boolean;
  readonly mode: 'sendable' | 'prefix';
  /** The list, exactly as it stands in the file. */
  readonly list: string;
}

export function shapeCases(): ShapeCase[] {
  const folder = join(shared, 'shape-cases');
  return readdirSync(folder).map((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const root = rootSpan(text);
    const field = (key: string) => {
      const span = member(text, root, key);
      return span === undefined ? '' : slice(text, span);
    };
    return {
      file,
      provider: field('provider').slice(1, -1).replace('bedrock-converse', 'bedrock'),
      valid: field('valid') === 'true' || field('severity') === '"warning"',
      mode: field('mode') === '"prefix"' ? 'prefix' : 'sendable',
      list: field('messages'),
    };
  });
}

/** Parsed lines of a file under the shared transcripts. */
export function transcriptLines(file: string): unknown[] {
  return readFileSync(join(shared, 'transcripts', file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

export function transcriptFile(file: string): unknown {
  return JSON.parse(readFileSync(join(shared, 'transcripts', file), 'utf8'));
}

/** Files of a format's folder, with their folder. */
export function transcriptFiles(format: string, ending: string): string[] {
  return readdirSync(join(shared, 'transcripts', format), { recursive: true })
    .map((name) => join(format, String(name)))
    .filter((name) => name.endsWith(ending));
}
