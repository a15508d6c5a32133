import { runCommandLine } from '../../../src/commands/command-line.ts';
import { type Finished, root } from '../../commands/cli.ts';

export interface Caller {
  /** Environment variables. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Of the process that the command believes to be. */
  readonly pid?: number;
  /** Processes that have ended. */
  readonly dead?: readonly number[];
  readonly host?: string;
  readonly cwd?: string;
  readonly signal?: AbortSignal;
}

/** Runs a command line in this process, as one of several that share a disk. */
export async function command(words: readonly string[], caller: Caller = {}): Promise<Finished> {
  const { variables = {}, pid = 1, dead = [], host = 'here', cwd = root, signal } = caller;
  const written = { stdout: '', stderr: '' };
  const terminal = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text;
    },
    isTerminal: false,
    columns: 80,
  });
  const code = await runCommandLine(words, {
    cwd,
    variables,
    stdout: terminal('stdout'),
    stderr: terminal('stderr'),
    signal: signal ?? new AbortController().signal,
    now: () => performance.timeOrigin + performance.now(),
    processors: 1,
    nodeVersion: 'v0',
    pid,
    host,
    isAlive: (other) => !dead.includes(other),
  });
  return { code, ...written };
}
