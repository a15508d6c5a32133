import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { HarnessError } from '../errors.ts';
import type { Variables } from '../model/endpoint.ts';
import type { Executor } from '../sweep/executors/executor.ts';
import { localExecutor } from '../sweep/executors/local.ts';
import type { Manifest, Selection } from '../sweep/manifest.ts';
import type { Environment } from './environment.ts';
import { priceText } from './price-file.ts';
import { redisAddress } from './redis-address.ts';
import { blocksOf } from './sweep-askers.ts';
import { callsProviders } from './sweep-model-options.ts';
import type { SweepOptions } from './sweep-options.ts';
import type { ThreadInit } from './sweep-thread.ts';

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

interface PlacedRun {
  readonly manifest: Manifest;
  readonly csv: string;
  readonly selection: Selection;
}

/**
 * Where the cells of this run are measured.
 *
 * @param onMissed told how many calls threads did not find in the cassette
 */
export async function executorOf(
  options: SweepOptions,
  { manifest, csv, selection }: PlacedRun,
  environment: Environment,
  onMissed: (calls: number) => void,
): Promise<Executor> {
  if (options.executor === 'local') return ownExecutor(options, selection, environment, onMissed);
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
        : { prices: { file: prices, text: await priceText(prices, cwd) } }),
    },
    send: options.send,
    window: options.jobs ?? DEFAULT_WINDOW,
    say: (line) => stderr.write(`${line}\n`),
  });
}

/** In this process, or in threads of it. */
async function ownExecutor(
  options: SweepOptions,
  { configs }: Selection,
  environment: Environment,
  onMissed: (calls: number) => void,
): Promise<Executor> {
  const processors = Math.max(1, environment.processors);
  const jobs = options.jobs ?? processors;
  // What a provider answers is waited for, and kept as soon as it is there: it was paid.
  if (callsProviders(options)) return localExecutor(jobs);
  const workers = options.workers ?? Math.min(jobs, processors);
  if (workers < 2) return localExecutor(jobs, true);
  const { threadsExecutor } = await import('../sweep/executors/threads.ts');
  const { cwd, variables } = environment;
  const importsOwn = configs.some(({ steps }) => steps.some(({ code }) => code !== undefined));
  const init: ThreadInit = { options, cwd, variables: { ...variables }, importsOwn };
  return threadsExecutor({
    workers,
    script: fileURLToPath(new URL('./sweep-thread.mjs', import.meta.url)),
    init,
    jobs,
    // A component of the user's own may end the thread that it runs in.
    measuresHere: !importsOwn,
    always: options.workers !== undefined,
    onMissed,
  });
}
