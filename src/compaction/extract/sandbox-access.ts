import { SandboxPool } from './sandbox/pool.ts';
import { DEFAULT_LIMITS } from './sandbox/program.ts';

/** Threads of the shared pool: transcripts run side by side, and each of them runs one program at a time. */
const THREADS = 2;

let pool: SandboxPool | undefined;

/**
 * The sandbox of this process, made when the first program is run. Its threads do not keep the process
 * alive; a process that goes on without them closes it.
 */
export function sharedSandbox(): SandboxPool {
  pool ??= new SandboxPool({ size: THREADS, limits: DEFAULT_LIMITS });
  return pool;
}

/** Ends the threads; the next program starts new ones. */
export async function closeSharedSandbox(): Promise<void> {
  const closing = pool;
  pool = undefined;
  await closing?.close();
}
