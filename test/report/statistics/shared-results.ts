import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of published results and recordings, which are no part of the project. */
const shared = process.env.CG_SHARED ?? '../shared';

export const hasShared =
  existsSync(join(shared, 'results')) && existsSync(join(shared, 'transcripts'));

/** Said in the name of a test that is skipped. */
export const absent = hasShared ? '' : ` (skipped: no ${shared})`;

export function sharedText(...path: readonly string[]): string {
  return readFileSync(join(shared, ...path), 'utf8');
}
