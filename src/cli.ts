#!/usr/bin/env node
/** argv → command. The only file that uses `process`. */
import { availableParallelism, hostname } from 'node:os';
import { runCommandLine } from './commands/command-line.ts';
import type { Terminal } from './commands/environment.ts';
import { systemCodeOf } from './errors.ts';

function terminal(stream: NodeJS.WriteStream): Terminal {
  let open = true;
  stream.on('error', (error) => {
    open = false;
    // A reader that went away (`| head`) ends the output, not the command. A full disk loses it.
    if (systemCodeOf(error) === 'EPIPE') return;
    process.on('exit', () => {
      process.exitCode = 1;
    });
    if (stream !== process.stderr) process.stderr.write(`error: output lost: ${error.message}\n`);
  });
  return {
    write: (text) => {
      if (open) stream.write(text);
    },
    isTerminal: stream.isTTY === true,
    columns: stream.columns ?? 80,
  };
}

/** npm and its runner pass a Ctrl-C on that the terminal has sent to everybody already. */
const RELAYED_WITHIN_MS = 1000;

/** Aborts at the first Ctrl-C, so that what is done can be written; the second ends at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      const isRelayed = performance.now() - first < RELAYED_WITHIN_MS;
      if (controller.signal.aborted && !isRelayed) process.exit(1);
      if (!controller.signal.aborted) first = performance.now();
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
    return systemCodeOf(error) === 'EPERM';
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
