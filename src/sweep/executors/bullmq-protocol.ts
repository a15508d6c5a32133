import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { MEASUREMENT_VERSION } from '../cells.ts';
import { manifestSchema } from '../manifest.ts';
import { outcomeText } from '../outcome-text.ts';

/** What starter and workers say to each other over Redis. Raised whenever that changes. */
const PROTOCOL = 1;

/** Before every key of ours, those of BullMQ too. */
export const PREFIX = 'compaction';

/** Workers of another version take no jobs of this one, whose figures they might give otherwise. */
export function queueName(harness: string): string {
  return `cells-${PROTOCOL}.${MEASUREMENT_VERSION}-${harness}`.replaceAll(':', '-');
}

/** Channel on which the ids of runs are told that were cancelled. */
export const CANCELLED = `${PREFIX}:cancelled`;

/** Seconds after which Redis forgets what it has of a run that nobody goes on with. */
export const KEPT_SECONDS = 14 * 24 * 3600;

export function keysOf(run: string) {
  const base = `${PREFIX}:run:${run}`;
  return {
    /** What is run; gone once the run has ended. */
    plan: `${base}:plan`,
    /** Hash: job id → its result, until the starter has written it. */
    results: `${base}:results`,
    /** List: ids of jobs with a result, so that the starter need not look for them. */
    done: `${base}:done`,
    /** A transcript by the SHA-256 of its content. */
    content: (digest: string) => `${base}:content:${digest}`,
  };
}

/** In the place of the plan: the run is over, and takes what has been measured. */
export const NO_PLAN = 'over';

/** No key is in it: those are of the workers' environments. */
export const runPlan = z.object({
  manifest: manifestSchema,
  /** The user's own price file. */
  prices: z.object({ file: z.string(), text: z.string() }).optional(),
});
export type RunPlan = z.output<typeof runPlan>;

/** A transcript that lies where the workers can read it too. */
const sharedTranscript = z.object({
  kind: z.literal('path'),
  task: z.string(),
  trial: z.string(),
  lineage: z.string(),
  file: z.string(),
  format: z.string(),
  session: z.string(),
  hash: z.string(),
});
export type SharedTranscript = z.output<typeof sharedTranscript>;

export const cellsJob = z.object({
  run: z.string(),
  transcript: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('content'), digest: z.string() }),
    sharedTranscript,
  ]),
  /** `config`: its number in the plan's manifest. */
  cells: z.array(z.object({ config: z.int().min(0), sample: z.int().min(0), id: z.string() })),
  /** Ids of those that were finished before. */
  finished: z.array(z.string()),
  /** Of the finished ones: tokens after of each request, for their controls. */
  budgets: z.record(z.string(), z.array(z.int().min(0))),
});
export type CellsJob = z.output<typeof cellsJob>;

export const jobResult = z.object({
  outcomes: z.array(outcomeText),
  /** What ends the whole run. */
  end: z.object({ code: z.literal('cassette.miss'), message: z.string() }).optional(),
});
export type JobResult = z.output<typeof jobResult>;

/** The same for the same things, wherever they are hashed: 20 hexadecimal digits. */
export function idOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 20);
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Largest text that is taken out of Redis, in bytes. */
const MOST_BYTES = 1_000_000_000;

export function packed(text: string): Promise<Buffer> {
  return compress(text, { level: 1 });
}

export async function unpacked(bytes: Buffer): Promise<string> {
  return (await decompress(bytes, { maxOutputLength: MOST_BYTES })).toString('utf8');
}
