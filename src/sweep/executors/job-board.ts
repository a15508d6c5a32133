import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { messageOf } from '../../errors.ts';
import {
  CANCELLED,
  type CellsJob,
  type JobResult,
  jobResult,
  KEPT_SECONDS,
  keysOf,
  NO_PLAN,
  PREFIX,
  queueName,
  type RunPlan,
  unpacked,
} from './bullmq-protocol.ts';
import type { RedisLink } from './redis.ts';

/** A job to send. */
export interface BoardJob {
  readonly id: string;
  readonly data: CellsJob;
  /** Compressed transcript; undefined where workers read it themselves. */
  readonly content: Buffer | undefined;
}

/** Attempts at a job; a cell that fails is a result, so only what a worker lacks makes another one. */
const ATTEMPTS = 3;
/** Results that are read at once. */
const BATCH = 50;

/** Keys of one command; a run of a million transcripts has as many. */
const KEYS_AT_ONCE = 1000;

/** What the starter of a run has in Redis. Each step may be done twice. */
export class JobBoard {
  readonly #run: string;
  readonly #redis: Redis;
  readonly #link: RedisLink;
  readonly #queue: Queue;
  readonly #keys: ReturnType<typeof keysOf>;
  #patience: AbortSignal;

  /** @param patience aborts when a Redis that is away is waited for no longer */
  constructor(
    run: string,
    harness: string,
    { redis, link }: { readonly redis: Redis; readonly link: RedisLink },
    patience: AbortSignal,
  ) {
    this.#run = run;
    this.#redis = redis;
    this.#link = link;
    this.#patience = patience;
    this.#keys = keysOf(run);
    const options = { connection: redis, prefix: PREFIX, skipVersionCheck: true };
    this.#queue = new Queue(queueName(harness), options);
    this.#queue.on('error', (error) => link.note(error));
  }

  /** From now on, waits only until this aborts. */
  waitUntil(patience: AbortSignal): void {
    this.#patience = patience;
  }

  #ask<T>(ask: () => Promise<T>): Promise<T> {
    return this.#link.retrying(ask, this.#patience);
  }

  /** Lets workers know the run. True where an earlier start has left something of it. */
  begin(plan: RunPlan): Promise<boolean> {
    const { plan: key, results } = this.#keys;
    return this.#ask(async () => {
      const found = await this.#redis.exists(key, results);
      await this.#redis.set(key, JSON.stringify(plan), 'EX', KEPT_SECONDS);
      return found > 0;
    });
  }

  /** Puts jobs on the queue; those that are there already stay as they are. */
  async add(jobs: readonly BoardJob[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.#ask(async () => {
      const sent = new Set<string>();
      for (const { data, content } of jobs) {
        const { transcript } = data;
        if (transcript.kind !== 'content' || content === undefined) continue;
        if (sent.has(transcript.digest)) continue;
        sent.add(transcript.digest);
        const key = this.#keys.content(transcript.digest);
        await this.#redis.set(key, content, 'EX', KEPT_SECONDS);
      }
      await this.#queue.addBulk(
        jobs.map(({ id, data }) => ({
          name: 'cells',
          data,
          opts: {
            jobId: id,
            attempts: ATTEMPTS,
            backoff: { type: 'exponential', delay: 1000 },
            removeOnComplete: true,
            removeOnFail: { age: 24 * 3600 },
          },
        })),
      );
    });
  }

  /** Ids of jobs that have a result; each is told once, and a word may be lost with the connection. */
  async told(): Promise<readonly string[]> {
    return (await this.#ask(() => this.#redis.lpop(this.#keys.done, BATCH))) ?? [];
  }

  /** The results of these jobs that are there, as `[id, result]`, a few at a time. They stay until `forget`. */
  async *results(
    ids: readonly string[],
  ): AsyncGenerator<readonly (readonly [string, JobResult])[]> {
    for (let at = 0; at < ids.length; at += BATCH) {
      const batch = ids.slice(at, at + BATCH);
      const found = await this.#ask(() => this.#redis.hmgetBuffer(this.#keys.results, ...batch));
      const results: (readonly [string, JobResult])[] = [];
      for (const [index, id] of batch.entries()) {
        const bytes = found[index] ?? null;
        if (bytes === null) continue;
        results.push([id, jobResult.parse(JSON.parse(await unpacked(bytes)))]);
      }
      if (results.length > 0) yield results;
    }
  }

  async forget(ids: readonly string[]): Promise<void> {
    await this.#ask(() => this.#redis.hdel(this.#keys.results, ...ids));
  }

  async forgetContent(digest: string): Promise<void> {
    await this.#ask(() => this.#redis.unlink(this.#keys.content(digest)));
  }

  /** BullMQ's names of the states; `unknown` of a job that is not there. */
  states(ids: readonly string[]): Promise<readonly string[]> {
    return this.#ask(() => Promise.all(ids.map((id) => this.#queue.getJobState(id))));
  }

  /** Why a job failed for good. */
  async failure(id: string): Promise<string> {
    const job = await this.#ask(() => this.#queue.getJob(id));
    return job?.failedReason ?? 'the reason is not known';
  }

  /** False where a worker is at it. */
  remove(id: string): Promise<boolean> {
    return this.#ask(async () => {
      try {
        await this.#queue.remove(id);
        return true;
      } catch (error) {
        if (/locked/i.test(messageOf(error))) return false;
        throw error;
      }
    });
  }

  /** Workers of this version; undefined where the Redis does not tell. */
  workers(): Promise<number | undefined> {
    return this.#queue.getWorkersCount().catch(() => undefined);
  }

  /** No worker begins a job of the run any more; those that are at one are told to stop. */
  async cancel(): Promise<void> {
    await this.#ask(() => this.#redis.set(this.#keys.plan, NO_PLAN, 'EX', KEPT_SECONDS));
    await this.#ask(() => this.#redis.publish(CANCELLED, this.#run));
  }

  /** Leaves nothing of the run but jobs, which find no plan. */
  async clear(digests: Iterable<string>): Promise<void> {
    const { plan, results, done, content } = this.#keys;
    await this.#ask(() => this.#redis.unlink(plan, results, done));
    const contents = [...digests].map(content);
    for (let start = 0; start < contents.length; start += KEYS_AT_ONCE) {
      const some = contents.slice(start, start + KEYS_AT_ONCE);
      await this.#ask(() => this.#redis.unlink(...some));
    }
  }

  /** After the connection is closed. */
  close(): void {
    this.#queue.close().catch(() => {});
  }
}
