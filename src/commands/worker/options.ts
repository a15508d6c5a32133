import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import { positive } from '../option-values.ts';

export interface WorkerCommandOptions {
  /** Address of the Redis; undefined: that of `REDIS_URL`. */
  readonly redis: string | undefined;
  /** Jobs at once. */
  readonly jobs: number;
  /** Seconds without a sign of life after which others take a job over. */
  readonly stalled: number;
}

const raw = z.object({
  redis: z.string().optional(),
  jobs: z.string().default('1'),
  stalled: z.string().default('60'),
});

/** Throws HarnessError `usage` for an option that is given twice or has a wrong value. */
export function workerOptions(parsed: Readonly<Record<string, unknown>>): WorkerCommandOptions {
  const result = raw.safeParse(parsed);
  if (!result.success) {
    const name = String(result.error.issues[0]?.path[0] ?? '');
    throw new HarnessError('usage', `--${name} was given more than once: give it once`);
  }
  const { redis, jobs, stalled } = result.data;
  return { redis, jobs: positive('jobs', jobs), stalled: positive('stalled', stalled) };
}
