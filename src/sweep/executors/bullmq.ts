import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, HarnessError } from '../../errors.ts';
import { failedCell } from '../../rows/result.ts';
import type { CellsToMeasure } from '../measure-cells.ts';
import { fromOutcomeText } from '../outcome-text.ts';
import { transcriptText } from '../transcript-text.ts';
import { type CellsUnit, sharedTranscript, unitsOf } from './bullmq-jobs.ts';
import {
  type CellsJob,
  type JobResult,
  KEPT_SECONDS,
  packed,
  type RunPlan,
} from './bullmq-protocol.ts';
import type { Executor, ExecutorJob } from './executor.ts';
import { type BoardJob, JobBoard } from './job-board.ts';
import { RedisLink } from './redis.ts';
import type { RedisAddress } from './redis-address.ts';

export interface BullmqOptions {
  readonly redis: RedisAddress;
  /** Id of the run: the same when it is resumed. */
  readonly run: string;
  readonly plan: RunPlan;
  /** How workers get a transcript: from Redis, or from the path where they find it too. */
  readonly send: 'content' | 'path';
  /** Jobs that are out at once. */
  readonly window: number;
  /** Told in lines what the user should know. */
  readonly say: (line: string) => void;
}

/** Compressed transcripts that are out at once, in bytes. */
const MOST_CONTENT = 256_000_000;
/** Milliseconds between two looks for results while jobs are sent. */
const LOOK_INTERVAL = 200;
/** Milliseconds between two looks at the state of every job that is out. */
const CHECK_INTERVAL = 5000;
/** Longest wait for a result, in milliseconds. */
const LONGEST_WAIT = 250;
/** Milliseconds that a cancelled run waits for what its workers have measured. */
const CANCEL_WAIT = 5000;
/** Milliseconds between two notices that no worker is there. */
const NOTICE_INTERVAL = 30_000;

/**
 * Measures in workers, on any number of machines, by jobs in Redis. Results are kept apart from BullMQ's own
 * events, by job id, until their rows are written: a job that two workers did is one result, and what a Redis
 * without persistence forgets is sent again.
 */
export function bullmqExecutor(options: BullmqOptions): Executor {
  return {
    run: async (job) => {
      const link = new RedisLink(options.redis, options.say);
      let board: JobBoard | undefined;
      try {
        const redis = await link.connect(job.stop);
        const { harness } = options.plan.manifest.versions;
        board = new JobBoard(options.run, harness, { redis, link }, job.stop);
        await new Starter(options, job, board).run();
      } catch (error) {
        if (!job.stop.aborted || codeOf(error) === 'output.write') throw error;
      } finally {
        link.close();
        board?.close();
      }
    },
  };
}

/** A job that is out. */
interface OpenUnit extends CellsUnit {
  readonly transcript: CellsJob['transcript'];
  readonly content: Buffer | undefined;
}

class Starter {
  readonly #options: BullmqOptions;
  readonly #job: ExecutorJob;
  readonly #board: JobBoard;
  readonly #open = new Map<string, OpenUnit>();
  /** Jobs that are out by the digest of their transcript. */
  readonly #users = new Map<string, Set<string>>();
  #contentBytes = 0;
  #isResumed = false;
  #looked = 0;
  #checked = 0;
  #noticed = 0;

  constructor(options: BullmqOptions, job: ExecutorJob, board: JobBoard) {
    this.#options = options;
    this.#job = job;
    this.#board = board;
  }

  async run(): Promise<void> {
    const { works, stop, host } = this.#job;
    this.#isResumed = await this.#board.begin(this.#options.plan);
    this.#checked = host.now() - CHECK_INTERVAL / 2;
    try {
      const iterator = works[Symbol.asyncIterator]();
      let isMore = true;
      let pause = 10;
      while (!stop.aborted && (isMore || this.#open.size > 0)) {
        const isRoom = this.#open.size < this.#options.window && this.#contentBytes < MOST_CONTENT;
        if (isMore && isRoom) {
          const next = await iterator.next();
          if (next.done === true) isMore = false;
          else await this.#send(next.value);
        }
        const isIdle = !isMore || !isRoom;
        if (!isIdle && host.now() - this.#looked < LOOK_INTERVAL) continue;
        this.#looked = host.now();
        const told = await this.#board.told();
        await this.#collect(told);
        await this.#check();
        if (!isIdle || told.length > 0) pause = 10;
        else {
          await sleep(pause, undefined, { signal: stop }).catch(() => {});
          pause = Math.min(2 * pause, LONGEST_WAIT);
        }
      }
    } finally {
      await this.#end();
    }
  }

  /** Sends the jobs of one transcript. */
  async #send(work: CellsToMeasure): Promise<void> {
    const { run, send } = this.#options;
    const units = unitsOf(work, run, this.#job.host.selection);
    const transcript = work.cells[0]?.transcript;
    if (transcript === undefined) return;
    const text = send === 'content' ? transcriptText(transcript) : undefined;
    const digest = text === undefined ? '' : createHash('sha256').update(text).digest('hex');
    const content = text === undefined ? undefined : await packed(text);
    const reference: CellsJob['transcript'] =
      text === undefined ? sharedTranscript(transcript) : { kind: 'content', digest };
    this.#contentBytes += content?.length ?? 0;
    if (content !== undefined) {
      const others = this.#users.get(digest) ?? [];
      this.#users.set(digest, new Set([...others, ...units.map(({ id }) => id)]));
    }
    const open = units.map((unit): OpenUnit => ({ ...unit, transcript: reference, content }));
    for (const unit of open) this.#open.set(unit.id, unit);
    if (this.#isResumed) await this.#takeUp(open);
    await this.#add(open.filter(({ id }) => this.#open.has(id)));
  }

  /** A start before this one may have left results, and jobs that failed. */
  async #takeUp(units: readonly OpenUnit[]): Promise<void> {
    await this.#collect(units.map(({ id }) => id));
    for (const { id } of units) if (this.#open.has(id)) await this.#board.remove(id);
  }

  #add(units: readonly OpenUnit[]): Promise<void> {
    const { run } = this.#options;
    return this.#board.add(
      units.map(
        ({ id, job, transcript, content }): BoardJob => ({
          id,
          data: { ...job, run, transcript },
          content,
        }),
      ),
    );
  }

  /** Writes the results of these jobs that are there, and only then takes them out of Redis. */
  async #collect(ids: readonly string[]): Promise<void> {
    const wanted = [...new Set(ids)].filter((id) => this.#open.has(id));
    for await (const results of this.#board.results(wanted)) {
      for (const [id, result] of results) await this.#accept(id, result);
      await this.#board.forget(results.map(([id]) => id));
    }
  }

  async #accept(id: string, { outcomes, end }: JobResult): Promise<void> {
    const unit = this.#open.get(id);
    if (unit === undefined) return;
    for (const outcome of outcomes) await this.#job.keep(fromOutcomeText(outcome));
    if (end !== undefined) throw new HarnessError(end.code, end.message);
    const measured = new Set(outcomes.map(({ row }) => row.cell_id));
    // A worker that was told to stop sends what it has; the check sends the rest again.
    if (unit.left.every((cell) => measured.has(cell.id))) await this.#close(unit);
  }

