import { createHash } from 'node:crypto';
import { type Job, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { codeOf, HarnessError, messageOf } from '../../errors.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import type { Cell } from '../cells.ts';
import { type MeasuringHost, measureCells } from '../measure-cells.ts';
import { type OutcomeText, toOutcomeText } from '../outcome-text.ts';
import { transcriptOf } from '../transcript-text.ts';
import {
  CANCELLED,
  type CellsJob,
  cellsJob,
  type JobResult,
  KEPT_SECONDS,
  keysOf,
  NO_PLAN,
  PREFIX,
  packed,
  queueName,
  type RunPlan,
  runPlan,
  unpacked,
} from './bullmq-protocol.ts';
import { findTranscript } from './find-transcript.ts';
import { Recent } from './recent.ts';
import { RedisLink } from './redis.ts';
import type { RedisAddress } from './redis-address.ts';

export interface WorkerOptions {
  readonly redis: RedisAddress;
  /** Version of this harness. */
  readonly version: string;
  readonly cwd: string;
  /** Jobs at once. */
  readonly jobs: number;
  /** Seconds without a sign of life after which another worker takes a job over. */
  readonly stalledSeconds: number;
  /** Ends the worker: it takes no further job and finishes those that it has. */
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** What the cells of a run are measured with on this machine; `signal` aborts when the run is cancelled. */
  hostOf(plan: RunPlan, signal: AbortSignal): Promise<MeasuringHost>;
}

/** How often a job may lose its worker before it fails: the process may be killed again and again by its cells. */
const MOST_STALLS = 5;
/** A result and the word of it, at once; none once the run has ended, since nobody would clear it away. */
const DELIVER = `
if redis.call('exists', KEYS[1]) == 0 then return 0 end
redis.call('hset', KEYS[2], ARGV[1], ARGV[2])
redis.call('rpush', KEYS[3], ARGV[1])
redis.call('expire', KEYS[2], ARGV[3])
redis.call('expire', KEYS[3], ARGV[3])
return 1`;
/** Runs and transcripts that are kept for the next job. */
const RECENT_RUNS = 8;
const RECENT_TRANSCRIPTS = 4;

/** What a worker did until it ended. */
export interface WorkerReport {
  readonly jobs: number;
  readonly cells: number;
}

/** Measures cells of any runs until the signal aborts. Rejects with `redis.refused`. */
export async function serveCells(options: WorkerOptions): Promise<WorkerReport> {
  const { redis: address, signal, say, version, jobs, stalledSeconds } = options;
  const link = new RedisLink(address, say);
  try {
    const [redis, listening] = [await link.connect(signal), await link.connect(signal)];
    const server = new CellServer(redis, link, options);
    await server.listen(listening);
    const worker = new Worker(queueName(version), (job) => server.process(job), {
      connection: redis,
      prefix: PREFIX,
      concurrency: jobs,
      lockDuration: stalledSeconds * 1000,
      stalledInterval: (stalledSeconds * 1000) / 2,
      maxStalledCount: MOST_STALLS,
      skipVersionCheck: true,
    });
    worker.on('error', (error) => {
      // Another worker has taken the job over, since this one gave no sign of life.
      if (!/lock|missing key/i.test(messageOf(error))) link.note(error);
    });
    worker.on('failed', (job, error) => say(`job ${job?.id ?? ''} failed: ${error.message}`));
    await worker.waitUntilReady();
    say(`waits for cells at the Redis at ${address.shown}; Ctrl-C ends it after those under way`);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await worker.close();
    return server.report;
  } catch (error) {
    if (!signal.aborted || error instanceof HarnessError) throw error;
    return { jobs: 0, cells: 0 };
  } finally {
    link.close();
  }
}

/** A run as this worker knows it. */
interface KnownRun {
  readonly plan: RunPlan;
  readonly host: MeasuringHost;
  readonly cancelled: AbortSignal;
}

class CellServer {
  readonly #redis: Redis;
  readonly #link: RedisLink;
  readonly #options: WorkerOptions;
  readonly #runs = new Recent<Promise<KnownRun>>(RECENT_RUNS);
  readonly #transcripts = new Recent<Promise<Transcript>>(RECENT_TRANSCRIPTS);
  /** What each run is cancelled by. */
  readonly #cancels = new Map<string, () => void>();
  readonly #patience = new AbortController().signal;
  #jobs = 0;
  #cells = 0;

  constructor(redis: Redis, link: RedisLink, options: WorkerOptions) {
    this.#redis = redis;
    this.#link = link;
    this.#options = options;
  }

  get report(): WorkerReport {
    return { jobs: this.#jobs, cells: this.#cells };
  }

  /** Hears which runs are cancelled. */
  async listen(redis: Redis): Promise<void> {
    redis.on('message', (_, run: string) => {
      this.#cancels.get(run)?.();
      this.#cancels.delete(run);
    });
    await redis.subscribe(CANCELLED);
  }

  /** May be done twice, here or elsewhere: the result is the same but for times, and is kept once. */
  async process({ data, id = '' }: Job): Promise<void> {
    const job = cellsJob.parse(data);
    const keys = keysOf(job.run);
    const [text, isDone] = await this.#ask(() =>
      Promise.all([this.#redis.get(keys.plan), this.#redis.hexists(keys.results, id)]),
    );
    // The run has ended, or another worker was faster.
    if (text === null || text === NO_PLAN || isDone === 1) return;
    const run = await this.#runOf(job.run, text);
    const transcript = await this.#transcriptOf(job, run);
    if (transcript === undefined) return;
    const cells = cellsOf(job, run, transcript);
    const outcomes: OutcomeText[] = [];
    let end: JobResult['end'];
    try {
      const finished = new Set(job.finished);
      const work = {
        cells,
        isFinished: (cell: string) => finished.has(cell),
        budgetOf: (cell: string) => job.budgets[cell],
      };
      for await (const outcome of measureCells(work, run.host, run.cancelled)) {
        outcomes.push(toOutcomeText(outcome));
      }
    } catch (error) {
      if (codeOf(error) !== 'cassette.miss') throw error;
      end = { code: 'cassette.miss', message: messageOf(error) };
    }
    const result: JobResult = { outcomes, ...(end === undefined ? {} : { end }) };
    await this.#deliver(job.run, id, result);
    this.#jobs++;
    this.#cells += outcomes.length;
  }

  async #deliver(run: string, id: string, result: JobResult): Promise<void> {
    const { plan, results, done } = keysOf(run);
    const bytes = await packed(JSON.stringify(result));
    await this.#ask(() =>
      this.#redis.eval(DELIVER, 3, plan, results, done, id, bytes, KEPT_SECONDS),
    );
  }

  #runOf(run: string, text: string): Promise<KnownRun> {
    const digest = createHash('sha256').update(text).digest('hex');
    const key = `${run} ${digest}`;
    return this.#runs.get(key, async () => {
      const plan = runPlan.parse(JSON.parse(text));
      const controller = new AbortController();
      this.#cancels.set(run, () => {
        controller.abort();
        // A resumed run is another one to this worker.
        this.#runs.drop(key);
      });
      const host = await this.#options.hostOf(plan, controller.signal);
      const names = plan.manifest.configs.map(({ name }) => name);
      this.#options.say(`works on run ${run}: ${names.length} configs`);
      return { plan, host, cancelled: controller.signal };
    });
  }

  /** Undefined where the run has ended meanwhile. Rejects with `input.missing`. */
  async #transcriptOf(
    { run, transcript: wanted }: CellsJob,
    { plan }: KnownRun,
  ): Promise<Transcript | undefined> {
    if (wanted.kind === 'path') {
      const key = JSON.stringify(wanted);
      return this.#transcripts.get(key, async () => {
        const { cwd } = this.#options;
        const found = await findTranscript(wanted, plan.manifest.transcripts.patterns, cwd);
        if (found !== undefined) return found;
        const message = `the recording is not here, or is another one: give the workers the same files at the same path, or start the sweep with --send content`;
        throw new HarnessError('input.missing', message, { at: { file: wanted.file } });
      });
    }
    const keys = keysOf(run);
    const { digest } = wanted;
    const known = this.#transcripts.peek(digest);
    if (known !== undefined) return known;
    const bytes = await this.#ask(() => this.#redis.getBuffer(keys.content(digest)));
    if (bytes === null) {
      const now = await this.#ask(() => this.#redis.get(keys.plan));
      if (now === null || now === NO_PLAN) return undefined;
      throw new HarnessError('input.missing', 'the transcript is not in Redis any more');
    }
    return this.#transcripts.get(digest, async () => {
      const text = await unpacked(bytes);
      if (createHash('sha256').update(text).digest('hex') === digest) return transcriptOf(text);
      throw new HarnessError(
        'input.schema',
        'the transcript in Redis is not the one that was sent',
      );
    });
  }

  #ask<T>(ask: () => Promise<T>): Promise<T> {
    return this.#link.retrying(ask, this.#patience);
  }
}

function cellsOf(job: CellsJob, { host }: KnownRun, transcript: Transcript): Cell[] {
  return job.cells.map(({ config: number, sample, id }) => {
    const config = host.selection.configs[number];
    if (config !== undefined) return { transcript, config, sample, id };
    throw new HarnessError('harness.internal', `a job names config ${number}, which its run lacks`);
  });
}
