/** argv → command. The only file that uses `process`. */
import { availableParallelism, hostname } from 'node:os';
import { runCommandLine } from './commands/command-line.ts';
import type { Terminal } from './commands/environment.ts';

function terminal(stream: NodeJS.WriteStream): Terminal {
  let open = true;
  // A reader that went away (`| head`) ends the output, not the command.
  stream.on('error', () => {
    open = false;
  });
  return {
    write: (text) => {
      if (open) stream.write(text);
    },
    isTerminal: stream.isTTY === true,
    columns: stream.columns ?? 80,
  };
}

/** Aborts at the first Ctrl-C, so that what is done can be written; the second ends at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(1);
      controller.abort();
    });
  }
  return controller.signal;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

process.exitCode = await runCommandLine(process.argv.slice(2), {
  cwd: process.cwd(),
  variables: process.env,
  stdout: terminal(process.stdout),
  stderr: terminal(process.stderr),
  signal: stopSignal(),
  now: () => performance.timeOrigin + performance.now(),
  processors: availableParallelism(),
  nodeVersion: process.version,
  pid: process.pid,
  host: hostname(),
  isAlive,
});
