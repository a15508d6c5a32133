import { createHash } from 'node:crypto';
import type { Message } from '../transcript/message.ts';
import type { Request, Transcript } from '../transcript/transcript.ts';
import type { RequestObserver, RequestReplay } from './result.ts';

/** A request that a model is asked about. */
export interface SampledRequest {
  /** 0-based index into `transcript.requests`. */
  readonly index: number;
  readonly request: Request;
  /** The list that would be sent. */
  readonly after: readonly Message[];
}

export interface SamplingPlan {
  /** Requests of a cell at most; a cell is one lineage. */
  readonly perCell: number;
  readonly seed: number;
}

/**
 * Chooses which of the rewritten requests of one cell a model is asked about: those with the lowest seeded
 * hash of transcript and index. The hash knows nothing of the config, so configs that rewrite the same
 * requests are asked about the same ones and share what depends on the recording alone. Holds no more
 * lists than it samples.
 */
export class RequestSample {
  readonly transcript: Transcript;
  readonly plan: SamplingPlan;
  readonly #sampled: (SampledRequest & { readonly rank: string })[] = [];
  #eligible = 0;

  constructor(transcript: Transcript, plan: SamplingPlan) {
    this.transcript = transcript;
    this.plan = plan;
  }

  /** To be given to the replay of the cell. */
  readonly observe: RequestObserver = (replay, _before, after) => {
    const request = this.transcript.requests[replay.index];
    if (request === undefined || !isEligible(replay, request)) return;
    this.#eligible++;
    const { index } = replay;
    const rank = rankOf(this.plan.seed, this.transcript, index);
    this.#sampled.push({ index, request, after, rank });
    this.#sampled.sort((a, b) => (a.rank < b.rank ? -1 : 1));
    this.#sampled.splice(Math.max(0, this.plan.perCell));
  };

  /** Requests that could have been asked about: rewritten, and known what the agent did. */
  get eligible(): number {
    return this.#eligible;
  }

  /** In the order of the transcript. */
  get requests(): readonly SampledRequest[] {
    return this.#sampled.toSorted((a, b) => a.index - b.index);
  }
}

function isEligible({ changed }: RequestReplay, { action }: Request): boolean {
  if (!changed || action === undefined) return false;
  return action.blocks.some(
    (block) =>
      (block.kind === 'tool-call' && block.server !== true) ||
      (block.kind === 'text' && block.text.trim() !== ''),
  );
}

function rankOf(seed: number, transcript: Transcript, index: number): string {
  return seededRank(seed, transcript.hash, String(index));
}

/** A number between 0 and 1 as hexadecimal digits, the same for the same seed and names. */
export function seededRank(seed: number, ...names: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([seed, ...names]))
    .digest('hex');
}
