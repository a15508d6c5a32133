import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HarnessError } from '../errors.ts';
import type { Variables } from '../model/endpoint.ts';
import type { Executor } from '../sweep/executors/executor.ts';
import type { Manifest, Selection } from '../sweep/manifest.ts';
import type { Environment } from './environment.ts';
import { redisAddress } from './redis-address.ts';
import { blocksOf } from './sweep-askers.ts';
import { callsProviders } from './sweep-model-options.ts';
import type { SweepOptions } from './sweep-options.ts';

/** Jobs that are out at once, where `--jobs` does not say it. */
const DEFAULT_WINDOW = 1000;

/**
 * Throws HarnessError `usage` for what workers cannot do: no Redis is named, or a config carries a key, which
 * never goes through Redis.
 */
export function checkExecutor(
  options: SweepOptions,
  { configs }: Selection,
  variables: Variables,
): void {
  if (options.executor === 'local') return;
  redisAddress(options.redis, variables);
  if (!callsProviders(options)) return;
  for (const config of configs) {
    for (const { key, spec } of blocksOf(config)) {
      const { api_key: apiKey, base_url: url } = spec;
      const isOwn = apiKey !== undefined && apiKey !== variables.CHEAP_MODEL_KEY;
      const hasLogin = url !== undefined && URL.canParse(url) && new URL(url).password !== '';
      if (!isOwn && !hasLogin) continue;
      const message = `${config.name}: ${key}.model has its own ${isOwn ? 'api_key' : 'password in base_url'}, and keys never go through Redis: take it out, and set the provider's variable in the environment of the workers`;
      throw new HarnessError('usage', message);
    }
  }
}

/** Where the cells of this run are measured; undefined: in this process. */
export async function executorOf(
  options: SweepOptions,
  { manifest, csv }: { readonly manifest: Manifest; readonly csv: string },
  environment: Environment,
): Promise<Executor | undefined> {
  if (options.executor === 'local') return undefined;
  const { variables, stderr, host, cwd } = environment;
  // A driver of Redis that no other sweep needs.
  const { bullmqExecutor } = await import('../sweep/executors/bullmq.ts');
  const { prices } = options;
  const run = createHash('sha256').update(JSON.stringify([host, csv, manifest.started]));
  return bullmqExecutor({
    redis: redisAddress(options.redis, variables),
    run: run.digest('hex').slice(0, 20),
    plan: {
      manifest: { ...manifest, problems: [] },
      ...(prices === undefined
        ? {}
        : { prices: { file: prices, text: await readFile(resolve(cwd, prices), 'utf8') } }),
    },
    send: options.send,
    window: options.jobs ?? DEFAULT_WINDOW,
    say: (line) => stderr.write(`${line}\n`),
  });
}
