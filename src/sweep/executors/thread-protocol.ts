import type { MessagePort } from 'node:worker_threads';
import type { ErrorCode } from '../../errors.ts';
import type { TranscriptParts } from '../transcript-text.ts';

/** What a thread does as long as it lives: it measures what comes, until `port` is closed. */
export interface ThreadTask {
  /** Takes `ThreadReport`s, and brings `ThreadOrder`s. */
  readonly port: MessagePort;
  /** Brings a `ThreadWork` for each `more`: apart, so that it stays bytes until the thread comes to it. */
  readonly works: MessagePort;
}

/** `more`: a work came. `stop`: no further cell begins, of what waits neither. */
export type ThreadOrder = 'more' | 'stop';

/** The cells of one transcript. Several may wait in the thread; they are measured in the order given. */
export interface ThreadWork {
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
}

/**
 * Of the work that the thread is at: its outcomes one by one, as soon as they are there, and then that it is done.
 * An outcome is an `OutcomeText` as JSON, which takes a fraction of the time of a copy of its objects.
 */
export type ThreadReport = string | ThreadDone;

export interface ThreadDone {
  /** Calls that a cassette did not hold. */
  readonly missed: number;
  /** What ends the whole run. */
  readonly end?: { readonly code: ErrorCode; readonly message: string };
}
