import { z } from 'zod';
import { HarnessError } from '../errors.ts';
import { oneOf } from './option-values.ts';
import type { ModelOptions } from './sweep-model-options.ts';

export const executors = ['local', 'bullmq'] as const;
const sendings = ['content', 'path'] as const;

/** Where cells are measured. */
export interface ExecutorOptions {
  readonly executor: (typeof executors)[number];
  /** Address of the Redis; undefined: that of `REDIS_URL`. */
  readonly redis: string | undefined;
  /** How workers get a transcript: from Redis, or from its path, which they see too. */
  readonly send: (typeof sendings)[number];
}

export const rawExecutorOptions = {
  executor: z.string().default('local'),
  redis: z.string().optional(),
  send: z.string().optional(),
};

type Raw = z.output<z.ZodObject<typeof rawExecutorOptions>>;

/** Throws HarnessError `usage` for a wrong value, and for what workers cannot do. */
export function executorOptions(raw: Raw, models: ModelOptions): ExecutorOptions {
  const executor = oneOf('executor', raw.executor, executors);
  if (executor === 'local') checkLocal(raw);
  else checkWorkers(models);
  const send = raw.send === undefined ? 'content' : oneOf('send', raw.send, sendings);
  return { executor, redis: raw.redis, send };
}

function checkLocal({ redis, send }: Raw): void {
  if (redis === undefined && send === undefined) return;
  const option = redis !== undefined ? 'redis' : 'send';
  const message = `--${option} has no effect without workers: give --executor bullmq as well`;
  throw new HarnessError('usage', message);
}

function checkWorkers({ model, maxUsd }: ModelOptions): void {
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
