import { secretsOf } from '../model/endpoint.ts';
import { thousands } from '../report/numbers.ts';
import { serveCells } from '../sweep/executors/bullmq-worker.ts';
import type { Environment, ExitCode } from './environment.ts';
import { provenance } from './project.ts';
import { redisAddress } from './redis-address.ts';
import { redacted, redactionOf, withRedaction } from './sweep-redaction.ts';
import { workerHost } from './worker/host.ts';
import type { WorkerCommandOptions } from './worker/options.ts';

/**
 * `worker`: measures cells of the sweeps that were started with `--executor bullmq` on the same Redis, until it
 * is asked to stop. Keys of models are those of its own environment.
 */
export async function worker(
  options: WorkerCommandOptions,
  environment: Environment,
): Promise<ExitCode> {
  const { variables, cwd, signal } = environment;
  const redis = redisAddress(options.redis, variables);
  const redact = redactionOf([...secretsOf([], variables), redis.password ?? '']);
  const told = withRedaction(environment, redact);
  const { versions } = await provenance(environment.nodeVersion);
  try {
    const { jobs, cells } = await serveCells({
      redis,
      version: versions.harness,
      cwd,
      jobs: options.jobs,
      stalledSeconds: options.stalled,
      signal,
      say: (line) => told.stderr.write(`${line}\n`),
      hostOf: (plan, cancelled) => workerHost(plan, cancelled, told),
    });
    told.stdout.write(`${thousands(cells)} cells in ${thousands(jobs)} jobs\n`);
    return 0;
  } catch (error) {
    throw redacted(error, redact);
  }
}
