import { z } from 'zod';
import { HarnessError } from '../errors.ts';
import { oneOf, positive } from './option-values.ts';
import { callsProviders, type ModelOptions } from './sweep-model-options.ts';

export const executors = ['local', 'bullmq'] as const;
const sendings = ['content', 'path'] as const;

/** Where cells are measured. */
export interface ExecutorOptions {
  readonly executor: (typeof executors)[number];
  /** Address of the Redis; undefined: that of `REDIS_URL`. */
  readonly redis: string | undefined;
  /** How workers get a transcript: from Redis, or from its path, which they see too. */
  readonly send: (typeof sendings)[number];
  /** Threads that measure; undefined: as many as are good. */
  readonly workers: number | undefined;
}

export const rawExecutorOptions = {
  executor: z.string().default('local'),
  redis: z.string().optional(),
  send: z.string().optional(),
  workers: z.string().optional(),
};

type Raw = z.output<z.ZodObject<typeof rawExecutorOptions>>;

/** Throws HarnessError `usage` for a wrong value, and for what workers cannot do. */
export function executorOptions(raw: Raw, models: ModelOptions): ExecutorOptions {
  const executor = oneOf('executor', raw.executor, executors);
  const workers = raw.workers === undefined ? undefined : positive('workers', raw.workers);
  if (executor === 'local') {
    checkLocal(raw);
    checkThreads(workers, models);
  } else {
    checkWorkers(models, workers);
  }
  const send = raw.send === undefined ? 'content' : oneOf('send', raw.send, sendings);
  return { executor, redis: raw.redis, send, workers };
}

function checkThreads(workers: number | undefined, models: ModelOptions): void {
  if (workers === undefined || workers < 2 || !callsProviders(models)) return;
  const message = `--workers ${workers} is for what a processor does, and with --model ${models.model} providers are waited for, whose calls and spend one thread counts: leave it out, and give --jobs or --concurrency`;
  throw new HarnessError('usage', message);
}

function checkLocal({ redis, send }: Raw): void {
  if (redis === undefined && send === undefined) return;
  const option = redis !== undefined ? 'redis' : 'send';
  const message = `--${option} has no effect without workers: give --executor bullmq as well`;
  throw new HarnessError('usage', message);
}

function checkWorkers({ model, maxUsd }: ModelOptions, workers: number | undefined): void {
  if (workers !== undefined) {
    const message =
      '--workers has no effect with --executor bullmq: start as many npm run worker as you like, and leave it out';
    throw new HarnessError('usage', message);
  }
  if (maxUsd !== undefined) {
    const message =
      '--max-usd cannot be kept by workers, which pay without knowing of each other: leave it out, or sweep without --executor bullmq (--dry-run estimates the spend)';
    throw new HarnessError('usage', message);
  }
  if (model === 'record') {
    const message =
      '--model record writes one cassette, which several workers cannot: sweep without --executor bullmq, and replay the cassette with workers';
    throw new HarnessError('usage', message);
  }
}
