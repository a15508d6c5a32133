import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { FileLoss } from '../../src/recordings/loss.ts';
import type { Problem } from '../../src/recordings/problem.ts';
import { type ReadOptions, readRecordings } from '../../src/recordings/read.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';

/** Files by relative path in a folder that lasts for one call. */
async function withFiles<T>(
  files: Readonly<Record<string, string | Uint8Array>>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'recordings-'));
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface Read {
  readonly transcripts: readonly Transcript[];
  readonly problems: readonly Problem[];
  readonly losses: readonly FileLoss[];
  /** Number of readings that held transcripts. */
  readonly groups: number;
}

export async function readAll(patterns: readonly string[], options: ReadOptions): Promise<Read> {
  const transcripts: Transcript[] = [];
  const problems: Problem[] = [];
  const losses: FileLoss[] = [];
  let groups = 0;
  for await (const reading of readRecordings(patterns, options)) {
    transcripts.push(...reading.transcripts);
    problems.push(...reading.problems);
    losses.push(...reading.losses);
    if (reading.transcripts.length > 0) groups++;
  }
  return { transcripts, problems, losses, groups };
}

/** Reads files that are written for this call; `patterns` defaults to the whole folder. */
export function readFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
  patterns: readonly string[] = ['.'],
  format: ReadOptions['format'] = 'auto',
): Promise<Read> {
  return withFiles(files, (cwd) => readAll(patterns, { cwd, format }));
}

export function jsonl(...values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

/** The public recordings, where they are at hand. */
export const shared = resolve(process.env.CG_SHARED ?? '../shared', 'transcripts');
export const hasShared = existsSync(shared);
/** Ends a test's name with the reason why it is skipped. */
export const needsShared = hasShared ? '' : ' (skipped: no ../shared)';

/** Texts and roles of a request, short: `u:go`, `a:answer`, `t:result`. */
export function outline(transcript: Transcript | undefined, request: number): readonly string[] {
  const messages = transcript?.requests.at(request)?.messages ?? [];
  return messages.map((message) => {
    const words = message.blocks.map((block) => {
      if (block.kind === 'text') return block.text;
      if (block.kind === 'tool-call') return `call ${block.id}`;
      return block.kind === 'tool-result'
        ? `result ${block.id} ${block.texts.join('')}`
        : block.kind;
    });
    return `${message.role[0]}:${words.join('|')}`;
  });
}
