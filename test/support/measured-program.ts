import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const root = resolve(import.meta.dirname, '../..');
const usage = z.object({ memoryMb: z.number(), cpuSeconds: z.number() });

/** How a program ended, and what it took; usage is undefined where it was killed, or ran out of memory. */
export interface MeasuredRun {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Largest resident memory, MB, and processor seconds of all threads. */
  readonly usage: z.output<typeof usage> | undefined;
}

/** Runs the program in a process of its own; one that does not end is killed after `limitMs`. */
export async function measuredProgram(
  words: readonly string[],
  { limitMs = 120_000, cwd = root }: { readonly limitMs?: number; readonly cwd?: string } = {},
): Promise<MeasuredRun> {
  const report = join(import.meta.dirname, 'report-usage.mjs');
  const program = ['--import', report, '--import', 'tsx', join(root, 'src/cli.ts'), ...words];
  const { CONTEXT_GURU_CONFIG_YAML: _, FORCE_COLOR: __, ...env } = process.env;
  const child = spawn(process.execPath, program, {
    cwd,
    env: { ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<Pick<MeasuredRun, 'code' | 'signal'>>((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) => done({ code, signal }));
  });
  const outputs = [child.stdio[1], child.stdio[2], child.stdio[3]];
  const [stdout = '', stderr = '', told = ''] = await Promise.all(
    outputs.map((stream) => (stream instanceof Readable ? text(stream) : '')),
  );
  return {
    ...(await ended),
    stdout,
    stderr,
    usage: told === '' ? undefined : usage.parse(JSON.parse(told)),
  };
}
