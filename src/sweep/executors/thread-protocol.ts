import type { MessagePort } from 'node:worker_threads';
import type { ErrorCode } from '../../errors.ts';
import type { TranscriptParts } from '../transcript-text.ts';

/** The cells of one transcript, as a thread gets them. */
export interface ThreadTask {
  readonly transcript: TranscriptParts;
  /** `config`: its number in the run's selection. */
  readonly cells: readonly {
    readonly config: number;
    readonly sample: number;
    readonly id: string;
  }[];
  /** Ids of those that are not to be measured. */
  readonly finished: readonly string[];
  /** Of the finished ones: tokens after of each request, for their controls. */
  readonly budgets: ReadonlyMap<string, readonly number[]>;
  /** Takes `ThreadMessage`s; whatever comes over it ends the task. */
  readonly port: MessagePort;
}

/**
 * Outcomes are told one by one, as soon as they are there: an `OutcomeText` as JSON, which takes a fraction of the
 * time of a copy of its objects.
 */
export type ThreadMessage = string;

/** How a task ended. */
export interface ThreadResult {
  /** Calls that a cassette did not hold. */
  readonly missed: number;
  /** What ends the whole run. */
  readonly end?: { readonly code: ErrorCode; readonly message: string };
}
