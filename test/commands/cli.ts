import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runCommandLine } from '../../src/commands/command-line.ts';

export const root = resolve(import.meta.dirname, '../..');
export const shared = resolve(process.env.CG_SHARED ?? join(root, '../shared'));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process, in the project's folder, without a terminal. */
export function cli(...words: string[]): Promise<Finished> {
  return cliWith({}, ...words);
}

/** As `cli`, with environment variables. */
export async function cliWith(
  variables: Record<string, string>,
  ...words: string[]
): Promise<Finished> {
  const written = { stdout: '', stderr: '' };
  const terminal = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text;
    },
    isTerminal: false,
    columns: 80,
  });
  const code = await runCommandLine(words, {
    cwd: root,
    variables,
    stdout: terminal('stdout'),
    stderr: terminal('stderr'),
    signal: new AbortController().signal,
    now: () => performance.timeOrigin + performance.now(),
    processors: 2,
    nodeVersion: 'v0',
    pid: process.pid,
    host: 'here',
    isAlive: () => true,
  });
  return { code, ...written };
}

/** Starts the program as its users do. */
export function start(
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): ChildProcess {
  const program = ['--import', 'tsx', join(root, 'src/cli.ts'), ...words];
  const { CONTEXT_GURU_CONFIG_YAML: _, FORCE_COLOR: __, ...env } = process.env;
  return spawn(process.execPath, program, { cwd: root, env: { ...env, ...variables } });
}

/** Waits for its end. */
export function finished(child: ChildProcess): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
}

/** The one file of a folder with this ending. */
export function onlyFile(folder: string, ending: string): string {
  const found = readdirSync(folder).filter((name) => name.endsWith(ending));
  if (found.length !== 1) throw new Error(`${found.length} files *${ending} in ${folder}`);
  return join(folder, found[0] ?? '');
}
