import { type ChildProcess, spawn } from 'node:child_process';
import { messageOf } from '../errors.ts';
import {
  type ExternalFailure,
  type ExternalReply,
  externalFailure,
  LONGEST_REPLY,
} from './external-call.ts';
import { readText } from './external-text.ts';

export interface Command {
  readonly words: readonly string[];
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
}

const MOST_ERROR_TEXT = 2000;

/**
 * Runs a program with `body` on its standard input; what it writes to its standard output is the reply.
 * It runs in a process group of its own, which is killed whole when the signal aborts or when the reply
 * grows past any request, so that nothing that it started stays behind.
 */
export function runCommand(
  { words, folder, variables }: Command,
  body: string,
  signal: AbortSignal,
): Promise<ExternalReply> {
  const [program = '', ...rest] = words;
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(program, rest, {
        cwd: folder,
        env: { ...variables },
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
    } catch (error) {
      resolve(externalFailure('start', `${program}: ${messageOf(error)}`));
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    let errorText = '';
    const settle = (reply: ExternalReply) => {
      signal.removeEventListener('abort', onAbort);
      resolve(reply);
    };
    const giveUp = (reason: ExternalFailure, detail: string) => {
      killGroup(child);
      child.stdout?.destroy();
      child.stderr?.destroy();
      settle(externalFailure(reason, detail));
    };
    const onAbort = () => giveUp('timeout', `${program} gave no whole reply in time`);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();

    child.on('error', (error) =>
      settle(externalFailure('start', `${program}: ${messageOf(error)}`)),
    );
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > LONGEST_REPLY) giveUp('too_large', `${program} wrote over ${LONGEST_REPLY} bytes`);
      else chunks.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      errorText = (errorText + chunk.toString('utf8')).slice(-MOST_ERROR_TEXT);
    });
    child.on('close', (code, name) => {
      if (code === 0) {
        settle(readText(Buffer.concat(chunks), program));
        return;
      }
      const how = name === null ? `code ${code}` : `signal ${name}`;
      settle(externalFailure('exit', `${program} ended with ${how}: ${errorText.trim()}`));
    });
    // A program that does not read its input closes it early; what counts is what it replies.
    child.stdin?.on('error', () => {});
    child.stdin?.end(body);
  });
}

/** The program and all that it started. Only a shell can name a group here, since `process` is not ours. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const killer = spawn('/bin/sh', ['-c', `kill -KILL -${child.pid}`], { stdio: 'ignore' });
  killer.on('error', () => child.kill('SIGKILL'));
}