  async #close({ id, transcript, content }: OpenUnit): Promise<void> {
    this.#open.delete(id);
    if (transcript.kind !== 'content') return;
    const users = this.#users.get(transcript.digest);
    users?.delete(id);
    if (users === undefined || users.size > 0) return;
    this.#users.delete(transcript.digest);
    this.#contentBytes -= content?.length ?? 0;
    await this.#board.forgetContent(transcript.digest);
  }

  /** Looks after every job that is out: results nobody told of, jobs that failed for good, jobs that are gone. */
  async #check(): Promise<void> {
    const now = this.#job.host.now();
    if (now - this.#checked < CHECK_INTERVAL) return;
    this.#checked = now;
    const ids = [...this.#open.keys()];
    // States first: a job that is done has its result before it is gone.
    const states = await this.#board.states(ids);
    await this.#collect(ids);
    const gone: OpenUnit[] = [];
    for (const [index, state] of states.entries()) {
      const unit = this.#open.get(ids[index] ?? '');
      if (unit === undefined) continue;
      if (state === 'failed') await this.#fail(unit);
      else if (state === 'unknown' || state === 'completed') gone.push(unit);
    }
    if (gone.length > 0) await this.#board.begin(this.#options.plan);
    await this.#add(gone);
    if (ids.length > 0) await this.#noticeWorkers();
  }

  /** The rows of a job that no worker could do. */
  async #fail(unit: OpenUnit): Promise<void> {
    const { keep, host } = this.#job;
    const { selection, redact } = host;
    const { model, tokenizer } = selection.settings;
    const error = new HarnessError('worker.failed', await this.#board.failure(unit.id));
    for (const { transcript, config, sample, id: cellId } of unit.left) {
      const labels = { transcript, config, sample, cellId, model, tokenizer, wallSeconds: 0 };
      await keep({ row: failedCell(labels, error, redact), references: [] });
    }
    await this.#board.remove(unit.id);
    await this.#close(unit);
  }

  async #noticeWorkers(): Promise<void> {
    const now = this.#job.host.now();
    if (now - this.#noticed < NOTICE_INTERVAL) return;
    if ((await this.#board.workers()) !== 0) return;
    this.#noticed = now;
    const { redis, plan, say } = this.#options;
    const { harness } = plan.manifest.versions;
    say(
      `${this.#open.size} jobs wait, and no worker of version ${harness} is connected to the Redis at ${redis.shown}; start some: npm run worker -- --redis URL`,
    );
  }

  /**
   * Leaves nothing in Redis. Of a run that was cancelled or broke off: takes back what no worker has begun, stops
   * the others, and writes what they have measured until then.
   */
  async #end(): Promise<void> {
    this.#board.waitUntil(AbortSignal.timeout(2 * CANCEL_WAIT));
    try {
      if (this.#open.size > 0) await this.#cancel();
      await this.#board.clear(this.#users.keys());
    } catch (error) {
      if (codeOf(error) === 'output.write') throw error;
      const { redis, say } = this.#options;
      say(
        `what the run has in the Redis at ${redis.shown} could not be taken back; it is forgotten in ${KEPT_SECONDS / 86_400} days`,
      );
    }
  }

  async #cancel(): Promise<void> {
    await this.#board.cancel();
    let active: string[] = [];
    for (const id of this.#open.keys()) if (!(await this.#board.remove(id))) active.push(id);
    const { now } = this.#job.host;
    const end = now() + CANCEL_WAIT;
    while (active.length > 0 && now() < end) {
      await sleep(100);
      const states = await this.#board.states(active);
      active = active.filter((_, index) => states[index] === 'active');
    }
    await this.#collect([...this.#open.keys()]);
  }
}
