/** What a command may touch of the world around it. Only `cli.ts` makes a real one. */
export interface Environment {
  /** Folder that relative paths start from. */
  readonly cwd: string;
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  /** Aborts when the user asks to stop. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch, with fractions; never goes back. */
  now(): number;
  readonly processors: number;
  readonly nodeVersion: string;
  readonly pid: number;
  readonly host: string;
  /** Whether a process of this machine runs. */
  isAlive(pid: number): boolean;
}

export interface Terminal {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Width in characters. */
  readonly columns: number;
}

/**
 * Exit codes: fine; the harness or a cell failed; bad usage, config or input; inconclusive under
 * `--strict`; a regression or a violation.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 100;
